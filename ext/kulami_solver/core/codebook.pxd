# Prefix codes by context: how the symbols are written whose probabilities depend on a context
#
#   context -> code -> symbol       a context is a number of 25 bits, a symbol one of 16 with a sign
#
#   slot      context + 1, where its code begins, how many are before it      found by hash
#   code      longest | words of 1 bit | ... | words of `longest` bits | their symbols, in order
#
# Code words are canonical, of LONGEST bits at most: by length, then by symbol, each one more than
# the one before, and shifted by one for each bit it is longer. The first bit of a word is its
# uppermost. A context with one symbol has a word without bits.
#
# In a file (docs/file-format.md) contexts, symbols and lengths are written as differences, in
# Elias's gamma code: as many zeros as the number has bits after its first, a one, those bits.

from libc.stdint cimport int16_t, uint32_t

cdef enum:
    LONGEST = 15
    CONTEXT_BITS = 25
    WORD_BITS = 27              # a coded symbol: its word, first bit lowest; above it, the length


cdef class Codebook:
    cdef readonly object contexts   # rising
    cdef readonly object starts     # of each context: its first symbol in the next two; their end
    cdef readonly object symbols    # rising within a context
    cdef readonly object lengths
    cdef uint32_t *slot             # three numbers each; 0, 0, 0: none
    cdef uint32_t slots
    cdef int16_t *code
    cdef uint32_t placed(self, uint32_t context) noexcept nogil
    cdef const int16_t *find(self, uint32_t context) noexcept nogil
