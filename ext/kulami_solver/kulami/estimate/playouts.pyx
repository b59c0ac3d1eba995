"""Play without proof: a heuristic, alpha-beta over it, and Monte-Carlo tree search.

The imperfect built-in bots are based on this. It shares the rules with the exact search and
nothing else. Everything is in the view of the side to move; values of the heuristic are
in 64ths of a point:

    panels   a panel that can no longer turn gives all its fields to the side that has it; any
             other gives  fields * difference / (free fields on it + 1)
    area     the difference of the largest areas as they are now, if areas count
    chains   the difference of the chains as they are now, if chains count, and for each run of
             five squares without a marble of the other side: 1/2 for three own marbles, 3/2 for
             four

At the end of the game the value is the margin itself.

Both searches run without the GIL. They take it every few milliseconds to look at the clock, for
Ctrl-C, and for a request to stop. A search object serves one thread at a time.
"""

from cpython.exc cimport PyErr_CheckSignals
from cython cimport final
from libc.math cimport log, sqrt
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free as release, realloc

from kulami_solver.core.bits cimport lowest, popcount
from kulami_solver.core.exclusive cimport begin_alone, end_alone
from kulami_solver.kulami.position.random_game cimport (
    WIDE as WIDEST, Seen, after, below, legal_now, random_reward,
)
from kulami_solver.kulami.position.rules cimport (
    CHAIN, MAX_FIELDS, Geometry, Tables, chain_points, largest_area, margin_of,
)

import time

cdef enum:
    POINT = 64              # the unit of the heuristic: one point
    INFINITE = 1000000      # beyond every value
    RAISED = -2 * INFINITE  # returned instead of a value, with an exception set
    CHECKED = 0xFFF         # nodes between two looks at the clock, as a mask
    SLICE = 256             # playouts between two looks at the clock
    MOST_NODES = 1 << 22    # of the tree, 100 MB; then playouts go on without adding any

cdef uint64_t ANYWHERE = ~<uint64_t>0

cdef struct Leaf:           # a node of the Monte-Carlo tree
    double total            # sum of the rewards, for the side that moved here
    int32_t visits
    int32_t first           # index of the first child; they lie side by side
    int32_t children        # -1 before it is expanded
    int32_t field


cdef int panel_value(const Tables *t, uint64_t own, uint64_t other, int p) noexcept nogil:
    cdef int mine = popcount(own & t.panel[p])
    cdef int yours = popcount(other & t.panel[p])
    cdef int left = t.size[p] - mine - yours
    if mine - yours > left:
        return POINT * t.size[p]
    if yours - mine > left:
        return -POINT * t.size[p]
    return POINT * t.size[p] * (mine - yours) // (left + 1)


cdef int run_values(const Tables *t, uint64_t own, uint64_t other) noexcept nogil:
    """The value of the runs of five squares that can still become chains."""
    cdef int value = 0
    cdef int w, marbles
    for w in range(t.windows):
        if not t.window[w] & other:
            marbles = popcount(t.window[w] & own)
            if marbles == CHAIN - 1:
                value += 3 * POINT // 2
            elif marbles == CHAIN - 2:
                value += POINT // 2
    return value


cdef int heuristic(const Tables *t, const Seen *n, bint areas, bint chains) noexcept nogil:
    cdef int value = 0
    cdef int p
    for p in range(t.panels):
        value += panel_value(t, n.own, n.other, p)
    if areas:
        value += POINT * (largest_area(t, n.own) - largest_area(t, n.other))
    if chains:
        value += POINT * (chain_points(t, n.own) - chain_points(t, n.other))
        value += run_values(t, n.own, n.other) - run_values(t, n.other, n.own)
    return value


