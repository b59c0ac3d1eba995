# The claims of a proof about the positions of one ply, each position once
#
#   claim[0..count)    in the order in which the positions first came up
#   slot[hash]         1 + number of a claim, 0 for none; open addressing, at most half full
#
# A hash only says where to look. A position is found by all of its words: the marbles of both sides
# and the last two of them. The turn and the supply are the same for a whole ply.
#
# Several claims about one position are joined into the strongest: the greatest `least` and the
# least `most`. All the others follow from these.

from libc.stdint cimport int16_t, uint8_t, uint32_t, uint64_t

cdef enum:
    PLAYED = 1              # it is a step `Play`
    OWN_BEST = 2            # semi-strong proof: the side to move has played only best fields
    OTHER_BEST = 4          # ... the other side has

cdef struct Claim:
    uint64_t own            # marbles of the side to move
    uint64_t other
    int16_t least           # the value is at least this; -NO_VALUE: no such claim
    int16_t most            # ... at most this; NO_VALUE: no such claim
    uint8_t last
    uint8_t before
    uint8_t marks           # PLAYED, OWN_BEST, OTHER_BEST: see proof_walk.pxd
    uint8_t choice          # the field that a step `Ge` names, NOWHERE if it is no such step

cdef class Claims:
    cdef Claim *claim
    cdef uint32_t *slot
    cdef uint64_t count, room, slots

    cdef void clear(self) noexcept nogil
    cdef bint grow(self) noexcept nogil
    cdef uint32_t *place(self, uint64_t own, uint64_t other, int last, int before) noexcept nogil
    cdef Claim *find(self, uint64_t own, uint64_t other, int last, int before) noexcept nogil
    cdef bint add(
        self, uint64_t own, uint64_t other, int last, int before, int least, int most, int marks
    ) noexcept nogil
