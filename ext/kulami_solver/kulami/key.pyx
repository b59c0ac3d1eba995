"""The key of a position in the table: `key.pxd` says what it is made of."""

from libc.string cimport memcpy

import random

from kulami_solver.kulami.node cimport KEY_WORDS

cdef uint64_t[2 * KEY_WORDS] MULTIPLIERS


cdef draw_multipliers():
    draw = random.Random(0x736561726368)
    for i in range(2 * KEY_WORDS):
        MULTIPLIERS[i] = draw.getrandbits(64)


draw_multipliers()


cdef void copy_multipliers(uint64_t *multiplier) noexcept:
    memcpy(multiplier, MULTIPLIERS, sizeof(MULTIPLIERS))
