# What areas and chains can still become: bounds, and how little of them the future depends on
#
# Both are judged for one colour ("own") from
#
#     own       its marbles
#     live      the free fields that can still be reached
#     marbles   how many more of its marbles can still be placed
#
# Areas. A component of own marbles is open if a live field lies beside it. What can still happen
# to the largest area depends on, for each open component, its size and the live fields beside it
# (its border), and on the size of the largest closed component, and on that only if it is larger
# than every open one. Nothing else: marbles join components only through live fields.
#
#     ceiling, the smaller of two
#       reach   own marbles of a connected part of own + live, plus as many of its live fields as
#               there are marbles, at most over all such parts
#       tree    span the final area by a tree from one component: every other component in it hangs
#               on a newly taken field beside it. So each new field x adds at most
#               1 + the sizes of the components beside x, and the whole is at most
#               the largest component + the best `marbles` of these
#
# Chains. A window (five squares in line) is feasible if it is full of own marbles and live fields
# and lacks no more than `marbles`. Windows that follow one another on a line and are feasible form
# a group. A group without a live field is settled. The marbles in the windows of the other groups
# are all that the future of the chains depends on.
#
#     ceiling   a group of k windows brings at most k + 4 points, gain = that - what it has now.
#               Any gain takes at least `need` marbles in the group, the least a window of it lacks.
#               Shared out over the live fields of the group, gain / need each, the gain of all
#               groups together is at most the best `marbles` sums of shares.

from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memset

from kulami_solver.core.bits cimport bit, high_product, lowest, popcount
from kulami_solver.kulami.rules cimport CHAIN, MAX_FIELDS, Tables

cdef enum:
    SHARE = 60                          # shares of a gain are in sixtieths of a point

cdef struct Outlook:
    int now                             # size or points as things stand
    int most                            # at most, at the end of the game
    int settled                         # the part of `now` that nothing can change any more
    uint64_t index, signature           # hash of all that the unsettled part depends on


cdef inline void mix_in(Outlook *o, uint64_t a, uint64_t b, uint64_t salt) noexcept nogil:
    """Add the hash of a pair of words; the sum does not depend on the order of the pairs."""
    cdef uint64_t x = (a ^ salt) * <uint64_t>0x9E3779B97F4A7C15
    cdef uint64_t y = b + <uint64_t>0xD1B54A32D192ED03
    cdef uint64_t low, high
    x ^= x >> 32
    y = (y ^ (y >> 29)) * <uint64_t>0xBF58476D1CE4E5B9 + x
    y ^= y >> 32
    x = (x ^ y) * <uint64_t>0x94D049BB133111EB
    low = x * (y | 1)
    high = high_product(x, y | 1)
    x ^= low ^ (high >> 31)
    y ^= high ^ (low >> 29)
    x = (x ^ (x >> 32)) * <uint64_t>0xD6E8FEB86659FD93
    y = (y ^ (y >> 32)) * <uint64_t>0xA0761D6478BD642F
    o.index += x ^ (x >> 32)
    o.signature += y ^ (y >> 32) ^ (x << 7)


cdef inline int best_of(const int *share, uint64_t fields, int marbles) noexcept nogil:
    """Sum of the largest `marbles` shares among `fields`."""
    cdef int best[MAX_FIELDS]
    cdef int kept = 0
    cdef int total = 0
    cdef int here, i
    while fields:
        here = share[lowest(fields)]
        fields &= fields - 1
        if kept == marbles:
            if kept == 0 or here <= best[kept - 1]:
                continue
            total -= best[kept - 1]
            kept -= 1
        total += here
        i = kept
        while i > 0 and best[i - 1] < here:
            best[i] = best[i - 1]
            i -= 1
        best[i] = here
        kept += 1
    return total


cdef inline void area_outlook(
    const Tables *t, uint64_t own, uint64_t live, int marbles, Outlook *o
) noexcept nogil:
    cdef int share[MAX_FIELDS]
    cdef int sizes[MAX_FIELDS]
    cdef uint64_t borders[MAX_FIELDS]
    cdef uint64_t rest, area, border, frontier, fields, touched = 0
    cdef int parts = 0, closed = 0, largest = 0, size, i, reach
    rest = own
    while rest:
        area = rest & (~rest + 1)
        frontier = area
        border = 0
        while frontier:
            fields = t.beside[lowest(frontier)]
            frontier &= frontier - 1
            border |= fields
            fields &= rest & ~area
            area |= fields
            frontier |= fields
        rest &= ~area
        border &= live
        size = popcount(area)
        if border == 0:
            closed = max(closed, size)
            continue
        largest = max(largest, size)
        sizes[parts] = size
        borders[parts] = border
        parts += 1
        touched |= border
    o.index = 0
    o.signature = 0
    o.now = max(closed, largest)
    fields = live
    while fields:
        share[lowest(fields)] = 1
        fields &= fields - 1
    for i in range(parts):
        fields = borders[i]
        while fields:
            share[lowest(fields)] += sizes[i]
            fields &= fields - 1
    o.most = max(closed, largest + best_of(share, live, marbles))
    if o.most > o.now:
        reach = o.now
        rest = own | live
        while rest:
            area = rest & (~rest + 1)
            frontier = area
            while frontier:
                fields = t.beside[lowest(frontier)] & rest & ~area
                frontier &= frontier - 1
                area |= fields
                frontier |= fields
            rest &= ~area
            reach = max(reach, popcount(area & own) + min(marbles, popcount(area & live)))
        o.most = min(o.most, reach)
    if o.most == o.now:
        o.settled = o.now
        return
    o.settled = 0
    for i in range(parts):
        mix_in(o, borders[i], sizes[i], <uint64_t>0xA5A5)
    if closed > largest:
        mix_in(o, 0, closed, <uint64_t>0x5A5A)


cdef inline void chain_outlook(
    const Tables *t, uint64_t own, uint64_t live, int marbles, Outlook *o
) noexcept nogil:
    cdef int share[MAX_FIELDS]
    cdef uint64_t lacking, cells = 0, relevant = 0, fields, shared = 0
    cdef int windows = 0, points = 0, need = 0, w, lacks
    cdef bint before_full = False, feasible
    cdef int gains = 0
    o.index = 0
    o.signature = 0
    o.now = 0
    o.settled = 0
    for w in range(t.windows + 1):
        if w < t.windows:
            lacking = t.window[w] & ~own
            lacks = popcount(lacking)
            feasible = not (lacking & ~live) and lacks <= marbles
            if feasible and windows and t.follows[w]:
                windows += 1
                cells |= t.window[w]
                if lacks == 0:
                    points += 1 if before_full else CHAIN
                    before_full = True
                else:
                    need = min(need, lacks)
                    before_full = False
                continue
        else:
            feasible = False
        if windows:
            o.now += points
            if need == MAX_FIELDS:
                o.settled += points
            else:
                relevant |= cells & own
                gains += windows + CHAIN - 1 - points
                fields = cells & live
                need = SHARE * (windows + CHAIN - 1 - points) // need + 1
                while fields:
                    if not (shared & fields & (~fields + 1)):
                        share[lowest(fields)] = 0
                        shared |= fields & (~fields + 1)
                    share[lowest(fields)] += need
                    fields &= fields - 1
            windows = 0
        if feasible:
            windows = 1
            cells = t.window[w]
            before_full = lacks == 0
            points = CHAIN if before_full else 0
            need = MAX_FIELDS if before_full else lacks
    o.most = o.now
    if gains:
        o.most += min(gains, best_of(share, shared, marbles) // SHARE)
        mix_in(o, relevant, 1, <uint64_t>0xC3C3)
