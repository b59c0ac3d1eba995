# Endings: where the search hands over to one without a table
#
#                     plies        where
#     level 0         14 .. 3      `panel_endings.pyx`; with an oracle, 12 .. 3
#     the others      12 .. 3      `mixed_endings.pyx`, only moves that the node's sums leave open
#
# Both answer as `search` does (`search.pyx`).

from libc.stdint cimport uint64_t

from kulami_solver.core.bits cimport count
from kulami_solver.core.table cimport NO_MOVE
from kulami_solver.kulami.solve.ending_position cimport begin_ending
from kulami_solver.kulami.solve.bounds cimport present_margin
from kulami_solver.kulami.solve.mixed_endings cimport (
    MixedEnding, MixedEndings, begin_mixed_ending, search_mixed,
)
from kulami_solver.kulami.solve.moves cimport bound_moves, kept_moves
from kulami_solver.kulami.solve.node cimport MoveList, Node, Searcher
from kulami_solver.kulami.solve.panel_endings cimport PanelEnding, PanelEndings, search_panels


cdef inline int search_panel_ending(Searcher *s, const Node *n, int beta) noexcept nogil:
    """`search` of an ending in which only panels count."""
    cdef PanelEndings *endings = s.panel_endings
    cdef PanelEnding root
    cdef int v
    root.sum = n.panels.sums[n.turn]
    root.other_sum = n.panels.sums[n.turn ^ 1]
    begin_ending(s.panels, &root.at, n.own, n.other, n.live, n.legal, n.last)
    endings.nodes = 0
    v = n.now + search_panels(endings, &root, n.plies, beta - n.now)
    count(&s.nodes, endings.nodes)
    return v


cdef inline int search_mixed_ending(
    Searcher *s, const Node *n, int beta, uint64_t moves
) noexcept nogil:
    """`search` of an ending in which areas or chains count, with only these moves at the root."""
    cdef MixedEndings *endings = s.mixed_endings
    cdef MixedEnding root
    cdef int now = present_margin(s, n)
    cdef int v
    begin_ending(s.panels, &root.at, n.own, n.other, n.live, moves, n.last)
    begin_mixed_ending(endings, &root, n.turn, n.own, n.other, n.areas, n.chains)
    endings.nodes = 0
    v = now + search_mixed(endings, &root, n.plies, beta - now)
    count(&s.nodes, endings.nodes)
    return v


cdef inline int search_ending(Searcher *s, const Node *n, int beta, MoveList *moves) noexcept nogil:
    """`search` of an ending: without the table, and without nodes below this one."""
    cdef int best
    moves.first = NO_MOVE
    if s.panel_endings != NULL:
        best = search_panel_ending(s, n, beta)
        if best >= beta:
            moves.first = s.panels.ranked[s.panel_endings.first].field
    else:
        best = bound_moves(s, n, beta, moves)
        if best < beta and moves.count:
            best = max(best, search_mixed_ending(s, n, beta, kept_moves(moves)))
            if best >= beta:
                moves.first = s.panels.ranked[s.mixed_endings.first].field
        else:
            count(&s.nodes, 1)
    return max(<int>n.lower, best) if best >= beta else min(<int>n.upper, best)
