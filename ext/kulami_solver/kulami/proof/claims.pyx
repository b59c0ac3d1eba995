"""The claims of a proof about the positions of one ply. Data layout: `claims.pxd`."""

from libc.stdlib cimport free as release, realloc
from libc.string cimport memset

from kulami_solver.kulami.proof.proof_rules cimport NOWHERE


cdef enum:
    FIRST_ROOM = 1 << 10

cdef uint64_t most_claims = <uint64_t>1 << 31


def limit_claims(uint64_t most) -> int:
    """Set the number of claims about a ply that no walk goes beyond, and return the one before.

    Its largest is 2^31, so that the numbers of all claims fit into `slot`.
    """
    global most_claims
    before, most_claims = most_claims, min(most, <uint64_t>1 << 31)
    return before


cdef inline uint64_t hash_of(uint64_t own, uint64_t other, int last, int before) noexcept nogil:
    cdef uint64_t h = own * <uint64_t>0x9E3779B97F4A7C15
    h = (h ^ h >> 32 ^ other) * <uint64_t>0xC2B2AE3D27D4EB4F
    h = (h ^ h >> 29 ^ <uint64_t>(last | before << 8)) * <uint64_t>0xD6E8FEB86659FD93
    return h ^ h >> 32


cdef class Claims:
    """The claims about the positions of one ply."""

    def __dealloc__(self):
        release(self.claim)
        release(self.slot)

    cdef void clear(self) noexcept nogil:
        self.count = 0
        if self.slots:
            memset(self.slot, 0, self.slots * sizeof(uint32_t))

    cdef uint32_t *place(self, uint64_t own, uint64_t other, int last, int before) noexcept nogil:
        """The place of a position in `slot`, or the empty place for it; `slots` must not be 0."""
        cdef uint64_t at = hash_of(own, other, last, before) & (self.slots - 1)
        cdef Claim *there
        while self.slot[at]:
            there = &self.claim[self.slot[at] - 1]
            if (
                there.own == own and there.other == other
                and there.last == last and there.before == before
            ):
                break
            at = (at + 1) & (self.slots - 1)
        return &self.slot[at]

    cdef Claim *find(self, uint64_t own, uint64_t other, int last, int before) noexcept nogil:
        """The claim about a position; NULL if there is none."""
        cdef uint32_t number
        if not self.count:
            return NULL
        number = self.place(own, other, last, before)[0]
        return &self.claim[number - 1] if number else NULL

    cdef bint grow(self) noexcept nogil:
        """Double the room; false if there is no memory for it, or it would be too much."""
        cdef uint64_t room = self.room * 2 if self.room else FIRST_ROOM
        cdef uint64_t i
        cdef Claim *claim
        cdef uint32_t *slot
        if room > most_claims:
            return False
        claim = <Claim *>realloc(self.claim, room * sizeof(Claim))
        if claim == NULL:
            return False
        self.claim = claim
        slot = <uint32_t *>realloc(self.slot, 2 * room * sizeof(uint32_t))
        if slot == NULL:
            return False
        self.slot = slot
        self.room = room
        self.slots = 2 * room
        memset(slot, 0, self.slots * sizeof(uint32_t))
        for i in range(self.count):
            claim = &self.claim[i]
            self.place(claim.own, claim.other, claim.last, claim.before)[0] = <uint32_t>(i + 1)
        return True

    cdef bint add(
        self, uint64_t own, uint64_t other, int last, int before, int least, int most, int marks
    ) noexcept nogil:
        """Add a claim about a position; false if there is no memory for it."""
        cdef uint32_t *place
        cdef Claim *claim
        if self.count == self.room and not self.grow():
            return False
        place = self.place(own, other, last, before)
        if place[0]:
            claim = &self.claim[place[0] - 1]
            claim.least = max(<int>claim.least, least)
            claim.most = min(<int>claim.most, most)
            claim.marks |= marks
            return True
        claim = &self.claim[self.count]
        self.count += 1
        place[0] = <uint32_t>self.count
        claim.own, claim.other, claim.last, claim.before = own, other, last, before
        claim.least, claim.most, claim.marks, claim.choice = least, most, marks, NOWHERE
        return True
