"""The dense index of Malawi: a number for every position, and the numbers around it.

In a position, the side to move has `a` beads in all and its opponent `b`. Slots lie in parts, one
for each (a, b). The parts (a, b) and (b, a) make a layer: a turn that keeps all beads on the
board (a move, or a redistribution without surplus) leads from one part to the other. In a part

  slot = ((own set * other sets + other set) * own vectors + own vector) * other vectors
         + other vector

  own set       the squares of the own figures. One set of each pair of mirror images is
                numbered, in the order of ranks.
  other set     the rank of the opponent's squares among the squares that are left
  own, other    the rank of a side's beads, figure by figure in the order of squares, among all
  vector        ways to share out the same number of beads

A set's rank is the number of sets of the same size before it, compared from the highest member
down: the sum of choose(member i, i + 1), members rising. For the rank of beads, all beads are
laid in a row, with bars between the figures; the rank is that of the set of the bars' places.

A position and its mirror image have one slot: that of the one whose own set is numbered. If the
own set is its own mirror image, it is the lower of their two slots; the other one stays empty.
"""

import math

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free as release
from libc.string cimport memset

from kulami_solver.core.bits cimport bit, lowest, popcount
from kulami_solver.core.dense cimport BLOCK, LOST, WON, DenseGame
from kulami_solver.malawi.rules cimport (
    HIT, MAX_SQUARES, MOVE, BoardTables, Rules, State, Turns, begin_turns, collect, exchange_sides,
    has_lost, has_won, make, mirror, mirror_of, move_figure, moves_of, next_turn, redistribute,
    turn_round, unmake,
)

#: The largest number of slots of an index: more bits would not fit into any machine.
MOST_SLOTS = 1 << 40

cdef enum:
    MAX_FIGURES = 8
    MAX_BEADS = 48              # of a side
    MAX_PLACES = 64             # squares, or beads and bars in a row
    MAX_PARTS = (MAX_BEADS + 1) * (MAX_BEADS + 1)
    REGIONS = 1024              # slots are cut into at most this many, for finding parts
    MIRRORED = 1
    SYMMETRIC = 2

cdef struct Tables:
    const BoardTables *board
    int figures                                 # of a side
    uint64_t choose[MAX_FIGURES + 1][MAX_PLACES]     # [k][n]
    uint64_t own_sets
    uint64_t other_sets
    uint64_t vectors[MAX_BEADS + 1]             # their number, by the number of beads
    uint64_t begin[MAX_BEADS + 1][MAX_BEADS + 1]    # of the parts, [a][b]
    int parts
    uint64_t part_begin[MAX_PARTS]              # rising
    uint8_t part_own[MAX_PARTS]
    uint8_t part_other[MAX_PARTS]
    int region_bits                             # of a slot within a region
    uint16_t part_in[REGIONS]                   # the first part in each region of slots
    uint32_t *set_of                # by rank: own set << 2 | SYMMETRIC | MIRRORED
    uint64_t *squares_of            # of an own set
    uint8_t *symmetric              # whether an own set is its own mirror image
    uint64_t *places_of             # of an other set: numbers among the squares left
    uint64_t *beads_of[MAX_BEADS + 1]       # of a vector: figure i has bits 8 i to 8 i + 7
    uint8_t same[64]                # each square itself: the view without mirroring


cdef inline uint64_t rank_of_set(const Tables *t, uint64_t members) noexcept nogil:
    cdef uint64_t rank = 0
    cdef int i = 0
    while members:
        i += 1
        rank += t.choose[i][lowest(members)]
        members &= members - 1
    return rank


cdef struct Share:
    # A side's beads: their number, and the rank of their distribution.
    int beads
    uint64_t vector


cdef inline Share share_of(
    const Tables *t, uint64_t figures, const uint8_t *beads, const uint8_t *view
) noexcept nogil:
    """The distribution of a side's beads; its figures are given in a view of the board."""
    cdef Share share
    cdef int i
    share.beads = 0
    share.vector = 0
    for i in range(t.figures - 1):
        share.beads += beads[view[lowest(figures)]]
        share.vector += t.choose[i + 1][share.beads + i]
        figures &= figures - 1
    share.beads += beads[view[lowest(figures)]]
    return share


