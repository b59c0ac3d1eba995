"""Alpha-beta search of the last plies, where only panels count. Data layout: `panel_endings.pxd`.

While more than SHORT plies are to come, a move is bounded by the sums of the hulls after it
(`panels.pxd`). In shorter games each side has at most two marbles after the move. These two are
two plies apart, so they lie on different panels, and each gains only where one marble gains at
once: the two largest of these panels are the bound. The next marble of the side that moved cannot
lie on the panel of the move either.
"""

from kulami_solver.core.bits cimport bit, lowest, popcount, unlikely
from kulami_solver.kulami.notes cimport note_field
from kulami_solver.kulami.panels cimport best_gain, hull_add, hull_sub, pays_at_once
from kulami_solver.kulami.rules cimport MINUS_INFINITY


cdef inline int largest(const PanelTables *t, uint64_t panels) noexcept nogil:
    """Size of the largest of the panels, 0 if there are none."""
    return t.ranked[lowest(panels)].size if panels else 0


cdef inline int two_largest(const PanelTables *t, uint64_t panels) noexcept nogil:
    """Sizes of the two largest of the panels, added up."""
    return largest(t, panels) + largest(t, panels & (panels - 1))


cdef inline uint64_t largest_within(
    const PanelTables *t, uint64_t panels, uint64_t fields
) noexcept nogil:
    """The panels, without the largest ones as long as those have none of the fields."""
    while panels and not fields & t.ranked[lowest(panels)].fields:
        panels &= panels - 1
    return panels


cdef inline uint64_t hot_panels(uint64_t hot, int rank, int lead) noexcept nogil:
    """A side's hot panels after its lead on one changed; a lead of 0 or -1 makes that panel hot."""
    return hot & ~bit(rank) | <uint64_t>pays_at_once(lead) << rank


cdef void begin_panel_ending(
    PanelEndings *s, PanelEnding *n, int turn, const int8_t *difference
) noexcept nogil:
    cdef int rank, lead
    s.nodes = 0
    n.hot = n.other_hot = n.open = 0
    for rank in range(s.rules.panels):
        lead = difference[s.panels.ranked[rank].panel]
        s.lead[0][rank] = lead
        s.lead[1][rank] = -lead
        n.hot = hot_panels(n.hot, rank, s.lead[turn][rank])
        n.other_hot = hot_panels(n.other_hot, rank, s.lead[turn ^ 1][rank])
        n.open |= <uint64_t>((n.free & s.panels.ranked[rank].fields) != 0) << rank


cdef inline int gained(
    const PanelTables *t, uint64_t hot, int field
) noexcept nogil:
    """The points that a marble of a side with these hot panels gains at once on the field."""
    return t.ranked[t.rank[field]].size & -<int>(hot >> t.rank[field] & 1)


cdef inline int search_two(
    const PanelEndings *s, uint64_t free, uint64_t moves, uint64_t hot, uint64_t later, int beta
) noexcept nogil:
    """`search_panels` for two plies; the second may use the `free` fields of the panels `later`."""
    cdef const PanelTables *t = s.panels
    cdef int best = MINUS_INFINITY
    cdef int field, gain
    while moves:
        field = lowest(moves)
        moves &= moves - 1
        gain = gained(t, hot, field)
        if gain <= best:
            continue
        best = max(best, gain - largest(
            t, largest_within(t, later & t.met[field], s.rules.cross[field] & free)
        ))
        if best >= beta:
            break
    return best


cdef int search_three(PanelEndings *s, const PanelEnding *n, int beta) noexcept nogil:
    """`search_panels` for three plies.

    No two of the three marbles lie on the same panel, so hot panels stay hot.
    """
    cdef const PanelTables *t = s.panels
    cdef uint64_t hot = n.hot & n.open
    cdef uint64_t other_hot = n.other_hot & n.open
    cdef uint64_t moves = n.legal
    cdef uint64_t replies, later
    cdef int best = MINUS_INFINITY
    cdef int field, gain, value
    s.nodes += 1
    while moves:
        field = lowest(moves)
        moves &= moves - 1
        value = gain = gained(t, n.hot, field)
        replies = s.rules.cross[field] & n.free & ~n.barred
        if replies:
            later = hot & ~bit(t.rank[field])
            value = gain + largest(t, later)
            if value >= beta:
                value = gain - largest(t, largest_within(t, other_hot & t.met[field], replies))
                if value < beta:
                    value = gain - search_two(
                        s, n.free & ~t.ranked[t.rank[field]].fields, replies, n.other_hot, later,
                        gain - beta + 1,
                    )
        if value > best:
            best = value
            if best >= beta:
                s.first = field
                break
    return best


