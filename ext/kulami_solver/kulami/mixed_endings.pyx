"""Alpha-beta search of the last plies, where areas or chains count.

The data is in `mixed_endings.pxd`. Bounds would cost more than they save here: a move has to be
cheap. docs/algorithms.md shows why the gains are right.
"""

from libc.string cimport memcpy

from kulami_solver.core.bits cimport bit, lowest, popcount, unlikely
from kulami_solver.kulami.notes cimport note_field
from kulami_solver.kulami.panels cimport pays_at_once
from kulami_solver.kulami.rules cimport CHAIN, MINUS_INFINITY


cdef void begin_mixed_ending(MixedEnding *e, const int8_t *difference) noexcept nogil:
    cdef int side
    e.nodes = 0
    memcpy(e.difference, difference, e.rules.panels)
    for side in range(2):
        e.colour[side].placed.marbles = 0
        e.colour[side].placed.groups = 0
        e.colour[side].placed.grouped = 0


cdef void list_components(Colour *c, const Areas *a, uint64_t live) noexcept nogil:
    cdef uint64_t rest = live
    cdef int i, x
    c.placed.area = a.now
    while rest:
        x = lowest(rest)
        rest &= rest - 1
        c.components[x] = 0
        c.joined_size[x] = 1
    for i in range(a.components):
        c.size[i] = a.size[i]
        rest = a.around[i] & live
        while rest:
            x = lowest(rest)
            rest &= rest - 1
            c.components[x] |= <uint32_t>1 << i
            c.joined_size[x] += a.size[i]


cdef inline int points_with(const Colour *c, uint64_t placed) noexcept nogil:
    """Points of the listed windows that are full with these new marbles."""
    cdef int points = 0, i
    cdef bint full, before = False
    for i in range(c.windows):
        full = (c.lacking[i] & ~placed) == 0
        points += (1 if before and c.follows[i] else <int>CHAIN) & -<int>full
        before = full
    return points


cdef inline void note_windows(Colour *c, bint filled) noexcept nogil:
    """Update points and completing fields; `filled`: the new marbles have filled some windows."""
    cdef uint64_t lacking
    cdef int i
    if filled:
        c.placed.points = points_with(c, c.placed.marbles)
    c.placed.completing = 0
    for i in range(c.windows):
        lacking = c.lacking[i] & ~c.placed.marbles
        if lacking & (lacking - 1) == 0:
            c.placed.completing |= lacking


