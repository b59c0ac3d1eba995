# What is drawn by chance, and the last draw of a game counted at once
#
# A pile is what cards are drawn from:
#
#   stock[c]      how many cards c it has; all orders are equally likely
#   cards         how many in all
#   reserved      of them, those that a side has drawn without looking. Its stones are all placed,
#                 and the other side has one left: whatever is drawn is drawn before the only choice
#                 that is still to be made. So it changes no probability that these cards are
#                 taken from the bottom; and when the others have run out, they are what is left.
#   discards[c]   the new stock, when a card has to be drawn and none is left
#   discarded     how many in all
#
# The last draw. When a side has drawn and each side has one stone at most, the rest is a matter of
# sets of fields, and draws are gone through with nothing but the sums of the growing hand:
#
#     both have a stone     for each field f that the waiting hand makes, the answers that win or
#                           draw after it are two words; the sums of the drawn hand are ANDed with
#                           them
#     only the drawing one  the fields that win or draw are two words
#
# A hand that makes no field it may place on is put off: the caller looks at it by itself.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset

from kulami_solver.just4fun.duel cimport (
    CARD, CARD_BITS, DEAD, MAX_FIELDS, BoardTables, State, with_card,
)

cdef enum:
    MOST_PUT_OFF = 256
    MOST_DRAWS = 200000             # that are looked at one after the other

cdef enum:
    COUNT                           # what to do with a last draw: count it ...
    WON                             # ... nothing, the waiting side completes a line ...
    LOOK                            # ... or look at each by itself: it has no play now

cdef struct Pile:
    uint8_t stock[DEAD + 1]
    uint8_t discards[DEAD + 1]
    int cards
    int reserved
    int discarded

cdef struct LastDraw:
    const Pile *pile
    int after[DEAD + 2]             # cards of the stock from this card on
    int answers                     # how many pairs of sets there are
    uint64_t wins[MAX_FIELDS]       # fields on which the drawing side wins then ...
    uint64_t draws[MAX_FIELDS]      # ... or draws
    uint64_t may[MAX_FIELDS]        # where it may place
    int64_t total                   # of the weights of all draws
    int64_t seen                    # of those gone through
    int64_t won                     # of those that the drawing side wins ...
    int64_t drawn                   # ... and draws
    int64_t floor                   # stop when 2 won + drawn cannot be more than this
    int64_t judged                  # how many draws were gone through ...
    int64_t allowed                 # ... of as many at most
    const int32_t *stopped          # not 0: come to an end
    bint cut                        # the draws left are not looked at: they cannot reach `floor`,
    bint ended                      # or the search comes to an end,
    bint overfull                   # or too many were put off
    int put_off                     # draws that are to be looked at ...
    uint64_t put_off_cards[MOST_PUT_OFF]    # ... the cards drawn, as a hand
    int64_t put_off_weight[MOST_PUT_OFF]


cdef inline void discard(Pile *pile, uint64_t cards) noexcept:
    """Put the cards of a hand to the discards."""
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
    """The cards of two hands, together MAX_CARDS at most, as one."""
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
