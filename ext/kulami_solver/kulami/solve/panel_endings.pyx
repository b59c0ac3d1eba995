"""Alpha-beta search of the last plies, where only panels count. Data layout: `panel_endings.pxd`.

While more than SHORT plies are to come, a move is bounded by the sums of the hulls after it
(`panels.pxd`). In shorter games each side has at most two marbles after the move. These two are
two plies apart, so they lie on different panels, and each gains only where one marble gains at
once: the two largest of these panels are the bound. The next marble of the side that moved cannot
lie on the panel of the move either.
"""

from libc.stdint cimport INT32_MIN, int32_t

from kulami_solver.core.bits cimport bit, popcount, unlikely
from kulami_solver.kulami.solve.ending_position cimport (
    first_of, gained, keyed, largest, lead_on, next_key, next_move, note_first, place_of, play,
    replies_to,
)
from kulami_solver.kulami.solve.panels cimport Ranked, best_gain, hull_add, hull_sub
from kulami_solver.kulami.position.rules cimport MINUS_INFINITY


cdef inline int two_largest(const PanelTables *t, uint64_t ranks) noexcept nogil:
    """Sizes of the two largest panels with one of these fields, added up."""
    cdef const Ranked *first = &t.ranked[first_of(ranks)]
    return first.size + largest(t, ranks & ~first.panel)


cdef inline int search_two(
    const PanelTables *t, uint64_t moves, uint64_t hot, uint64_t later, int beta
) noexcept nogil:
    """`search_panels` for two plies; the second marble gains on the fields `later`."""
    cdef int best = MINUS_INFINITY
    cdef int rank, gain
    while moves:
        rank = next_move(moves, hot)
        moves &= ~bit(rank)
        gain = gained(t, hot, rank)
        if gain <= best:
            break
        best = max(best, gain - largest(t, later & t.ranked[rank].cross))
        if best >= beta:
            break
    return best


cdef int search_three(PanelEndings *s, const PanelEnding *n, int beta) noexcept nogil:
    """`search_panels` for three plies.

    No two of the three marbles lie on the same panel, so hot panels stay hot.
    """
    cdef const PanelTables *t = s.panels
    cdef uint64_t moves = n.at.legal
    cdef uint64_t replies, later
    cdef int best = MINUS_INFINITY
    cdef int rank, gain, value
    s.nodes += 1
    while moves:
        rank = next_move(moves, n.at.hot)
        moves &= ~bit(rank)
        value = gain = gained(t, n.at.hot, rank)
        replies = replies_to(t, &n.at, rank)
        if replies:
            later = n.at.hot & n.at.free & ~t.ranked[rank].panel
            value = gain + largest(t, later)
            if value >= beta:
                value = gain - largest(t, n.at.other_hot & replies)
                if value < beta:
                    value = gain - search_two(t, replies, n.at.other_hot, later, gain - beta + 1)
        if value > best:
            best = value
            if best >= beta:
                s.first = rank
                break
    return best


cdef inline void sum_hulls(
    const PanelEndings *s, const PanelEnding *n, PanelEnding *c
) noexcept nogil:
    """Compute the sums after a move, from those before it."""
    cdef const Ranked *field = &s.panels.ranked[c.at.last]
    cdef int lead = lead_on(field.panel, n.at.own, n.at.other)
    cdef const Hull *before = field.hulls + popcount(n.at.free & field.panel) * field.free_step
    cdef const Hull *after = before - field.free_step
    c.sum = n.other_sum
    hull_sub(&c.sum, before - lead)
    hull_add(&c.sum, after - lead - 1)
    c.other_sum = n.sum
    hull_sub(&c.other_sum, before + lead)
    hull_add(&c.other_sum, after + lead + 1)


cdef inline int most_own(const PanelTables *t, const PanelEnding *c, int plies) noexcept nogil:
    """The most that the side that moved can still gain, with 4 `plies` or more before its move."""
    cdef uint64_t own = c.at.other_hot & c.at.free
    if plies > SHORT:
        return best_gain(t, &c.other_sum, (plies - 1) >> 1)
    if plies == 5:
        return two_largest(t, own)
    return largest(t, own & ~c.at.barred)


cdef inline int most_other(const PanelTables *t, const PanelEnding *c, int plies) noexcept nogil:
    """The most that the other side can still gain after a move, as `most_own`."""
    cdef uint64_t other = c.at.hot & c.at.free
    cdef const Ranked *first
    if plies > SHORT:
        return best_gain(t, &c.sum, plies >> 1)
    first = &t.ranked[first_of(other & c.at.legal)]
    return first.size + largest(t, other & ~first.panel)


cdef inline int order_of(const PanelTables *t, const PanelEnding *c, int plies) noexcept nogil:
    """How early to search a child, with `plies` to come before the move; the largest is first."""
    cdef int replies = popcount(c.at.legal)
    cdef int reply = largest(t, c.at.hot & c.at.legal)
    if plies <= SHORT:
        return c.lower + c.upper + c.gain - 4 * replies - reply
    return (
        4 * c.lower + 3 * c.upper + 4 * c.gain - 12 * replies - 4 * reply
        - 3 * popcount(c.at.hot & c.at.free)
    )


cdef int search_panels(
    PanelEndings *s, const PanelEnding *n, int plies, int beta
) noexcept nogil:
    cdef const PanelTables *t = s.panels
    cdef PanelEnding *child = s.moves[plies].child
    cdef int32_t *order = s.moves[plies].order
    cdef PanelEnding *c
    cdef uint64_t moves = n.at.legal
    cdef int best = MINUS_INFINITY
    cdef int32_t first = INT32_MIN
    cdef int count = 0
    cdef int rank, i, value
    if plies == 3:
        return search_three(s, n, beta)
    s.nodes += 1
    while moves:
        c = &child[count]
        rank = next_move(moves, n.at.hot)
        moves &= ~bit(rank)
        play(t, &n.at, rank, &c.at)
        c.gain = gained(t, n.at.hot, rank)
        if plies > SHORT:
            sum_hulls(s, n, c)
        c.lower = c.upper = c.gain
        if c.at.legal:
            c.upper += most_own(t, c, plies)
        if c.upper < beta:
            best = max(best, c.upper)
            continue
        if c.at.legal:
            c.lower -= most_other(t, c, plies)
        if c.lower >= beta:
            s.first = c.at.last
            return c.lower
        order[count] = keyed(order_of(t, c, plies), count)
        first = max(first, order[count])
        count += 1
    while first > INT32_MIN:
        i = place_of(first)
        c = &child[i]
        value = search_panels(s, c, plies - 1, c.gain - beta + 1)
        best = max(best, c.gain - value)
        if unlikely(s.notes != NULL) and value > c.gain - beta and plies - 1 > s.notes.plies:
            note_first(s.notes, t, &c.at, value, s.first)
        if best >= beta:
            s.first = c.at.last
            break
        first = next_key(order, i, count)
    return best
