# Random draws of cards, and the last draw of a game, whose cases are counted together
#
# Cards are drawn from a pile:
#
#   stock[c]      number of cards c in the stock; all orders are equally likely
#   cards         number of all cards in the stock
#   reserved      cards of the stock that a side has drawn without looking. Its stones are all
#                 placed, and the other side has one left: all draws come before the only choice
#                 that remains. So probabilities stay the same if these cards are taken from the
#                 bottom. They are left when the other cards have run out.
#   discards[c]   the new stock, when a card has to be drawn and none is left
#   discarded     number of all discards
#
# The last draw. When a side has drawn and each side has at most one stone, only sets of fields
# matter. So draws are gone through with nothing but the sums of the growing hand:
#
#     both have a stone     for each field f that the waiting hand makes, the answers that win or
#                           draw after it are two words; the sums of the drawn hand are ANDed with
#                           them
#     only the drawing one  the fields that win or draw are two words
#
# A hand that makes no field on which it may place is put off: the caller looks at it separately.

from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset

from kulami_solver.core.watch cimport Allowance
from kulami_solver.just4fun.duel cimport (
    CARD, CARD_BITS, DEAD, MAX_FIELDS, BoardTables, State, with_card,
)

cdef enum:
    MOST_PUT_OFF = 256
    MOST_DRAWS = 200000             # draws that are looked at one by one

cdef enum:
    COUNT                           # treatment of a last draw: count it ...
    WON                             # ... nothing: the waiting side completes a line ...
    LOOK                            # ... or look at each draw: the waiting side has no play now

cdef struct Pile:
    uint8_t stock[DEAD + 1]
    uint8_t discards[DEAD + 1]
    int cards
    int reserved
    int discarded

cdef struct LastDraw:
    const Pile *pile
    int after[DEAD + 2]             # cards of the stock from this card on
    int answers                     # number of pairs of sets
    uint64_t wins[MAX_FIELDS]       # fields on which the drawing side wins ...
    uint64_t draws[MAX_FIELDS]      # ... or draws
    uint64_t may[MAX_FIELDS]        # where it may place
    int64_t total                   # of the weights of all draws
    int64_t seen                    # of those gone through
    int64_t won                     # of those that the drawing side wins ...
    int64_t drawn                   # ... and draws
    int64_t floor                   # stop when 2 won + drawn cannot be more than this
    int64_t judged                  # number of draws gone through ...
    int64_t allowed                 # ... and the most allowed
    Allowance *allowance            # of the search
    bint cut                        # the draws left are not looked at: they cannot reach `floor`,
    bint ended                      # or the search has to end,
    bint overfull                   # or too many were put off
    int put_off                     # number of draws that were put off ...
    uint64_t put_off_cards[MOST_PUT_OFF]    # ... and their cards, as a hand
    int64_t put_off_weight[MOST_PUT_OFF]


cdef inline void discard(Pile *pile, uint64_t cards) noexcept:
    """Add the cards of a hand to the discards."""
    while cards:
        pile.discards[cards & CARD] += 1
        pile.discarded += 1
        cards >>= CARD_BITS


cdef inline void take(Pile *pile, uint64_t cards) noexcept:
    """Take the cards of a hand out of the stock."""
    while cards:
        pile.stock[cards & CARD] -= 1
        pile.cards -= 1
        cards >>= CARD_BITS


cdef inline void renew(Pile *pile) noexcept:
    """Make the discards the stock."""
    memcpy(pile.stock, pile.discards, sizeof(pile.stock))
    memset(pile.discards, 0, sizeof(pile.discards))
    pile.cards = pile.discarded
    pile.discarded = pile.reserved = 0


cdef inline uint64_t joined(uint64_t hand, uint64_t cards) noexcept:
    """One hand with the cards of two, at most MAX_CARDS together."""
    while cards:
        hand = with_card(hand, cards & CARD)
        cards >>= CARD_BITS
    return hand


cdef int begin_last_draw(
    LastDraw *k, const BoardTables *b, const State *n, int side, const Pile *pile, int missing
) except -1

cdef void go_through(
    LastDraw *k, int card, int missing, uint64_t sums, uint64_t cards, int64_t weight
) noexcept nogil

cdef list ways(const uint8_t *cards, int number)
