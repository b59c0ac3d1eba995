# Random numbers, and random moves: the same state gives the same ones on every machine

from libc.stdint cimport uint64_t

from kulami_solver.core.bits cimport lowest, popcount


cdef inline int below(uint64_t *state, int bound) noexcept nogil:
    """A random number from 0 to bound - 1."""
    # Marsaglia's xorshift with a final multiplication; the high half is good enough here.
    cdef uint64_t x = state[0]
    x ^= x >> 12
    x ^= x << 25
    x ^= x >> 27
    state[0] = x
    return <int>(((x * <uint64_t>2685821657736338717) >> 32) * bound >> 32)


cdef inline int drawn(uint64_t *state, uint64_t fields) noexcept nogil:
    """One of some fields, all equally likely."""
    cdef int skip = below(state, popcount(fields))
    while skip:
        fields &= fields - 1
        skip -= 1
    return lowest(fields)
