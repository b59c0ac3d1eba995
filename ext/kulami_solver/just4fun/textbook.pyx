"""Plain alpha-beta with a table, as textbooks have it: the yardstick of the double-dummy search.

Nothing clever happens here, on purpose. Negamax with the full window over win, draw and loss; the
table is keyed by the whole position, compared byte by byte, and a new entry always replaces the old
one; the table's move comes first, then the highest fields. It shares the rules with `search.pyx`
and nothing else, so that each can also check the other.
"""

from cython cimport final
from libc.stdint cimport int8_t, int64_t, uint8_t, uint16_t, uint64_t
from libc.stdlib cimport calloc, free as release
from libc.string cimport memcmp

from kulami_solver.core.bits cimport bit, high_product
from kulami_solver.core.exclusive cimport begin_alone, end_alone
from kulami_solver.just4fun.duel cimport (
    MAX_CARDS, MAX_FIELDS, BoardTables, Plays, Rules, State, Stock, balance, begin_plays, fill,
    hand_after, has_line, is_over, next_play, open_to, place, sums_of,
)

cdef enum:
    GIVEN_UP = 2            # the value of a search that has reached its limit

cdef enum:                  # the meaning of an entry's value
    NOTHING = 0             # the entry is empty
    EXACT = 1
    LOWER = 2               # the position's value is at least this
    UPPER = 3               # the position's value is at most this

cdef struct Entry:
    State position
    uint16_t chosen
    int8_t value
    uint8_t bound

cdef struct Choice:
    uint16_t number         # of the field
    uint16_t chosen         # cards of the hand, a bit each


cdef inline uint64_t mixed(const State *n) noexcept nogil:
    """A hash of a position, for its place in the table."""
    cdef uint64_t[7] words
    cdef uint64_t found = 0
    cdef int i
    words[0], words[1], words[2], words[3] = n.plus[0], n.plus[1], n.settled[0], n.settled[1]
    words[4], words[5] = n.hand[0], n.hand[1]
    words[6] = (
        <uint64_t>n.drawn << 32 | <uint64_t>n.stones[0] << 16 | <uint64_t>n.stones[1] << 8
        | <uint64_t>n.side
    )
    for i in range(7):
        found = ((found ^ found >> 29) + words[i]) * <uint64_t>0x9E3779B97F4A7C15
    return found ^ found >> 32


@final
cdef class Textbook:
    """Double-dummy values by textbook alpha-beta.

    Args:
        rules: of the board.
        entries: number of entries of the table.
        stock: its cards in the order of drawing, at most 55.
        hand_size: cards of a full hand, 1 to 12; no hand has more.

    Example:
        >>> from kulami_solver.just4fun.duel import Rules
        >>> board = Textbook(Rules(2, []), 1 << 10, bytes([1]), 1)
        >>> board.value(((0, 0), (0, 0), (bytes([1]), bytes([2])), (1, 1), 0)), board.nodes
        (-1, 2)
    """

    cdef Rules rules
    cdef const BoardTables *board
    cdef Entry *entries
    cdef uint64_t count         # of entries
    cdef Stock stock
    cdef readonly int64_t nodes
    cdef int64_t limit          # of nodes
    cdef uint64_t busy

    def __cinit__(self, Rules rules not None, int64_t entries, stock, int hand_size):
        if entries < 1:
            raise ValueError(f"a table of {entries} entries: give 1 or more")
        rules.lay(&self.stock, stock, hand_size)
        self.rules = rules
        self.board = &rules.board
        self.count = entries
        self.entries = <Entry *>calloc(entries, sizeof(Entry))
        if self.entries == NULL:
            raise MemoryError(f"no memory for a table of {entries * sizeof(Entry)} bytes")

    def __dealloc__(self):
        release(self.entries)

    def value(self, view, int64_t node_limit=-1):
        """1, 0 or -1 for the side to move; None if `node_limit` positions were not enough.

        `nodes` is afterwards the number of positions searched; ended games do not count.
        """
        cdef State root
        cdef int found
        self.rules.read(&root, view)
        begin_alone(&self.busy)
        self.nodes = 0
        self.limit = node_limit
        with nogil:
            found = self.search(&root, -1, 1)
        end_alone(&self.busy)
        return None if found == GIVEN_UP else found

    cdef int search(self, const State *n, int alpha, int beta) noexcept nogil:
        """Return the value if it lies strictly between alpha and beta; otherwise a bound of it
        on the same side of the window. GIVEN_UP if the limit was reached.
        """
        cdef int side = n.side
        cdef int below = alpha
        cdef int best = -2
        cdef int first = 0
        cdef int total = 0
        cdef int value, number, i
        cdef uint64_t fields
        cdef uint16_t[1 << MAX_CARDS] room
        cdef Choice[1 << MAX_CARDS] list
        cdef Plays p
        cdef State after
        cdef Entry *entry
        if is_over(n):
            return balance(n, side)
        after = n[0]
        after.side = 1 - side
        if not n.stones[side]:
            value = self.search(&after, -beta, -alpha)
            return value if value == GIVEN_UP else -value
        self.nodes += 1
        if self.nodes == self.limit:
            return GIVEN_UP
        fields = sums_of(n.hand[side]) & open_to(self.board, n, side)
        if not fields:
            fill(&self.stock, &after, side, 0)
            value = self.search(&after, -beta, -alpha)
            return value if value == GIVEN_UP else -value
        entry = self.entries + high_product(mixed(n), self.count)
        if entry.bound != NOTHING and not memcmp(&entry.position, n, sizeof(State)):
            first = entry.chosen
            value = entry.value
            if (
                entry.bound == EXACT
                or entry.bound == LOWER and value >= beta
                or entry.bound == UPPER and value <= alpha
            ):
                return value
        # Insertion sort: the table's play, then from the highest field down.
        begin_plays(n.hand[side], room, &p)
        while next_play(&p, fields):
            number = MAX_FIELDS + 1 if p.chosen == first else p.number
            i = total
            while i and list[i - 1].number < number:
                list[i] = list[i - 1]
                i -= 1
            list[i].number = <uint16_t>number
            list[i].chosen = <uint16_t>p.chosen
            total += 1
        first = list[0].chosen
        for i in range(total):
            number = p.sums[list[i].chosen]
            after = n[0]
            after.side = 1 - side
            after.stones[side] -= 1
            place(&after, side, bit(number - 1), number)
            if has_line(self.board, &after, side, number):
                value = 1
            else:
                fill(&self.stock, &after, side, hand_after(&p, list[i].chosen))
                value = self.search(&after, -beta, -alpha)
                if value == GIVEN_UP:
                    return GIVEN_UP
                value = -value
            if value > best:
                best = value
                first = list[i].chosen
                alpha = max(alpha, best)
                if alpha >= beta:
                    break
        entry.position = n[0]
        entry.chosen = <uint16_t>first
        entry.value = <int8_t>best
        entry.bound = UPPER if best <= below else LOWER if best >= beta else EXACT
        return best
