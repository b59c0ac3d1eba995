"""Positions of Just 4 Fun as text, plain or in a terminal's colours, and as pictures.

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

The picture, of the shapes of `drawing/shapes.py`:

    +--------------------------+
    |  1       14       30     |     the number of a field above the stones on it, with how many
    | (r)      (b)(r)          |     they are; a field that is a player's for good has the
    |                          |     player's colour
    | (r) [1] [4] [7]          |     the hands as cards, hidden ones as their backs
    | (b) [?] [?] [?]          |
    | stock ..., discards ...  |     in as many lines as it takes
    | (r) red to move ...      |
    +--------------------------+
"""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from typing import Final, Protocol

from ..core.notation import so_many
from ..drawing.shapes import SQUARE, Ball, Colour, Label, Picture, Plank, Ring, Shape
from ..drawing.text import framed
from .notation import COLOURS, Written, write_jfn

_LETTERS: Final = {name: letter for letter, name in COLOURS.items()}
# Numbers of the 256 colours that can be read on light and on dark ground.
_INKS: Final = {"r": 160, "b": 33, "g": 34, "y": 172}
_MOST_LISTED: Final = 12  # cards that are written out one by one
_WRITTEN: Final = re.compile(r"\[([rbgy])([0-9]+)\]|([rbgy])([0-9]+)")

_EDGE: Final = 24.0  # around everything
_GAP: Final = 2.0  # of a field's square to its plank
_CARD_WIDE: Final = 30.0
_CARD_HIGH: Final = 40.0
_CARD_STEP: Final = 35.0
_HAND_INDENT: Final = 34.0
_HAND_ROW: Final = 50.0
_LINE: Final = 21.0
_TEXT_SIZE: Final = 15.0
_WIDE: Final = 0.58  # what a character takes at most on average, of its size
_NARROWEST: Final = 320.0

_PAPER: Colour = (246, 241, 232, 1.0)
_INK: Colour = (72, 58, 44, 1.0)
_SHADOW: Colour = (60, 40, 20, 0.25)
_FIELD: tuple[Colour, Colour] = ((253, 250, 243, 1.0), (238, 229, 212, 1.0))
_CUT: Colour = (148, 122, 92, 1.0)
_CARD: Colour = (255, 255, 255, 1.0)
_BACK: tuple[Colour, Colour] = ((120, 130, 150, 1.0), (84, 92, 112, 1.0))
_WHITE: Colour = (255, 255, 255, 1.0)
_LINE_MARK: Colour = (36, 150, 72, 1.0)

# Light and dark of a stone, and the shades of a field that is a player's for good.
_STONES: Final[dict[str, tuple[Colour, Colour]]] = {
    "r": ((250, 112, 96, 1.0), (160, 16, 20, 1.0)),
    "b": ((104, 156, 240, 1.0), (18, 58, 150, 1.0)),
    "g": ((104, 190, 116, 1.0), (14, 96, 40, 1.0)),
    "y": ((255, 226, 96, 1.0), (206, 150, 0, 1.0)),
}
_SETTLED: Final[dict[str, tuple[Colour, Colour]]] = {
    "r": ((250, 196, 188, 1.0), (238, 168, 158, 1.0)),
    "b": ((188, 210, 248, 1.0), (160, 188, 238, 1.0)),
    "g": ((192, 228, 194, 1.0), (162, 210, 168, 1.0)),
    "y": ((255, 238, 168, 1.0), (246, 220, 124, 1.0)),
}


class Facts(Protocol):
    """What a drawing is told of a position."""

    @property
    def written(self) -> Written: ...
    @property
    def hand(self) -> int: ...
    @property
    def settled(self) -> dict[int, str]: ...
    @property
    def winning_line(self) -> tuple[int, ...] | None: ...
    @property
    def winner(self) -> str | None: ...
    @property
    def unseen_cards(self) -> tuple[int, ...]: ...

    def standing(self) -> str: ...