cdef inline void place(
    const PanelEndings *s, const PanelEnding *n, int turn, int field, PanelEnding *c
) noexcept nogil:
    """Make the position after a move, in the view of the other side, without sums and leads."""
    cdef int rank = s.panels.rank[field]
    cdef uint64_t panel = s.panels.ranked[rank].fields
    c.last = field
    c.gain = gained(s.panels, n.hot, field)
    c.free = n.free & ~bit(field)
    c.legal = s.rules.cross[field] & n.free & ~n.barred
    c.barred = panel
    c.open = n.open & ~(<uint64_t>((c.free & panel) == 0) << rank)
    # If the marble gains here, a marble of the other side gains next: leads 0 and -1 are hot.
    c.hot = n.other_hot & ~bit(rank) | n.hot & bit(rank)
    c.other_hot = hot_panels(n.hot, rank, s.lead[turn][rank] + 1)


cdef inline void bound_by_hulls(
    const PanelEndings *s, const PanelEnding *n, int turn, int plies, PanelEnding *c
) noexcept nogil:
    """Compute sums and bounds after a move, with `plies` to come before it."""
    cdef const PanelTables *t = s.panels
    cdef int rank = t.rank[c.last]
    cdef int lead = s.lead[turn][rank]
    cdef const Hull *before = (
        t.ranked[rank].hulls
        + popcount(n.free & t.ranked[rank].fields) * t.ranked[rank].free_step
    )
    cdef const Hull *after = before - t.ranked[rank].free_step
    c.sum = n.other_sum
    hull_sub(&c.sum, before - lead)
    hull_add(&c.sum, after - lead - 1)
    c.other_sum = n.sum
    hull_sub(&c.other_sum, before + lead)
    hull_add(&c.other_sum, after + lead + 1)
    c.upper = c.gain + best_gain(t, &c.other_sum, (plies - 1) >> 1)
    c.lower = c.gain - best_gain(t, &c.sum, plies >> 1)


cdef inline void bound_by_hot(const PanelEndings *s, int plies, PanelEnding *c) noexcept nogil:
    """Compute bounds after a move, with 4 to SHORT `plies` to come before it."""
    cdef const PanelTables *t = s.panels
    cdef uint64_t own = c.other_hot & c.open
    cdef uint64_t other = c.hot & c.open
    cdef uint64_t first
    if plies == 5:
        c.upper = c.gain + two_largest(t, own)
    else:
        c.upper = c.gain + largest(t, own & ~bit(t.rank[c.last]))
    first = largest_within(t, other & t.met[c.last], c.legal)
    c.lower = c.gain - largest(t, first) - largest(t, other & ~(first & -first))


cdef void note_first(
    const PanelEndings *s, const PanelEnding *n, int turn, int plies, int value
) noexcept nogil:
    """Note that the field `first` gains at least `value` of margin in a position."""
    cdef uint64_t marbles[2]
    cdef int before
    marbles[0], marbles[1] = s.marbles[0], s.marbles[1]
    for before in range(plies + 1, s.begun + 1):
        marbles[turn ^ (before - plies & 1)] |= bit(s.path[before])
    note_field(s.notes, marbles[turn], marbles[turn ^ 1], n.legal, n.last, value, s.first)


cdef int search_panels(
    PanelEndings *s, const PanelEnding *n, int turn, int plies, int beta
) noexcept nogil:
    cdef const PanelTables *t = s.panels
    cdef PanelEnding *child = s.moves[plies].child
    cdef uint8_t *kept = s.moves[plies].kept
    cdef PanelEnding *c
    cdef uint64_t moves = n.legal
    cdef int best = MINUS_INFINITY
    cdef int count = 0
    cdef int i, j, choice, value
    if plies == 3:
        return search_three(s, n, beta)
    s.nodes += 1
    while moves:
        c = &child[count]
        place(s, n, turn, lowest(moves), c)
        moves &= moves - 1
        if c.legal == 0:
            c.lower = c.upper = c.gain
        elif plies > SHORT:
            bound_by_hulls(s, n, turn, plies, c)
        else:
            bound_by_hot(s, plies, c)
        if c.lower >= beta:
            s.first = c.last
            return c.lower
        if c.upper < beta:
            best = max(best, c.upper)
        else:
            c.order = (
                2 * (c.lower + c.upper) + c.gain - 8 * popcount(c.legal)
                - 4 * largest(t, c.hot & c.open & t.met[c.last])
            )
            kept[count] = count
            count += 1
    for i in range(count):
        choice = i
        for j in range(i + 1, count):
            if child[kept[j]].order > child[kept[choice]].order:
                choice = j
        c = &child[kept[choice]]
        kept[choice] = kept[i]
        s.lead[turn][t.rank[c.last]] += 1
        s.lead[turn ^ 1][t.rank[c.last]] -= 1
        s.path[plies] = c.last
        value = search_panels(s, c, turn ^ 1, plies - 1, c.gain - beta + 1)
        best = max(best, c.gain - value)
        if unlikely(s.notes != NULL) and value > c.gain - beta and plies - 1 > s.notes.plies:
            note_first(s, c, turn ^ 1, plies - 1, value)
        s.lead[turn][t.rank[c.last]] -= 1
        s.lead[turn ^ 1][t.rank[c.last]] += 1
        if best >= beta:
            s.first = c.last
            break
    return best
