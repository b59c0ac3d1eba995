"""Expected scores under best play with open hands and random draws: expectimax with windows.

`Expecter` decides for the side to move and averages over what it may draw. Chance nodes are pruned
by Star1 and Star2 (Ballard 1983): with bounds of the draws not yet searched, and by trying first,
after every draw, the answer that was best after another draw.

Values are pairs of Fractions, the score of the side to move and the probability of a draw. The
last draw of a game is counted in whole numbers (`draws.pxd`).

A search with a window (alpha, beta) returns the score if it lies strictly between them; otherwise
a bound on the same side of the window: an upper bound that is at most alpha, or a lower bound
that is at least beta.

Hands without a play can be put away again and again. A search does not follow this for ever: when
the stock has been renewed twice without a stone being placed, it takes the worst result for the
side that asks, or the best result if it is `hopeful`. Both are true bounds; if this never
happens, the score is exact.

A `patient` search follows such hands to their end. It gives up if a position repeats on its path,
if very many hands are put away in a row, or after MOST_PATIENCE positions: there may be a loop.
"""

from libc.stdint cimport int64_t, uint16_t, uint64_t
from libc.string cimport memcpy, memset

from kulami_solver.core.bits cimport bit, count as add
from kulami_solver.core.exclusive cimport begin_alone, end_alone
from kulami_solver.core.watch cimport Limited, may_enter
from kulami_solver.just4fun.draws cimport (
    LOOK, MOST_DRAWS, WON, LastDraw, Pile, begin_last_draw, discard, go_through, joined, renew,
    take, ways,
)
from kulami_solver.just4fun.duel cimport (
    CARD, CARD_BITS, MAX_CARDS, MAX_STOCK, BoardTables, Plays, Rules, State, balance, begin_plays,
    hand_after, has_line, is_over, next_play, open_to, place, size_of, sums_of, tied, with_card,
)

from contextlib import contextmanager
from fractions import Fraction
from math import floor

from kulami_solver.core.background import Stopped

cdef enum:
    MOST_REFILLS = 2                # of the stock, without a stone placed between them
    MOST_KNOWN = 1000000            # positions that are remembered
    MOST_PUT_AWAY = 100             # hands in a row that a patient search follows ...
    MOST_PATIENCE = 50000           # ... and positions that it looks at

cdef object ZERO = Fraction(0)
cdef object HALF = Fraction(1, 2)
cdef object ONE = Fraction(1)
cdef tuple LOST = (ZERO, ZERO)
cdef tuple DRAWN = (HALF, ONE)
cdef tuple WINNING = (ONE, ZERO)


class Endless(Exception):  # noqa: N818  (not an error: a game may be endless)
    """A patient search has given up: hands might be put away for ever."""


cdef inline tuple turned(tuple value):
    """A value in the view of the other side."""
    return ONE - value[0], value[1]


cdef inline tuple counted_up(const State *n, int side):
    """The value of an ended game."""
    cdef int found = balance(n, side)
    return WINNING if found > 0 else LOST if found < 0 else DRAWN


