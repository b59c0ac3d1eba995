"""Estimates of a position's value: at a glance, and by a look ahead. See `heuristics.pxd`."""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport INT64_MAX, int64_t, uint64_t, uint8_t

from kulami_solver.core.bits cimport lowest, popcount, unlikely
from kulami_solver.core.exclusive cimport begin_alone, end_alone
from kulami_solver.core.table cimport NO_MOVE, Stored, TranspositionTable, probe, store
from kulami_solver.kulami.position.rules cimport MAX_FIELDS, Geometry, Tables
from kulami_solver.kulami.solve.bounds cimport SIXTY_FOURTH, TERMS, LearnedEvaluation
from kulami_solver.kulami.solve.node cimport (
    KEY_PLIES, MoveList, Node, Searcher, difference_of, evaluate, keep_move, make_move, next_best,
)
from kulami_solver.kulami.solve.search cimport Search
from kulami_solver.kulami.solve.table cimport complete_key

import time

cdef class Viewing:
    """The tables for looking at positions of a layout, at one scoring.

    Args:
        geometry: the layout's tables.
        evaluation: its weights.
        areas, chains: whether areas and chains count.
    """

    def __cinit__(
        self, Geometry geometry not None, LearnedEvaluation evaluation not None, bint areas,
        bint chains
    ):
        self.geometry = geometry
        self.evaluation = evaluation
        self.viewer.rules = &geometry.tables
        self.viewer.evaluation = &evaluation.tables
        self.viewer.areas = areas
        self.viewer.chains = chains

    cdef int begin(
        self, Glance *g, Windows *windows, uint64_t own, uint64_t other, int last, int before,
        int supply
    ) except -1:
        """Set up a position.

        Raises:
            ValueError: there is no such position.
        """
        self.geometry.check_marbles(own, other)
        begin_glance(
            &self.viewer, g, windows, own, other, self.geometry.checked(last),
            self.geometry.checked(before), supply
        )
        return 0

    def features(
        self, uint64_t own, uint64_t other, int last, int before, int supply
    ) -> tuple[list[int], list[tuple[int, int, int, bool, bool]]]:
        """The features of a position whose game is not over; arguments as for the exact search.

        Returns:
            Plies to come, replies, fields of the second ply, and the terms of areas and chains;
            then for each panel: size, free fields, difference, and whether each side can play there
            next.
        """
        cdef const Viewer *v = &self.viewer
        cdef Glance g
        cdef Windows windows[2]
        cdef int terms[GLANCE_TERMS]
        cdef uint64_t second
        cdef int i
        self.begin(&g, windows, own, other, last, before, supply)
        second = second_of(v, &g)
        for i in range(GLANCE_TERMS):
            terms[i] = 0
        if v.areas:
            describe_areas(v, &g, second, terms)
        if v.chains:
            describe_chains(v, &g, &windows[0], &windows[1], second, terms + AREA_TERMS)
        numbers = [plies_of(v, &g), popcount(g.legal), popcount(second)]
        return numbers + [terms[i] for i in range(GLANCE_TERMS)], [
            (
                v.rules.size[i], popcount(free_of(v, &g) & v.rules.panel[i]), g.lead[i],
                (g.legal & v.rules.panel[i]) != 0, (second & v.rules.panel[i]) != 0,
            )
            for i in range(v.rules.panels)
        ]

    def value(self, uint64_t own, uint64_t other, int last, int before, int supply) -> float:
        """The estimated value of a position in points; the margin if its game is over."""
        cdef Glance g
        cdef Windows windows[2]
        self.begin(&g, windows, own, other, last, before, supply)
        if not g.legal:
            return glance_margin(&self.viewer, &g, windows)
        return glance_value(&self.viewer, &g, windows) / <double>SIXTY_FOURTH


# -------------------------------------------------------------------------------------------------
# A position's estimated value: iterative deepening over the learned evaluation.
#
# Only the bounds that hold without search are proved; the rest is an estimate. The search goes a
# ply deeper each time, until its time, its nodes or its depth are used up. A table keeps its
# results:
#
#     key of the table    a node's key and the depth of the search there  ->  bounds of the estimate
#     order of moves      the best move one ply less deep, then the evaluation after each move
#     windows             the first move with the whole window, the others first with none (PVS)
#     depth               later moves first some plies less deep, in full if they look better then
#
# Values are in 64ths of a point, for the side to move.

cdef enum:
    BEYOND = 24000          # beyond any value; with any base, it still fits into an entry
    SLICE = 1024            # nodes between two looks at the clock
    FIRST = 1 << 20         # order of the move that is tried first

cdef uint64_t OF_DEPTH = 0x9E3779B97F4A7C15