cdef inline uint64_t rank_of_other_set(
    const Tables *t, uint64_t own, uint64_t other
) noexcept nogil:
    """The rank of the opponent's squares among the squares without own figures."""
    cdef uint64_t rank = 0
    cdef int i, square
    for i in range(t.figures):
        square = lowest(other)
        other &= other - 1
        rank += t.choose[i + 1][square - popcount(own & (bit(square) - 1))]
    return rank


cdef inline uint64_t joined(
    const Tables *t, uint64_t own_set, uint64_t other_set, Share own, Share other
) noexcept nogil:
    return t.begin[own.beads][other.beads] + other.vector + t.vectors[other.beads] * (
        own.vector + t.vectors[own.beads] * (other_set + t.other_sets * own_set)
    )


cdef inline uint64_t slot_in_view(
    const Tables *t, uint64_t own_set, uint64_t own, uint64_t other,
    const uint8_t *beads, const uint8_t *view
) noexcept nogil:
    """The slot of figures that are given in a view of the board; `beads` are on view[square]."""
    return joined(
        t, own_set, rank_of_other_set(t, own, other),
        share_of(t, own, beads, view), share_of(t, other, beads, view),
    )


cdef inline uint64_t lower_slot(
    const Tables *t, uint64_t own_set, uint64_t own, uint64_t other, const uint8_t *beads
) noexcept nogil:
    """The slot of figures whose own set is its own mirror image."""
    return min(
        slot_in_view(t, own_set, own, other, beads, t.same),
        slot_in_view(t, own_set, own, mirror_of(t.board, other), beads, t.board.mirrored),
    )


cdef inline uint64_t slot_of(const Tables *t, const State *s) noexcept nogil:
    cdef const BoardTables *b = t.board
    cdef uint32_t own_set = t.set_of[rank_of_set(t, s.own)]
    if own_set & MIRRORED:
        return slot_in_view(
            t, own_set >> 2, mirror_of(b, s.own), mirror_of(b, s.other), s.beads, b.mirrored
        )
    if own_set & SYMMETRIC:
        return lower_slot(t, own_set >> 2, s.own, s.other, s.beads)
    return slot_in_view(t, own_set >> 2, s.own, s.other, s.beads, t.same)


cdef inline void lay_beads(State *s, uint64_t figures, uint64_t beads) noexcept nogil:
    cdef int square
    while figures:
        square = lowest(figures)
        figures &= figures - 1
        s.beads[square] = beads & 255
        if beads & 255:
            s.loaded |= bit(square)
        beads >>= 8


cdef inline int part_of(const Tables *t, uint64_t slot) noexcept nogil:
    cdef int part = t.part_in[slot >> t.region_bits]
    while part + 1 < t.parts and t.part_begin[part + 1] <= slot:
        part += 1
    return part


