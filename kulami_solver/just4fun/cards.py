"""The cards: the deck, draws and sums of cards, the moves made with them, and their notation.

The deck has 55 cards: 1 to 12 four times each, 13 to 19 once each. Cards are written rising with
dots between, `1.4.4.12`. A move is one of three:

    12=5+7          the cards 5 and 7 are played, and a stone is placed on field 12
    discard=3+4     a hand without a playable sum is put away, and nothing is placed
    discard         the same of a hand without a card
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import comb
from typing import Final

from ..core.whole_numbers import whole, wholes
from ..errors import NotationError, PositionError, checked_kind

HIGHEST_CARD: Final = 19

DECK: Final = tuple(sorted([*range(1, 13)] * 4 + [*range(13, HIGHEST_CARD + 1)]))
"""All 55 cards, rising."""

MAX_HAND: Final = 12
"""The most cards a hand may have: its choices of cards are then 4095."""

DISCARD: Final = "discard"
"""The name of the move that puts the hand away."""

_FIELD: Final = re.compile(r"[1-9][0-9]?", re.ASCII)
_CARD: Final = re.compile(r"[1-9][0-9]?", re.ASCII)
_COPIES: Final = Counter(DECK)


def copies(card: int) -> int:
    """Return how often a card is in the deck.

    Examples:
        >>> copies(12), copies(13), copies(20)
        (4, 1, 0)
    """
    return _COPIES[card]


def read_cards(text: str, what: str, *, rising: bool) -> tuple[int, ...]:
    """Return cards written with dots between.

    Args:
        text: at least one card.
        what: the name of the cards, for the message.
        rising: whether they have to be in order.

    Raises:
        NotationError: if it is malformed.

    Examples:
        >>> read_cards("3.4.4.19", "the hand of red", rising=True)
        (3, 4, 4, 19)
        >>> read_cards("4.3", "the hand of red", rising=True)
        Traceback (most recent call last):
        ...
        kulami_solver.errors.NotationError: the hand of red has 3 after 4: write the cards rising
    """
    words = text.split(".", len(DECK))
    if len(words) > len(DECK):
        raise NotationError("more_cards_than_deck", what=what, count=len(DECK))
    for word in words:
        if not _CARD.fullmatch(word) or int(word) > HIGHEST_CARD:
            raise NotationError("no_card_in", what=what, text=word, most=HIGHEST_CARD)
    cards = tuple(map(int, words))
    if rising:
        for before, card in pairwise(cards):
            if card < before:
                raise NotationError("cards_not_rising", what=what, card=card, before=before)
    return cards


def write_cards(cards: Iterable[int]) -> str:
    """Return cards as text.

    Examples:
        >>> write_cards((3, 4, 4, 19))
        '3.4.4.19'
    """
    return ".".join(map(str, cards))


def taken(cards: Sequence[int], some: Iterable[int]) -> tuple[int, ...]:
    """Return the remaining cards, in their order, after some are taken out.

    Raises:
        PositionError: if some are not among them.

    Examples:
        >>> taken((1, 4, 4, 7), (4, 7))
        (1, 4)
        >>> taken((1, 4), (4, 4))
        Traceback (most recent call last):
        ...
        kulami_solver.errors.PositionError: 4.4 is not among the cards 1.4
    """
    out = Counter(some)
    missing = out - Counter(cards)
    if missing:
        raise PositionError(
            "not_among_cards",
            missing=write_cards(sorted(out.elements())),
            cards=write_cards(sorted(cards)) or "-",
        )
    left = []
    for card in cards:
        if out[card]:
            out[card] -= 1
        else:
            left.append(card)
    return tuple(left)


def ways_to_draw(cards: Iterable[int], number: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield every choice of `number` cards, rising, with the number of ways to draw it.

    The count distinguishes cards of one value: the counts add up to the binomial coefficient.

    Args:
        cards: any cards.
        number: 0 to as many as there are.

    Examples:
        >>> list(ways_to_draw((2, 5, 5, 5), 2))
        [((2, 5), 3), ((5, 5), 3)]
        >>> sum(ways for _, ways in ways_to_draw(DECK, 4))
        341055
    """
    kinds = sorted(Counter(cards).items())
    after = [0] * (len(kinds) + 1)  # how many cards there are from a kind on
    for at in reversed(range(len(kinds))):
        after[at] = after[at + 1] + kinds[at][1]

    def choices(
        at: int, wanted: int, chosen: tuple[int, ...], ways: int
    ) -> Iterator[tuple[tuple[int, ...], int]]:
        if not wanted:
            yield chosen, ways
            return
        if after[at] < wanted:
            return
        card, there = kinds[at]
        for number in range(min(there, wanted), -1, -1):
            yield from choices(
                at + 1, wanted - number, chosen + (card,) * number, ways * comb(there, number)
            )

    return choices(0, number, (), 1)


def sums_of(hand: Sequence[int], highest: int) -> dict[int, list[tuple[int, ...]]]:
    """Return the sums that cards of a hand make, each with the choices of cards that make it.

    Args:
        hand: rising, at most 12 cards.
        highest: the largest sum that is wanted.

    Examples:
        >>> sums_of((1, 2, 3), 5)
        {1: [(1,)], 2: [(2,)], 3: [(1, 2), (3,)], 4: [(1, 3)], 5: [(2, 3)]}
    """
    choices: set[tuple[int, ...]] = {()}
    for card in hand:
        choices |= {(*chosen, card) for chosen in choices if sum(chosen) + card <= highest}
    found: dict[int, list[tuple[int, ...]]] = {}
    for chosen in sorted(choices - {()}):
        found.setdefault(sum(chosen), []).append(chosen)
    return dict(sorted(found.items()))


@dataclass(frozen=True)
class Move:
    """Cards played, and the field a stone is placed on. Whether it is legal is for `Position`.

    Attributes:
        field: the sum of the cards; None if the hand is put away.
        cards: those played or put away, rising.

    Raises:
        NotationError: if the cards do not add up to the field.

    Examples:
        >>> from kulami_solver.just4fun.cards import Move
        >>> Move(12, (5, 7)) == Move.parse("12=7+5"), str(Move(None, (3, 4)))
        (True, 'discard=3+4')
    """

    field: int | None
    cards: tuple[int, ...]

    def __post_init__(self) -> None:
        cards = self.cards
        if (
            len(checked_kind(cards, tuple, "the cards of a move are a tuple", NotationError))
            > MAX_HAND
        ):
            raise NotationError("move_too_many_cards", most=MAX_HAND, count=len(cards))
        cards = wholes(cards)
        for card in cards:
            if whole(card) is None or not 1 <= card <= HIGHEST_CARD:
                raise NotationError("no_such_card", card=card, most=HIGHEST_CARD)
        object.__setattr__(self, "cards", tuple(sorted(cards)))
        if self.field is None:
            return
        object.__setattr__(self, "field", whole(self.field))
        if self.field != sum(cards):
            shown, count = "+".join(map(str, cards)) or "-", len(cards)
            asked = {"cards": shown, "count": count, "field": self.field}
            raise NotationError("other_sum", **asked, sum=sum(cards))

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