cdef inline int seen_at_once(const Searcher *s, const Node *n) noexcept nogil:
    """The learned evaluation of an evaluated node, limited by its bounds."""
    if n.lower == n.upper:
        return SIXTY_FOURTH * n.lower
    return min(max(learned_value(s, n), SIXTY_FOURTH * n.lower), SIXTY_FOURTH * n.upper)


cdef inline int plies_less(int rank, int depth) noexcept nogil:
    """The reduction of depth, in plies, for the first look at the move of a rank (0: best)."""
    if depth < 3:
        return 0
    return (rank >= 1) + (rank >= 3 and depth >= 4) + (rank >= 7 and depth >= 6)


cdef void sort_moves(MoveList *moves) noexcept nogil:
    cdef int i
    for i in range(moves.count):
        next_best(moves, i)


cdef dict values_of(MoveList *moves):
    """The fields in their order, each with its value in points."""
    return {
        moves.child[moves.rank[i]].last: moves.child[moves.rank[i]].order / <double>SIXTY_FOURTH
        for i in range(moves.count)
    }


cdef class Deepening:
    """Looks ahead from the position that a search holds, over its learned evaluation.

    Args:
        search: nobody else may use it meanwhile.
        table: for the results; used by this object alone.
    """

    cdef Search search
    cdef TranspositionTable table
    cdef readonly int64_t nodes     # positions looked at so far
    cdef int64_t limit
    cdef int64_t next_check
    cdef object deadline            # by time.monotonic(), or None
    cdef object stopped
    cdef bint ended
    cdef object failure             # the exception raised during the search, or None
    cdef readonly int depth         # plies of the last look that was finished

    def __cinit__(self, Search search not None, TranspositionTable table not None):
        self.search = search
        self.table = table

    def look(
        self, int depth=MAX_FIELDS, nodes=None, seconds=None, stopped=None,
        uint64_t among=~<uint64_t>0, bint every=False
    ) -> dict[int, float]:
        """The estimated value of each field in points, best first.

        Args:
            depth: plies to look ahead, 1 or more; the search deepens until then.
            nodes, seconds: limits, None for no limit. A look of one ply is always finished.
            stopped: called now and then; true ends the look.
            among: the fields to choose from.
            every: whether every field is searched with the whole window. If not, only the first
                value is an estimate; the others are only known to be no better.

        Raises:
            ValueError: the game is over, or none of the fields is legal.
            RuntimeError: another thread is at work with the search.
        """
        cdef Searcher *s = &self.search.searcher
        cdef MoveList *moves
        cdef Node *c
        cdef int reached
        cdef uint64_t rest
        begin_alone(&self.search.scratch.busy)
        try:
            rest = self.search.root.legal & among
            if self.search.root.supply == 0 or rest == 0:
                raise ValueError("there is no field to look at")
            self.nodes = 0
            self.ended = False
            self.failure = None
            self.stopped = stopped
            moves = &s.moves[0]
            moves.count = 0
            while rest:
                c = &moves.child[moves.count]
                make_move(s, &self.search.root, lowest(rest), c)
                evaluate(s, c)
                c.order = -seen_at_once(s, c)
                rest &= rest - 1
                keep_move(moves)
            sort_moves(moves)
            values = values_of(moves)
            self.depth = 1
            self.limit = INT64_MAX if nodes is None else nodes
            self.next_check = min(self.limit, SLICE)
            self.deadline = None if seconds is None else time.monotonic() + seconds
            for reached in range(2, min(depth, <int>self.search.root.plies) + 1):
                if moves.count == 1 and not every:
                    break
                with nogil:
                    self.look_at_moves(moves, reached, every)
                if every:
                    sort_moves(moves)
                values = values_of(moves)
                if self.ended:
                    break
                self.depth = reached
            if self.failure is not None:
                raise self.failure
            return values
        finally:
            self.stopped = self.failure = None
            end_alone(&self.search.scratch.busy)

    cdef void look_at_moves(self, MoveList *moves, int depth, bint every) noexcept nogil:
        """Search the root's moves, best first so far; a better move goes to the front."""
        cdef Node *c
        cdef uint8_t best_rank
        cdef int best = -BEYOND, value, i, k
        for i in range(moves.count):
            c = &moves.child[moves.rank[i]]
            if i == 0 or every:
                value = -self.see(c, depth - 1, -BEYOND, BEYOND, 1)
            else:
                value = -self.see(c, depth - 1, -best - 1, -best, 1)
                if value > best and not self.ended:
                    value = -self.see(c, depth - 1, -BEYOND, -best, 1)
            if self.ended:
                return
            c.order = value
            if value > best:
                best = value
                best_rank = moves.rank[i]
                for k in range(i, 0, -1):
                    moves.rank[k] = moves.rank[k - 1]
                moves.rank[0] = best_rank

    cdef bint is_over(self) noexcept nogil:
        """Are the nodes or the time used up? Looks at the clock now and then."""
        if self.nodes >= self.next_check and not self.ended:
            with gil:
                self.check_clock()
        return self.ended

    cdef void check_clock(self) noexcept with gil:
        """End the look when time is up, on Ctrl-C, or if `stopped` is true or raises."""
        self.next_check = min(self.limit, self.nodes + SLICE)
        try:
            PyErr_CheckSignals()
            self.ended = (
                self.nodes >= self.limit
                or (self.deadline is not None and time.monotonic() >= self.deadline)
                or (self.stopped is not None and self.stopped())
            )
        except BaseException as error:  # `look` raises it
            self.failure = error
            self.ended = True

    cdef int see(self, Node *n, int depth, int alpha, int beta, int ply) noexcept nogil:
        """Estimate an evaluated node by a search of `depth` plies.

        Returns the estimate if it lies between alpha and beta, otherwise a bound on the same side
        of both. If `ended` is set on return, the result means nothing.
        """
        cdef Searcher *s = &self.search.searcher
        cdef MoveList *moves = &s.moves[ply]
        cdef Node *c
        cdef Stored known
        cdef uint64_t index = n.index, signature = n.signature, panels = signature, rest = n.legal
        cdef int base, first = NO_MOVE, best = -BEYOND, value, floor, less, i
        cdef bint keyed = n.plies >= KEY_PLIES
        if depth <= 0 or n.lower == n.upper:
            return seen_at_once(s, n)
        if SIXTY_FOURTH * n.lower >= beta:
            return SIXTY_FOURTH * n.lower
        if SIXTY_FOURTH * n.upper <= alpha:
            return SIXTY_FOURTH * n.upper
        self.nodes += 1
        if unlikely(self.is_over()):
            return 0
        base = SIXTY_FOURTH * n.base
        if keyed:
            complete_key(s, n, n.live, n.legal)
            index, n.index = n.index, index
            signature = n.signature + depth * OF_DEPTH
            n.signature = panels  # the node may be seen again, and its key completed once more
            if probe(&self.table.view, index, signature, &known):
                known.lower += base
                known.upper += base
                if known.lower >= beta or known.lower == known.upper:
                    return known.lower
                if known.upper <= alpha:
                    return known.upper
                first = known.move
            elif probe(&self.table.view, index, signature - OF_DEPTH, &known):
                first = known.move
        moves.count = 0
        while rest:
            c = &moves.child[moves.count]
            make_move(s, n, lowest(rest), c)
            evaluate(s, c)
            c.order = -seen_at_once(s, c)
            rest &= rest - 1
            if depth == 1:
                best = max(best, c.order)
                if best >= beta:
                    return best
                continue
            if c.last == first:
                c.order += FIRST
            keep_move(moves)
        if depth == 1:
            return best
        for i in range(moves.count):
            c = next_best(moves, i)
            floor = max(alpha, best)
            if i == 0:
                value = -self.see(c, depth - 1, -beta, -floor, ply + 1)
            else:
                less = plies_less(i, depth)
                value = -self.see(c, depth - 1 - less, -floor - 1, -floor, ply + 1)
                if less and value > floor:
                    value = -self.see(c, depth - 1, -floor - 1, -floor, ply + 1)
                if floor < value < beta:
                    value = -self.see(c, depth - 1, -beta, -floor, ply + 1)
            if unlikely(self.ended):
                return 0
            if value > best:
                best = value
                first = c.last
                if best >= beta:
                    break
        if keyed:
            store(
                &self.table.view, index, signature,
                best - base if best > alpha else -BEYOND,
                best - base if best < beta else BEYOND, first, depth,
            )
        return best


def features(Search search not None) -> tuple[list[int], list[tuple[int, int, int, bool, bool]]]:
    """The features of the position that a search holds, whose game is not over.

    Returns:
        Plies to come, replies, fields of the second ply, and the terms of areas and chains; then
        for each panel: size, live fields, difference, and whether each side can play there next.
    """
    cdef const Tables *t = search.searcher.rules
    cdef int terms[TERMS]
    cdef int p
    terms_of(&search.searcher, &search.root, terms)
    numbers = [search.root.plies, popcount(search.root.legal), popcount(search.root.second)]
    return numbers + [terms[p] for p in range(TERMS)], [
        (
            t.size[p], popcount(search.root.live & t.panel[p]),
            difference_of(&search.root, p, search.root.turn),
            (search.root.legal & t.panel[p]) != 0, (search.root.second & t.panel[p]) != 0,
        )
        for p in range(t.panels)
    ]
