"""What a position is worth as far as one can see: a tree that grows where play is likely to go.

Each visit walks down the tree to a position that was not looked at yet, looks at all its children
with the learned evaluation, and adds what it found to every position on its way. At each step the
walk takes the child with the largest

    mean of its visits  +  CURIOSITY * its share * sqrt(visits of the parent) / visits       (PUCT)

    share       by how good the child looks at a glance: exp(points / HEAT), all of them 1 together
    a value     from 0 to 1, the chance to win: 1 / (1 + exp(-points / SCALE)); 1, 1/2 or 0 where
                the bounds without search say who wins

A deeper look (`deepening.pyx`) takes the largest of many guesses, so it takes their errors along.
Means even them out.

Sources: C. Rosin, Multi-armed bandits with episode context (2011); D. Silver and others, Mastering
the game of Go without human knowledge (2017).
"""

from cpython.exc cimport PyErr_CheckSignals
from cython cimport final
from libc.math cimport exp, log, sqrt
from libc.stdint cimport INT32_MAX, int16_t, int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free as release, realloc

from kulami_solver.core.bits cimport lowest
from kulami_solver.core.exclusive cimport begin_alone, end_alone
from kulami_solver.kulami.evaluation cimport evaluate
from kulami_solver.kulami.learned cimport learned_value
from kulami_solver.kulami.moves cimport make_move
from kulami_solver.kulami.node cimport Node, Searcher
from kulami_solver.kulami.rules cimport MAX_FIELDS
from kulami_solver.kulami.search cimport Search
from kulami_solver.kulami.weights cimport SIXTY_FOURTH

import time

cdef enum:
    SLICE = 256             # visits between two looks at the clock
    MOST_LEAVES = 1 << 22   # of the tree, 100 MB; visits end at its rim from then on
    NOT_YET = -1            # children of a position that was not looked at yet
    FAR = 40                # points beyond which a child looks no better

cdef double CURIOSITY = 0.5
cdef double SCALE = 2.0     # points
cdef double HEAT = 1.0      # points

cdef struct Leaf:           # a position of the tree
    double total            # of its visits' values, for the side that moved here
    int32_t visits          # the first is the glance at it
    int32_t first           # index of the first child; they lie side by side
    float share
    int16_t children
    uint8_t field           # that was played


cdef inline bint is_settled(const Node *n) noexcept nogil:
    """Do the bounds of an evaluated node say who wins?"""
    return n.lower > 0 or n.upper < 0 or n.lower == n.upper


cdef inline double points_of(const Searcher *s, const Node *n) noexcept nogil:
    """About how many points an evaluated node is worth."""
    if n.lower == n.upper:
        return n.lower
    return learned_value(s, n) / <double>SIXTY_FOURTH


cdef inline double chance_of(const Node *n, double points) noexcept nogil:
    """The chance of the side to move to win at an evaluated node that looks worth so much."""
    if is_settled(n):
        return 0.5 + 0.5 * ((n.lower > 0) - (n.upper < 0))
    return 1 / (1 + exp(-points / SCALE))


