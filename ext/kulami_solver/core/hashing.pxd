# Multilinear hashing of a key of a few words, for a transposition table
#
#   hash  =  sum of  a_i * word_i  mod 2^128      a_i = (a[2 i + 1], a[2 i]), random, 128 bits
#
#   index       its lower 64 bits: the place in the table
#   signature   its upper 64 bits without the carries of the lower sum: the word compared there
#
# Two keys that differ in a word have the same signature with probability at most 2^-63 over the
# choice of the a_i, whatever their indices; docs/algorithms.md has the proof.

from libc.stdint cimport uint64_t

from kulami_solver.core.bits cimport high_product


cdef inline int draw_multipliers(uint64_t *a, int words, object seed) except -1:
    """Draw the a_i for keys of this number of words; a seed gives the same ones in every build."""
    from random import Random

    draw = Random(seed)
    for i in range(2 * words):
        a[i] = draw.getrandbits(64)
    return 0


cdef inline void hash_word(
    const uint64_t *a, int i, uint64_t word, uint64_t *index, uint64_t *signature
) noexcept nogil:
    """Add word number i of the key to its hash."""
    cdef uint64_t low = a[2 * i]
    index[0] += low * word
    signature[0] += high_product(low, word) + a[2 * i + 1] * word
