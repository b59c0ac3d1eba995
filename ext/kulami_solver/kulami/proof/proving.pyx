"""Proofs found: a walk whose choices come from a search and its table."""

from libc.stdint cimport uint64_t
from libc.stdlib cimport free as release, realloc

from kulami_solver.core.exclusive cimport begin_alone, end_alone
from kulami_solver.core.table cimport NO_MOVE, TranspositionTable
from kulami_solver.kulami.solve.node cimport Searcher
from kulami_solver.kulami.solve.endings cimport Notes, noted_field
from kulami_solver.kulami.proof.proof_rules cimport NO_VALUE, bit, lowest, moves_of, popcount
from kulami_solver.kulami.proof.proof_walk cimport Claim, ProofBoard, Walk
from kulami_solver.kulami.position.rules cimport margin_of
from kulami_solver.kulami.solve.search cimport Search


cdef enum:
    LEAST_NOTES = 1 << 16       # bytes; otherwise half the size of the search's table


cdef class Prover(Walk):
    """A walk that asks a search for its choices, and keeps them.

    Args:
        search: of the same layout and scoring, with a table that knows much about the root.
        board, place, least, most, depth, semi_strong: as for a `Walk`; the claims are true.
        begun, bits: the choices of such a walk that was ended between two claims; they are used
            again before the search is asked.

    Attributes:
        bits: the number of bits written.
    """

    cdef Search search
    cdef TranspositionTable room        # for the notes
    cdef Notes notes
    cdef const unsigned char[::1] begun
    cdef uint64_t known         # bits of `begun`; those from `bits` on are still to be used again
    cdef unsigned char *written
    cdef readonly uint64_t bits
    cdef uint64_t capacity      # bytes of `written`

    def __init__(
        self, Search search not None, ProofBoard board not None, place, int least, int most,
        int depth, bint semi_strong, const unsigned char[::1] begun not None, uint64_t bits,
    ):
        super().__init__(board, place, least, most, depth, semi_strong)
        if bits > 8 * <uint64_t>begun.shape[0]:
            raise ValueError("fewer choices than bits")
        self.begun, self.known = begun, bits
        self.search = search
        self.room = TranspositionTable(max(search.table.size // 2, LEAST_NOTES))
        self.notes.table = &self.room.view
        self.notes.multiplier = search.searcher.multiplier
        self.notes.plies = depth
        search.set_position(*place)         # makes room for all later positions as well

    def __dealloc__(self):
        release(self.written)

    def find(self, uint64_t claims) -> bool:
        """`work` with exclusive use of the search; false if there is more to do, or if stopped."""
        begin_alone(&self.search.scratch.busy)
        try:
            self.have_noted(&self.notes)
            return self.work(claims) and self.fault is None
        finally:
            self.have_noted(NULL)
            end_alone(&self.search.scratch.busy)

    cdef void have_noted(self, const Notes *notes) noexcept:
        """Switch the notes of endings on, or off (NULL)."""
        if self.search.searcher.panel_endings != NULL:
            self.search.searcher.panel_endings.notes = notes
        else:
            self.search.searcher.mixed_endings.notes = notes

    cdef int write(self, int what) except -1 nogil:
        """Write a bit."""
        cdef unsigned char *more
        if self.bits >> 3 == self.capacity:
            more = <unsigned char *>realloc(self.written, 2 * self.capacity + 64)
            if more == NULL:
                with gil:
                    raise MemoryError("no memory for a proof")
            self.written, self.capacity = more, 2 * self.capacity + 64
        if not self.bits & 7:
            self.written[self.bits >> 3] = 0
        self.written[self.bits >> 3] |= what << (self.bits & 7)
        self.bits += 1
        return 0

    cdef int write_field(self, int field, uint64_t moves) except -1 nogil:
        """Write the number of the field that a step `Ge` names, among the moves."""
        cdef int count = popcount(moves), number = popcount(moves & (bit(field) - 1))
        cdef int i = 0
        while 1 << i < count:
            self.write(number >> i & 1)
            i += 1
        return 0

    @property
    def choices(self) -> bytes:
        """The bits written so far, in the form of the file."""
        return self.written[:(self.bits + 7) >> 3]

    cdef int noted(self, Claim *claim, uint64_t moves) noexcept nogil:
        """The noted field that proves the claim "at least"; -1 if there is none."""
        cdef const Searcher *s = &self.search.searcher
        cdef int value = 0
        cdef int field = noted_field(
            &self.notes, claim.own, claim.other, moves, claim.last, &value
        )
        if field == NO_MOVE:
            return -1
        value += margin_of(s.rules, claim.own, claim.other, s.areas, s.chains)
        return field if value >= claim.least else -1

    cdef bint is_at_most(
        self, Claim *claim, int field, int most, bint *answered
    ) noexcept nogil:
        """Is the position after a move worth at most `most` to the other side?"""
        cdef int answer = 0
        self.search.take_up(
            claim.other, claim.own | bit(field), field, claim.last, self.supply - 1
        )
        answered[0] = self.search.ask(most + 1, &answer)
        return answered[0] and answer <= most

    cdef int choose(self, Claim *claim, uint64_t moves) except -2 nogil:
        cdef int count = popcount(moves)
        cdef int field, number = 0, i = 0
        if self.bits < self.known:
            while 1 << i < count:
                number |= self.again() << i
                i += 1
            while number:
                moves &= moves - 1
                number -= 1
            return lowest(moves)
        field = self.proving(claim, moves)
        if field < 0:
            with gil:
                self.fail("proof_stopped", claim)
            return -1
        self.write_field(field, moves)
        return field

    cdef int surplus(self, Claim *claim, int field, int limit) except -2 nogil:
        cdef int more = 0, answer = 0, _i
        if self.bits < self.known:
            while more < limit and self.again():
                more += 1
            return more
        self.search.take_up(
            claim.other, claim.own | bit(field), field, claim.last, self.supply - 1
        )
        while more < limit:
            if not self.search.ask(more - claim.most + 1, &answer):
                with gil:
                    self.fail("proof_stopped", claim)
                return -1
            if answer <= more - claim.most:
                break
            more = min(answer + claim.most, limit)
        for _i in range(more):
            self.write(1)
        if more < limit:
            self.write(0)
        return more

    cdef int proving(self, Claim *claim, uint64_t moves) noexcept nogil:
        """The field that proves the claim "at least"; -1 if stopped.

        Fields that endings have noted, or that the table holds for best, are cheap to find. A field
        adds no step if the position after it already has the claim that is needed. Otherwise the
        fewer replies a field leaves, the less has to be proved.
        """
        cdef uint64_t left = moves
        cdef Claim *known
        cdef int field, best, replies, fewest
        cdef int answer = 0
        cdef bint answered = True
        if not moves & (moves - 1):
            return lowest(moves)
        best = self.noted(claim, moves)
        if best >= 0:
            return best
        while left:
            field = lowest(left)
            left &= left - 1
            known = self.next.find(claim.other, claim.own | bit(field), field, claim.last)
            if known != NULL and known.most <= -claim.least:
                return field
        self.search.take_up(claim.own, claim.other, claim.last, claim.before, self.supply)
        if not self.search.ask(claim.least, &answer):
            return -1
        field = self.search.searcher.moves[0].first
        if field != NO_MOVE:
            return field
        best = self.search.preferred_field()
        if best >= 0 and self.is_at_most(claim, best, -claim.least, &answered):
            return best
        if not answered:
            return -1
        left = moves & ~bit(best) if best >= 0 else moves
        while left:
            best, fewest = -1, NO_VALUE
            moves = left
            while moves:
                field = lowest(moves)
                moves &= moves - 1
                replies = popcount(moves_of(
                    &self.board.board, claim.own | claim.other | bit(field), field, claim.last,
                    self.supply - 1,
                ))
                if replies < fewest:
                    best, fewest = field, replies
            left &= ~bit(best)
            if self.is_at_most(claim, best, -claim.least, &answered):
                return best
            if not answered:
                return -1
        return -1

    cdef int again(self) except -1 nogil:
        """Use the next bit of `begun` again; 0 after its end."""
        cdef int found = 0
        if self.bits < self.known:
            found = self.begun[self.bits >> 3] >> (self.bits & 7) & 1
        self.write(found)
        return found
