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

from libc.stdint cimport int64_t, uint64_t

from kulami_solver.kulami.proof.claims cimport Claim, Claims
from kulami_solver.kulami.proof.proof_rules cimport Board, ProofBoard

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
    cdef int fail(self, str code, Claim *claim) except -1
