"""The board of Just 4 Fun in compiled form: its lines, and positions read from plain integers.

`duel.pxd` shows the data in memory, and has the rules for two players as inline functions.
"""

from libc.string cimport memset


cdef class Rules:
    """Compiled tables of one board.

    Args:
        fields: number of fields, 1 to 64; they are numbered from 1.
        lines: the sets of fields that win, as words: field i is bit i - 1; at most 256.

    Raises:
        ValueError: there is no such board, or a view is no position on it.

    A view of a position is a tuple: `plus`, `settled`, `hands` and `stones`, each of them a pair
    with side 0 first, and the side to move. Hands are bytes, one for each card.

    Examples:
        >>> rules = Rules(4, [0b0011, 0b1100, 0b0101, 0b1010, 0b1001, 0b0110])
        >>> rules.plays(((0, 0b0100), (0, 0b1000), (bytes([1, 1, 3]), bytes()), (2, 2), 0))
        [(1, b'\\x01'), (2, b'\\x01\\x01'), (3, b'\\x03')]
    """

    def __init__(self, int fields, lines):
        cdef BoardTables *b = &self.board
        cdef int number, i, stored = 0
        cdef uint64_t line
        if not 1 <= fields <= MAX_FIELDS:
            raise ValueError(f"a board of {fields} fields: give 1 to {MAX_FIELDS}")
        if len(lines) > MAX_LINES:
            raise ValueError(f"{len(lines)} lines: give at most {MAX_LINES}")
        memset(b, 0, sizeof(BoardTables))
        b.fields = fields
        b.every = ~<uint64_t>0 >> (MAX_FIELDS - fields)
        b.lines = len(lines)
        for i in range(b.lines):
            line = lines[i]
            if not line or line & ~b.every:
                raise ValueError(f"line {line:#x} lies beside a board of {fields} fields")
            b.line[i] = line
        for number in range(1, fields + 1):
            for i in range(b.lines):
                if b.line[i] & bit(number - 1):
                    b.through_lines[stored] = b.line[i]
                    stored += 1
            b.through[number] = stored

    def plays(self, view) -> list[tuple[int, bytes]]:
        """Every play of the side to move as the field and the cards, rising."""
        cdef State n
        cdef Plays p
        cdef uint16_t[1 << MAX_CARDS] room
        self.read(&n, view)
        found = []
        begin_plays(n.hand[n.side], room, &p)
        while next_play(&p, open_to(&self.board, &n, n.side)):
            cards = bytes(p.cards[i] for i in range(p.size) if p.chosen >> i & 1)
            found.append((p.number, cards))
        return sorted(found)

    cdef int read(self, State *n, view) except -1:
        cdef BoardTables *b = &self.board
        cdef uint64_t seen = 0, fields, left
        cdef int s, gain
        plus, settled, hands, stones, side = view
        memset(n, 0, sizeof(State))
        if side not in (0, 1):
            raise ValueError(f"side {side}: give 0 or 1")
        n.side = side
        for s in range(2):
            n.plus[s], n.settled[s] = plus[s], settled[s]
            for fields in (n.plus[s], n.settled[s]):
                if fields & (seen | ~b.every):
                    raise ValueError("a field has two holders, or lies beside the board")
                seen |= fields
            left = held(n, s)
            while left:
                gain = lowest(left) + 1
                n.margin += -gain if s else gain
                left &= left - 1
            if not 0 <= stones[s] <= MAX_STONES:
                raise ValueError(f"{stones[s]} stones: give 0 to {MAX_STONES}")
            n.stones[s] = stones[s]
            n.hand[s] = self.hand(hands[s])
        return 0

    cdef uint64_t hand(self, cards) except? 0:
        cdef uint64_t hand = 0
        if len(cards) > MAX_CARDS:
            raise ValueError(f"a hand of {len(cards)} cards: give at most {MAX_CARDS}")
        for card in cards:
            hand = with_card(hand, self.card(card))
        return hand

    cdef int lay(self, Stock *k, stock, int hand_size) except -1:
        cdef int i
        if not 1 <= hand_size <= MAX_CARDS:
            raise ValueError(f"a hand of {hand_size} cards: give 1 to {MAX_CARDS}")
        if len(stock) > MAX_STOCK:
            raise ValueError(f"a stock of {len(stock)} cards: give at most {MAX_STOCK}")
        k.hand_size = hand_size
        k.cards = len(stock)
        for i in range(k.cards):
            k.card[i] = <uint8_t>self.card(stock[i])
        return 0

    cdef uint64_t card(self, int card) except 0:
        """A card in the form for hands: DEAD if no sum with it can be a field."""
        if not 1 <= card < DEAD:
            raise ValueError(f"card {card}: give 1 to {DEAD - 1}")
        return DEAD if card > self.board.fields else card
