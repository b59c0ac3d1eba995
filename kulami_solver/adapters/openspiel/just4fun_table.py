"""A table of Just 4 Fun: cards are dealt, moves are made, cards are drawn.

The package's own game begins after the deal and knows no past. A `Table` deals card by card and
remembers every turn, as players with perfect recall do.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from random import Random
from typing import Final, NamedTuple

from ...errors import KulamiError, NotationError, quoted
from ...game import CHANCE, Number
from ...just4fun.cards import DECK, HIGHEST_CARD, Move, taken, write_cards
from ...just4fun.dealing import deal
from ...just4fun.game import Just4FunGame, Just4FunState
from ...just4fun.notation import write_jfn
from ...just4fun.position import Position
from ...just4fun.rules import IDLE_TURNS
from .wrapping import checked_text

_FULL: Final = "full"
_KIND: Final = re.compile(r"([1-9][0-9]?)(?:x([1-9]))?", re.ASCII)
_IDLE: Final = re.compile(r"(.*) idle ([1-9][0-9]?)", re.ASCII | re.DOTALL)


@dataclass(frozen=True)
class TableTurn:
    """A player's turn.

    Attributes:
        seat: the player.
        move: the cards played or put away.
        drawn: the cards drawn after it so far, rising.
    """

    seat: int
    move: Move
    drawn: tuple[int, ...] = ()


class Guess(NamedTuple):
    """A possible course of the cards: hands one by one, the JFN of the deal, draws by turn."""

    dealt: tuple[int, ...]
    begun: str
    drawn: list[tuple[int, ...]]


@dataclass(frozen=True)
class Table:
    """A game as it goes on; `given` is None until all hands are dealt.

    Attributes:
        game: with its options.
        deck: all cards that are in the game, rising.
        dealt: the cards dealt so far, player by player.
        start: the position after the deal.
        given: the state of the game since then.
        turns: the turns since then.
    """

    game: Just4FunGame
    deck: tuple[int, ...]
    dealt: tuple[int, ...] = ()
    start: Position | None = None
    given: Just4FunState | None = None
    turns: tuple[TableTurn, ...] = ()

    @classmethod
    def read(cls, game: Just4FunGame, text: str) -> Table:
        """Return the table of a JFN with open hands, which `idle N` may follow.

        Raises:
            KulamiError: if the text is not a position, or is one of another board or other players.
        """
        match = _IDLE.fullmatch(text) if isinstance(text, str) else None
        state = game.read(match[1] if match else text)
        if state.move is not None:
            raise NotationError("cards are being drawn there: begin from a position")
        if match:
            state = replace(state, idle=int(match[2]))
            if state.idle > IDLE_TURNS:
                raise NotationError(
                    f"{state.idle} idle turns: a game is over after {IDLE_TURNS} of them"
                )
        return cls(game, (), start=state.position, given=state)

    @property
    def to_move(self) -> int:
        """The seat to move, `CHANCE` while cards are dealt or drawn, `NOBODY` at the end."""
        return CHANCE if self.given is None else self.given.to_move

    @property
    def legal_moves(self) -> tuple[Move, ...]:
        """The legal moves of a player."""
        return () if self.given is None else self.given.position.legal_moves

    @cached_property
    def _undealt(self) -> tuple[int, ...]:
        return taken(self.deck, self.dealt)

    @property
    def moves(self) -> tuple[str, ...]:
        """The legal moves, or the cards that may come."""
        if self.given is None:
            return tuple(map(str, sorted(set(self._undealt))))
        return self.given.moves

    def chances(self) -> tuple[Fraction, ...]:
        """The probability of each of the cards."""
        if self.given is None:
            left = self._undealt
            return tuple(Fraction(left.count(int(card)), len(left)) for card in self.moves)
        return self.given.chances()

    def play(self, move: str) -> Table:
        """Return the table after a move, or after a card has come.

        Raises:
            KulamiError: if the move is not legal, or the card cannot come.
        """
        if self.given is None:
            return self._dealing(move)
        after = self.given.play(move)
        if self.given.move is None:
            turn = TableTurn(self.given.position.seat, Move.parse(move))
            return replace(self, given=after, turns=(*self.turns, turn))
        turn = self.turns[-1]
        turn = replace(turn, drawn=tuple(sorted((*turn.drawn, int(move)))))
        return replace(self, given=after, turns=(*self.turns[:-1], turn))

    def _dealing(self, card: str) -> Table:
        if card not in self.moves:
            raise NotationError(f"cards that may be dealt are {' '.join(self.moves)}")
        dealt = (*self.dealt, int(card))
        game = self.game
        size = game.hand
        if len(dealt) < len(game.players) * size:
            return replace(self, dealt=dealt)
        empty = deal(
            game.board,
            players=game.players,
            stones=game.stones,
            line=game.line,
            hand=size,
            cards=self.deck,
        )
        hands = tuple(dealt[at : at + size] for at in range(0, len(dealt), size))
        start = replace(empty, hands=hands, stock=taken(self.deck, dealt), ordered=False)
        return replace(self, dealt=dealt, start=start, given=game.state(start))

    def guessed(self, seat: int | None, draw: Random) -> Guess:
        """Draw the cards that a player does not see: the present other hands and the stock.

        Played cards keep the time at which they came; the cards drawn for a hand take the times of
        the cards that are in the hand now.

        Args:
            seat: of the player; None if all see everything.
            draw: of the cards.

        Raises:
            PositionError: if there are too few cards of a kind.
        """
        assert self.start is not None
        assert self.given is not None
        now = self.given.position
        others = [one for one in range(len(now.players)) if seat not in (None, one)]
        unseen = [*now.stock, *(card for one in others for card in now.hands[one] or ())]
        draw.shuffle(unseen)
        hands = list(self.start.hands)
        drawn = [turn.drawn for turn in self.turns]
        for one in others:
            own = [number for number, turn in enumerate(self.turns) if turn.seat == one]
            came = [*(hands[one] or ()), *(card for number in own for card in drawn[number])]
            held = list(range(len(came)))
            for card in (card for number in own for card in self.turns[number].move.cards):
                held.remove(next(place for place in held if came[place] == card))
            for place in held:
                came[place] = unseen.pop()
            size = len(hands[one] or ())
            hands[one], came = tuple(came[:size]), came[size:]
            for number in own:
                size = len(drawn[number])
                drawn[number], came = tuple(came[:size]), came[size:]
        stock = [*self.start.stock, *(card for hand in self.start.hands for card in hand or ())]
        dealt = tuple(card for hand in hands for card in hand or ())
        written = self.start.written._replace(
            hands=tuple(hands), stock=taken(tuple(sorted(stock)), dealt)
        )
        placed = any(turn.move.field is not None for turn in self.turns)
        idle = 0 if placed else self.given.idle - len(self.turns)
        return Guess(dealt, write_jfn(written) + (f" idle {idle}" if idle else ""), drawn)

    def returns(self) -> tuple[Number, ...]:
        """Return the result of each seat.

        Raises:
            KulamiError: if the game is not over.
        """
        if self.given is None:
            raise KulamiError("the game is not over: cards are being dealt")
        return self.given.returns()

    def hand_dealt(self, seat: int) -> tuple[int, ...]:
        """The cards dealt to a player so far, rising."""
        if self.start is not None:
            return self.start.hands[seat] or ()
        size = self.game.hand
        return tuple(sorted(self.dealt[seat * size : (seat + 1) * size]))

    def notation(self) -> str:
        """Return the table as one line; if a player is to move, `read` reads it."""
        if self.given is None:
            hands = (
                f"{letter}{write_cards(self.hand_dealt(seat))}"
                for seat, letter in enumerate(self.game.players)
            )
            return f"dealing {','.join(hands)}"
        return f"{self.given.notation()}{self.idle_words}"

    @property
    def idle_words(self) -> str:
        """The notation's part about turns without a stone, if there are some."""
        return f" idle {self.given.idle}" if self.given is not None and self.given.idle else ""


