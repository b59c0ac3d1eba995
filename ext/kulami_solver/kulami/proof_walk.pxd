# A walk through a proof, ply by ply from the root
#
#     here     claims about the positions of this ply
#     next     what has to be claimed of the positions after a move, so that those here hold
#
#     1. Le    every claim "at most":     all replies go to `next`
#     2. Ge    every claim "at least":    the reply that is chosen goes to `next`
#
# Positions with at most `depth` plies to come are `Play`: they are played out, and nothing goes to
# `next`. When all of `here` is done, `next` takes its place. A walk ends where there is no next.
#
# Two plies are in memory at a time, whatever the length of the proof.

from libc.stdint cimport uint64_t

from kulami_solver.kulami.claims cimport Claim, Claims
from kulami_solver.kulami.proof_rules cimport Board, ProofBoard

cdef class Walk:
    cdef ProofBoard board
    cdef Claims here, next
    cdef int supply, depth
    cdef readonly int ply
    cdef bint second            # whether the claims "at most" are done
    cdef uint64_t done          # claims that are done, of this pass
    cdef uint64_t at_least, at_most, played     # steps of this ply
    cdef readonly object fault

    cdef int choose(self, Claim *claim, uint64_t moves) except -2 nogil
    cdef bint holds(self, Claim *claim) noexcept nogil
    cdef bint claim_most(self, Claim *claim) except -1 nogil
    cdef bint claim_least(self, Claim *claim) except -1 nogil
    cdef int fail(self, str code, Claim *claim) except -1