cdef void list_windows(
    const Tables *t, Colour *c, const Chains *chains, uint64_t own, uint64_t live, int marbles
) noexcept nogil:
    cdef uint64_t rest, lacking
    cdef int before = -2, w, k
    c.windows = 0
    c.lacked = 0
    for k in range((t.windows + 63) // 64):
        rest = chains.feasible[k]
        while rest:
            w = 64 * k + lowest(rest)
            rest &= rest - 1
            lacking = t.window[w] & ~own
            if lacking & ~live or popcount(lacking) > marbles:
                continue
            c.lacking[c.windows] = lacking
            c.follows[c.windows] = before == w - 1 and t.follows[w]
            c.windows += 1
            c.lacked |= lacking
            before = w
    note_windows(c, True)


cdef inline bint joins(const Colour *c, int i, int x) noexcept nogil:
    """Would a marble on x join group i?"""
    return c.placed.around[i] >> x & 1 or c.placed.components[i] & c.components[x]


cdef inline int area_with(const Colour *c, int x) noexcept nogil:
    """The size of the area that would contain a marble on x."""
    cdef uint32_t twice = 0
    cdef int size = c.joined_size[x]
    cdef int i
    for i in range(c.placed.groups):
        if joins(c, i, x):
            size += c.placed.size[i]
            twice |= c.placed.components[i] & c.components[x]
    while twice:
        size -= c.size[lowest(twice)]
        twice &= twice - 1
    return size


cdef inline int gain_at(const MixedEnding *e, int turn, int x) noexcept nogil:
    """The points by which a marble on x improves its side's margin at once."""
    cdef const Colour *c = &e.colour[turn]
    cdef int p = e.rules.panel_of[x]
    cdef int d = -e.difference[p] if turn else e.difference[p]
    cdef int gain = e.rules.size[p] & -<int>pays_at_once(d)
    if e.areas and c.joined_size[x] + c.placed.grouped > c.placed.area:
        gain += max(0, area_with(c, x) - <int>c.placed.area)
    if e.chains and c.placed.completing >> x & 1:
        gain += points_with(c, c.placed.marbles | bit(x)) - c.placed.points
    return gain


cdef inline void place_marble(MixedEnding *e, int turn, int x) noexcept nogil:
    """Put a marble on x into the areas and chains of its colour."""
    cdef Colour *c = &e.colour[turn]
    cdef Placed *m = &c.placed
    cdef uint64_t around
    cdef uint32_t components
    cdef int size, kept = 0, i
    m.marbles |= bit(x)
    if e.areas:
        around = e.rules.beside[x]
        components = c.components[x]
        size = area_with(c, x)
        m.grouped = size
        for i in range(m.groups):
            if joins(c, i, x):
                around |= m.around[i]
                components |= m.components[i]
            else:
                m.around[kept] = m.around[i]
                m.components[kept] = m.components[i]
                m.size[kept] = m.size[i]
                m.grouped += m.size[i]
                kept += 1
        m.around[kept] = around
        m.components[kept] = components
        m.size[kept] = size
        m.groups = kept + 1
        m.area = max(<int>m.area, size)
    if e.chains and c.lacked >> x & 1:
        note_windows(c, m.completing >> x & 1)


cdef int answer_to(
    MixedEnding *e, int turn, int x, int now, int beta, uint64_t free, uint64_t replies,
    uint64_t *known, int *gain
) noexcept nogil:
    """The answer of a search of the last two plies, after a marble on x.

    Args:
        turn: the side that chose x; the marble is not in the areas and chains yet.
        now, beta: for the other side, with x placed.
        replies: the fields that the other side may use.
        known, gain: the replies whose gain is known, and their gains, which do not depend on x.
    """
    cdef const Tables *t = e.rules
    cdef Colour *c = &e.colour[turn]
    cdef Placed before
    cdef uint64_t later
    cdef bint placed = False
    cdef int best = MINUS_INFINITY, here, last, y
    while replies and best < beta:
        y = lowest(replies)
        replies &= replies - 1
        if not known[0] >> y & 1:
            known[0] |= bit(y)
            gain[y] = gain_at(e, turn ^ 1, y)
        here = now + gain[y]
        if here < beta:
            best = max(best, here)
            continue
        # Only the gain of the last marble depends on x, so x is placed only when that is needed.
        later = t.cross[y] & free & ~t.barred[x]
        if later and not placed:
            before = c.placed
            place_marble(e, turn, x)
            placed = True
        last = 0
        while later and here - last > best:
            last = max(last, gain_at(e, turn, lowest(later)))
            later &= later - 1
        best = max(best, here - last)
    if placed:
        c.placed = before
    return best


cdef int search_mixed(
    MixedEnding *e, int turn, int plies, int now, int beta, uint64_t free, uint64_t legal, int last
) noexcept nogil:
    cdef const Tables *t = e.rules
    cdef uint64_t reply[MAX_FIELDS]
    cdef uint8_t field[MAX_FIELDS]
    cdef int gain[MAX_FIELDS]
    cdef int order[MAX_FIELDS]
    cdef Placed before
    cdef int best = MINUS_INFINITY, count = 0, change = -1 if turn else 1
    cdef uint64_t known = 0
    cdef int theirs[MAX_FIELDS]
    cdef int v, x, p, choice, i
    e.nodes += 1
    while legal:
        x = lowest(legal)
        legal &= legal - 1
        field[count] = x
        gain[count] = gain_at(e, turn, x)
        reply[count] = t.cross[x] & free & ~t.barred[last]
        if reply[count]:
            # A point now and one reply less are worth about the same.
            order[count] = gain[count] - popcount(reply[count])
            count += 1
        else:
            if now + gain[count] > best:
                best = now + gain[count]
                e.first = x
    if plies > 3:
        before = e.colour[turn].placed
    while count and best < beta:
        choice = 0
        for i in range(1, count):
            if order[i] > order[choice]:
                choice = i
        x = field[choice]
        v = now + gain[choice]
        if plies == 3:
            v = -answer_to(e, turn, x, -v, 1 - beta, free, reply[choice], &known, theirs)
        else:
            p = t.panel_of[x]
            place_marble(e, turn, x)
            e.difference[p] += change
            v = -search_mixed(
                e, turn ^ 1, plies - 1, -v, 1 - beta, free & ~bit(x), reply[choice], x
            )
            e.difference[p] -= change
            if unlikely(e.notes != NULL) and v < beta and plies - 1 > e.notes.plies:
                note_field(
                    e.notes, e.marbles[turn ^ 1] | e.colour[turn ^ 1].placed.marbles,
                    e.marbles[turn] | e.colour[turn].placed.marbles, reply[choice], x, -v, e.first,
                )
            e.colour[turn].placed = before
        if v >= beta:
            e.first = x
        best = max(best, v)
        count -= 1
        field[choice] = field[count]
        gain[choice] = gain[count]
        order[choice] = order[count]
        reply[choice] = reply[count]
    return best
