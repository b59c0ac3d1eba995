"""Alpha-beta search of the last plies. The data is in `endings.pxd`."""

from libc.stdint cimport INT32_MIN, int32_t
from libc.string cimport memcpy, memset

from kulami_solver.core.bits cimport above, bit, lowest, popcount, unlikely
from kulami_solver.kulami.position.rules cimport MINUS_INFINITY, Tables
from kulami_solver.kulami.solve.bounds cimport (
    Ranked, best_gain, chains_of, completing_fields, fill_windows, hull_add, hull_sub, ranks_of,
    window_words,
)

# -------------------------------------------------------------------------------------------------
# Alpha-beta search of the last plies, where only panels count.
#
# While more than SHORT plies are to come, a move is bounded by the sums of the hulls after it
# (`bounds.pxd`). In shorter games each side has at most two marbles after the move. These two are
# two plies apart, so they lie on different panels, and each gains only where one marble gains at
# once: the two largest of these panels are the bound. The next marble of the side that moved cannot
# lie on the panel of the move either.

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


cdef int search_three_panels(PanelEndings *s, const PanelEnding *n, int beta) noexcept nogil:
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
        return search_three_panels(s, n, beta)
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


# -------------------------------------------------------------------------------------------------
# Alpha-beta search of the last plies, where areas or chains count.
#
# Bounds would cost more than they save here: a move has to be
# cheap. docs/algorithms.md shows why the gains are right.

cdef void list_components(
    const PanelTables *t, Listed *c, Placed *m, const Areas *a, uint64_t live
) noexcept nogil:
    cdef uint64_t rest = live
    cdef uint64_t around, marbles
    cdef int i, x
    m.label = 1
    m.groups = 0
    m.area = a.now
    while rest:
        x = lowest(rest)
        rest &= rest - 1
        c.touched[x] = 0
        c.near[x] = t.ranked[x].beside & live
        m.joined[x] = 1
    for i in range(a.components):
        marbles = (m.label << a.size[i]) - m.label
        m.label <<= a.size[i]
        around = ranks_of(t, a.around[i]) & live
        rest = around
        while rest:
            x = lowest(rest)
            rest &= rest - 1
            c.touched[x] |= marbles
            c.near[x] |= around
            m.joined[x] += a.size[i]
    m.growing = above(m.joined, m.area) & live


cdef void list_windows(
    const PanelTables *t, Listed *c, Placed *m, const Chains *chains, uint64_t marbles,
    uint64_t live
) noexcept nogil:
    cdef uint64_t rest = marbles
    cdef uint64_t lacked = 0
    cdef int k
    m.windows = &m.filled
    memset(&m.filled, 0, sizeof(Windows))
    while rest:
        fill_windows(t.rules, m.windows, &m.filled, lowest(rest))
        rest &= rest - 1
    for k in range(window_words(t.rules)):
        rest = chains.feasible[k]
        while rest:
            lacked |= t.rules.window[64 * k + lowest(rest)]
            rest &= rest - 1
    c.lacked = ranks_of(t, lacked & ~marbles)
    m.points = chains_of(t.rules, m.windows)
    m.completing = ranks_of(t, completing_fields(t.rules, m.windows, chains.feasible)) & live


cdef void begin_mixed_ending(
    MixedEndings *e, MixedEnding *n, int turn, uint64_t own, uint64_t other, const Areas *areas,
    const Chains *chains
) noexcept nogil:
    cdef const PanelTables *t = e.panels
    cdef Placed *m
    cdef int side
    n.turn = turn
    n.own = &e.start[turn]
    n.other = &e.start[turn ^ 1]
    for side in range(2):
        m = &e.start[side]
        m.growing = m.completing = 0
        if e.areas:
            list_components(t, &e.listed[side], m, &areas[side], n.at.free)
        if e.chains:
            list_windows(
                t, &e.listed[side], m, &chains[side], own if side == turn else other, n.at.free
            )


cdef inline uint64_t areas_at(const Listed *c, const Placed *m, int x) noexcept nogil:
    """The marbles of all areas that a marble on x would join."""
    cdef uint64_t areas = c.touched[x]
    cdef int i
    for i in range(m.groups):
        areas |= m.group[i] & -(m.around[i] >> x & 1)
    return areas


