"""Alpha-beta search of the last plies, where only panels count. Data layout: `panel_endings.pxd`.

While more than SHORT plies are to come, a move is bounded by the sums of the hulls after it
(`panels.pxd`). In shorter games each side has at most two marbles after the move. These two are
two plies apart, so they lie on different panels, and each gains only where one marble gains at
once: the two largest of these panels are the bound. The next marble of the side that moved cannot
lie on the panel of the move either.
"""

from libc.stdint cimport INT32_MIN, int32_t

from kulami_solver.core.bits cimport bit, lowest, popcount, unlikely
from kulami_solver.kulami.notes cimport note_field
from kulami_solver.kulami.panels cimport (
    Ranked, best_gain, hull_add, hull_sub, pays_at_once, ranks_of,
)
from kulami_solver.kulami.rules cimport MAX_FIELDS, MINUS_INFINITY


cdef inline int first_of(uint64_t ranks) noexcept nogil:
    """The first rank, MAX_FIELDS if there is none."""
    return lowest(ranks) if ranks else MAX_FIELDS


cdef inline int largest(const PanelTables *t, uint64_t ranks) noexcept nogil:
    """Size of the largest panel with one of these fields, 0 if there are none."""
    return t.ranked[first_of(ranks)].size


cdef inline int two_largest(const PanelTables *t, uint64_t ranks) noexcept nogil:
    """Sizes of the two largest panels with one of these fields, added up."""
    cdef const Ranked *first = &t.ranked[first_of(ranks)]
    return first.size + largest(t, ranks & ~first.panel)


cdef inline int next_move(uint64_t moves, uint64_t hot) noexcept nogil:
    """The first of these moves; moves on hot panels come before all others."""
    return lowest(moves & hot if moves & hot else moves)


cdef inline int lead_on(uint64_t panel, uint64_t own, uint64_t other) noexcept nogil:
    """Marbles of own on a panel, minus the other side's."""
    return popcount(own & panel) - popcount(other & panel)


cdef void begin_panel_ending(
    PanelEndings *s, PanelEnding *n, uint64_t own, uint64_t other, uint64_t live, uint64_t legal,
    int last
) noexcept nogil:
    cdef const PanelTables *t = s.panels
    cdef const Ranked *field = &t.ranked[0]
    cdef int lead
    s.nodes = 0
    n.own = ranks_of(t, own)
    n.other = ranks_of(t, other)
    n.free = ranks_of(t, live)
    n.legal = ranks_of(t, legal)
    n.barred = t.ranked[t.rank[last]].panel
    n.hot = n.other_hot = 0
    while field.size:
        lead = lead_on(field.panel, n.own, n.other)
        n.hot |= field.panel & -<uint64_t>pays_at_once(lead)
        n.other_hot |= field.panel & -<uint64_t>pays_at_once(-lead)
        field += field.size


cdef inline int gained(const PanelTables *t, uint64_t hot, int rank) noexcept nogil:
    """The points that a marble of a side with these hot panels gains at once on a field."""
    return t.ranked[rank].size & -<int>(hot >> rank & 1)


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
    cdef uint64_t moves = n.legal
    cdef uint64_t replies, later
    cdef int best = MINUS_INFINITY
    cdef int rank, gain, value
    s.nodes += 1
    while moves:
        rank = next_move(moves, n.hot)
        moves &= ~bit(rank)
        value = gain = gained(t, n.hot, rank)
        replies = t.ranked[rank].cross & n.free & ~n.barred
        if replies:
            later = n.hot & n.free & ~t.ranked[rank].panel
            value = gain + largest(t, later)
            if value >= beta:
                value = gain - largest(t, n.other_hot & replies)
                if value < beta:
                    value = gain - search_two(t, replies, n.other_hot, later, gain - beta + 1)
        if value > best:
            best = value
            if best >= beta:
                s.first = rank
                break
    return best


cdef inline void place(
    const PanelEndings *s, const PanelEnding *n, int rank, PanelEnding *c
) noexcept nogil:
    """Make the position after a move, in the view of the other side, without sums."""
    cdef const Ranked *field = &s.panels.ranked[rank]
    cdef int lead = lead_on(field.panel, n.own, n.other)
    c.last = rank
    c.gain = gained(s.panels, n.hot, rank)
    c.own = n.other
    c.other = n.own | bit(rank)
    c.free = n.free & ~bit(rank)
    c.legal = field.cross & n.free & ~n.barred
    c.barred = field.panel
    # If the marble gains here, a marble of the other side gains next: leads 0 and -1 are hot.
    c.hot = n.other_hot & ~field.panel | n.hot & field.panel
    c.other_hot = n.hot & ~field.panel | field.panel & -<uint64_t>pays_at_once(lead + 1)