@final
cdef class DepthSearch:
    """Alpha-beta to a fixed depth over the heuristic, deepened ply by ply.

    Args:
        geometry: the layout's tables.
        areas, chains: whether areas and chains count.

    Example:
        >>> from kulami_solver.kulami.position.rules import Geometry
        >>> search = DepthSearch(Geometry(3, 2, [0, 0, 1, 2, 2, 1]), False, False)
        >>> search.best(own=0, other=1, last=0, before=-1, supply=55, depth=6)
        (2, 0, 2)
    """

    cdef Geometry geometry
    cdef const Tables *t
    cdef bint areas, chains
    cdef readonly int64_t nodes
    cdef int64_t limit
    cdef double deadline
    cdef object stopped
    cdef uint64_t busy
    cdef bint over
    cdef bint guessed           # whether any line was cut off by the depth

    def __cinit__(self, Geometry geometry not None, bint areas, bint chains):
        self.geometry = geometry
        self.t = &geometry.tables
        self.areas = areas
        self.chains = chains

    def best(
        self, uint64_t own, uint64_t other, int last, int before, int supply, int depth,
        node_limit=None, time_limit=None, stopped=None
    ):
        """The field that looks best, its value and the depth reached.

        Args:
            own, other, last, before, supply: a position, as for the exact search.
            depth: plies to look ahead, at least 1.
            node_limit: positions after which the result of the last full depth is taken.
            time_limit: seconds after which it is taken.
            stopped: a function without arguments; the result is taken, too, once this returns true.

        Returns:
            (field, value in 64ths of a point, depth), field -1 if the game is over. A depth is
            the last one when it reaches the end of every line.

        Raises:
            RuntimeError: if another thread is searching with it.
        """
        cdef Seen root
        root.own, root.other, root.supply = own, other, supply
        root.last = self.geometry.checked(last)
        root.before = self.geometry.checked(before)
        begin_alone(&self.busy)
        try:
            self.nodes = 0
            self.limit = -1 if node_limit is None else node_limit
            self.deadline = -1 if time_limit is None else time.monotonic() + time_limit
            self.stopped = stopped
            self.over = False
            return self.deepened(&root, depth)
        finally:
            end_alone(&self.busy)

    cdef tuple deepened(self, const Seen *root, int depth):
        """Look one ply ahead, then two, and so on; return the result of `best`."""
        cdef Seen child
        cdef int order[MAX_FIELDS]
        cdef int count = 0
        cdef int ply, i, k, value, top, found
        cdef uint64_t moves = legal_now(self.t, root)
        while moves:
            order[count] = lowest(moves)
            moves &= moves - 1
            count += 1
        if not count:
            return -1, POINT * margin_of(self.t, root.own, root.other, self.areas, self.chains), 0
        result = (order[0], heuristic(self.t, root, self.areas, self.chains), 0)
        for ply in range(1, max(1, min(depth, root.supply)) + 1):
            top, found = -INFINITE, 0
            self.guessed = False
            for i in range(count):
                child = after(root, order[i])
                with nogil:
                    value = -self.value(&child, ply - 1, -INFINITE, -top)
                # The first field is searched in full, so that there is always an answer.
                if self.over and (ply > 1 or i > 0):
                    break
                if value > top:
                    top, found = value, i
            if self.over and ply > 1:
                break
            k = order[found]
            for i in range(found, 0, -1):
                order[i] = order[i - 1]
            order[0] = k
            result = (k, top, ply)
            if self.over or not self.guessed:
                break
        return result

    cdef int value(
        self, const Seen *n, int depth, int alpha, int beta
    ) except RAISED nogil:
        """The value, if it lies between alpha and beta; otherwise a bound on the same side."""
        cdef Seen child
        cdef int scored[MAX_FIELDS]
        cdef int fields[MAX_FIELDS]
        cdef int count = 0
        cdef int field, i, k, score, panel, value
        cdef int best = -INFINITE
        cdef uint64_t moves = legal_now(self.t, n)
        self.nodes += 1
        if not self.nodes & CHECKED:
            self.look()
        if 0 <= self.limit <= self.nodes:
            self.over = True
        if self.over:
            return 0
        if not moves:
            return POINT * margin_of(self.t, n.own, n.other, self.areas, self.chains)
        if depth <= 0:
            self.guessed = True
            return heuristic(self.t, n, self.areas, self.chains)
        while moves:
            field = lowest(moves)
            moves &= moves - 1
            panel = self.t.panel_of[field]
            child = after(n, field)
            score = (
                panel_value(self.t, child.other, child.own, panel)
                - panel_value(self.t, n.own, n.other, panel)
                - POINT // 8 * popcount(legal_now(self.t, &child))
            )
            i = count
            while i > 0 and scored[i - 1] < score:
                scored[i] = scored[i - 1]
                fields[i] = fields[i - 1]
                i -= 1
            scored[i] = score
            fields[i] = field
            count += 1
        for k in range(count):
            child = after(n, fields[k])
            value = -self.value(&child, depth - 1, -beta, -max(alpha, best))
            if self.over:
                return 0
            if value > best:
                best = value
                if best >= beta:
                    break
        return best

    cdef int look(self) except -1 nogil:
        with gil:
            PyErr_CheckSignals()
            if 0 <= self.deadline <= time.monotonic() or (
                self.stopped is not None and self.stopped()
            ):
                self.over = True
        return 0


