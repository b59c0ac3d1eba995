"""Random draws: `draws.pxd` explains piles, and how the last draw of a game is counted."""

from libc.stdint cimport int64_t, uint8_t, uint64_t

from kulami_solver.core.bits cimport bit, highest, lowest, unlikely
from kulami_solver.core.watch cimport is_told
from kulami_solver.just4fun.duel cimport (
    DEAD, MAX_CARDS, MAX_STOCK, BoardTables, State, balance, has_line, open_to, place,
    sums_of, tied, with_card,
)

from math import comb

cdef int64_t[MAX_STOCK + 1][MAX_CARDS + 1] WAYS    # binomial coefficients


cdef int fill_ways() except -1:
    for cards in range(MAX_STOCK + 1):
        for taken in range(MAX_CARDS + 1):
            WAYS[cards][taken] = comb(cards, taken)
    return 0


fill_ways()


cdef void note_answers(LastDraw *k, const BoardTables *b, const State *n, int side) noexcept nogil:
    """Note the fields on which the last stone of the game, placed by `side`, wins or draws."""
    cdef uint64_t left = open_to(b, n, side)
    cdef uint64_t free = tied(b, n)
    cdef uint64_t field
    cdef State after
    cdef int number, found
    k.may[k.answers] = left
    k.wins[k.answers] = k.draws[k.answers] = 0
    while left:
        field = left & -left
        number = lowest(left) + 1
        left ^= field
        after = n[0]
        place(&after, side, field, number)
        found = balance(&after, side)
        if field & free and has_line(b, &after, side, number):
            found = 1
        if found > 0:
            k.wins[k.answers] |= field
        elif found == 0:
            k.draws[k.answers] |= field
    k.answers += 1


cdef int begin_last_draw(
    LastDraw *k, const BoardTables *b, const State *n, int side, const Pile *pile, int missing
) except -1:
    """Set up the count of the draws of `side`, which has one stone; the other has one or none.

    Returns:
        COUNT, WON or LOOK.
    """
    cdef int other = 1 - side
    cdef uint64_t fields, field
    cdef State after
    cdef int card, number
    k.pile = pile
    k.after[DEAD + 1] = 0
    for card in range(DEAD, -1, -1):
        k.after[card] = k.after[card + 1] + pile.stock[card]
    k.total = WAYS[pile.cards][missing]
    k.answers = k.put_off = 0
    k.seen = k.won = k.drawn = k.judged = 0
    k.cut = k.overfull = k.ended = False
    if not n.stones[other]:
        note_answers(k, b, n, side)
        return COUNT
    fields = sums_of(n.hand[other]) & open_to(b, n, other)
    if not fields:
        return LOOK
    while fields:
        number = highest(fields) + 1
        field = bit(number - 1)
        fields ^= field
        after = n[0]
        place(&after, other, field, number)
        if field & tied(b, n) and has_line(b, &after, other, number):
            return WON
        note_answers(k, b, &after, side)
    return COUNT


cdef inline void judge(LastDraw *k, uint64_t sums, uint64_t cards, int64_t weight) noexcept nogil:
    """Count a draw: the waiting side chooses its field, and the drawing side answers."""
    cdef int score = 2              # of the drawing side, in halves
    cdef int found, i
    cdef bint unknown = False
    cdef uint64_t answers
    if unlikely(k.judged >= k.allowed or is_told(&k.allowance.stop, &k.allowance.watch)):
        k.cut = k.ended = True
        return
    k.judged += 1
    for i in range(k.answers):
        answers = sums & k.may[i]
        if not answers:
            unknown = True
            continue
        found = 2 if answers & k.wins[i] else 1 if answers & k.draws[i] else 0
        score = min(score, found)
        if not found:
            break
    if unknown and score:
        if k.put_off == MOST_PUT_OFF:
            k.cut = k.overfull = True
            return
        k.put_off_cards[k.put_off] = cards
        k.put_off_weight[k.put_off] = weight
        k.put_off += 1
        return
    k.seen += weight
    if score == 2:
        k.won += weight
    elif score == 1:
        k.drawn += weight
    if 2 * k.won + k.drawn + 2 * (k.total - k.seen) <= k.floor:
        k.cut = True


cdef void go_through(
    LastDraw *k, int card, int missing, uint64_t sums, uint64_t cards, int64_t weight
) noexcept nogil:
    """Judge every draw of `missing` more cards, none below `card`, until `cut` is set.

    Args:
        sums: of the hand so far.
        cards: drawn so far, as a hand.
        weight: the number of ways to draw them.
    """
    cdef int number
    cdef uint64_t more, drawn
    if not missing:
        judge(k, sums, cards, weight)
        return
    while k.after[card] >= missing and not k.cut:
        more, drawn = sums, cards
        for number in range(1, min(missing, <int>k.pile.stock[card]) + 1):
            more |= bit(card - 1) | more << card
            drawn = with_card(drawn, card)
            go_through(
                k, card + 1, missing - number, more, drawn,
                weight * WAYS[k.pile.stock[card]][number],
            )
            if k.cut:
                return
        card += 1


cdef list ways(const uint8_t *cards, int number):
    """All choices of `number` cards, each as a hand with its weight; None if there are too many."""
    cdef list found = [(0, 0, 1)]       # cards, their number, weight
    cdef list more
    cdef int left = 0
    cdef int card, taken, least
    for card in range(1, DEAD + 1):
        left += cards[card]
    for card in range(1, DEAD + 1):
        if not cards[card]:
            continue
        left -= cards[card]
        more = []
        for hand, size, weight in found:
            least = max(0, number - size - left)
            for taken in range(min(cards[card], number - size) + 1):
                if taken:
                    hand = with_card(hand, card)
                if taken >= least:
                    more.append((hand, size + taken, weight * comb(cards[card], taken)))
        if len(more) > MOST_DRAWS:
            return None
        found = more
    return [(hand, weight) for hand, size, weight in found if size == number]
