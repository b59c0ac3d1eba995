"""Parts of a proof joined: one walk through the whole, with choices from walks through the parts.

A part proves claims about some positions of one ply, and all claims that these need. The walk
through the whole keeps pace with those through the parts, ply by ply:

    a part       p1 >= 3  by c         p2 <= 1
    another      p1 >= 5  by d                        p3 >= 2  by e
    the whole    p1 >= 5  by d         p2 <= 1        p3 >= 2  by e

Where several parts reach the same position, the whole makes the strongest claim and takes the
choice of a part with that claim. So every claim of the whole is also a claim of some part. On the
first ply of a part this holds because the part was asked for it. After that, each claim that the
whole makes after a move is also made by some part after the same move.
"""

from libc.stdint cimport uint64_t

from kulami_solver.kulami.proof.claims cimport Claim
from kulami_solver.kulami.proof.proof_rules cimport NO_VALUE, NOWHERE, bit
from kulami_solver.kulami.proof.proof_walk cimport Walk
from kulami_solver.kulami.proof.proof_writing cimport Writer


cdef class Joiner(Writer):
    """A walk whose choices are offered to it before it works on a ply.

    Args:
        board, place, least, most, depth: as for a `Walk`.
        leaving: leave claims open for which no choice is offered; otherwise that is a fault.
    """

    cdef bint leaving

    def __init__(self, board, place, int least, int most, int depth, bint leaving=False):
        super().__init__(board, place, least, most, depth, False)
        self.leaving = leaving

    def offer(
        self, uint64_t own, uint64_t other, int last, int before, int least, int field
    ) -> None:
        """Offer a choice: after `field`, the position is worth at least `least`."""
        self.consider(
            own, other, NOWHERE if last < 0 else last, NOWHERE if before < 0 else before,
            least, field,
        )

    cdef void consider(
        self, uint64_t own, uint64_t other, int last, int before, int least, int field
    ) noexcept nogil:
        cdef Claim *claim = self.here.find(own, other, last, before)
        if claim != NULL and claim.choice == NOWHERE and -NO_VALUE < claim.least <= least:
            claim.choice = field

    def join(self, Walk part not None) -> None:
        """Take over the choices of a part whose walk is done with this ply."""
        cdef uint64_t i
        cdef Claim *claim
        with nogil:
            for i in range(part.here.count):
                claim = &part.here.claim[i]
                if claim.choice != NOWHERE:
                    self.consider(
                        claim.own, claim.other, claim.last, claim.before, claim.least, claim.choice
                    )

    cdef bint claim_least(self, Claim *claim) except -1 nogil:
        if self.leaving and claim.choice == NOWHERE:
            return True
        return Writer.claim_least(self, claim)

    cdef int choose(self, Claim *claim, uint64_t moves) except -2 nogil:
        if claim.choice == NOWHERE or not moves & bit(claim.choice):
            with gil:
                self.fail("proof_stopped", claim)
            return -1
        self.write_field(claim.choice, moves)
        return claim.choice