cdef inline int chain_gain(const MixedEndings *e, const Placed *m, int x) noexcept nogil:
    cdef const Tables *t = e.panels.rules
    cdef Windows filled
    fill_windows(t, m.windows, &filled, e.panels.ranked[x].field)
    return chains_of(t, &filled) - m.points


cdef inline uint64_t beyond_panels(const Placed *m) noexcept nogil:
    """The free fields on which a marble gains points that are not those of its panel."""
    return m.growing | m.completing


cdef inline int gain_at(
    const MixedEndings *e, const Placed *m, uint64_t hot, int x
) noexcept nogil:
    """The points by which a marble on x improves its side's margin at once."""
    cdef int gain = gained(e.panels, hot, x)
    if m.growing >> x & 1:
        gain += <int>m.joined[x] - <int>m.area
    if m.completing >> x & 1:
        gain += chain_gain(e, m, x)
    return gain


cdef inline int largest_gain(
    const MixedEndings *e, const Placed *m, uint64_t hot, uint64_t fields
) noexcept nogil:
    """The largest gain on one of these fields, 0 if there are none."""
    cdef int most = largest(e.panels, hot & fields)
    fields &= beyond_panels(m)
    while fields:
        most = max(most, gain_at(e, m, hot, lowest(fields)))
        fields &= fields - 1
    return most


cdef inline void join_groups(const Listed *c, const Placed *m, int x, Placed *after) noexcept nogil:
    """Add a marble on x to the groups. The last one is that of the marble."""
    cdef uint64_t around = c.near[x]
    cdef uint64_t group = c.touched[x] | m.label
    cdef int kept = 0
    cdef int i
    for i in range(m.groups):
        if m.around[i] >> x & 1:
            around |= m.around[i]
            group |= m.group[i]
        else:
            after.around[kept] = m.around[i]
            after.group[kept] = m.group[i]
            kept += 1
    after.around[kept] = around
    after.group[kept] = group
    after.groups = kept + 1
    after.label = m.label << 1
    after.area = max(m.area, m.joined[x])


cdef inline void find_growing(
    const Listed *c, const Placed *m, uint64_t fields, Placed *after
) noexcept nogil:
    """Find `joined` and `growing` for these free fields; m is the colour before its last marble."""
    cdef uint64_t rest = after.around[after.groups - 1] & fields
    cdef int x
    memcpy(after.joined, m.joined, MAX_FIELDS)
    while rest:
        x = lowest(rest)
        rest &= rest - 1
        after.joined[x] = 1 + popcount(areas_at(c, after, x))
    after.growing = above(after.joined, after.area) & fields


cdef inline void extend_chains(
    const MixedEndings *e, const MixedEnding *n, int x, uint64_t free, Placed *after
) noexcept nogil:
    """Add a marble of the side to move to its windows."""
    cdef const Tables *t = e.panels.rules
    cdef const Placed *m = n.own
    cdef int field = e.panels.ranked[x].field
    cdef uint64_t completing
    after.windows = m.windows
    after.points = m.points
    after.completing = m.completing & free
    if e.listed[n.turn].lacked >> x & 1:
        after.windows = &after.filled
        fill_windows(t, m.windows, &after.filled, field)
        completing = completing_fields(t, &after.filled, t.through[field])
        if completing:
            after.completing |= ranks_of(e.panels, completing) & free
        if m.completing >> x & 1:
            after.points = chains_of(t, &after.filled)