cdef class Expecter(Limited):
    """Expected scores on one board.

    Args:
        rules: of the board.
        hand_size: cards of a full hand, 1 to 12; no hand has more.
        pruning: False searches everything, to show the effect of pruning.

    Positions are given as to `Rules`, with the cards of the stock and the discards as bytes. Only
    one thread at a time may ask; another one gets a RuntimeError.

    Example:
        >>> from kulami_solver.just4fun.duel import Rules
        >>> expecter = Expecter(Rules(2, []), 1)
        >>> view = (0, 0), (0, 0), (bytes([1]), bytes([1])), (1, 2), 0
        >>> expecter.value(view, bytes([1, 2]), b"", False)
        (Fraction(0, 1), Fraction(0, 1))
    """

    cdef Rules rules
    cdef const BoardTables *board
    cdef int hand_size
    cdef bint pruning
    cdef dict known
    cdef int root                   # the side that asks
    cdef bint hopeful
    cdef int64_t patience           # positions that a patient search may still look at; else 0
    cdef set path                   # positions on its path at which hands are put away
    cdef readonly bint unsure       # whether the last value is only a bound
    cdef uint64_t busy
    cdef int choice                 # the best play of the last decision

    def __init__(self, Rules rules not None, int hand_size, bint pruning=True):
        if not 1 <= hand_size <= MAX_CARDS:
            raise ValueError(f"a hand of {hand_size} cards: give 1 to {MAX_CARDS}")
        self.rules = rules
        self.board = &rules.board
        self.hand_size = hand_size
        self.pruning = pruning
        self.known = {}
        self.path = set()

    def value(self, view, stock, discards, bint hopeful):
        """The expected score of the side to move and the probability of a draw.

        Afterwards `unsure` tells whether the score is only a bound: a lower one, or an upper one if
        `hopeful`.

        Raises:
            Stopped: a budget is used up.
        """
        cdef State n
        cdef Pile pile
        self.read(&n, &pile, view, stock, discards)
        begin_alone(&self.busy)
        try:
            self.ask(n.side, hopeful)
            return self.decide(&n, &pile, 0, -ONE, ONE + ONE, 0, False)
        finally:
            end_alone(&self.busy)

    def play_value(self, view, stock, discards, bint hopeful, cards, alpha):
        """As `value`, for the play of these cards; an upper bound if it is at most `alpha`."""
        cdef State n
        cdef Pile pile
        cdef uint64_t left = 0
        self.read(&n, &pile, view, stock, discards)
        rest = list(view[2][n.side])
        for card in cards:
            rest.remove(card)
        for card in rest:
            left = with_card(left, self.rules.card(card))
        begin_alone(&self.busy)
        try:
            self.ask(n.side, hopeful)
            return self.play(&n, &pile, sum(cards), left, alpha, ONE + ONE)
        finally:
            end_alone(&self.busy)

    @contextmanager
    def patiently(self):
        """Let `value` and `play_value` follow hands that are put away to their end.

        Then their results are exact, or `Endless` is raised because the end may never come.
        """
        begin_alone(&self.busy)
        asked, known = (self.root, self.hopeful), self.known
        self.known = {}  # values found here are exact; the others may not be
        self.patience = MOST_PATIENCE
        end_alone(&self.busy)
        try:
            yield
        finally:
            begin_alone(&self.busy)
            self.patience = 0
            self.path.clear()
            self.known = known
            self.root, self.hopeful = asked
            end_alone(&self.busy)

    cdef int ask(self, int side, bint hopeful) except -1:
        if (side, hopeful) != (self.root, self.hopeful):
            self.known.clear()
        self.root, self.hopeful = side, hopeful
        self.unsure = False
        return 0

    cdef int read(self, State *n, Pile *pile, view, stock, discards) except -1:
        cdef int s
        if len(stock) + len(discards) > MAX_STOCK:
            raise ValueError(f"{len(stock) + len(discards)} cards: give at most {MAX_STOCK}")
        self.rules.read(n, view)
        memset(pile, 0, sizeof(Pile))
        for card in stock:
            pile.stock[self.rules.card(card)] += 1
            pile.cards += 1
        for card in discards:
            pile.discards[self.rules.card(card)] += 1
            pile.discarded += 1
        for s in range(2):
            if not n.stones[s]:
                n.hand[s] = 0
        return 0

    cdef int enter(self) except -1:
        """Count a position; raise an exception if the search has to end."""
        if self.patience:
            if self.patience == 1:
                raise Endless
            self.patience -= 1
        if not may_enter(&self.allowance):
            raise Stopped
        return 0

    cdef tuple unknown(self, int side):
        """The worst or best result for the side that asks, in the view of `side`."""
        if self.patience:
            raise Endless
        self.unsure = True
        return WINNING if (side == self.root) == self.hopeful else LOST

    cdef tuple decide(
        self, const State *n, const Pile *pile, int refills, alpha, beta, int first, bint only
    ):
        """The value for the side to move.

        Args:
            refills: how often the stock was renewed since the last stone was placed.
            first: the play to try first, a bit for each card of the hand; 0 for none.
            only: try no other play.
        """
        cdef int side = n.side
        cdef State after
        cdef tuple value
        self.choice = 0
        if is_over(n):
            return counted_up(n, side)
        if n.stones[side] and sums_of(n.hand[side]) & open_to(self.board, n, side):
            self.enter()
            return self.choose(n, pile, alpha, beta, first, only)
        after = n[0]
        after.side = 1 - side
        if not n.stones[side]:
            value = turned(self.decide(&after, pile, refills, ONE - beta, ONE - alpha, 0, False))
        else:
            value = self.put_away(n, pile, refills, alpha, beta)
        self.choice = 0
        return value

    cdef tuple put_away(self, const State *n, const Pile *pile, int refills, alpha, beta):
        """The value for the side to move, which has no play: it draws another hand."""
        cdef int side = n.side
        cdef bint patient = self.patience > 0
        cdef bint was_unsure = self.unsure
        cdef State after = n[0]
        cdef Pile rest = pile[0]
        cdef tuple value
        if patient:
            refills, alpha, beta = 0, -ONE, ONE + ONE
        elif refills >= MOST_REFILLS:
            return self.unknown(side)
        key = position_key(n, pile), refills
        value = self.remembered(key, alpha, beta)
        if value is not None:
            return value
        if patient:
            if key in self.path or len(self.path) >= MOST_PUT_AWAY:
                raise Endless
            self.path.add(key)
        self.enter()
        self.unsure = False
        discard(&rest, n.hand[side])
        after.hand[side] = 0
        after.side = 1 - side
        value = self.chance(&after, side, &rest, refills, alpha, beta)
        self.path.discard(key)
        self.remember(key, value, 0, alpha, beta)
        self.unsure = self.unsure or was_unsure
        return value

    cdef tuple remembered(self, key, alpha, beta):
        """The stored value of a position if it is enough for this window, otherwise None.

        Afterwards `choice` is the play stored with it, even if the value is not enough.
        """
        self.choice = 0
        found = self.known.get(key)
        if found is None:
            return None
        lower, upper, value, choice, unsure = found
        self.choice = choice
        if lower == upper or lower >= beta or upper <= alpha:
            self.unsure = self.unsure or unsure
            return value
        return None

    cdef int remember(self, key, tuple value, int choice, alpha, beta) except -1:
        """Store a value that a search with this window has found, and whether it is unsure."""
        if len(self.known) < MOST_KNOWN:
            lower = value[0] if value[0] > alpha else ZERO
            upper = value[0] if value[0] < beta else ONE
            self.known[key] = lower, upper, value, choice, self.unsure
        return 0

    cdef tuple choose(
        self, const State *n, const Pile *pile, alpha, beta, int first, bint only
    ):
        """The value of the best play; there must be a play."""
        cdef uint64_t fields = sums_of(n.hand[n.side]) & open_to(self.board, n, n.side)
        cdef uint64_t gains = tied(self.board, n) | n.plus[1 - n.side]
        cdef bint was_unsure = self.unsure
        cdef tuple best = None
        cdef tuple value
        cdef int chosen, number, best_choice = 0
        cdef list plays
        key = None
        if not only:
            key = position_key(n, pile)
            value = self.remembered(key, alpha, beta)
            if value is not None:
                return value
            first = first or self.choice
        self.unsure = False
        plays = []
        for number, chosen, left in listed(n, fields):
            if chosen == first:
                plays.append((1000, number, chosen, left))
            elif not only:
                plays.append((number if gains & bit(number - 1) else 0, number, chosen, left))
        plays.sort(reverse=True)
        for _, number, chosen, left in plays:
            floor_of = alpha if best is None or best[0] < alpha else best[0]
            value = self.play(n, pile, number, left, floor_of if self.pruning else -ONE, beta)
            if best is None or value[0] > best[0]:
                best, best_choice = value, chosen
                if self.pruning and (best[0] >= beta or best[0] == 1):
                    break
        self.choice = best_choice
        if key is not None:
            self.remember(key, best, best_choice, alpha, beta)
        self.unsure = self.unsure or was_unsure
        return best

    cdef tuple play(
        self, const State *n, const Pile *pile, int number, object hand, alpha, beta
    ):
        """The value, for the side to move, of placing on a field and keeping `hand`."""
        cdef int side = n.side
        cdef uint64_t field = bit(number - 1)
        cdef uint64_t left = hand
        cdef uint64_t kept = left
        cdef uint64_t cards = n.hand[side]
        cdef State after = n[0]
        cdef Pile rest = pile[0]
        place(&after, side, field, number)
        if field & tied(self.board, n) and has_line(self.board, &after, side, number):
            return WINNING
        while cards:
            if kept and cards & CARD == kept & CARD:
                kept >>= CARD_BITS
            else:
                discard(&rest, cards & CARD)
            cards >>= CARD_BITS
        after.stones[side] -= 1
        after.hand[side] = left
        after.side = 1 - side
        return self.chance(&after, side, &rest, 0, alpha, beta)

    cdef tuple chance(self, const State *n, int side, const Pile *pile, int refills, alpha, beta):
        """The value for `side`, which has to fill its hand before the other side moves."""
        cdef int missing = self.hand_size - size_of(n.hand[side])
        cdef int free = pile.cards - pile.reserved
        cdef int first, others
        cdef State after = n[0]
        cdef Pile rest = pile[0]
        cdef Pile drawn
        cdef list draws
        if not n.stones[side] and n.stones[1 - side] <= 1:
            # No later choice can depend on the cards that it draws.
            after.hand[side] = 0
            if missing <= free:
                rest.reserved += missing
            else:
                renew(&rest)
                rest.reserved = min(missing - free, rest.cards)
            return turned(self.decide(&after, &rest, refills, ONE - beta, ONE - alpha, 0, False))
        if missing <= free:
            if n.stones[side] == 1 and n.stones[1 - side] <= 1:
                value = self.last_draw(n, side, pile, missing, refills, alpha)
                if value is not None:
                    return value
            first, others = missing, 0
        else:
            # Draw all free cards of the stock, and the others from the discards.
            renew(&rest)
            refills += 1
            first, others = free, min(missing - free, rest.cards)
        found = ways(pile.stock, first)
        more = ways(rest.stock, others) if missing > free else [(0, 1)]
        if found is None or more is None or len(found) * len(more) > MOST_DRAWS:
            return self.unknown(side)
        draws = []
        total = 0
        for cards, weight in found:
            for others_drawn, times in more:
                drawn = rest
                take(&drawn, cards if missing <= free else others_drawn)
                draws.append((
                    weight * times, joined(cards, others_drawn),
                    (<const char *>&drawn)[:sizeof(Pile)],
                ))
                total += weight * times
        return self.weigh(n, side, draws, total, refills, alpha, beta)

    cdef tuple last_draw(
        self, const State *n, int side, const Pile *pile, int missing, int refills, alpha
    ):
        """The value for the side that draws, by counting; None if counting is not possible."""
        cdef LastDraw k
        cdef State after
        cdef Pile rest
        cdef int how, i
        cdef uint64_t cards
        how = begin_last_draw(&k, self.board, n, side, pile, missing)
        if how == WON:
            return LOST
        if how == LOOK:
            return None
        k.floor = -1
        if self.pruning and alpha >= 0:
            k.floor = min(floor(2 * k.total * alpha), 2 * k.total)
        k.allowance = &self.allowance
        k.allowed = self.allowance.limit - self.allowance.nodes
        with nogil:
            go_through(&k, 1, missing, sums_of(n.hand[side]), 0, 1)
        add(&self.allowance.nodes, k.judged)
        if k.ended:
            raise Stopped
        if k.overfull:
            return None
        score = Fraction(2 * k.won + k.drawn, 2 * k.total)
        if k.cut:
            return score + Fraction(k.total - k.seen, k.total), ZERO
        drawn = Fraction(k.drawn, k.total)
        for i in range(k.put_off):
            cards = k.put_off_cards[i]
            after = n[0]
            after.hand[side] = joined(n.hand[side], cards)
            rest = pile[0]
            take(&rest, cards)
            value = turned(self.decide(&after, &rest, refills, -ONE, ONE + ONE, 0, False))
            score += value[0] * Fraction(k.put_off_weight[i], k.total)
            drawn += value[1] * Fraction(k.put_off_weight[i], k.total)
        return score, drawn

    cdef tuple weigh(
        self, const State *n, int side, list draws, object total, int refills, alpha, beta
    ):
        """The mean of the values after these draws of `side`: each is a weight, cards and the pile.

        Star1: a draw is searched with the window in which it can still decide whether the mean
        lies between alpha and beta, while the others are worth 0 to 1. Star2: before that, the
        answer that was best after the first draw is tried after all other draws; this gives their
        upper bounds.
        """
        cdef State after = n[0]
        cdef Pile pile
        cdef int answer = 0
        cdef bint probing
        cdef tuple value
        cdef list most = [ONE] * len(draws)
        known = drawn = ZERO
        left = total                    # the sum of the upper bounds of the other draws
        probing = self.pruning and alpha > 0 and len(draws) > 2 and n.stones[1 - side] > 0
        for i, (weight, cards, rest) in enumerate(draws):
            left -= weight * most[i]
            after.hand[side] = joined(n.hand[side], cards) if n.stones[side] else 0
            memcpy(&pile, <const char *>rest, sizeof(Pile))
            low = -ONE
            high = ONE + ONE
            if self.pruning:
                low = max(low, (alpha * total - known - left) / weight)
                high = min(high, (beta * total - known) / weight)
            value = turned(
                self.decide(&after, &pile, refills, ONE - high, ONE - low, answer, False)
            )
            if self.pruning and value[0] <= low:
                return (known + left + weight * value[0]) / total, ZERO
            if self.pruning and value[0] >= high:
                return (known + weight * value[0]) / total, ZERO
            known += weight * value[0]
            drawn += weight * value[1]
            answer = self.choice or answer
            if i == 0 and probing and answer:
                for j in range(1, len(draws)):
                    weight, cards, rest = draws[j]
                    after.hand[side] = joined(n.hand[side], cards) if n.stones[side] else 0
                    memcpy(&pile, <const char *>rest, sizeof(Pile))
                    value = turned(
                        self.decide(&after, &pile, refills, -ONE, ONE + ONE, answer, True)
                    )
                    most[j] = value[0]
                    left -= weight * (ONE - value[0])
                    if known + left <= alpha * total:
                        return (known + left) / total, ZERO
        return known / total, drawn / total


cdef inline bytes position_key(const State *n, const Pile *pile):
    """Everything that a value depends on, except the number of renewals of the stock."""
    return (<const char *>n)[:sizeof(State)] + (<const char *>pile)[:sizeof(Pile)]


cdef list listed(const State *n, uint64_t fields):
    """The plays of the side to move: field, cards as bits, and the hand that is left."""
    cdef Plays p
    cdef uint16_t[1 << MAX_CARDS] room
    cdef list found = []
    begin_plays(n.hand[n.side], room, &p)
    while next_play(&p, fields):
        found.append((p.number, p.chosen, hand_after(&p, p.chosen)))
    return found
