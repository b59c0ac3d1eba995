"""What a position is worth as far as one can see: a tree that grows where play is likely to go.

Each visit walks down the tree to a position that was not looked at yet, looks at all its children
at a glance (`heuristics.pxd`), and adds the best one's value to every position on its way. At each
step the walk takes the child with the largest

    mean of its visits  +  CURIOSITY * its share * sqrt(visits of the parent) / visits       (PUCT)

    share       by how good the child looks at a glance: exp(points / heat), all of them 1 together
    a value     from 0 to 1, the chance to win: 1 / (1 + exp(-points / scale)); 1, 1/2 or 0 where
                the game is over. A tenth of it is the margin instead, so that of two wins the
                larger one is better

Where areas count, LUCK of what a visit finds is the reward of a game at random from there: such
games see how areas grow together, as no sum of weights does.

A deeper look (`heuristics.pyx`) takes the largest of many guesses, so it takes their errors along.
Means even them out.

Sources: C. Rosin, Multi-armed bandits with episode context (2011); D. Silver and others, Mastering
the game of Go with deep neural networks and tree search (2016), which mixes values and playouts.
"""

from cpython.exc cimport PyErr_CheckSignals
from cython cimport final
from libc.math cimport exp, sqrt
from libc.stdint cimport INT32_MAX, int16_t, int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free as release, malloc, realloc
from libc.string cimport memcpy

from kulami_solver.core.bits cimport bit, lowest, popcount
from kulami_solver.core.exclusive cimport begin_alone, end_alone
from kulami_solver.kulami.solve.heuristics cimport (
    Glance, Viewer, Viewing, glance_margin, glance_value, place_marble,
)
from kulami_solver.kulami.position.luck cimport drawn
from kulami_solver.kulami.position.rules cimport (
    MAX_FIELDS, NO_FIELD, Ply, after, legal_now, margin_of,
)
from kulami_solver.kulami.solve.bounds cimport SIXTY_FOURTH, Windows

import time

cdef enum:
    SLICE = 256             # visits between two looks at the clock
    MOST_LEAVES = 1 << 22   # of the tree, 100 MB; visits end at its rim from then on
    NOT_YET = -1            # children of a position that was not looked at yet
    NOWHERE = -1            # index of a position that is not in the tree
    FAR = 40                # points beyond which a child looks no better

cdef double CURIOSITY = 0.5
cdef double SCALE = 1.25                # points, where panels alone count
cdef double SCALE_OF_MORE = 2.0         # where areas or chains do, too
cdef double HEAT = 1.0                  # points, where areas do not count
cdef double HEAT_OF_AREAS = 3.0         # where they do: a glance knows less there
cdef double LUCK = 0.5
cdef double MARGIN = 0.1                # share of a value that the margin has
cdef double WIDE = 16                   # points of margin, from where on more count no more

cdef struct Leaf:           # a position of the tree
    double total            # of its visits' values, for the side that moved here
    int32_t visits          # the first is the glance at it
    int32_t first           # index of the first child; they lie side by side
    float share
    int16_t children
    uint8_t field           # that was played


cdef inline double with_points(double chance, double points) noexcept nogil:
    """A value, by the chance to win and the margin."""
    return chance + MARGIN * (0.5 + max(min(points, WIDE), -WIDE) / (2 * WIDE) - chance)


cdef inline double outcome_of(int margin) noexcept nogil:
    """The value of a game that is over."""
    return with_points(0.5 + 0.5 * ((margin > 0) - (margin < 0)), margin)


