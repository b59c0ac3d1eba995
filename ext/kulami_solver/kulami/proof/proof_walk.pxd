# A walk through a proof, ply by ply from the root
#
#     here     claims about the positions of this ply
#     next     claims about the positions after a move, from which those in `here` follow
#
#     1. Le    every claim "at most":     all replies go to `next`
#     2. Ge    every claim "at least":    the reply that is chosen goes to `next`
#
# Positions with at most `depth` plies to come are `Play`: they are played out, and add nothing to
# `next`. When all of `here` is done, `next` takes its place. A walk ends when `next` is empty.
#
# A semi-strong proof claims more: the exact value of every position that can arise while at least
# one side has played only its best fields. At the root both have.
#
#     claim.marks    the claim after a field                               best fields only, by
#     OTHER_BEST     the exact value: `surplus` says how much own loses    the other side
#     OWN_BEST       the exact value, if `surplus` says that own loses 0   own, if own loses 0
#
# Two plies are in memory at a time, however long the proof is.

from libc.stdint cimport int16_t, int64_t, uint8_t, uint32_t, uint64_t

from kulami_solver.kulami.proof.proof_rules cimport Board

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
    uint8_t marks           # PLAYED, OWN_BEST, OTHER_BEST: see above
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


cdef class ProofBoard:
    cdef Board board


cdef struct Player:         # plays positions out
    const Board *board
    int64_t left            # positions until the next look
    int64_t looks           # at the position that is being played out
    void *look              # called with `looks`, and may raise; may be None

cdef class Walk:
    cdef ProofBoard board
    cdef Player player
    cdef object look        # what `player` calls, kept alive
    cdef Claims here, next
    cdef int supply, depth
    cdef readonly int ply
    cdef bint second            # whether the claims "at most" are done
    cdef uint64_t done          # number of claims done in this pass
    cdef uint64_t at_least, at_most, played     # steps of this ply
    cdef readonly object fault

    cdef int choose(self, Claim *claim, uint64_t moves) except -2 nogil
    cdef int surplus(self, Claim *claim, int field, int limit) except -2 nogil
    cdef int lost(self, Claim *claim, int field) except -2 nogil
    cdef bint is_short(
        self, uint64_t occupied, int last, int before, int supply
    ) noexcept nogil
    cdef int holds(self, Claim *claim) except -1 nogil
    cdef bint claim_most(self, Claim *claim) except -1 nogil
    cdef bint claim_least(self, Claim *claim) except -1 nogil
    cdef int fail(self, str fault, Claim *claim) except -1
