"""Proofs: the walk through one, and the check of one. `proof_walk.pxd` shows how a walk goes.

docs/proofs.md says what a proof proves, docs/file-format.md how it is written. A checker takes
nothing from the search and nothing on trust: the rules are those of `proof_rules.pxd`, positions
are compared whole, and the last plies are played out.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.exc cimport PyErr_CheckSignals
from libc.stdlib cimport free as release, realloc
from libc.string cimport memset

from kulami_solver.kulami.proof.proof_rules cimport (
    NO_VALUE, NOWHERE, bit, chain_gain, chain_score, largest, largest_with, lowest, moves_of,
    panel_gain, panel_score, plies_to_come, popcount,
)

cdef enum:
    FIRST_ROOM = 1 << 10


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
        if room > <uint64_t>1 << 31:    # beyond, their numbers would not fit into `slot`
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


cdef class ProofBoard:
    """A layout and its scoring, for proofs.

    Args:
        rows: the layout's text.
        areas, chains: whether areas and chains count.
    """

    def __cinit__(self, str rows, bint areas, bint chains):
        cdef Board *b = &self.board
        cdef int d, field, other

        b.areas, b.chains = areas, chains
        squares = {
            (x, y): name
            for y, row in enumerate(rows.split("/")) for x, name in enumerate(row) if name != "."
        }
        if not 0 < len(squares) <= 64:
            raise ValueError(f"a layout of {len(squares)} fields")
        places = sorted(squares, key=lambda square: (square[1], square[0]))
        number = {square: field for field, square in enumerate(places)}
        names = list(dict.fromkeys(squares[square] for square in places))
        b.panels = len(names)
        for field, square in enumerate(places):
            b.every |= bit(field)
            b.panel[names.index(squares[square])] |= bit(field)
        for field, square in enumerate(places):
            b.panel_of[field] = b.panel[names.index(squares[square])]
            for other, beyond in enumerate(places):
                if beyond[0] == square[0] or beyond[1] == square[1]:
                    b.line[field] |= bit(other)
                if abs(beyond[0] - square[0]) + abs(beyond[1] - square[1]) == 1:
                    b.beside[field] |= bit(other)
            b.line[field] &= ~b.panel_of[field]
        b.line[NOWHERE] = b.every
        for d, (dx, dy) in enumerate(((1, 0), (0, 1), (1, 1), (-1, 1))):
            b.next[d][NOWHERE] = NOWHERE
            for field, square in enumerate(places):
                b.next[d][field] = number.get((square[0] + dx, square[1] + dy), NOWHERE)
                if b.next[d][field] != NOWHERE:
                    b.previous[d][b.next[d][field]] = bit(field)


cdef enum:
    _LOOK_EVERY = 1 << 16   # some milliseconds

NOTHING = NO_VALUE
LOOK_EVERY = _LOOK_EVERY

cdef enum:
    FARTHEST = 1000         # no margin in a file is farther from 0
    STOPPED = 1 << 20       # in place of a margin: an exception has ended playing out


cdef Player player_of(ProofBoard board, object look) noexcept:
    return Player(&board.board, _LOOK_EVERY, 0, <void *>look)


cdef int look_up(Player *p) except -1 nogil:
    """Let Ctrl-C, and whoever has given a function to look, end the playing out."""
    p.left = _LOOK_EVERY
    p.looks += 1
    with gil:
        PyErr_CheckSignals()
        if <object>p.look is not None:
            (<object>p.look)(p.looks)
    return 0


cdef int play_out(
    Player *p, uint64_t own, uint64_t other, int last, int before, int supply, int score,
    int own_largest, int other_largest, int alpha, int beta,
) except STOPPED nogil:
    """`played_out` of a position with this score and these largest areas."""
    cdef const Board *b = p.board
    cdef uint64_t moves = moves_of(b, own | other, last, before, supply)
    cdef int best = -NO_VALUE
    cdef int field, gain, area, value
    cdef bint later
    cdef uint64_t left, put_off = 0
    p.left -= 1
    if p.left < 0:
        look_up(p)
    if not moves:
        return score
    # Moves that gain panels go first; this affects only the order.
    for later in range(2):
        left = put_off if later else moves
        while left:
            field = lowest(left)
            left &= left - 1
            gain = panel_gain(b, own, other, field)
            if supply > 1 and not gain and not later:
                put_off |= bit(field)
                continue
            area = largest_with(b, own, field, own_largest)
            value = score + gain + chain_gain(b, own, field) + area - own_largest
            if supply > 1:
                value = -play_out(
                    p, other, own | bit(field), field, last, supply - 1, -value,
                    other_largest, area, -beta, -max(alpha, best),
                )
            best = max(best, value)
            if best >= beta:
                return best
    return best


cdef inline int played_out(
    Player *p, uint64_t own, uint64_t other, int last, int before, int supply,
    int alpha, int beta,
) except STOPPED nogil:
    """The margin for the side to move, if it lies between alpha and beta.

    Otherwise the result and the margin lie on the same side of the window.
    """
    cdef const Board *b = p.board
    cdef int own_largest = largest(b, own)
    cdef int other_largest = largest(b, other)
    cdef int score = panel_score(b, own, other) + own_largest - other_largest
    score += chain_score(b, own) - chain_score(b, other)
    p.looks = 0
    return play_out(
        p, own, other, last, before, supply, score, own_largest, other_largest, alpha, beta
    )


cdef class Walk:
    """A walk through a proof.

    Args:
        board: of its layout and scoring.
        place: own, other, last, before and supply of the root, -1 for no last or before.
        least, most: the claim about it, for its side to move; -NOTHING and NOTHING for no claim.
        depth: positions with at most this many plies to come are played out.
        semi_strong: whether to claim the values of all positions that arise while one side plays
            only its best fields; `least` and `most` are equal then.
        look: called after every `LOOK_EVERY` positions that are played out, with the number of
            such calls for the present claim; what it raises ends `work`. None: only Ctrl-C does.

    Attributes:
        ply: plies from the root to the present claims.
        fault: None, or the reason why the walk cannot go on: a code, the ply, and the claim.
    """

    def __init__(
        self, ProofBoard board not None, place, int least, int most, int depth, bint semi_strong,
        look=None,
    ):
        own, other, last, before, supply = place
        if own & other or (own | other) & ~board.board.every or supply < 0 or depth < 0:
            raise ValueError("no position on this layout")
        self.board, self.look = board, look
        self.player = player_of(board, look)
        self.here, self.next = Claims(), Claims()
        self.supply, self.depth = supply, depth
        if not self.here.add(
            own, other, NOWHERE if last < 0 else last, NOWHERE if before < 0 else before,
            least, most, OWN_BEST | OTHER_BEST if semi_strong else 0,
        ):
            raise MemoryError("no memory for a proof")

    cdef int choose(self, Claim *claim, uint64_t moves) except -2 nogil:
        """The field that proves the claim "at least"; -1 if none can be found."""
        return -1

    cdef int surplus(self, Claim *claim, int field, int limit) except -2 nogil:
        """The points that own loses by a field, against the claimed value; at most `limit`.

        -1 if they are unknown.
        """
        return -1

    cdef int lost(self, Claim *claim, int field) except -2 nogil:
        """`surplus`, as far as it is claimed: in full, or only whether it is above 0."""
        cdef Claim *known = self.next.find(claim.other, claim.own | bit(field), field, claim.last)
        if known != NULL and known.marks:
            return max(known.least + claim.most, 0)
        return self.surplus(claim, field, FARTHEST if claim.marks & OTHER_BEST else 1)

    cdef bint is_short(
        self, uint64_t occupied, int last, int before, int supply
    ) noexcept nogil:
        """Is a position to be played out?"""
        cdef Board *b = &self.board.board
        cdef uint64_t moves = moves_of(b, occupied, last, before, supply)
        return plies_to_come(b, occupied, moves, min(supply, self.depth + 1)) <= self.depth

    cdef int holds(self, Claim *claim) except -1 nogil:
        """Does the claim about a position hold when it is played out?"""
        return True

    cdef int fail(self, str fault, Claim *claim) except -1:
        self.fault = (fault, self.ply, told(claim))
        return 0

    cdef bint claim_most(self, Claim *claim) except -1 nogil:
        """A claim's first pass; false if the walk cannot go on."""
        cdef uint64_t occupied = claim.own | claim.other
        cdef int field, lost, least, most, marks
        cdef uint64_t moves
        if self.is_short(occupied, claim.last, claim.before, self.supply):
            claim.marks = PLAYED
            self.played += 1
            if not self.holds(claim):
                with gil:
                    self.fail(
                        "{position} is worth {value} to the side to move, played out; at least "
                        "{least} and at most {most} are claimed",
                        claim,
                    )
                return False
            return True
        if claim.most == NO_VALUE:
            return True
        self.at_most += 1
        moves = moves_of(&self.board.board, occupied, claim.last, claim.before, self.supply)
        while moves:
            field = lowest(moves)
            moves &= moves - 1
            least, most, marks = -claim.most, NO_VALUE, 0
            if claim.marks and not self.is_short(
                occupied | bit(field), field, claim.last, self.supply - 1
            ):
                lost = self.lost(claim, field)
                if lost < 0:
                    return False
                if claim.marks & OTHER_BEST:
                    least = most = least + lost
                    marks = OWN_BEST
                if claim.marks & OWN_BEST and not lost:
                    most = least
                    marks |= OTHER_BEST
            if not self.next.add(
                claim.other, claim.own | bit(field), field, claim.last, least, most, marks
            ):
                with gil:
                    raise MemoryError("no memory for a proof")
        return True

    cdef bint claim_least(self, Claim *claim) except -1 nogil:
        """A claim's second pass; false if the walk cannot go on."""
        cdef uint64_t moves
        cdef int field
        if claim.marks & PLAYED or claim.least == -NO_VALUE:
            return True
        self.at_least += 1
        moves = moves_of(
            &self.board.board, claim.own | claim.other, claim.last, claim.before, self.supply
        )
        field = self.choose(claim, moves)
        if field < 0:
            return False
        claim.choice = field
        if not self.next.add(
            claim.other, claim.own | bit(field), field, claim.last, -NO_VALUE, -claim.least, 0
        ):
            with gil:
                raise MemoryError("no memory for a proof")
        return True

    def work(self, uint64_t claims) -> bool:
        """Work on this number of claims of this ply; return whether all of them are done.

        If `fault` is set then, the walk ends here.
        """
        cdef bint fine = True
        with nogil:
            while claims and fine:
                if self.done == self.here.count:
                    if self.second:
                        break
                    self.second, self.done = True, 0
                    continue
                if self.second:
                    fine = self.claim_least(&self.here.claim[self.done])
                else:
                    fine = self.claim_most(&self.here.claim[self.done])
                self.done += 1
                claims -= 1
        return not fine or (self.second and self.done == self.here.count)

    def advance(self) -> bool:
        """Go on to the next ply; return whether it has claims."""
        self.here, self.next = self.next, self.here
        self.next.clear()
        self.ply += 1
        self.supply -= 1
        self.second, self.done = False, 0
        self.at_least = self.at_most = self.played = 0
        return self.here.count > 0

    @property
    def claims(self) -> int:
        """The number of positions with a claim on this ply."""
        return self.here.count

    @property
    def counts(self) -> tuple[int, int, int]:
        """The steps of this ply so far: Ge, Le, Play."""
        return self.at_least, self.at_most, self.played

    def steps(self, uint64_t begin, uint64_t end):
        """The claims from `begin` to `end` of this ply, when they are done.

        Each is own, other, last, before, least, most, played, and the chosen field.
        """
        cdef uint64_t i
        return [told(&self.here.claim[i]) for i in range(begin, min(end, self.here.count))]

    def records(self, uint64_t begin, uint64_t end) -> bytes:
        """As `steps`, but as they lie in memory: the bytes of `Claim`, one after the other."""
        end = min(end, self.here.count)
        return PyBytes_FromStringAndSize(
            <char *>(self.here.claim + begin), (end - min(begin, end)) * sizeof(Claim)
        )

    def claimed(self, uint64_t own, uint64_t other, int last, int before):
        """As `steps`, for one position; None if it has no claim."""
        cdef Claim *claim = self.here.find(
            own, other, NOWHERE if last < 0 else last, NOWHERE if before < 0 else before
        )
        return None if claim == NULL else told(claim)

