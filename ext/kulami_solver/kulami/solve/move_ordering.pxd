# The order in which moves are searched: best first, as far as can be told without search
#
# Moves are judged by a rule of thumb: the child's bounds, its present margin, the points to expect
# of its panels, and the number of replies. In long games a look ahead, a fixed-depth alpha-beta
# over the learned evaluation, is added to it.
#
# The learned evaluation is the better judge of a move's value. The rule of thumb also judges its
# cost: of two moves that are good enough, the one with fewer replies is cheaper to prove.
#
# None of this is a bound: it decides the order of the search, not its result.

from libc.stdint cimport int16_t, uint64_t

from kulami_solver.core.bits cimport lowest, popcount
from kulami_solver.core.watch cimport is_told
from kulami_solver.kulami.solve.bounds cimport evaluate, gain_of, present_margin
from kulami_solver.kulami.solve.learned cimport learned_value
from kulami_solver.kulami.solve.moves cimport keep_move, make_move, next_best
from kulami_solver.kulami.solve.node cimport MoveList, Node, Searcher
from kulami_solver.kulami.solve.panels cimport TENTH
from kulami_solver.kulami.position.rules cimport Tables
from kulami_solver.kulami.solve.weights cimport SIXTY_FOURTH

cdef enum:
    FAR_OFF = 1 << 20               # beyond any evaluation
    # With at least this many plies to come (EARLY_PLIES of the search or more), moves are ordered
    # by a look one ply ahead, and with LOOK_DEEPER_PLIES or more, three.
    LOOK_AHEAD_PLIES = 18
    LOOK_DEEPER_PLIES = 24
    # Weights of the rule of thumb: where only panels count, where areas or chains do, in both cases
    WEIGHT_BOUNDS = 3
    WEIGHT_PRESENT = 3
    WEIGHT_REPLIES = 8
    WEIGHT_BOUNDS_MIXED = 2
    WEIGHT_PRESENT_MIXED = 4
    WEIGHT_REPLIES_MIXED = 12
    WEIGHT_HOTTEST = 4
    WEIGHT_EXPECTED = 8
    WEIGHT_RULE_OF_THUMB = 4        # ... and of all of it, beside a look ahead


cdef inline int largest_panel(const Tables *t, uint64_t fields) noexcept nogil:
    """Size of the largest panel that has one of the fields, 0 if there are none."""
    cdef int largest = 0
    while fields:
        largest = max(largest, <int>t.size[t.panel_of[lowest(fields)]])
        fields &= ~t.barred[lowest(fields)]
    return largest


cdef inline int heuristic_value(
    const Searcher *s, int bounds, int present, int expected, int replies, int hottest
) noexcept nogil:
    """The promise of a position for the side to move, by a rule of thumb, 14 to the point.

    Args:
        bounds: sum of the lower and the upper bound of its margin.
        present: the margin if the game ended now.
        expected: points to expect of the panels, in tenths.
        replies: the number of legal fields.
        hottest: the most panel points that a legal marble gains at once.

    The weights are those that gave the fewest nodes. The bounds of areas and chains are wide and
    say less than those of the panels.
    """
    cdef int common = WEIGHT_HOTTEST * hottest + WEIGHT_EXPECTED * expected // TENTH
    if s.areas or s.chains:
        return (
            WEIGHT_BOUNDS_MIXED * bounds + WEIGHT_PRESENT_MIXED * present
            + WEIGHT_REPLIES_MIXED * replies + common
        )
    return WEIGHT_BOUNDS * bounds + WEIGHT_PRESENT * present + WEIGHT_REPLIES * replies + common


cdef inline int heuristic_of(const Searcher *s, const Node *n) noexcept nogil:
    """`heuristic_value` of an evaluated node."""
    return heuristic_value(
        s, n.lower + n.upper, present_margin(s, n),
        -n.panels.expected if n.turn else n.panels.expected, popcount(n.legal),
        largest_panel(s.rules, n.legal & n.panels.hot[n.turn]),
    )


cdef inline int heuristic_of_bounded(
    const Searcher *s, const Node *n, const Node *c
) noexcept nogil:
    """`heuristic_value` of a child of `n` that has been through `bound_move`."""
    cdef const Tables *t = s.rules
    cdef int p = t.panel_of[c.last]
    cdef int d = n.panels.difference[p]
    cdef const int16_t *expected = (
        s.panels.expected[p] + popcount(n.live & t.panel[p]) * s.panels.free_step[p]
    )
    cdef int change = expected[(d - 1 if n.turn else d + 1) - s.panels.free_step[p]] - expected[d]
    cdef int after = n.panels.expected + change
    return heuristic_value(
        s, c.lower + c.upper, -(present_margin(s, n) + gain_of(s, n, c.last, True)),
        after if n.turn else -after, popcount(c.legal),
        largest_panel(t, c.legal & n.panels.hot[n.turn ^ 1]),
    )


cdef inline int look_ahead(
    Searcher *s, Node *n, int depth, int alpha, int beta, int ply
) noexcept nogil:
    """Estimate an evaluated node by a search of `depth` plies with `learned_value` at its leaves.

    Returns the estimate if it lies between alpha and beta; otherwise a bound on the same side of
    both. If the search is stopped, the answer is arbitrary.
    """
    cdef MoveList *moves = &s.moves[ply]
    cdef Node *c
    cdef uint64_t rest = n.legal
    cdef int best = -FAR_OFF, i
    if n.lower == n.upper:
        return SIXTY_FOURTH * n.lower
    if depth == 0:
        return learned_value(s, n)
    moves.count = 0
    while rest:
        c = &moves.child[moves.count]
        make_move(s, n, lowest(rest), c)
        evaluate(s, c)
        rest &= rest - 1
        if depth == 1 or c.lower == c.upper:
            best = max(best, -look_ahead(s, c, 0, 0, 0, ply + 1))
            if best >= beta:
                return best
        else:
            c.order = -learned_value(s, c)
            keep_move(moves)
    for i in range(moves.count):
        if is_told(&s.control.stop, &s.watch):
            break
        c = next_best(moves, i)
        best = max(best, -look_ahead(s, c, depth - 1, -beta, -max(alpha, best), ply + 1))
        if best >= beta:
            break
    return best


cdef inline void order_moves(Searcher *s, const Node *n, int ply) noexcept nogil:
    """Give each kept move its order."""
    cdef MoveList *moves = &s.moves[ply]
    cdef Node *c
    cdef int depth = (n.plies >= LOOK_AHEAD_PLIES) + 2 * (n.plies >= LOOK_DEEPER_PLIES)
    cdef int i
    if moves.count == 1:
        return
    for i in range(moves.count):
        c = &moves.child[moves.rank[i]]
        c.order = -heuristic_of(s, c) if c.evaluated else -heuristic_of_bounded(s, n, c)
        if depth:
            c.order *= WEIGHT_RULE_OF_THUMB
            c.order -= look_ahead(s, c, depth, -FAR_OFF, FAR_OFF, ply + 1)
