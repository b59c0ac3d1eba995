"""Positions of Just 4 Fun as text, plain or in a terminal's colours.

┌─────────┬─────────┐
│  1      │ 14 r1b2 │      the number of a field, and the stones on it
├─────────┼─────────┤
│ 33 [r2] │ 11      │      in brackets where it is a player's for good
└─────────┴─────────┘
hands     red     1 4 7 12
          blue    hidden
stock     43 of 47 unseen cards: 4x1 3x2 ...
discards  2 5
red to move; stones left red 18, blue 18; sums red 33, blue 14
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from ..drawing.text import framed
from ..errors import Phrase, said
from .unseen import unseen_cards
from .views import PositionView

# Numbers of the 256 colours that can be read on light and on dark ground.
_INKS: Final = {"r": 160, "b": 33, "g": 34, "y": 172}
_MOST_LISTED: Final = 12  # cards that are written out one by one
_STONES: Final = re.compile(r"\[([rbgy])([0-9]+)\]|([rbgy])([0-9]+)")


def board_text(position: PositionView, *, ascii_only: bool = False, language: str = "en") -> str:
    """Return board, hands and how the game stands, several lines without a line end at the last.

    Args:
        position: any position.
        ascii_only: draw the lines with `+`, `-` and `|`.
        language: of the page, in which all below the board is said.

    Examples:
        >>> from kulami_solver.just4fun import Position
        >>> print(board_text(Position.from_jfn("2x2 1:r1b1,4:r2 r2b3 b r1,b? {2.3.4} -", hand=1)))
        ┌─────────┬─────────┐
        │  1 r1b1 │  2      │
        ├─────────┼─────────┤
        │  3      │  4 [r2] │
        └─────────┴─────────┘
        hands     red   1
                  blue  hidden
        stock     2 of 3 unseen cards: 2 3 4
        discards  none
        blue to move; stones left red 2, blue 3; sums red 4, blue 0
    """
    return "\n".join([_grid(position, ascii_only), *_below(position, language)])


def board_ansi(position: PositionView, *, language: str = "en") -> str:
    """Return the same with the colours of a terminal (256 colours, ANSI sequences).

    Examples:
        >>> from kulami_solver.just4fun import Position
        >>> "\\x1b[" in board_ansi(Position.from_jfn("1x1 1:r1 r1b1 b r1,b1 - -", hand=1))
        True
    """
    grid = _STONES.sub(_inked, _grid(position, False))
    return "\n".join([grid, *_below(position, language)])


def _below(position: PositionView, language: str) -> list[str]:
    return [*card_lines(position, language), position.standing().said(language)]


def card_lines(position: PositionView, language: str = "en") -> list[str]:
    """Return hands, stock and discards in words, a line each.

    Examples:
        >>> from kulami_solver.just4fun import Position
        >>> card_lines(Position.from_jfn("2x2 - r2b0 r r1,b- 3.2 {1}", hand=1))[:3]
        ['hands     red   1', '          blue  none', 'stock     3 2, in this order']
    """
    names = [Phrase(name).said(language) for name in position.players]
    wide = max(map(len, names))
    head = Phrase("heading_hands").said(language)
    lines: list[str] = []
    for name, hand in zip(names, position.hands, strict=True):
        cards = said(Phrase("hidden") if hand is None else _cards(hand), language)
        lines.append(f"{'' if lines else head:<10}{name:<{wide}}  {cards}")
    for code, shown in (
        ("heading_stock", _stock(position)),
        ("heading_discards", _counted(position.discards)),
    ):
        lines.append(f"{Phrase(code).said(language):<10}{said(shown, language)}")
    return lines


def _stock(position: PositionView) -> str | Phrase:
    if position.hidden:
        unseen = unseen_cards(position)
        hidden = position.hands.count(None) * position.hand
        number = max(0, len(unseen) - hidden)
        cards = _counted(unseen)
        return Phrase("stock_unseen", count=number, unseen=len(unseen), cards=cards)
    if not position.stock:
        return Phrase("none_of_them")
    if position.ordered:
        return Phrase("stock_in_order", cards=_cards(position.stock))
    cards = _counted(position.stock)
    return Phrase("stock_unordered", count=len(position.stock), cards=cards)


def _counted(cards: tuple[int, ...]) -> str | Phrase:
    """Rising cards; many of them by how often each is there: 4x1 is four times the 1."""
    if len(cards) <= _MOST_LISTED:
        return _cards(cards)
    return " ".join(
        f"{number}x{card}" if number > 1 else str(card) for card, number in Counter(cards).items()
    )


def _cards(cards: tuple[int, ...]) -> str | Phrase:
    return " ".join(map(str, cards)) or Phrase("none_of_them")


def _grid(position: PositionView, ascii_only: bool) -> str:
    settled = position.settled
    marks = {}
    for row, numbers in enumerate(position.board.grid):
        for column, field in enumerate(numbers):
            stones = "".join(
                f"{colour}{number}"
                for colour, number in zip(position.colours, position.stones[field - 1], strict=True)
                if number
            )
            marks[column, row] = f" {field:2} {f'[{stones}]' if field in settled else stones} "
    wide = max(8, *map(len, marks.values()))
    squares = {square: number for number, square in enumerate(marks)}
    return framed(
        (position.board.columns, position.board.rows),
        squares,
        {square: mark.ljust(wide) for square, mark in marks.items()},
        ascii_only,
        named=False,
    )


def _inked(match: re.Match[str]) -> str:
    """Stones in their colour; reversed where the field is settled, so that widths stay."""
    if match[1]:
        return f"\x1b[1;7;38;5;{_INKS[match[1]]}m {match[1]}{match[2]} \x1b[0m"
    return f"\x1b[1;38;5;{_INKS[match[3]]}m{match[0]}\x1b[0m"
