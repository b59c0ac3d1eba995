# A position of Just 4 Fun for two as it lies in memory, and the rules on it
#
#   fields are known by their numbers:   field 1 is bit 0, field 36 is bit 35. The highest bit of a
#                                        set is the field worth most; of two sets without a common
#                                        field, the greater word has the higher field.
#
#   plus[s]      fields on which side s has one stone more than the other side
#   settled[s]   fields that are the side's for good: it had two more
#   hand[s]      the cards of side s, rising from the lowest bits, five bits each, 0 above the last:
#                1.4.7  =  00111 00100 00001. A card above all field numbers is DEAD, whatever its
#                value: no sum with it is a field.
#   margin       the numbers of the fields that side 0 holds, less those of side 1
#   stones[s]    stones that side s has still to place
#   side         whose turn it is, 0 or 1
#   drawn        cards of the stock that were drawn
#
# All other fields are tied. With two players, only the difference of stones on a field matters.
#
#   sums of a hand   also a word: bit i - 1 is set if some of its cards sum to i. A card c turns the
#                    sums m of the cards before it into  m | m << c | bit(c - 1).
#
# Side s may place a stone on every field that the other side has not settled. A stone
#
#   on a tied field               makes it plus[s],        gains its number
#   on a field of plus[other]     makes it tied,           gains its number
#   on a field of plus[s]         makes it settled[s],     gains nothing
#   on a field of settled[s]      changes nothing

from libc.stdint cimport uint8_t, uint16_t, uint64_t

from kulami_solver.core.bits cimport bit, lowest

cdef enum:
    MAX_FIELDS = 64
    MAX_CARDS = 12                  # of a hand
    MAX_STOCK = 55                  # all cards of the deck
    MAX_STONES = 20                 # of a side
    MAX_LINES = 256                 # a board of 8x8 has 210 of two fields, which is the most
    CARD_BITS = 5
    CARD = 31                       # the lowest card of a hand, as a mask
    DEAD = 31                       # above every card, 19 being the highest

cdef struct BoardTables:
    int fields
    uint64_t every                  # all fields
    int lines
    uint64_t line[MAX_LINES]        # fields that win together
    int through[MAX_FIELDS + 1]     # lines through field i: through_lines[through[i - 1] ...
    uint64_t through_lines[MAX_LINES * MAX_FIELDS]      # ... up to through[i]]

cdef struct State:
    uint64_t plus[2]
    uint64_t settled[2]
    uint64_t hand[2]
    int margin
    int stones[2]
    int side
    int drawn


cdef inline uint64_t sums_of(uint64_t hand) noexcept nogil:
    """The sums that some of the cards of a hand make, up to 64."""
    cdef uint64_t sums = 0
    cdef int card
    while hand:
        card = <int>(hand & CARD)
        sums |= bit(card - 1) | sums << card
        hand >>= CARD_BITS
    return sums


cdef inline int size_of(uint64_t hand) noexcept nogil:
    """The number of cards in a hand."""
    cdef int count = 0
    while hand:
        hand >>= CARD_BITS
        count += 1
    return count


cdef inline uint64_t with_card(uint64_t hand, uint64_t card) noexcept nogil:
    """The hand with a card added, in order; before, it has fewer than MAX_CARDS."""
    cdef int at = 0
    cdef uint64_t below
    while hand >> at and (hand >> at & CARD) < card:
        at += CARD_BITS
    below = hand & (bit(at) - 1)
    return below | card << at | (hand ^ below) << CARD_BITS


cdef inline uint64_t tied(const BoardTables *b, const State *n) noexcept nogil:
    """The fields on which both sides have the same number of stones."""
    return b.every & ~(n.plus[0] | n.plus[1] | n.settled[0] | n.settled[1])


cdef inline uint64_t open_to(const BoardTables *b, const State *n, int side) noexcept nogil:
    """The fields on which a side may place."""
    return b.every & ~n.settled[1 - side]


cdef inline uint64_t held(const State *n, int side) noexcept nogil:
    """The fields on which a side has the majority."""
    return n.plus[side] | n.settled[side]


