# The chains of one colour: their points, and the most points they can still bring
#
# A window (five squares in line) is feasible for a colour if each of its fields holds a marble of
# that colour or is live (play can still reach it), and if it lacks no more marbles than the colour
# has to come. An infeasible window stays infeasible, so the set of feasible windows is handed on
# from move to move. Feasible windows that follow one another on their line form a group:
#
#     r r r . r . r        .  live      three windows, one group of seven squares
#
# A group without a live field is closed, and its points are kept apart. The future of the
# chains depends on the marbles in the other groups alone.
#
# Bound. A group of k windows brings at most k + 4 points; its gain is that less its present points.
# Any gain takes at least `need` marbles in the group: the fewest that one of its windows lacks,
# full windows aside. Give each live field of the group a share of gain / need. With n marbles to
# come, the gains of all groups together are at most the n largest shares.

from libc.stdint cimport int16_t, uint64_t
from libc.string cimport memset

from kulami_solver.core.bits cimport bit, count_above, lowest, popcount
from kulami_solver.kulami.position.rules cimport CHAIN, MAX_FIELDS, WINDOW_WORDS, Tables, follows

cdef enum:
    SHARE = 60                          # shares are in sixtieths of a point, rounded up

cdef struct Chains:
    uint64_t feasible[WINDOW_WORDS]     # set of windows
    uint64_t relevant                   # marbles that the future depends on
    uint64_t hot                        # fields that fill a window with one marble
    int closed                          # points of closed groups
    int now                             # all points


cdef inline int points_of(const Tables *t, const Chains *c, uint64_t own) noexcept nogil:
    """Points of the full windows among the feasible ones."""
    cdef int points = 0, before = -2, w, k
    cdef uint64_t rest
    for k in range((t.windows + 63) // 64):
        rest = c.feasible[k]
        while rest:
            w = 64 * k + lowest(rest)
            rest &= rest - 1
            if not (t.window[w] & ~own):
                points += 1 if before == w - 1 and follows(t, w) else CHAIN
                before = w
    return points


cdef inline void begin_chains(
    const Tables *t, Chains *c, uint64_t own, uint64_t other
) noexcept nogil:
    cdef int w
    for w in range(WINDOW_WORDS):
        c.feasible[w] = 0
    for w in range(t.windows):
        if not (t.window[w] & other):
            c.feasible[w >> 6] |= bit(w & 63)
    c.closed = 0
    c.relevant = c.hot = 0
    c.now = points_of(t, c, own)


cdef inline int chain_gain(
    const Tables *t, const Chains *c, uint64_t own, int field
) noexcept nogil:
    """Points that one marble on `field` would add."""
    if not (c.hot >> field & 1):
        return 0
    return c.closed + points_of(t, c, own | bit(field)) - c.now


cdef inline int best_shares(const int16_t *share, int most, int marbles) noexcept nogil:
    """Sum of the largest `marbles` of MAX_FIELDS shares, none of them below 0 or above `most`."""
    cdef int low = 0, high = most, total = 0, middle, i
    # The shares are not sorted. Find the least value that fewer than `marbles` of them exceed.
    while low < high:
        middle = (low + high) >> 1
        if count_above(share, middle) < marbles:
            high = middle
        else:
            low = middle + 1
    for i in range(MAX_FIELDS):
        total += max(share[i] - low, 0)
    return total + marbles * low


cdef inline int chain_ceiling(
    const Tables *t, Chains *c, uint64_t own, uint64_t live, int marbles
) noexcept nogil:
    """Drop infeasible windows, put closed groups aside; return the most points still possible."""
    cdef int16_t share[MAX_FIELDS]
    cdef uint64_t lacking, rest, fields, cells = 0, shared = 0
    cdef int first = 0, last = -2, points = 0, need = 0, full = 0, gains = 0, shares = 0, most = 0
    cdef int lacks, w, k, i
    cdef int words = (t.windows + 63) // 64
    cdef bint ends
    memset(share, 0, sizeof(share))
    c.relevant = c.hot = 0
    c.now = c.closed
    k = 0
    rest = c.feasible[0]
    while True:
        while rest == 0 and k < words:
            k += 1
            rest = c.feasible[k] if k < words else 0
        ends = k >= words
        if not ends:
            w = 64 * k + lowest(rest)
            rest &= rest - 1
            lacking = t.window[w] & ~own
            lacks = popcount(lacking)
            if lacking & ~live or lacks > marbles:
                c.feasible[k] &= ~bit(w & 63)
                continue
            if lacks == 1:
                c.hot |= lacking
            if last == w - 1 and follows(t, w):
                cells |= t.window[w]
                last = w
                if lacks == 0:
                    points += 1 if full else CHAIN
                else:
                    need = min(need, lacks)
                full = lacks == 0
                continue
        if last >= 0:
            # The group first..last is complete.
            c.now += points
            if need == MAX_FIELDS:
                c.closed += points
                for i in range(first, last + 1):
                    c.feasible[i >> 6] &= ~bit(i & 63)
            else:
                c.relevant |= cells & own
                gains += last - first + CHAIN - points
                need = SHARE * (last - first + CHAIN - points) // need + 1
                fields = cells & live
                shared |= fields
                shares += need * popcount(fields)
                while fields:
                    i = lowest(fields)
                    fields &= fields - 1
                    share[i] += need
                    most = max(most, <int>share[i])
        if ends:
            break
        first = last = w
        cells = t.window[w]
        full = lacks == 0
        points = CHAIN if full else 0
        need = MAX_FIELDS if full else lacks
    if gains == 0:
        return c.now
    if popcount(shared) > marbles:
        shares = best_shares(share, most, marbles)
    return c.now + min(gains, shares // SHARE)