@final
cdef class LearnedTree:
    """Grows a tree from the position that a search holds, over its learned evaluation.

    Args:
        search: nobody else may ask it meanwhile.
    """

    cdef Search search
    cdef Leaf *tree
    cdef int64_t room               # leaves there is memory for
    cdef int64_t leaves
    cdef readonly int64_t visits    # of the last look

    def __cinit__(self, Search search not None):
        self.search = search

    def __dealloc__(self):
        release(self.tree)

    def look(
        self, visits=None, seconds=None, stopped=None, uint64_t among=~<uint64_t>0
    ) -> dict[int, float]:
        """About how many points each field is worth, the one that was visited most first.

        Args:
            visits, seconds: at most so many, None for any number, and 2^31 - 2 visits in any case.
                The root's moves are always looked at.
            stopped: called now and then; true ends the look.
            among: the fields to choose from.

        Raises:
            ValueError: the game is over, or none of the fields is legal.
            MemoryError: the tree has no room.
            RuntimeError: another thread is at work with the search.
        """
        cdef int64_t limit = INT32_MAX - 1 if visits is None else min(visits, INT32_MAX - 1)
        cdef int64_t until
        deadline = None if seconds is None else time.monotonic() + seconds
        begin_alone(&self.search.scratch.busy)
        try:
            self.search.occupy()
            if self.search.root.supply == 0 or self.search.root.legal & among == 0:
                raise ValueError("there is no field to look at")
            self.visits = 0
            self.leaves = 0
            self.make_room()
            self.add_leaf(0, 0)
            self.expand(0, &self.search.root, 0, among)
            while self.visits < limit:
                if deadline is not None and time.monotonic() >= deadline:
                    break
                if stopped is not None and stopped():
                    break
                self.make_room()
                until = min(self.visits + SLICE, limit)
                with nogil:
                    while self.visits < until:
                        self.visit()
                        self.visits += 1
                PyErr_CheckSignals()
            return self.values()
        finally:
            end_alone(&self.search.scratch.busy)

    cdef dict values(self):
        """The root's fields in their order, each with what it is worth, in points."""
        cdef Leaf *child
        cdef double chance
        cdef int i
        found = []
        for i in range(self.tree[0].children):
            child = &self.tree[self.tree[0].first + i]
            chance = min(max(child.total / child.visits, 1e-9), 1 - 1e-9)
            found.append((child.visits, SCALE * log(chance / (1 - chance)), child.field))
        found.sort(key=lambda one: one[0], reverse=True)
        return {field: points for _, points, field in found}

    def line(self) -> list[int]:
        """The fields that the last look expects, each the one that was visited most."""
        cdef const Leaf *leaf
        cdef int64_t at = 0, best
        cdef int i
        found = []
        while self.leaves and self.tree[at].children > 0:
            leaf = &self.tree[at]
            best = leaf.first
            for i in range(leaf.children):
                if self.tree[leaf.first + i].visits > self.tree[best].visits:
                    best = leaf.first + i
            at = best
            found.append(self.tree[at].field)
        return found

    cdef int make_room(self) except -1:
        """Have memory for what a slice of visits can add."""
        cdef int64_t wanted = min(self.leaves, MOST_LEAVES) + (SLICE + 1) * MAX_FIELDS
        cdef int64_t room = min(
            max(2 * self.room, wanted), <int64_t>MOST_LEAVES + (SLICE + 1) * MAX_FIELDS
        )
        cdef Leaf *grown
        if wanted <= self.room:
            return 0
        grown = <Leaf *>realloc(self.tree, room * sizeof(Leaf))
        if grown == NULL:
            raise MemoryError(f"no memory for a tree of {room} positions")
        self.tree = grown
        self.room = room
        return 0

    cdef inline Leaf *add_leaf(self, int field, double chance) noexcept nogil:
        cdef Leaf *leaf = &self.tree[self.leaves]
        leaf.total = chance
        leaf.visits = 1
        leaf.children = NOT_YET
        leaf.field = field
        self.leaves += 1
        return leaf

    cdef double expand(self, int64_t at, Node *n, int ply, uint64_t among) noexcept nogil:
        """Look at the children of a position; return the chance of its side, by the best one."""
        cdef Searcher *s = &self.search.searcher
        cdef Node *c = &s.moves[ply].child[0]
        cdef Leaf *leaf = &self.tree[at]
        cdef Leaf *child
        cdef uint64_t rest = n.legal & among
        cdef double best = 0, shares = 0, chance, points
        cdef int i
        leaf.first = self.leaves
        leaf.children = 0
        while rest:
            make_move(s, n, lowest(rest), c)
            evaluate(s, c)
            rest &= rest - 1
            points = points_of(s, c)
            chance = 1 - chance_of(c, points)
            best = max(best, chance)
            child = self.add_leaf(c.last, chance)
            child.share = exp(max(min(-points, FAR), -FAR) / HEAT)
            shares += child.share
            leaf.children += 1
        for i in range(leaf.children):
            self.tree[leaf.first + i].share /= shares
        return best

    cdef inline int64_t chosen(self, const Leaf *leaf) noexcept nogil:
        """The child that a walk takes."""
        cdef double root = CURIOSITY * sqrt(<double>leaf.visits)
        cdef double urge, most = -1
        cdef const Leaf *child
        cdef int64_t at = leaf.first
        cdef int i
        for i in range(leaf.children):
            child = &self.tree[leaf.first + i]
            urge = (child.total + root * child.share) / child.visits
            if urge > most:
                most = urge
                at = leaf.first + i
        return at

    cdef void visit(self) noexcept nogil:
        """Walk to a position that was not looked at yet, look, and tell all on the way back."""
        cdef Searcher *s = &self.search.searcher
        cdef int64_t path[MAX_FIELDS + 1]
        cdef Node *n = &self.search.root
        cdef Node *c
        cdef int64_t at = 0
        cdef int ply = 0
        cdef double value               # for the side to move at `n`
        path[0] = 0
        while self.tree[at].children != NOT_YET and (ply == 0 or not is_settled(n)):
            at = self.chosen(&self.tree[at])
            c = &s.moves[ply].child[0]
            make_move(s, n, self.tree[at].field, c)
            evaluate(s, c)
            n = c
            ply += 1
            path[ply] = at
        if is_settled(n) or self.leaves >= MOST_LEAVES:
            value = chance_of(n, points_of(s, n))
        else:
            value = self.expand(at, n, ply, n.legal)
        while ply >= 0:
            value = 1 - value
            self.tree[path[ply]].total += value
            self.tree[path[ply]].visits += 1
            ply -= 1