@final
cdef class LearnedTree:
    """Grows trees from positions of a layout.

    Args:
        viewing: how they are looked at.
        seed: of the games at random, any whole number; the same visits give the same tree.

    Example:
        >>> from kulami_solver import Layout, Position, Scoring
        >>> from kulami_solver.kulami.solve.evaluation import viewing
        >>> position = Position(Layout.parse("AAB/CCB")).play("a1")
        >>> tree = LearnedTree(viewing(position.layout.geometry, Scoring.LEVEL0))
        >>> next(iter(tree.look(*position.view, position.supply, visits=100))), tree.line()
        (2, [2])
    """

    cdef readonly Viewing viewing
    cdef const Viewer *v
    cdef Glance root
    cdef Windows windows[2]         # of the root
    cdef double scale               # points
    cdef double heat                # points
    cdef uint64_t first_state       # of what is at random
    cdef uint64_t state
    cdef Leaf *tree
    cdef int64_t room               # leaves there is memory for
    cdef int64_t leaves
    cdef uint64_t busy
    cdef readonly int64_t visits    # of the last look
    cdef readonly int64_t kept      # visits of the same position that earlier looks left to it

    def __cinit__(self, Viewing viewing not None, seed=0):
        self.viewing = viewing
        self.v = &viewing.viewer
        self.first_state = 2 * (seed % 2**62) + 3
        self.scale = SCALE_OF_MORE if self.v.areas or self.v.chains else SCALE
        self.heat = HEAT_OF_AREAS if self.v.areas else HEAT

    def __dealloc__(self):
        release(self.tree)

    def look(
        self, uint64_t own, uint64_t other, int last, int before, int supply, visits=None,
        seconds=None, stopped=None, uint64_t among=~<uint64_t>0, bint going_on=False
    ) -> dict[int, float]:
        """About how many points each field is worth, the one that was visited most first.

        Args:
            own, other, last, before, supply: a position, as for the exact search.
            visits, seconds: at most so many, None for any number, and 2^31 - 2 visits of a position
                in any case. The root's moves are always looked at.
            stopped: called now and then; true ends the look.
            among: the fields to choose from.
            going_on: whether to keep what the last look saw of the position, if that was a look at
                it, or at the position before the last two moves.

        Raises:
            ValueError: it is no position, the game is over, or none of the fields is legal.
            MemoryError: the tree has no room.
            RuntimeError: another thread is at work with the tree.
        """
        cdef int64_t limit = INT32_MAX - 1 if visits is None else min(visits, INT32_MAX - 1)
        cdef int64_t until, at
        cdef int children
        deadline = None if seconds is None else time.monotonic() + seconds
        begin_alone(&self.busy)
        try:
            at = self.leaf_of(own, other, last, before, supply) if going_on else NOWHERE
            self.keep(at, among)
            self.viewing.begin(&self.root, self.windows, own, other, last, before, supply)
            if self.root.legal & among == 0:
                self.leaves = 0
                raise ValueError("there is no field to look at")
            self.visits = 0
            children = popcount(self.root.legal & among)
            if self.leaves == 0 or self.tree[0].children not in (NOT_YET, children):
                self.leaves = 0
                self.state = self.first_state
                self.make_room()
                self.add_leaf(0, 0)
            if self.tree[0].children == NOT_YET:
                self.make_room()
                self.expand(0, &self.root, self.windows, among)
            self.kept = self.tree[0].visits - 1
            limit = min(limit, INT32_MAX - 1 - self.kept)
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
            end_alone(&self.busy)

    cdef int64_t leaf_of(
        self, uint64_t own, uint64_t other, int last, int before, int supply
    ) except -2:
        """Return where a position is in the tree: at its root, two moves below it, or nowhere."""
        cdef const Glance *g = &self.root
        last = self.viewing.geometry.checked(last)
        before = self.viewing.geometry.checked(before)
        if self.leaves == 0:
            return NOWHERE
        if own == g.marbles[0] and other == g.marbles[1]:
            return 0 if last == g.last and before == g.before and supply == g.supply else NOWHERE
        if (
            supply != g.supply - 2 or before == NO_FIELD or last == NO_FIELD
            or own != g.marbles[0] | bit(before) or other != g.marbles[1] | bit(last)
        ):
            return NOWHERE
        return self.child_of(self.child_of(0, before), last)

    cdef int64_t child_of(self, int64_t at, int field) noexcept:
        cdef int i
        if at != NOWHERE:
            for i in range(self.tree[at].children):
                if self.tree[self.tree[at].first + i].field == field:
                    return self.tree[at].first + i
        return NOWHERE

    cdef void keep(self, int64_t at, uint64_t among) noexcept:
        """Make a leaf the root, with those of its moves that are among these; drop all others."""
        cdef Leaf *kept
        cdef Leaf *leaf
        cdef Leaf *child
        cdef double shares = 0
        cdef int64_t i = 0
        cdef int k, children
        if at == 0 and self.root.legal & ~among == 0:
            return
        kept = NULL if at == NOWHERE else <Leaf *>malloc(self.room * sizeof(Leaf))
        if kept == NULL:        # without memory for a copy, the tree begins anew
            self.leaves = 0
            return
        kept[0] = self.tree[at]
        self.leaves = 1
        while i < self.leaves:
            leaf = &kept[i]
            child = &self.tree[leaf.first]
            children = leaf.children
            if children > 0:
                leaf.first = self.leaves
                leaf.children = 0
            for k in range(children):
                if i > 0 or bit(child[k].field) & among:
                    kept[self.leaves] = child[k]
                    self.leaves += 1
                    leaf.children += 1
            i += 1
        for k in range(kept[0].children):
            shares += kept[1 + k].share
        for k in range(kept[0].children):
            kept[1 + k].share /= shares
        release(self.tree)
        self.tree = kept

    cdef dict values(self):
        """The root's fields in their order, each with what it is worth, in points."""
        cdef Leaf *child
        cdef int i
        found = []
        for i in range(self.tree[0].children):
            child = &self.tree[self.tree[0].first + i]
            found.append((child.visits, self.points(child.total / child.visits), child.field))
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
        leaf.first = 0
        leaf.children = NOT_YET
        leaf.field = field
        self.leaves += 1
        return leaf

    cdef inline double glance(self, const Glance *g, const Windows *windows) noexcept nogil:
        """About how many points a position is worth to its side to move."""
        return glance_value(self.v, g, windows) / <double>SIXTY_FOURTH

    cdef double points(self, double value) noexcept:
        """The points that are worth as much as a value."""
        cdef double low = -FAR, high = FAR, middle = 0
        while high - low > 1e-6:
            if self.value(middle) < value:
                low = middle
            else:
                high = middle
            middle = (low + high) / 2
        return middle

    cdef inline double value(self, double points) noexcept nogil:
        return with_points(1 / (1 + exp(-points / self.scale)), points)

    cdef double expand(
        self, int64_t at, const Glance *g, const Windows *windows, uint64_t among
    ) noexcept nogil:
        """Look at the children of a position; return the chance of its side, by the best one."""
        cdef Glance c
        cdef Windows filled[2]          # of the child
        cdef Leaf *leaf = &self.tree[at]
        cdef Leaf *child
        cdef uint64_t rest = g.legal & among
        cdef double best = 0, shares = 0, chance, points
        cdef int i
        leaf.first = self.leaves
        leaf.children = 0
        while rest:
            c = g[0]
            if self.v.chains:
                memcpy(filled, windows, sizeof(filled))
            place_marble(self.v, &c, filled, lowest(rest))
            rest &= rest - 1
            if c.legal:
                points = -self.glance(&c, filled)
                chance = self.value(points)
            else:
                points = -glance_margin(self.v, &c, filled)
                chance = outcome_of(<int>points)
            best = max(best, chance)
            child = self.add_leaf(c.last, chance)
            child.share = exp(max(min(points, FAR), -FAR) / self.heat)
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

    cdef double luck(self, const Glance *g) noexcept nogil:
        """The reward of a game at random from here, for the side to move.

        Half of it is for the outcome, half for the margin.
        """
        cdef Ply here = Ply(
            g.marbles[g.turn], g.marbles[g.turn ^ 1], g.last, g.before, g.supply
        )
        cdef uint64_t moves = legal_now(self.v.rules, &here)
        cdef int sign = 1, points
        while moves:
            here = after(&here, drawn(&self.state, moves))
            sign = -sign
            moves = legal_now(self.v.rules, &here)
        points = sign * margin_of(
            self.v.rules, here.own, here.other, self.v.areas, self.v.chains
        )
        points = max(-<int>WIDE, min(<int>WIDE, points))
        return 0.5 + points / (4.0 * WIDE) + 0.25 * ((points > 0) - (points < 0))

    cdef void visit(self) noexcept nogil:
        """Walk to a position that was not looked at yet, look, and tell all on the way back."""
        cdef int64_t path[MAX_FIELDS + 1]
        cdef Glance g = self.root
        cdef Windows windows[2]
        cdef int64_t at = 0
        cdef int ply = 0
        cdef double value               # for the side to move at `g`
        if self.v.chains:
            memcpy(windows, self.windows, sizeof(windows))
        path[0] = 0
        while self.tree[at].children != NOT_YET and g.legal:
            at = self.chosen(&self.tree[at])
            place_marble(self.v, &g, windows, self.tree[at].field)
            ply += 1
            path[ply] = at
        if not g.legal:
            value = outcome_of(glance_margin(self.v, &g, windows))
        else:
            if self.leaves >= MOST_LEAVES:
                value = self.value(self.glance(&g, windows))
            else:
                value = self.expand(at, &g, windows, g.legal)
            if self.v.areas:
                value += LUCK * (self.luck(&g) - value)
        while ply >= 0:
            value = 1 - value
            self.tree[path[ply]].total += value
            self.tree[path[ply]].visits += 1
            ply -= 1