cdef inline void place(State *n, int side, uint64_t field, int number) noexcept nogil:
    """Put a stone on a field that is open to the side; `field` is its bit."""
    cdef int gain = -number if side else number
    if n.plus[side] & field:
        n.plus[side] ^= field
        n.settled[side] |= field
    elif not n.settled[side] & field:
        n.margin += gain
        if n.plus[1 - side] & field:
            n.plus[1 - side] ^= field
        else:
            n.plus[side] |= field


cdef inline int balance(const State *n, int side) noexcept nogil:
    """The result if the game ended now: 1 if `side` wins, 0 for a draw, -1 if it loses."""
    cdef int margin = -n.margin if side else n.margin
    cdef uint64_t mine, theirs
    if margin:
        return 1 if margin > 0 else -1
    mine, theirs = held(n, side), held(n, 1 - side)
    return (mine > theirs) - (mine < theirs)


cdef struct Stock:
    uint8_t card[MAX_STOCK]         # in the order of drawing
    int cards
    int hand_size                   # cards of a full hand


cdef inline void fill(const Stock *k, State *n, int side, uint64_t hand) noexcept nogil:
    """Give a side this hand, filled up from the stock."""
    cdef int size = size_of(hand)
    while size < k.hand_size and n.drawn < k.cards:
        hand = with_card(hand, k.card[n.drawn])
        n.drawn += 1
        size += 1
    n.hand[side] = hand


cdef inline bint is_over(const State *n) noexcept nogil:
    """Whether the game has ended: no side has both stones and cards."""
    return (
        (n.stones[0] == 0 or n.hand[0] == 0) and (n.stones[1] == 0 or n.hand[1] == 0)
    )


cdef inline bint has_line(
    const BoardTables *b, const State *n, int side, int number
) noexcept nogil:
    """Whether a side holds all fields of a line through the field of this number."""
    cdef uint64_t missing = ~held(n, side)
    cdef int i
    for i in range(b.through[number - 1], b.through[number]):
        if not b.through_lines[i] & missing:
            return True
    return False


cdef struct Plays:
    # The plays of a hand one after the other: sets of cards, equal multisets only once.
    uint8_t cards[MAX_CARDS]        # rising
    int size
    int repeated                    # bit i: card i is the same as card i - 1
    int chosen                      # the cards of this play, a bit each
    int number                      # their sum
    uint16_t *sums                  # of every set of cards up to this one


cdef inline void begin_plays(uint64_t hand, uint16_t *room, Plays *p) noexcept nogil:
    """Set up the plays of a hand; `room` has space for 2 to the power of its size numbers."""
    p.size = p.repeated = p.chosen = 0
    while hand:
        p.cards[p.size] = <uint8_t>(hand & CARD)
        if p.size and p.cards[p.size] == p.cards[p.size - 1]:
            p.repeated |= 1 << p.size
        p.size += 1
        hand >>= CARD_BITS
    p.sums = room
    p.sums[0] = 0


cdef inline bint next_play(Plays *p, uint64_t fields) noexcept nogil:
    """Go on to the next set of cards that sums to one of these fields; False after the last."""
    while p.chosen < (1 << p.size) - 1:
        p.chosen += 1
        p.number = p.sums[p.chosen & (p.chosen - 1)] + p.cards[lowest(p.chosen)]
        p.sums[p.chosen] = <uint16_t>p.number
        # Of equal cards, a later one is played only together with all earlier ones.
        if p.chosen & p.repeated & ~(p.chosen << 1):
            continue
        if p.number <= MAX_FIELDS and fields >> (p.number - 1) & 1:
            return True
    return False


cdef inline uint64_t hand_after(const Plays *p, int chosen) noexcept nogil:
    """The cards that a play leaves in the hand."""
    cdef uint64_t left = 0
    cdef int i = p.size
    while i:
        i -= 1
        if not chosen >> i & 1:
            left = left << CARD_BITS | p.cards[i]
    return left


cdef class Rules:
    cdef BoardTables board
    cdef uint64_t hand(self, cards) except? 0
    cdef uint64_t card(self, int card) except 0
    cdef int lay(self, Stock *k, stock, int hand_size) except -1
    cdef int read(self, State *n, view) except -1