cdef inline int answer_to(
    const MixedEndings *e, const MixedEnding *n, int x, int gain, uint64_t replies, int beta
) noexcept nogil:
    """The answer of a search of three plies whose first marble lies on x, and gains so much.

    Args:
        replies: the fields that the other side may use then, one or more.
    """
    cdef const PanelTables *t = e.panels
    cdef const Listed *listed = &e.listed[n.turn]
    # No two of the three marbles lie on the same panel, so hot panels stay hot.
    cdef uint64_t free = n.at.free & ~t.ranked[x].panel
    cdef uint64_t good = n.at.other_hot | beyond_panels(n.other)
    cdef uint64_t later
    cdef Placed after
    cdef bint placed = False
    cdef int least = -MINUS_INFINITY
    cdef int value, last, y
    after.growing = after.completing = 0
    while replies and least >= beta:
        y = next_move(replies, good)
        replies &= ~bit(y)
        value = gain - gain_at(e, n.other, n.at.other_hot, y)
        if value < beta:
            later = t.ranked[y].cross & free
            last = largest(t, n.at.hot & later)
            if value + last < beta:
                if not placed:
                    placed = True
                    if e.areas:
                        join_groups(listed, n.own, x, &after)
                    if e.chains:
                        extend_chains(e, n, x, free, &after)
                if e.areas:
                    find_growing(listed, n.own, later, &after)
                last = largest_gain(e, &after, n.at.hot, later)
            value += last
        least = min(least, value)
    return least


cdef int search_three_mixed(MixedEndings *e, const MixedEnding *n, int beta) noexcept nogil:
    """`search_mixed` for three plies."""
    cdef const PanelTables *t = e.panels
    cdef uint64_t moves = n.at.legal
    cdef uint64_t good = n.at.hot | beyond_panels(n.own)
    cdef uint64_t replies
    cdef int best = MINUS_INFINITY
    cdef int x, gain, v
    e.nodes += 1
    while moves:
        x = next_move(moves, good)
        moves &= ~bit(x)
        gain = gain_at(e, n.own, n.at.hot, x)
        replies = replies_to(t, &n.at, x)
        v = gain - largest_gain(e, n.other, n.at.other_hot, replies)
        if v < beta and replies:
            v = answer_to(e, n, x, gain, replies, beta)
        best = max(best, v)
        if best >= beta:
            e.first = x
            break
    return best


cdef inline void place_marble(
    const MixedEndings *e, const MixedEnding *n, int x, MixedEnding *c, Placed *after
) noexcept nogil:
    """Make the position after a move, in the view of the other side."""
    cdef const Listed *listed = &e.listed[n.turn]
    play(e.panels, &n.at, x, &c.at)
    after.growing = after.completing = 0
    if e.areas:
        join_groups(listed, n.own, x, after)
        find_growing(listed, n.own, c.at.free, after)
    if e.chains:
        extend_chains(e, n, x, c.at.free, after)
    c.turn = n.turn ^ 1
    c.own = n.other
    c.other = after


cdef int search_mixed(MixedEndings *e, const MixedEnding *n, int plies, int beta) noexcept nogil:
    cdef const PanelTables *t = e.panels
    cdef MixedMove move[MAX_FIELDS]
    # Of each move, INT32_MIN once it was searched; the lowest six bits tell equals apart.
    cdef int32_t order[MAX_FIELDS]
    cdef MixedEnding child
    cdef Placed after
    cdef uint64_t moves = n.at.legal
    cdef int32_t first = INT32_MIN
    cdef int best = MINUS_INFINITY
    cdef int count = 0
    cdef int x, gain, reply, value, i
    if plies == 3:
        return search_three_mixed(e, n, beta)
    e.nodes += 1
    while moves:
        x = lowest(moves)
        moves &= moves - 1
        move[count].field = x
        move[count].gain = gain = gain_at(e, n.own, n.at.hot, x)
        move[count].replies = replies_to(t, &n.at, x)
        if move[count].replies:
            reply = largest_gain(e, n.other, n.at.other_hot, move[count].replies)
            value = gain - reply - 3 * popcount(move[count].replies)
            order[count] = keyed(value, count)
            first = max(first, order[count])
            count += 1
        else:
            best = max(best, gain)
            if best >= beta:
                e.first = x
                return best
    while first > INT32_MIN:
        i = place_of(first)
        gain = move[i].gain
        place_marble(e, n, move[i].field, &child, &after)
        value = search_mixed(e, &child, plies - 1, gain - beta + 1)
        best = max(best, gain - value)
        if unlikely(e.notes != NULL) and value > gain - beta and plies - 1 > e.notes.plies:
            note_first(e.notes, t, &child.at, value, e.first)
        if best >= beta:
            e.first = move[i].field
            break
        first = next_key(order, i, count)
    return best