cdef inline void position_at(const Tables *t, uint64_t slot, State *s) noexcept nogil:
    """The position of a slot."""
    cdef int part = part_of(t, slot)
    cdef int own_beads = t.part_own[part]
    cdef int other_beads = t.part_other[part]
    cdef uint64_t rest = slot - t.part_begin[part]
    cdef uint64_t other_vector, own_vector, places, free
    other_vector = rest % t.vectors[other_beads]
    rest /= t.vectors[other_beads]
    own_vector = rest % t.vectors[own_beads]
    rest /= t.vectors[own_beads]
    memset(s, 0, sizeof(State))
    s.own = t.squares_of[rest // t.other_sets]
    places = t.places_of[rest % t.other_sets]
    free = t.board.every & ~s.own
    while places:
        if places & 1:
            s.other |= free & -free
        free &= free - 1
        places >>= 1
    lay_beads(s, s.own, t.beads_of[own_beads][own_vector])
    lay_beads(s, s.other, t.beads_of[other_beads][other_vector])


cdef int successors(const void *tables, uint64_t slot, uint64_t *found) noexcept nogil:
    """Find the slots one turn later; WON or LOST if the game has ended."""
    # Turns are made on the board in the form that will be numbered: in the view of the opponent,
    # and mirrored if needed. This changes no turn, as figures move and hit alike in all directions.
    # The opponent's set is the same after all turns; so are its beads, unless the turn is a hit.
    cdef const Tables *t = <const Tables *>tables
    cdef State s, seen
    cdef Turns turns
    cdef Share own, other, hit, made
    cdef uint64_t own_set, other_set, rank
    cdef int n = 0, square, beads
    position_at(t, slot, &s)
    if has_won(t.board, &s):
        return WON
    if has_lost(&s):
        return LOST
    turn_round(t.board, &s, &seen)
    own_set = t.set_of[rank_of_set(t, seen.own)]
    if own_set & MIRRORED:
        mirror(t.board, &seen)
    own = share_of(t, seen.own, seen.beads, t.same)
    other = share_of(t, seen.other, seen.beads, t.same)
    other_set = rank_of_other_set(t, seen.own, seen.other)
    exchange_sides(&seen)           # from here on `seen.own` is the side that makes the turn
    begin_turns(&seen, &turns)
    while next_turn(t.board, &seen, &turns):
        square = lowest(turns.turn.to)
        beads = seen.beads[square if turns.turn.kind == HIT else turns.turn.square]
        make(&seen, &turns.turn)
        if own_set & SYMMETRIC:
            found[n] = lower_slot(t, own_set >> 2, seen.other, seen.own, seen.beads)
        elif turns.turn.kind == HIT:
            hit = share_of(t, seen.other, seen.beads, t.same)
            found[n] = joined(t, own_set >> 2, other_set, hit, other)
        else:
            rank = other_set
            if turns.turn.kind == MOVE:
                rank = rank_of_other_set(t, seen.other, seen.own)
            made = share_of(t, seen.own, seen.beads, t.same)
            found[n] = joined(t, own_set >> 2, rank, own, made)
        unmake(&seen, &turns.turn, beads)
        n += 1
    return n


cdef int predecessors(const void *tables, uint64_t slot, uint64_t *found) noexcept nogil:
    """Find the slots from which a move or a redistribution without surplus leads here."""
    cdef const Tables *t = <const Tables *>tables
    cdef State s, here
    cdef uint64_t figures, moves, givers, chosen
    cdef int n = 0
    cdef int square, to
    position_at(t, slot, &here)
    if has_lost(&here):
        return 0                    # only a hit takes the last bead
    turn_round(t.board, &here, &s)
    figures = s.own
    while figures:
        square = lowest(figures)
        figures &= figures - 1
        if s.loaded & bit(square):
            moves = moves_of(t.board, &s, square)
            while moves:
                to = lowest(moves)
                moves &= moves - 1
                move_figure(&s, square, to)
                found[n] = slot_of(t, &s)
                n += 1
                move_figure(&s, to, square)
        else:
            givers = s.own & s.loaded
            chosen = givers
            while chosen:
                collect(&s, square, chosen)
                found[n] = slot_of(t, &s)
                n += 1
                redistribute(&s, square, chosen)
                chosen = (chosen - 1) & givers
    return n


cdef int weight(const void *tables, uint64_t slot) noexcept nogil:
    """1 for a position that is its own mirror image, otherwise 2; 0 if there is no position."""
    cdef const Tables *t = <const Tables *>tables
    cdef State s
    cdef uint64_t own_set
    cdef int part = part_of(t, slot)
    own_set = (slot - t.part_begin[part]) // (
        t.vectors[t.part_own[part]] * t.vectors[t.part_other[part]] * t.other_sets
    )
    if own_set >= t.own_sets:
        return 0
    if not t.symmetric[own_set]:
        return 2
    position_at(t, slot, &s)
    if lower_slot(t, own_set, s.own, s.other, s.beads) != slot:
        return 0
    mirror(t.board, &s)
    return 2 if slot_in_view(t, own_set, s.own, s.other, s.beads, t.same) != slot else 1