cdef inline void sum_hulls(
    const PanelEndings *s, const PanelEnding *n, PanelEnding *c
) noexcept nogil:
    """Compute the sums after a move, from those before it."""
    cdef const Ranked *field = &s.panels.ranked[c.last]
    cdef int lead = lead_on(field.panel, n.own, n.other)
    cdef const Hull *before = field.hulls + popcount(n.free & field.panel) * field.free_step
    cdef const Hull *after = before - field.free_step
    c.sum = n.other_sum
    hull_sub(&c.sum, before - lead)
    hull_add(&c.sum, after - lead - 1)
    c.other_sum = n.sum
    hull_sub(&c.other_sum, before + lead)
    hull_add(&c.other_sum, after + lead + 1)


cdef inline int most_own(const PanelTables *t, const PanelEnding *c, int plies) noexcept nogil:
    """The most that the side that moved can still gain, with 4 `plies` or more before its move."""
    cdef uint64_t own = c.other_hot & c.free
    if plies > SHORT:
        return best_gain(t, &c.other_sum, (plies - 1) >> 1)
    if plies == 5:
        return two_largest(t, own)
    return largest(t, own & ~c.barred)


cdef inline int most_other(const PanelTables *t, const PanelEnding *c, int plies) noexcept nogil:
    """The most that the other side can still gain after a move, as `most_own`."""
    cdef uint64_t other = c.hot & c.free
    cdef const Ranked *first
    if plies > SHORT:
        return best_gain(t, &c.sum, plies >> 1)
    first = &t.ranked[first_of(other & c.legal)]
    return first.size + largest(t, other & ~first.panel)


cdef uint64_t fields_of(const PanelTables *t, uint64_t ranks) noexcept nogil:
    """The fields with these ranks."""
    cdef uint64_t fields = 0
    while ranks:
        fields |= bit(t.ranked[lowest(ranks)].field)
        ranks &= ranks - 1
    return fields


cdef void note_first(const PanelEndings *s, const PanelEnding *n, int value) noexcept nogil:
    """Note that the field `first` gains at least `value` of margin in a position."""
    cdef const PanelTables *t = s.panels
    note_field(
        s.notes, fields_of(t, n.own), fields_of(t, n.other), fields_of(t, n.legal),
        t.ranked[n.last].field, value, t.ranked[s.first].field
    )


cdef inline int order_of(const PanelTables *t, const PanelEnding *c, int plies) noexcept nogil:
    """How early to search a child, with `plies` to come before the move; the largest is first."""
    cdef int replies = popcount(c.legal)
    cdef int reply = largest(t, c.hot & c.legal)
    if plies <= SHORT:
        return c.lower + c.upper + c.gain - 4 * replies - reply
    return (
        4 * c.lower + 3 * c.upper + 4 * c.gain - 12 * replies - 4 * reply
        - 3 * popcount(c.hot & c.free)
    )


cdef int search_panels(
    PanelEndings *s, const PanelEnding *n, int plies, int beta
) noexcept nogil:
    cdef const PanelTables *t = s.panels
    cdef PanelEnding *child = s.moves[plies].child
    cdef int32_t *order = s.moves[plies].order
    cdef PanelEnding *c
    cdef uint64_t moves = n.legal
    cdef int best = MINUS_INFINITY
    cdef int32_t first = INT32_MIN
    cdef int count = 0
    cdef int i, value
    if plies == 3:
        return search_three(s, n, beta)
    s.nodes += 1
    while moves:
        c = &child[count]
        place(s, n, next_move(moves, n.hot), c)
        moves &= ~bit(c.last)
        if plies > SHORT:
            sum_hulls(s, n, c)
        c.lower = c.upper = c.gain
        if c.legal:
            c.upper += most_own(t, c, plies)
        if c.upper < beta:
            best = max(best, c.upper)
            continue
        if c.legal:
            c.lower -= most_other(t, c, plies)
        if c.lower >= beta:
            s.first = c.last
            return c.lower
        order[count] = order_of(t, c, plies) * MAX_FIELDS + (MAX_FIELDS - 1 - count)
        first = max(first, order[count])
        count += 1
    while first > INT32_MIN:
        i = MAX_FIELDS - 1 - (first & (MAX_FIELDS - 1))
        c = &child[i]
        value = search_panels(s, c, plies - 1, c.gain - beta + 1)
        best = max(best, c.gain - value)
        if unlikely(s.notes != NULL) and value > c.gain - beta and plies - 1 > s.notes.plies:
            note_first(s, c, value)
        if best >= beta:
            s.first = c.last
            break
        order[i] = first = INT32_MIN
        for i in range(count):
            first = max(first, order[i])
    return best