def board_text(position: Facts, *, ascii_only: bool = False) -> str:
    """Return board, hands and how the game stands, several lines without a line end at the last.

    Args:
        position: any position.
        ascii_only: draw the lines with `+`, `-` and `|`.

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
    return "\n".join([_grid(position, ascii_only), *_below(position)])


def board_ansi(position: Facts) -> str:
    """Return the same with the colours of a terminal (256 colours, ANSI sequences).

    Examples:
        >>> from kulami_solver.just4fun import Position
        >>> "\\x1b[" in board_ansi(Position.from_jfn("1x1 1:r1 r1b1 b r1,b1 - -", hand=1))
        True
    """
    grid = _WRITTEN.sub(_inked, _grid(position, False))
    return "\n".join([grid, *_below(position)])


def _below(position: Facts) -> list[str]:
    return [*card_lines(position), position.standing()]


def card_lines(position: Facts) -> list[str]:
    """Return hands, stock and discards in words, a line each.

    Examples:
        >>> from kulami_solver.just4fun import Position
        >>> card_lines(Position.from_jfn("2x2 - r2b0 r r1,b- 3.2 {1}", hand=1))[:3]
        ['hands     red   1', '          blue  none', 'stock     3 2, in this order']
    """
    written = position.written
    players = _players(written)
    wide = max(map(len, players))
    lines: list[str] = []
    for name, hand in zip(players, written.hands, strict=True):
        cards = "hidden" if hand is None else _cards(hand)
        lines.append(f"{'' if lines else 'hands':<10}{name:<{wide}}  {cards}")
    return [*lines, f"stock     {_stock(position)}", f"discards  {_counted(written.discards)}"]


def _players(written: Written) -> list[str]:
    return [COLOURS[colour] for colour in written.colours]


def _stock(position: Facts) -> str:
    stock = position.written.stock
    if hidden := position.written.hands.count(None) * position.hand:
        unseen = position.unseen_cards
        number = max(0, len(unseen) - hidden)
        return f"{number} of {so_many(len(unseen), 'unseen card')}: {_counted(unseen)}"
    if not stock:
        return "none"
    if position.written.ordered:
        return f"{_cards(stock)}, in this order"
    return f"{so_many(len(stock), 'card')} in unknown order: {_counted(stock)}"


def _counted(cards: tuple[int, ...]) -> str:
    """Rising cards; many of them by how often each is there: 4x1 is four times the 1."""
    if len(cards) <= _MOST_LISTED:
        return _cards(cards)
    return " ".join(
        f"{number}x{card}" if number > 1 else str(card) for card, number in Counter(cards).items()
    )


def _cards(cards: tuple[int, ...]) -> str:
    return " ".join(map(str, cards)) or "none"


def _grid(position: Facts, ascii_only: bool) -> str:
    settled, written = position.settled, position.written
    marks = {}
    for row, numbers in enumerate(written.board.grid):
        for column, field in enumerate(numbers):
            stones = "".join(
                f"{colour}{number}"
                for colour, number in zip(written.colours, written.stones[field - 1], strict=True)
                if number
            )
            marks[column, row] = f" {field:2} {f'[{stones}]' if field in settled else stones} "
    wide = max(8, *map(len, marks.values()))
    squares = {square: number for number, square in enumerate(marks)}
    return framed(
        (written.board.columns, written.board.rows),
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


def picture_of(position: Facts) -> Picture:
    """Return the picture of a position.

    Examples:
        >>> from kulami_solver.just4fun import Board, deal
        >>> picture = picture_of(deal(Board.parse("3x3"), 1, stones=5, line=3))
        >>> picture.width, picture.title
        (320.0, 'red to move; stones left red 5, blue 5; sums red 0, blue 0')
    """
    written = position.written
    board, colours = written.board, written.colours
    most = max(position.hand if hand is None else len(hand) for hand in written.hands)
    width = max(
        _NARROWEST, board.columns * SQUARE + 2 * _EDGE, 2 * _EDGE + _HAND_INDENT + most * _CARD_STEP
    )
    top = _EDGE + board.rows * SQUARE + 14
    shapes: list[Shape] = []
    left = (width - board.columns * SQUARE) / 2
    for row, numbers in enumerate(board.grid):
        for column, field in enumerate(numbers):
            shapes += _field(position, field, left + column * SQUARE, _EDGE + row * SQUARE)
    for seat in range(len(colours)):
        shapes += _hand(position, seat, top)
        top += _HAND_ROW
    top += 8
    room = int((width - 2 * _EDGE) / (_WIDE * _TEXT_SIZE))
    cards = card_lines(position)[len(colours) :]
    lines = [part for line in cards for part in textwrap.wrap(" ".join(line.split()), room)]
    standing = position.standing()
    caption = textwrap.wrap(standing, int(room - _HAND_INDENT / 9))
    for text in lines:
        shapes.append(Label(_EDGE, top, _TEXT_SIZE, text, _INK, centred=False))
        top += _LINE
    top += 6
    speaks_of = _LETTERS[position.winner] if position.winner else colours[written.seat]
    shapes.append(Ball(_EDGE + 10, top, 9, *_STONES[speaks_of]))
    for text in caption:
        shapes.append(Label(_EDGE + 27, top, _TEXT_SIZE, text, _INK, centred=False))
        top += _LINE
    height = top + 4
    paper = Plank(0, 0, width, height, 10, _PAPER, _PAPER)
    return Picture(width, height, (paper, *shapes), standing, write_jfn(written))


def _field(position: Facts, field: int, x: float, y: float) -> list[Shape]:
    counts, colours = position.written.stones[field - 1], position.written.colours
    side = SQUARE - 2 * _GAP
    owner = position.settled.get(field)
    shades = _FIELD if owner is None else _SETTLED[_LETTERS[owner]]
    shapes: list[Shape] = [
        Plank(x + _GAP + 1, y + _GAP + 2, side, side, 7, _SHADOW, _SHADOW),
        Plank(x + _GAP, y + _GAP, side, side, 7, *shades, _CUT),
    ]
    middle = x + SQUARE / 2
    stones = [(colour, n) for colour, n in zip(colours, counts, strict=True) if n]
    crowded = len(stones) > 2
    size, level = (15.0, 12.0) if crowded else (19.0, 17.0 if stones else 30.0)
    shapes.append(Label(middle, y + level, size, str(field), _INK))
    # Two beside each other; three or four in two rows.
    radius, top = (9.0, 29.0) if crowded else (11.0, 41.0)
    for at, (colour, number) in enumerate(stones):
        beside = min(len(stones) - at // 2 * 2, 2)
        place = middle + (at % 2 - (beside - 1) / 2) * (2 * radius + 1)
        level = y + top + at // 2 * (2 * radius + 1)
        shapes.append(Ball(place, level, radius, *_STONES[colour]))
        ink = _INK if colour == "y" else _WHITE
        shapes.append(Label(place, level, radius * 1.35, str(number), ink))
    if position.winning_line is not None and field in position.winning_line:
        shapes.append(Ring(middle, y + SQUARE / 2, 26, 3.5, _LINE_MARK))
    return shapes


def _hand(position: Facts, seat: int, top: float) -> list[Shape]:
    """A player's cards, next to a stone of theirs with how many are left."""
    written = position.written
    colour = written.colours[seat]
    middle = top + _CARD_HIGH / 2
    ink = _INK if colour == "y" else _WHITE
    shapes: list[Shape] = [
        Ball(_EDGE + 14, middle, 13, *_STONES[colour]),
        Label(_EDGE + 14, middle, 14, str(written.left[seat]), ink),
    ]
    hand = written.hands[seat]
    texts = ["?"] * position.hand if hand is None else [str(card) for card in hand]
    shades = _BACK if hand is None else (_CARD, _CARD)
    for at, text in enumerate(texts):
        x = _EDGE + _HAND_INDENT + at * _CARD_STEP
        shapes += [
            Plank(x + 1, top + 2, _CARD_WIDE, _CARD_HIGH, 5, _SHADOW, _SHADOW),
            Plank(x, top, _CARD_WIDE, _CARD_HIGH, 5, *shades, _CUT),
            Label(x + _CARD_WIDE / 2, middle, 18, text, _WHITE if hand is None else _INK),
        ]
    return shapes
