# A position in the least form that the rules need, and random games from there
#
# The reward of a game lies between 0 and 1: half of it is for the outcome (half of that for a
# draw), half for the margin, from -WIDE points or less to +WIDE or more.

from libc.stdint cimport uint64_t

from kulami_solver.core.bits cimport bit, lowest, popcount
from kulami_solver.kulami.position.rules cimport Tables, legal_fields, margin_of

cdef enum:
    WIDE = 16

cdef struct Seen:           # a position, in the view of the side to move
    uint64_t own
    uint64_t other
    int last
    int before
    int supply


cdef inline uint64_t legal_now(const Tables *t, const Seen *n) noexcept nogil:
    return legal_fields(t, n.own | n.other, n.last, n.before) if n.supply > 0 else 0


cdef inline Seen after(const Seen *n, int field) noexcept nogil:
    cdef Seen c
    c.own = n.other
    c.other = n.own | bit(field)
    c.last = field
    c.before = n.last
    c.supply = n.supply - 1
    return c


cdef inline int below(uint64_t *state, int bound) noexcept nogil:
    """A random number from 0 to bound - 1."""
    # Marsaglia's xorshift with a final multiplication; the high half is good enough here.
    state[0] ^= state[0] >> 12
    state[0] ^= state[0] << 25
    state[0] ^= state[0] >> 27
    return <int>(((state[0] * <uint64_t>2685821657736338717) >> 32) * bound >> 32)


cdef inline double random_reward(
    const Tables *t, Seen n, bint areas, bint chains, uint64_t *state
) noexcept nogil:
    """The reward of a random game from `n`, for the side to move there."""
    cdef uint64_t moves
    cdef int skip, points
    cdef bint flipped = False
    while True:
        moves = legal_now(t, &n)
        if not moves:
            break
        skip = below(state, popcount(moves))
        while skip:
            moves &= moves - 1
            skip -= 1
        n = after(&n, lowest(moves))
        flipped = not flipped
    points = margin_of(t, n.own, n.other, areas, chains)
    if flipped:
        points = -points
    points = max(-WIDE, min(WIDE, points))
    return 0.5 + points / (4.0 * WIDE) + 0.25 * ((points > 0) - (points < 0))