cdef tuple told(const Claim *claim):
    return (
        claim.own, claim.other,
        -1 if claim.last == NOWHERE else claim.last,
        -1 if claim.before == NOWHERE else claim.before,
        None if claim.least == -NO_VALUE else claim.least,
        None if claim.most == NO_VALUE else claim.most,
        bool(claim.marks & PLAYED),
        None if claim.choice == NOWHERE else claim.choice,
    )


cdef class Checker(Walk):
    """A walk that checks every claim.

    Args:
        choices: of the steps `Ge`, in their order, as in the file.
        bits: their number.
        trusting: whether to skip playing positions out, for a file that has been checked before.
    """

    cdef const unsigned char[::1] choices
    cdef readonly uint64_t bits         # bits that are left
    cdef uint64_t at
    cdef bint trusting

    def __init__(
        self, ProofBoard board not None, place, int least, int most, int depth, bint semi_strong,
        const unsigned char[::1] choices not None, uint64_t bits, bint trusting=False, look=None,
    ):
        super().__init__(board, place, least, most, depth, semi_strong, look)
        if bits > 8 * <uint64_t>choices.shape[0]:
            raise ValueError("fewer choices than bits")
        self.choices, self.bits, self.trusting = choices, bits, trusting

    cdef int read(self, Claim *claim) except -2 nogil:
        """The next bit; -1 if there is none."""
        cdef int found
        if not self.bits:
            with gil:
                self.fail("the choices end before {position} has its move", claim)
            return -1
        found = self.choices[self.at >> 3] >> (self.at & 7) & 1
        self.at += 1
        self.bits -= 1
        return found

    cdef int surplus(self, Claim *claim, int field, int limit) except -2 nogil:
        cdef int more = 0, found = 1
        while found > 0 and more < limit:
            found = self.read(claim)
            more += found
        if found < 0:
            return -1
        if more - claim.most > FARTHEST:
            with gil:
                self.fail("what is said of a move of {position} is beyond any margin", claim)
            return -1
        return more

    cdef int choose(self, Claim *claim, uint64_t moves) except -2 nogil:
        cdef int count = popcount(moves)
        cdef int number = 0, i = 0, found
        while 1 << i < count:
            found = self.read(claim)
            if found < 0:
                return -1
            number |= found << i
            i += 1
        if number >= count:
            with gil:
                self.fail("the choice for {position} is none of its moves", claim)
            return -1
        while number:
            moves &= moves - 1
            number -= 1
        return lowest(moves)

    cdef int holds(self, Claim *claim) except -1 nogil:
        # If only one bound is claimed, it is enough to know on which side of it the value lies.
        cdef int alpha = claim.least - 1 if claim.least > -NO_VALUE else claim.most
        cdef int beta = claim.most + 1 if claim.most < NO_VALUE else claim.least
        return self.trusting or claim.least <= played_out(
            &self.player, claim.own, claim.other, claim.last, claim.before, self.supply,
            alpha, beta,
        ) <= claim.most


def value_of(ProofBoard board not None, place, int alpha, int beta, look=None) -> int:
    """The value of a position with few plies to come, played out; `look` is as for a `Walk`."""
    cdef uint64_t own = place[0], other = place[1]
    cdef int last = NOWHERE if place[2] < 0 else place[2]
    cdef int before = NOWHERE if place[3] < 0 else place[3]
    cdef int supply = place[4], value
    cdef Player player = player_of(board, look)
    with nogil:
        value = played_out(&player, own, other, last, before, supply, alpha, beta)
    return value


def plies_of(ProofBoard board not None, place) -> int:
    """An upper bound of a position's plies to come: its live fields, or its supply if less."""
    cdef const Board *b = &board.board
    cdef uint64_t occupied
    own, other, last, before, supply = place
    occupied = own | other
    return plies_to_come(b, occupied, moves_of(
        b, occupied, NOWHERE if last < 0 else last, NOWHERE if before < 0 else before, supply
    ), supply)
