# Prefix codes by context, for symbols whose probabilities depend on a context
#
#   context -> code -> symbol       a context is a number of 25 bits, a symbol one of 16 with a sign
#
#   slot      context + 1, start of its code, number of contexts before it    found by hash
#   code      longest | words of 1 bit | ... | words of `longest` bits | their symbols, in order
#
# Code words are canonical, of at most LONGEST bits. They are sorted by length, then by symbol; each
# is one more than the word before it, shifted left by the difference of their lengths. The first
# bit of a word is its uppermost. A context with one symbol has a word without bits.
#
# In a file (docs/file-format.md) contexts, symbols and lengths are written as differences, in
# Elias's gamma code: a zero for each bit of the number after its first, a one, then those bits.

from libc.stdint cimport int16_t, uint32_t

cdef enum:
    LONGEST = 15
    CONTEXT_BITS = 25
    WORD_BITS = 27              # a coded symbol: its word, first bit lowest; above it, the length


cdef class Codebook:
    cdef readonly object contexts   # rising
    cdef readonly object starts     # index of each context's first symbol below; then their number
    cdef readonly object symbols    # rising within a context
    cdef readonly object lengths
    cdef uint32_t *slot             # three numbers each; 0, 0, 0: none
    cdef uint32_t slots
    cdef int16_t *code
    cdef uint32_t placed(self, uint32_t context) noexcept nogil
    cdef const int16_t *find(self, uint32_t context) noexcept nogil
