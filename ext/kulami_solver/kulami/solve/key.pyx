"""The key of a position in the table: `key.pxd` lists its parts."""

from libc.string cimport memcpy

from kulami_solver.core.hashing cimport draw_multipliers
from kulami_solver.kulami.solve.node cimport KEY_WORDS

cdef uint64_t[2 * KEY_WORDS] MULTIPLIERS

draw_multipliers(MULTIPLIERS, KEY_WORDS, 0x736561726368)


cdef void copy_multipliers(uint64_t *multiplier) noexcept:
    memcpy(multiplier, MULTIPLIERS, sizeof(MULTIPLIERS))