def count_parts(int columns, int rows, int beads) -> list[tuple[int, int, int]]:
    """The parts of an index in order, as (beads of the side to move, of its opponent, slots).

    Args:
        columns, rows: size of the board.
        beads: of each figure at the start.

    Examples:
        >>> count_parts(2, 3, 1)[:3]
        [(0, 1, 108), (0, 2, 162), (1, 1, 216)]
    """
    squares, most = columns * rows, columns * beads
    images = sum(
        math.comb(rows * (columns // 2), pairs)
        * math.comb(rows * (columns % 2), columns - 2 * pairs)
        for pairs in range(columns // 2 + 1)
    )
    placements = (math.comb(squares, columns) + images) // 2 * math.comb(squares - columns, columns)
    vectors = [math.comb(total + columns - 1, columns - 1) for total in range(most + 1)]
    pairs = sorted(
        ((low, high) for high in range(1, most + 1) for low in range(high + 1)),
        key=lambda pair: (sum(pair), pair),
    )
    parts = []
    for low, high in pairs:
        orders = [(low, high)] if low in (0, high) else [(low, high), (high, low)]
        parts += [(own, other, placements * vectors[own] * vectors[other]) for own, other in orders]
    return parts


cdef class Index(DenseGame):
    """The numbers of all positions on a board.

    Args:
        columns, rows: size of the board; at most 8 columns.
        beads: of each figure at the start, at least 1, and at most 48 of a side in all.

    Attributes:
        rules: of the board.
        parts: (beads of the side to move, of its opponent, first slot) in the order of slots.
        bounds: layer i has the slots bounds[i] to below bounds[i + 1].

    Raises:
        ValueError: there is no such board, or too many positions on it.
        MemoryError: no memory for the tables.

    Examples:
        >>> index = Index(2, 3, 1)
        >>> start = 0b110000, 0b000011, bytes([1, 1, 0, 0, 1, 1])
        >>> index.position(index.slot(*start)) == start
        True
    """

    cdef readonly Rules rules
    cdef readonly tuple parts
    cdef Tables *tables

    def __cinit__(self, int columns, int rows, int beads):
        cdef Tables *t
        cdef int n, k, total
        self.rules = Rules(columns, rows)
        squares = columns * rows
        if columns > MAX_FIGURES or beads < 1 or columns * beads > MAX_BEADS:
            raise ValueError(
                f"{columns} figures with {beads} beads: an index has room for {MAX_FIGURES} "
                f"figures and {MAX_BEADS} beads of a side, at least one a figure"
            )
        counted = count_parts(columns, rows, beads)
        slots = sum(size for _, _, size in counted)
        if slots > MOST_SLOTS:
            raise ValueError(f"{slots:,} positions: an index has at most {MOST_SLOTS:,}")
        t = self.tables = <Tables *>calloc(1, sizeof(Tables))
        if t == NULL:
            raise MemoryError("no memory for an index")
        t.board = &self.rules.board
        t.figures = columns
        for n in range(MAX_SQUARES):
            t.same[n] = n
            for k in range(columns + 1):
                t.choose[k][n] = math.comb(n, k)
        t.other_sets = math.comb(squares - columns, columns)
        for total in range(columns * beads + 1):
            t.vectors[total] = math.comb(total + columns - 1, columns - 1)
        self.lay_parts(counted)
        self.list_sets(squares)
        self.list_beads(columns * beads)
        self.game.tables = t
        self.game.most = 4 * columns + columns * max(
            math.comb(columns - 1, columns // 2), 2 ** (columns - 1) - 1
        )
        self.game.successors = successors
        self.game.predecessors = predecessors
        self.game.weight = weight

    cdef lay_parts(self, counted):
        """Number the parts; each layer begins at a multiple of BLOCK."""
        cdef Tables *t = self.tables
        cdef uint64_t region
        cdef int part
        begin = 0
        bounds, parts = [], []
        for own, other, size in counted:
            if not parts or own <= other:
                begin += -begin % BLOCK
                bounds.append(begin)
            t.begin[own][other] = t.part_begin[t.parts] = begin
            t.part_own[t.parts], t.part_other[t.parts] = own, other
            t.parts += 1
            parts.append((own, other, begin))
            begin += size
        self.slots = begin + -begin % BLOCK
        self.bounds = (*bounds, self.slots)
        while self.slots >> t.region_bits > REGIONS:
            t.region_bits += 1
        part = 0
        for region in range((self.slots - 1 >> t.region_bits) + 1):
            while part + 1 < t.parts and t.part_begin[part + 1] <= region << t.region_bits:
                part += 1
            t.part_in[region] = part
        self.parts = tuple(parts)

    cdef list_sets(self, int squares):
        """Number the own sets, one of each pair of images, and list the other sets."""
        cdef Tables *t = self.tables
        cdef uint64_t own, image, rank
        cdef uint32_t number = 0
        sets = math.comb(squares, t.figures)
        t.set_of = <uint32_t *>calloc(sets, sizeof(uint32_t))
        t.squares_of = <uint64_t *>calloc(sets, sizeof(uint64_t))
        t.symmetric = <uint8_t *>calloc(sets, 1)
        t.places_of = <uint64_t *>calloc(t.other_sets, sizeof(uint64_t))
        if (t.set_of == NULL or t.squares_of == NULL or t.symmetric == NULL
                or t.places_of == NULL):
            raise MemoryError("no memory for an index")
        own = bit(t.figures) - 1
        for rank in range(<uint64_t>sets):
            image = mirror_of(t.board, own)
            if image < own:
                t.set_of[rank] = t.set_of[rank_of_set(t, image)] | MIRRORED
            else:
                t.set_of[rank] = number << 2 | (SYMMETRIC if image == own else 0)
                t.squares_of[number] = own
                t.symmetric[number] = image == own
                number += 1
            own = next_set(own)
        t.own_sets = number
        own = bit(t.figures) - 1
        for rank in range(t.other_sets):
            t.places_of[rank] = own
            own = next_set(own)

    cdef list_beads(self, int most):
        """List the ways to share out beads, in the order of their ranks."""
        cdef Tables *t = self.tables
        cdef uint64_t rank, bars
        cdef int total, figure, place
        for total in range(most + 1):
            t.beads_of[total] = <uint64_t *>calloc(t.vectors[total], sizeof(uint64_t))
            if t.beads_of[total] == NULL:
                raise MemoryError("no memory for an index")
            bars = bit(t.figures - 1) - 1
            for rank in range(t.vectors[total]):
                figure = 0
                for place in range(total + t.figures - 1):
                    if bars >> place & 1:
                        figure += 1
                    else:
                        t.beads_of[total][rank] += <uint64_t>1 << (8 * figure)
                bars = next_set(bars)

    def __dealloc__(self):
        cdef int total
        if self.tables != NULL:
            release(self.tables.set_of)
            release(self.tables.squares_of)
            release(self.tables.symmetric)
            release(self.tables.places_of)
            for total in range(MAX_BEADS + 1):
                release(self.tables.beads_of[total])
            release(self.tables)

    def slot(self, uint64_t own, uint64_t other, const uint8_t[::1] beads) -> int:
        """The slot of a position; its mirror image has the same slot.

        Raises:
            ValueError: the number of figures is not that of the index, there are too many beads,
                or the opponent has none.
        """
        cdef State s
        self.rules.read(&s, own, other, beads)
        cdef int square
        cdef int own_beads = 0, other_beads = 0
        for square in range(self.rules.board.squares):
            if s.own & bit(square):
                own_beads += s.beads[square]
            else:
                other_beads += s.beads[square]
        if popcount(s.own) != self.tables.figures or popcount(s.other) != self.tables.figures:
            raise ValueError(f"each side has {self.tables.figures} figures")
        if (own_beads, other_beads) not in {part[:2] for part in self.parts}:
            raise ValueError(f"no position has {own_beads} beads against {other_beads}")
        return slot_of(self.tables, &s)

    def position(self, uint64_t slot) -> tuple[int, int, bytes]:
        """The position of a slot: own squares, other squares, and beads."""
        cdef State s
        position_at(self.tables, self.checked(slot), &s)
        return self.rules.written(&s)


cdef inline uint64_t next_set(uint64_t members) noexcept nogil:
    """The set of the same size whose rank is one more."""
    cdef uint64_t low = members & -members
    cdef uint64_t raised = members + low
    if not members:
        return 0
    return raised | ((members ^ raised) >> 2) // low
