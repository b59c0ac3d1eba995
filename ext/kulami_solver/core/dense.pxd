# A game with numbered positions, and a table of the values of the reached ones
#
# A game that can go round in circles numbers its positions densely: a position is a slot, 0 to
# slots - 1. Slots lie in layers, one after the other: a turn leads to the same layer or to an
# earlier one, so layers can be solved in order. Each layer begins at a multiple of BLOCK. Slots
# that stand for no position are never reached.
#
#   reached     one bit a slot                       |64 slots|64 slots| ...
#   before      for each block of 512 slots, the number of reached slots before it
#   values      one 16-bit number a reached slot, in the order of slots
#
#   slot  ->  its ordinal among the reached slots: before[slot / 512] + the bits of `reached` before
#             it in the block, which is one cache line  ->  values[ordinal]
#
# A value, once it is known:
#
#   0                      draw: neither side can force an end
#   DECIDED | plies        the side to move wins in this number of plies, as fast as it can
#   DECIDED | LOSS | plies   it loses in this number of plies, as slowly as it can
#
# PLIES is the mask of the plies, and never a number of plies: the plies of any value plus one still
# fit in these bits.

from libc.stdint cimport uint16_t, uint32_t, uint64_t

from kulami_solver.core.bits cimport bit, lowest, popcount

cdef enum:
    BLOCK = 512
    WORDS = 8                   # of 64 bits in a block
    DECIDED = 0x8000
    LOSS = 0x4000
    PLIES = 0x3fff              # mask

cdef enum:                      # results of Around if the game has ended
    WON = -1
    LOST = -2

# Finds the slots one turn after (successors) or before (predecessors) a slot: writes at most `most`
# of them, in any order and maybe some twice, and returns their number. For successors it returns
# WON or LOST if the side to move has won or lost. It writes only predecessors in the same layer.
# There is one call for each slot; its cost is negligible beside the work in it.
ctypedef int (*Around)(const void *tables, uint64_t slot, uint64_t *found) noexcept nogil

# The number of positions that a slot stands for, a position and its mirror images counted apart. A
# slot with 0 stands for no position, and may not be passed to the other functions.
ctypedef int (*Weigh)(const void *tables, uint64_t slot) noexcept nogil

cdef struct Game:
    const void *tables
    int most                    # slots around a slot
    Around successors
    Around predecessors
    Weigh weight


cdef class DenseGame:
    cdef Game game
    cdef readonly uint64_t slots
    cdef readonly tuple bounds
    cdef uint64_t checked(self, uint64_t slot) except? 0
    cdef object around(self, Around look, uint64_t slot)


cdef class Reached:
    cdef readonly DenseGame game
    cdef readonly object bitmap
    cdef readonly object directory
    cdef readonly object values
    cdef uint64_t *reached
    cdef uint32_t *before
    cdef uint16_t *value
    cdef int check_numbered(self) except -1
    cdef int check_range(self, uint64_t begin, uint64_t end) except -1


cdef inline bint is_reached(const uint64_t *reached, uint64_t slot) noexcept nogil:
    return (reached[slot >> 6] >> (slot & 63)) & 1


cdef inline uint64_t ordinal_of(
    const uint64_t *reached, const uint32_t *before, uint64_t slot
) noexcept nogil:
    """The number of reached slots before this one."""
    cdef uint64_t ordinal = before[slot // BLOCK]
    cdef uint64_t word = slot // BLOCK * WORDS
    while word < slot >> 6:
        ordinal += popcount(reached[word])
        word += 1
    return ordinal + popcount(reached[word] & (bit(slot & 63) - 1))


cdef inline uint64_t slot_at(
    const uint64_t *reached, const uint32_t *before, uint64_t blocks, uint64_t ordinal
) noexcept nogil:
    """The reached slot with `ordinal` reached slots before it."""
    cdef uint64_t low = 0, high = blocks, middle, word, members
    while high - low > 1:           # before[low] <= ordinal < before[high]
        middle = (low + high) // 2
        if before[middle] <= ordinal:
            low = middle
        else:
            high = middle
    ordinal -= before[low]
    word = low * WORDS
    while <uint64_t>popcount(reached[word]) <= ordinal:
        ordinal -= popcount(reached[word])
        word += 1
    members = reached[word]
    while ordinal:
        members &= members - 1
        ordinal -= 1
    return word << 6 | lowest(members)