@final
cdef class TreeSearch:
    """Monte-Carlo tree search (UCT): random playouts from a tree that grows where play looks good.

    A playout's reward is that of `random_reward`; `WIDE` is the constant used there.

    Args:
        geometry: the layout's tables.
        areas, chains: whether areas and chains count.
        seed: of the random playouts, 0 to 2^64 - 1.
        exploration: weight of uncertainty in the choice of a child.

    Example:
        >>> from kulami_solver.kulami.position.rules import Geometry
        >>> search = TreeSearch(Geometry(3, 2, [0, 0, 1, 2, 2, 1]), False, False, seed=1)
        >>> search.best(own=0, other=1, last=0, before=-1, supply=55, playouts=500)[0]
        2
    """

    cdef Geometry geometry
    cdef const Tables *t
    cdef bint areas, chains
    cdef uint64_t state
    cdef uint64_t among         # fields that may be chosen at the root
    cdef double exploration
    cdef Leaf *tree
    cdef uint64_t busy
    cdef int32_t used, room
    cdef readonly int64_t playouts

    WIDE = WIDEST

    def __cinit__(
        self, Geometry geometry not None, bint areas, bint chains, uint64_t seed,
        double exploration=0.5
    ):
        self.geometry = geometry
        self.t = &geometry.tables
        self.areas = areas
        self.chains = chains
        self.state = seed * 2 + 1
        self.exploration = exploration

    def __dealloc__(self):
        release(self.tree)

    def best(
        self, uint64_t own, uint64_t other, int last, int before, int supply, playouts=None,
        time_limit=None, stopped=None, uint64_t among=ANYWHERE
    ):
        """The field visited most often, and its mean reward from 0 to 1.

        Args:
            own, other, last, before, supply: a position, as for the exact search.
            playouts: their number; None: until the time is up.
            time_limit: seconds after which the search ends; one of the two has to be given.
            stopped: a function without arguments; the search ends, too, once this returns true.
            among: a mask of the fields to choose from; any legal one by default.

        Returns:
            (field, reward), field -1 if the game is over.

        Raises:
            ValueError: if neither playouts nor time are limited, or no field of the mask is legal.
            MemoryError: if the tree has no room.
            RuntimeError: if another thread is searching with it.
        """
        cdef Seen root
        if playouts is None and time_limit is None and stopped is None:
            raise ValueError("playouts without end: limit their number or the time")
        root.own, root.other, root.supply = own, other, supply
        root.last = self.geometry.checked(last)
        root.before = self.geometry.checked(before)
        begin_alone(&self.busy)
        try:
            self.playouts = 0
            if not legal_now(self.t, &root):
                return -1, 0.5
            if not legal_now(self.t, &root) & among:
                raise ValueError("no field to choose from is legal: give a mask with one that is")
            self.among = among
            return self.grown(&root, playouts, time_limit, stopped)
        finally:
            end_alone(&self.busy)

    cdef tuple grown(self, const Seen *root, playouts, time_limit, stopped):
        """Grow a tree from a position whose game is not over; return the result of `best`."""
        cdef int64_t allowed
        cdef int i, count, chosen
        cdef double deadline
        self.used = 0
        self.reserve(MAX_FIELDS + 1)
        self.used = 1
        self.tree[0] = Leaf(0, 0, 0, -1, -1)
        allowed = (<int64_t>1 << 60) if playouts is None else playouts
        deadline = -1 if time_limit is None else time.monotonic() + time_limit
        while self.playouts < allowed:
            count = SLICE if allowed - self.playouts > SLICE else allowed - self.playouts
            with nogil:
                for _ in range(count):
                    self.reserve(MAX_FIELDS)
                    self.once(root)
            self.playouts += count
            PyErr_CheckSignals()
            if 0 <= deadline <= time.monotonic() or (stopped is not None and stopped()):
                break
        chosen = self.tree[0].first
        for i in range(self.tree[0].first, self.tree[0].first + self.tree[0].children):
            if self.tree[i].visits > self.tree[chosen].visits:
                chosen = i
        return (
            self.tree[chosen].field, self.tree[chosen].total / max(1, self.tree[chosen].visits)
        )

    cdef int reserve(self, int more) except -1 nogil:
        cdef Leaf *grown
        cdef size_t room
        if self.used + more <= self.room or self.used + more > MOST_NODES:
            return 0
        room = 2 * (self.used + more)
        grown = <Leaf *>realloc(self.tree, room * sizeof(Leaf))
        if grown == NULL:
            with gil:
                raise MemoryError(f"no memory for a tree of {room} nodes")
        self.tree = grown
        self.room = room
        return 0

    cdef void once(self, const Seen *root) noexcept nogil:
        """Descend, expand one leaf, play to the end, and note the reward on the way back."""
        cdef int32_t path[MAX_FIELDS + 2]
        cdef int depth = 0
        cdef int32_t at = 0
        cdef int32_t i, k
        cdef uint64_t moves
        cdef Seen n = root[0]
        cdef double reward, bonus, score, top
        cdef Leaf *leaf
        path[0] = 0
        while True:
            leaf = &self.tree[at]
            if leaf.children < 0:
                # The root has to have children; any other leaf gets them at its second visit.
                if (leaf.visits == 0 and at != 0) or self.used + MAX_FIELDS > self.room:
                    break
                moves = legal_now(self.t, &n)
                if at == 0:
                    moves &= self.among
                leaf.first = self.used
                leaf.children = 0
                while moves:
                    self.tree[self.used] = Leaf(0, 0, 0, -1, lowest(moves))
                    self.used += 1
                    leaf.children += 1
                    moves &= moves - 1
            if leaf.children == 0:
                break
            bonus = self.exploration * sqrt(log(leaf.visits + 1.0))
            top = -1
            k = leaf.first
            for i in range(leaf.first, leaf.first + leaf.children):
                if self.tree[i].visits == 0:
                    score = 1000 + below(&self.state, 1000)
                else:
                    score = (
                        self.tree[i].total / self.tree[i].visits
                        + bonus / sqrt(<double>self.tree[i].visits)
                    )
                if score > top:
                    top = score
                    k = i
            at = k
            n = after(&n, self.tree[at].field)
            depth += 1
            path[depth] = at
        # For the side to move at `n`.
        reward = random_reward(self.t, n, self.areas, self.chains, &self.state)
        for i in range(depth, -1, -1):
            reward = 1 - reward             # a node's rewards are those of the side that moved here
            self.tree[path[i]].total += reward
            self.tree[path[i]].visits += 1
