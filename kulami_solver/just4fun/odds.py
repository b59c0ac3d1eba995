"""Hand odds: in how many of the hands that can be drawn a field can be made, counted exactly.

Hands are not listed one by one. Only the sums that some cards make, up to the highest field,
matter. They are a set, one bit a sum:

    no card      1                 the sum 0
    with a 3     1001              0 and 3
    and a 5      100101001         0, 3, 5 and 8: the set, and the set moved up by 5

The count goes through the card values once. For every number of cards drawn so far it keeps each
set with the number of ways to come to it. Equal cards count one by one, as in a shuffled deck. The
341,055 hands of four of the whole deck make 5,855 different sets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

from ..errors import PositionError
from .board import MAX_FIELDS
from .cards import DECK, MAX_HAND, copies, taken, unseen_cards, write_cards
from .checks import checked_cards, whole_option
from .position import Position, checked_position
from .rules import Pile

_Sets = dict[int, int]  # sums that are made, one bit each -> in how many ways


@dataclass(frozen=True)
class FieldOdds:
    """The odds of making a field.

    Attributes:
        field: its number.
        makeable: number of hands with cards that add up to it.
        hands: number of all hands.
    """

    field: int
    makeable: int
    hands: int

    @property
    def chance(self) -> Fraction:
        """The share of the hands: the probability that a drawn hand makes the field."""
        return Fraction(self.makeable, self.hands)

    def to_json(self) -> dict[str, int]:
        """Return it as it stands in JSON.

        Examples:
            >>> FieldOdds(12, 197308, 341055).to_json()
            {'field': 12, 'makeable': 197308, 'hands': 341055}
        """
        return {"field": self.field, "makeable": self.makeable, "hands": self.hands}


@dataclass(frozen=True)
class Odds:
    """The odds of all fields.

    Attributes:
        hands: the number of hands, all equally likely.
        fields: every field from 1.
        kept: cards that are in all of these hands, rising.
    """

    hands: int
    fields: tuple[FieldOdds, ...]
    kept: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        """Return it as it stands in JSON.

        Examples:
            >>> hand_odds((1, 1, 2), hand=2, fields=2).to_json()
            {'hands': 3, 'kept': [], 'fields': [{'field': 1, 'makeable': 3, 'hands': 3}, \
{'field': 2, 'makeable': 3, 'hands': 3}]}
        """
        return {
            "hands": self.hands,
            "kept": list(self.kept),
            "fields": [field.to_json() for field in self.fields],
        }


def hand_odds(
    cards: Iterable[int] = DECK, *, hand: int = 4, fields: int = 36, kept: Iterable[int] = ()
) -> Odds:
    """Count the hands that make each field.

    Args:
        cards: those that may be drawn, the whole deck if none are given.
        hand: how many cards a hand has, 1 to 12.
        fields: of the board, 1 to 64.
        kept: cards that are in the hand already, and not among `cards`; the others are drawn.

    Raises:
        PositionError: if there are no such cards, or too few.

    Examples:
        >>> odds = hand_odds()
        >>> odds.hands, odds.fields[11].makeable, odds.fields[35].makeable
        (341055, 197308, 30766)
        >>> from kulami_solver.just4fun.cards import DECK, taken
        >>> kept = (6, 7)
        >>> next_turn = hand_odds(taken(DECK, (1, 5, *kept)), kept=kept)
        >>> next_turn.hands, round(float(next_turn.fields[12].chance), 3)
        (1275, 1.0)
    """
    hand = whole_option("hand", hand, MAX_HAND)
    fields = whole_option("fields", fields, MAX_FIELDS)
    pool, own = checked_cards(cards), checked_cards(kept)
    for card, number in sorted((Counter(pool) + Counter(own)).items()):
        if number > copies(card):
            raise PositionError("too_many_given", number=number, card=card, most=copies(card))
    if not len(own) <= hand <= len(own) + len(pool):
        raise PositionError(
            f"kept cards: {len(own)}, cards to draw: {len(pool)}; they make no hand of {hand}"
        )
    return _counted(own, [(pool, hand - len(own))], fields)


def odds(position: Position | None = None, *, kept: Iterable[int] | None = None) -> Odds:
    """Count the hands that make each field, without the cards that a position shows.

    Args:
        position: the visible position; None for the whole deck and the printed board.
        kept: cards of the player to move that stay in the hand: the odds are those of the hand
            after the draw. None for hands of unseen cards alone, such as a hidden one.

    Raises:
        PositionError: if the kept cards are not in the hand, or too few cards are unseen.

    Examples:
        >>> from kulami_solver.just4fun import Position
        >>> odds().hands
        341055
        >>> position = Position.from_jfn("2006 - r20b20 r r1.4.7.12,b? - {2.5}")
        >>> hidden = odds(position)
        >>> hidden.hands, hidden.fields[11].makeable
        (211876, 113291)
        >>> odds(position, kept=(4, 7)).fields[10].makeable
        1176
        >>> odds(position, kept=(4, 5))
        Traceback (most recent call last):
        ...
        kulami_solver.errors.PositionError: cannot keep 4.5: 5 is not in the hand 1.4.7.12
    """
    if position is None:
        if kept is not None:
            raise PositionError("cards_kept_of_no_hand")
        return hand_odds()
    checked_position(position)
    unseen = unseen_cards(position)
    fields, hand = position.board.fields, position.hand
    if kept is None:
        if len(unseen) < hand:
            raise PositionError(
                f"{len(unseen)} unseen cards make no hand of {hand}: say what is kept"
            )
        return _counted((), [(unseen, hand)], fields)
    own = checked_cards(kept)
    played = _not_kept(position, own)
    discards = (*position.discards, *played)
    need = hand - len(own)
    if position.hidden:
        # The stock has the unseen cards that are not in hidden hands.
        stock = max(0, len(unseen) - position.hands.count(None) * hand)
        first = min(need, stock)
        later = min(need - first, len(discards))
        return _counted(own, [(unseen, first), (discards, later)], fields)
    sure, pool, others = Pile(position.stock, position.ordered, discards).split(need)
    return _counted(own, [(sure, len(sure)), (pool, others)], fields)


def _not_kept(position: Position, kept: tuple[int, ...]) -> tuple[int, ...]:
    """Return the cards of the hand of the player to move that are not kept."""
    hand = position.hands[position.seat]
    if hand is None:
        raise PositionError(f"the hand of {position.turn} is hidden: nothing of it can be kept")
    foreign = Counter(kept) - Counter(hand)
    if foreign:
        raise PositionError(
            "cannot_keep",
            kept=write_cards(sorted(kept)),
            missing=write_cards(sorted(foreign.elements())),
            hand=write_cards(hand) or "-",
        )
    return taken(hand, kept)


def _counted(kept: tuple[int, ...], drawn: list[tuple[tuple[int, ...], int]], fields: int) -> Odds:
    """Count hands of kept cards and a number of cards from each pile."""
    full = (1 << fields + 1) - 1
    made = 1
    for card in kept:
        made = (made | made << card) & full
    sets = {made: 1}
    for cards, number in drawn:
        sets = _with_drawn(sets, cards, number, full)
    hands = sum(sets.values())
    makeable = [0] * (fields + 1)
    for made, ways in sets.items():
        while made:
            makeable[(made & -made).bit_length() - 1] += ways
            made &= made - 1
    return Odds(
        hands,
        tuple(FieldOdds(field, makeable[field], hands) for field in range(1, fields + 1)),
        tuple(sorted(kept)),
    )


def _with_drawn(sets: _Sets, cards: tuple[int, ...], number: int, full: int) -> _Sets:
    """Return the sets after `number` cards are drawn, with their numbers of ways."""
    by_drawn: list[_Sets] = [dict(sets), *({} for _ in range(number))]
    for card, there in Counter(cards).items():
        # From many cards to few, so that this value's additions are not extended again.
        for before in reversed(range(number)):
            choices = [comb(there, more) for more in range(min(there, number - before) + 1)]
            for start, ways in by_drawn[before].items():
                made = start
                for more, choice in enumerate(choices[1:], before + 1):
                    made = (made | made << card) & full
                    further = by_drawn[more]
                    further[made] = further.get(made, 0) + ways * choice
    return by_drawn[number]
