# The windows of one side: how many of its marbles each run of five squares holds
#
#     has       the number of each window in binary: digit k of the number of window w is bit w of
#               has[k]. So a few steps add a marble to all windows through its field
#
# `rules.pxd` tells how full windows make chains.

from libc.stdint cimport uint64_t

from kulami_solver.core.bits cimport lowest, popcount
from kulami_solver.kulami.position.rules cimport CHAIN, WINDOW_WORDS, Tables

cdef struct Windows:
    uint64_t has[3][WINDOW_WORDS]


cdef inline int window_words(const Tables *t) noexcept nogil:
    """The number of words in use of a set of windows."""
    return (t.windows + 63) // 64


cdef inline void fill_windows(
    const Tables *t, const Windows *before, Windows *after, int field
) noexcept nogil:
    """Add a marble to all windows with this field; both arguments may be the same."""
    cdef uint64_t through, carried, twos
    cdef int k
    for k in range(window_words(t)):
        through = t.through[field][k]
        carried = before.has[0][k] & through
        twos = before.has[1][k] & carried
        after.has[0][k] = before.has[0][k] ^ through
        after.has[1][k] = before.has[1][k] ^ carried
        after.has[2][k] = before.has[2][k] | twos


cdef inline int chains_of(const Tables *t, const Windows *w) noexcept nogil:
    """The points of the chains: one for each full window, four more where a chain begins."""
    cdef uint64_t full, before
    cdef uint64_t carried = 0
    cdef int points = 0
    cdef int k
    for k in range(window_words(t)):
        full = w.has[2][k] & w.has[0][k]
        before = (full << 1 | carried) & t.follows[k]
        carried = full >> 63
        points += popcount(full) + (CHAIN - 1) * popcount(full & ~before)
    return points


cdef inline uint64_t completing_fields(
    const Tables *t, const Windows *w, const uint64_t *among
) noexcept nogil:
    """The fields of windows with four marbles, among a set of windows (NULL: all)."""
    cdef uint64_t four
    cdef uint64_t found = 0
    cdef int k
    for k in range(window_words(t)):
        four = w.has[2][k] & ~w.has[0][k]
        if among != NULL:
            four &= among[k]
        while four:
            found |= t.window[64 * k + lowest(four)]
            four &= four - 1
    return found