@lru_cache(maxsize=4096)
def seen_by(position: Position, seats: tuple[int, ...]) -> str:
    """Return the JFN of a position for an observer who knows the hands of some seats.

    Examples:
        >>> position = Position.from_jfn("1x3 - r1b1 r r1.2,b3.3 {2} -", hand=2)
        >>> seen_by(position, (1,)), seen_by(position, ())
        ('1x3 - r1b1 r r?,b3.3 {1.2.2} -', '1x3 - r1b1 r r?,b? {1.2.2.3.3} -')
    """
    hands = [hand if seat in seats else None for seat, hand in enumerate(position.hands)]
    others = [hand or () for seat, hand in enumerate(position.hands) if seat not in seats]
    unseen = [card for hand in others for card in hand]
    written = position.written._replace(
        hands=tuple(hands), stock=tuple(sorted((*position.stock, *unseen))), ordered=False
    )
    return write_jfn(written)


class CardActions:
    """The numbering of moves as actions: 0 puts the hand away, others play cards for a field.

    Examples:
        >>> actions = CardActions(4, 2, (1, 1, 2, 3))
        >>> [str(actions.move(action) or "discard") for action in range(actions.number)]
        ['discard', '1=1', '2=1+1', '2=2', '3=1+2', '3=3', '4=1+3']
        >>> actions.of(Move.parse("3=1+2"))
        4
    """

    def __init__(self, fields: int, hand: int, deck: Sequence[int]) -> None:
        kinds = sorted(Counter(deck).items())

        def choices(at: int, left: int, size: int) -> Iterator[tuple[int, ...]]:
            if at == len(kinds):
                yield ()
                return
            card, there = kinds[at]
            for number in range(min(there, size, left // card) + 1):
                for rest in choices(at + 1, left - number * card, size - number):
                    yield (card,) * number + rest

        found = sorted((sum(cards), cards) for cards in choices(0, fields, hand) if cards)
        self._cards = [cards for _, cards in found]
        self._numbers = {cards: number for number, cards in enumerate(self._cards, 1)}
        self.number: Final = 1 + len(found)

    def of(self, move: Move) -> int:
        """Return the action of a move."""
        return 0 if move.field is None else self._numbers[move.cards]

    def move(self, action: int) -> Move | None:
        """Return the move of an action; None for the action that puts the hand away."""
        if not action:
            return None
        cards = self._cards[action - 1]
        return Move(sum(cards), cards)


@lru_cache(maxsize=16)
def actions_of(fields: int, hand: int, deck: tuple[int, ...]) -> CardActions:
    """Return the actions of such games; they are cached, because there can be thousands."""
    return CardActions(fields, hand, deck)


def read_deck(text: object, least: int) -> tuple[int, ...]:
    """Return the cards of a parameter: `full`, or kinds of cards like 1x4.2x4.13.

    Raises:
        KulamiError: if it is not a deck, or has too few cards.

    Examples:
        >>> read_deck("1x2.13", 3), len(read_deck("full", 16))
        ((1, 1, 13), 55)
        >>> read_deck("1x2.20", 2)
        Traceback (most recent call last):
        ...
        kulami_solver.errors.KulamiError: deck has '20': write cards from 1 to 19 with dots \
between, and how often, like 1x4.2x4.13
    """
    remedy = "write full, or cards and how often they are there, like 1x4.2x4.13x1"
    text = checked_text("deck", text, remedy)
    cards = list(DECK) if text == _FULL else []
    for word in text.split(".") if text != _FULL else ():
        match = _KIND.fullmatch(word)
        if match is None or int(match[1]) > HIGHEST_CARD:
            raise KulamiError(
                f"deck has {quoted(word)}: write cards from 1 to {HIGHEST_CARD} with dots between, "
                "and how often, like 1x4.2x4.13"
            )
        cards += [int(match[1])] * int(match[2] or 1)
    more = Counter(cards) - Counter(DECK)
    if more:
        raise KulamiError(
            f"deck has more cards of {min(more)} than the box, which has {DECK.count(min(more))}"
        )
    if len(cards) < least:
        raise KulamiError(f"a deck of {len(cards)} cards: {least} are dealt at the start")
    return tuple(sorted(cards))
