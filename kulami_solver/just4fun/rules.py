"""The rules of Just 4 Fun, as functions of plain tuples; `Position` puts them together.

Stones on a field are a tuple of numbers, one for each seat. The stock is a tuple of cards: in the
order of drawing, or rising where the order is unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import comb
from typing import Final, NamedTuple

from ..errors import IllegalMoveError, Phrase, PositionError
from .cards import taken, ways_to_draw, write_cards
from .notation import Board

IDLE_TURNS: Final = 60
"""The number of turns in a row without a stone after which a game between programs is counted as
it stands: the rules never end a game in which nobody can place a stone any more."""


class Draw(NamedTuple):
    """Cards that may be drawn after a move.

    Attributes:
        cards: rising; none where nothing can be drawn.
        chance: their probability.
    """

    cards: tuple[int, ...]
    chance: Fraction


# Stones ------------------------------------------------------------------------------------------


def may_place(counts: Sequence[int], seat: int) -> bool:
    """Whether a player may place a stone where these lie: no opponent has two more than they.

    >>> may_place((2, 1), 1), may_place((2, 0), 1), may_place((2, 0), 0)
    (True, False, True)
    """
    return max(counts) - counts[seat] < 2


def placed(counts: Sequence[int], seat: int) -> tuple[int, ...]:
    """The stones on a field after one more of a player's.

    With two stones more than every other the field is the player's for good, and the stones of
    the others leave the game.

    >>> placed((1, 0, 1), 0), placed((2, 1, 1), 0)
    ((2, 0, 1), (3, 0, 0))
    """
    after = [number + (at == seat) for at, number in enumerate(counts)]
    own = after[seat]
    if all(own >= number + 2 for at, number in enumerate(after) if at != seat):
        return tuple(own if at == seat else 0 for at in range(len(after)))
    return tuple(after)


def majority(counts: Sequence[int]) -> int | None:
    """The seat with more stones on a field than every other; None if there is no such seat.

    >>> majority((1, 2)), majority((1, 1)), majority((0, 0))
    (1, None, None)
    """
    most = max(counts)
    return list(counts).index(most) if most and list(counts).count(most) == 1 else None


def following(left: Sequence[int], seat: int) -> int:
    """The seat to move next: seats without a stone are skipped, unless nobody has one.

    >>> following((1, 0, 2), 0), following((1, 0, 0), 0), following((0, 0, 0), 1)
    (2, 0, 2)
    """
    players = len(left)
    seats = [(seat + step) % players for step in range(1, players + 1)]
    return next((at for at in seats if left[at]), seats[0])


# The end -----------------------------------------------------------------------------------------


def winning_line(
    board: Board, majorities: Sequence[int | None], length: int
) -> tuple[int, ...] | None:
    """The fields of a line on which one player has all majorities, if there is one."""
    for fields in board.lines(length):
        owner = majorities[fields[0] - 1]
        if owner is not None and all(majorities[field - 1] == owner for field in fields):
            return fields
    return None


def sums(majorities: Sequence[int | None], players: int) -> tuple[int, ...]:
    """The numbers of the fields that each player holds, added up.

    >>> sums((0, None, 0, 1), 2)
    (4, 4)
    """
    found = [0] * players
    for field, owner in enumerate(majorities, 1):
        if owner is not None:
            found[owner] += field
    return tuple(found)


def winner_by_count(majorities: Sequence[int | None], players: int) -> int | None:
    """Who wins when all stones are placed; None if nobody holds a field.

    The highest sum wins; if sums are equal, the highest-numbered field decides.

    >>> winner_by_count((0, None, 0, 1), 2), winner_by_count((None, None), 2)
    (1, None)
    """
    found = sums(majorities, players)
    for owner in reversed(majorities):
        if owner is not None and found[owner] == max(found):
            return owner
    return None


# Stock and discards ------------------------------------------------------------------------------


class Pile(NamedTuple):
    """The cards from which players draw.

    Attributes:
        stock: in the order of drawing, or rising where that is unknown.
        ordered: whether it is known.
        discards: rising; they are the new stock when a card has to be drawn and none is left.
    """

    stock: tuple[int, ...]
    ordered: bool
    discards: tuple[int, ...]

    def split(self, number: int) -> tuple[tuple[int, ...], tuple[int, ...], int]:
        """Return the cards sure to be drawn, the cards the others come from, and their number."""
        stock, discards = self.stock, self.discards
        if number > len(stock):
            return stock, discards, min(number - len(stock), len(discards))
        if self.ordered:
            return stock[:number], (), 0
        return (), stock, number

    def without(self, drawn: tuple[int, ...], number: int) -> Pile:
        """Return the pile after cards have been drawn.

        Args:
            drawn: the cards, rising.
            number: how many have to be drawn if there are as many.

        Raises:
            IllegalMoveError: if these cards cannot be the ones; the message says why.

        Examples:
            >>> Pile((5,), True, (1, 2, 6)).without((2, 5), 2)
            Pile(stock=(1, 6), ordered=False, discards=())
            >>> Pile((5, 6), True, (1, 2, 6)).without((6,), 1)
            Traceback (most recent call last):
            ...
            kulami_solver.errors.IllegalMoveError: 6 cannot be drawn: 5 is next in the stock
        """
        sure, pool, others = self.split(number)
        said = write_cards(drawn) or Phrase("no_card")
        if len(drawn) != len(sure) + others:
            raise IllegalMoveError("draw_count", cards=said, count=len(sure) + others)
        try:
            rest = taken(pool, taken(drawn, sure))
        except PositionError:
            first, pooled = write_cards(sure), write_cards(pool)
            if not others:
                raise IllegalMoveError("draw_next", cards=said, first=first) from None
            if not sure:
                raise IllegalMoveError("draw_of", cards=said, pool=pooled) from None
            raise IllegalMoveError(
                "draw_next_and_of", cards=said, first=first, pool=pooled
            ) from None
        if number > len(self.stock):
            return Pile(rest, not rest, ())
        if self.ordered:
            rest = self.stock[number:]
        return Pile(rest, self.ordered or not rest, self.discards)


def possible_draws(pile: Pile, number: int) -> Iterator[Draw]:
    """Yield the possible draws, with their probabilities.

    Args:
        pile: stock and discards.
        number: how many cards have to be drawn if there are as many.

    Examples:
        >>> [(cards, str(chance)) for cards, chance in possible_draws(Pile((5,), True, (1, 6)), 2)]
        [((1, 5), '1/2'), ((5, 6), '1/2')]
    """
    sure, pool, others = pile.split(number)
    ways = comb(len(pool), others)
    for cards, count in ways_to_draw(pool, others):
        yield Draw(tuple(sorted((*sure, *cards))), Fraction(count, ways))
