"""Alpha-beta search of the last plies, where only panels count. `panel_endings.pxd` has its layout.

A move is bounded by the sums of the hulls as they are after it (`panels.pxd`), as long as more than
SHORT plies are to come. In shorter games each side has two marbles at most after the move. They
come two plies apart, so they lie on different panels, each gains only where one marble gains at
once, and the two largest of these panels are the bound. The next marble of the side that moved is
not on the panel of the move either.
"""

from kulami_solver.core.bits cimport bit, lowest, popcount
from kulami_solver.kulami.panels cimport best_gain, hull_add, hull_sub, pays_at_once
from kulami_solver.kulami.rules cimport MINUS_INFINITY


cdef inline int largest(const PanelTables *t, uint64_t panels) noexcept nogil:
    """Size of the largest of the panels, 0 if there are none."""
    return t.ranked[lowest(panels)].size if panels else 0


cdef inline int two_largest(const PanelTables *t, uint64_t panels) noexcept nogil:
    """Sizes of the two largest of the panels, added up."""
    return largest(t, panels) + largest(t, panels & (panels - 1))


cdef inline int two_largest_met(
    const PanelTables *t, uint64_t panels, uint64_t met
) noexcept nogil:
    """Sizes of two of the panels, added up, of which one is met: the most there is."""
    cdef int first = largest(t, panels & met)
    if panels & -panels & met:
        panels &= panels - 1
    return first + largest(t, panels)


cdef inline uint64_t hot_panels(uint64_t hot, int rank, int lead) noexcept nogil:
    """A side's hot panels, when this is its lead on one of them: level, or one behind, is hot."""
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


cdef int last_two_plies(const PanelEndings *s, const PanelEnding *n, int beta) noexcept nogil:
    """`search_panels` for two plies."""
    cdef const PanelTables *t = s.panels
    cdef uint64_t moves = n.legal
    cdef uint64_t hot, replies
    cdef int best = MINUS_INFINITY
    cdef int field, gain
    while moves:
        field = lowest(moves)
        moves &= moves - 1
        gain = t.ranked[t.rank[field]].size & -<int>(n.hot >> t.rank[field] & 1)
        if gain <= best:
            continue
        # The largest hot panel on which the other side has a reply; what is met may be full there.
        hot = n.other_hot & n.open & t.met[field]
        replies = s.rules.cross[field] & n.free & ~n.barred
        while hot and not replies & t.ranked[lowest(hot)].fields:
            hot &= hot - 1
        best = max(best, gain - largest(t, hot))
        if best >= beta:
            break
    return best


cdef inline void place(
    const PanelEndings *s, const PanelEnding *n, int turn, int field, PanelEnding *c
) noexcept nogil:
    """The position after a move, in the view of the other side, but for the sums and the leads."""
    cdef int rank = s.panels.rank[field]
    cdef int lead = s.lead[turn][rank] + 1
    cdef uint64_t panel = s.panels.ranked[rank].fields
    c.last = field
    c.gain = s.panels.ranked[rank].size & -<int>(n.hot >> rank & 1)
    c.free = n.free & ~bit(field)
    c.legal = s.rules.cross[field] & n.free & ~n.barred
    c.barred = panel
    c.open = n.open & ~(<uint64_t>((c.free & panel) == 0) << rank)
    c.hot = hot_panels(n.other_hot, rank, -lead)
    c.other_hot = hot_panels(n.hot, rank, lead)


cdef inline void bound_by_hulls(
    const PanelEndings *s, const PanelEnding *n, int turn, int plies, PanelEnding *c
) noexcept nogil:
    """Sums and bounds after a move, with `plies` to come before it."""
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
    """Bounds after a move, with `plies` to come before it, SHORT at most."""
    cdef const PanelTables *t = s.panels
    cdef uint64_t own = c.other_hot & c.open
    cdef uint64_t other = c.hot & c.open
    if plies == 5:
        c.upper = c.gain + two_largest(t, own)
    else:
        c.upper = c.gain + largest(t, own & ~bit(t.rank[c.last]))
    if plies == 3:
        c.lower = c.gain - largest(t, other & t.met[c.last])
    else:
        c.lower = c.gain - two_largest_met(t, other, t.met[c.last])


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
    cdef int i, j, choice
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
        elif plies == 3:
            best = max(best, c.gain - last_two_plies(s, c, c.gain - beta + 1))
            if best >= beta:
                s.first = c.last
                return best
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
        best = max(best, c.gain - search_panels(s, c, turn ^ 1, plies - 1, c.gain - beta + 1))
        s.lead[turn][t.rank[c.last]] -= 1
        s.lead[turn ^ 1][t.rank[c.last]] += 1
        if best >= beta:
            s.first = c.last
            break
    return best
