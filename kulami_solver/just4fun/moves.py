"""Moves of Just 4 Fun, and their notation.

12=5+7          the cards 5 and 7 are played, and a stone is placed on field 12
discard=3+4     a hand without a playable sum is put away, and nothing is placed
discard         the same of a hand without a card
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ..core.whole_numbers import whole, wholes
from ..errors import NotationError
from .cards import HIGHEST_CARD, MAX_HAND

DISCARD: Final = "discard"
"""The name of the move that puts the hand away."""

_FIELD: Final = re.compile(r"[1-9][0-9]?", re.ASCII)


@dataclass(frozen=True)
class Move:
    """Cards played, and the field a stone is placed on. Whether it is legal is for `Position`.

    Attributes:
        field: the sum of the cards; None if the hand is put away.
        cards: those played or put away, rising.

    Raises:
        NotationError: if the cards do not add up to the field.

    Examples:
        >>> from kulami_solver.just4fun.moves import Move
        >>> Move(12, (5, 7)) == Move.parse("12=7+5"), str(Move(None, (3, 4)))
        (True, 'discard=3+4')
    """

    field: int | None
    cards: tuple[int, ...]

    def __post_init__(self) -> None:
        cards = self.cards
        if not isinstance(cards, tuple) or len(cards) > MAX_HAND:
            if isinstance(cards, tuple):
                raise NotationError("move_too_many_cards", most=MAX_HAND, count=len(cards))
            raise NotationError("move_no_tuple", most=MAX_HAND, given=cards)
        cards = wholes(cards)
        for card in cards:
            if whole(card) is None or not 1 <= card <= HIGHEST_CARD:
                raise NotationError("no_such_card", card=card, most=HIGHEST_CARD)
        object.__setattr__(self, "cards", tuple(sorted(cards)))
        if self.field is None:
            return
        object.__setattr__(self, "field", whole(self.field))
        if self.field != sum(cards):
            raise NotationError(
                "other_sum",
                cards="+".join(map(str, cards)) or "-",
                count=len(cards),
                sum=sum(cards),
                field=self.field,
            )

    @classmethod
    def parse(cls, text: str) -> Move:
        """Return the move a text stands for.

        Raises:
            NotationError: if it stands for none.

        Examples:
            >>> Move.parse("12=5+7")
            Move.parse('12=5+7')
            >>> Move.parse("13=5+7")
            Traceback (most recent call last):
            ...
            kulami_solver.errors.NotationError: '13=5+7' is no move: the cards 5+7 add up to 12, \
not to field 13
        """
        if text == DISCARD:
            return cls(None, ())
        where, sign, rest = text.partition("=") if isinstance(text, str) else ("", "", "")
        words = rest.split("+", MAX_HAND)
        if (
            not sign
            or not (where == DISCARD or _FIELD.fullmatch(where))
            or not all(_FIELD.fullmatch(word) for word in words)
        ):
            raise NotationError("no_move", text=text)
        try:
            return cls(None if where == DISCARD else int(where), tuple(map(int, words)))
        except NotationError as error:
            raise error.at("no_move_text", text=text) from None

    def __str__(self) -> str:
        cards = "+".join(map(str, self.cards))
        if self.field is None:
            return f"{DISCARD}={cards}" if cards else DISCARD
        return f"{self.field}={cards}"

    def __repr__(self) -> str:
        return f"Move.parse({str(self)!r})"

    def to_json(self) -> dict[str, object]:
        """Return field and cards, as they stand in JSON.

        Examples:
            >>> Move.parse("12=5+7").to_json()
            {'field': 12, 'cards': [5, 7]}
        """
        return {"field": self.field, "cards": list(self.cards)}
