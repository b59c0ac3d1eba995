"""Pictures of boards as shapes, in the order in which they are painted; `svg` and `png` paint them.

Lengths are in units of which a square is 60 wide; a board's upper left corner is at
(MARGIN, MARGIN). Most boards lie on a sheet, with the names of columns and rows, and a caption:

+----------------------+
|    a    b    c       |
| 1                    |      the board is the game's
| 2                    |
|  o black to move ... |      a ball for the side to move, and the lines of the caption
+----------------------+
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Final

from ..core.notation import COLUMNS

SQUARE: Final = 60.0
MARGIN: Final = 40.0

Colour = tuple[int, int, int, float]
"""Red, green and blue, 0 to 255, and how opaque, 0 to 1."""


@dataclass(frozen=True)
class Plank:
    """A rectangle with round corners, shaded from its upper to its lower edge."""

    x: float
    y: float
    width: float
    height: float
    radius: float
    upper: Colour
    lower: Colour
    rim: Colour | None = None


@dataclass(frozen=True)
class Grain:
    """Thin lines, each through points."""

    lines: tuple[tuple[tuple[float, float], ...], ...]
    colour: Colour


@dataclass(frozen=True)
class Ball:
    """A disc, lit from the upper left: `light` near there, `dark` at the rim."""

    x: float
    y: float
    radius: float
    light: Colour
    dark: Colour


@dataclass(frozen=True)
class Ring:
    """A circle's line, `radius` to its middle."""

    x: float
    y: float
    radius: float
    width: float
    colour: Colour


@dataclass(frozen=True)
class Label:
    """A text around a point, or to the right of it."""

    x: float
    y: float
    size: float
    text: str
    colour: Colour
    centred: bool = True


Shape = Plank | Grain | Ball | Ring | Label


@dataclass(frozen=True)
class Picture:
    """Shapes on a sheet, with a title and a description for those who cannot see it."""

    width: float
    height: float
    shapes: tuple[Shape, ...]
    title: str
    description: str


_CAPTION: Final = 34.0  # height of a caption's first line
_NEXT_LINE: Final = 21.0  # height of each further line
_CAPTION_SIZE: Final = 17.0
# The largest mean width of a character, as part of the font size; fonts depend on the viewer.
_WIDE: Final = 0.6
# From the sheet's left edge to the caption, and from its end to the right edge.
_INDENT: Final = MARGIN + 27
_RIM: Final = 8.0
# The longest words of a caption, such as "d10,d12", fit on a sheet of this width.
_NARROWEST: Final = 200.0

_PAPER: Final[Colour] = (246, 241, 232, 1.0)
INK: Final[Colour] = (92, 74, 56, 1.0)
"""The colour of names and captions."""

RED: Final[tuple[Colour, Colour]] = ((255, 120, 100, 1.0), (150, 10, 14, 1.0))
"""The light and the dark of a red ball."""

BLACK: Final[tuple[Colour, Colour]] = ((120, 124, 134, 1.0), (14, 14, 18, 1.0))
"""The light and the dark of a black ball."""


def middle(place: int) -> float:
    """Return the coordinate of the middle of a column or row, counted from 0.

    Examples:
        >>> middle(0), middle(1)
        (70.0, 130.0)
    """
    return MARGIN + (place + 0.5) * SQUARE


def named_squares(columns: int, rows: int) -> list[Shape]:
    """Return the names of columns and rows as shapes.

    Examples:
        >>> [label.text for label in named_squares(2, 3)]
        ['a', 'b', '1', '2', '3']
    """
    shapes: list[Shape] = []
    for column in range(columns):
        shapes.append(Label(middle(column), MARGIN * 0.55, 18, COLUMNS[column], INK))
    for row in range(rows):
        shapes.append(Label(MARGIN * 0.5, middle(row), 18, str(row + 1), INK))
    return shapes


def sheet(
    size: tuple[int, int], board: list[Shape], description: str, caption: str, turn: str
) -> Picture:
    """Return a board on its sheet.

    Args:
        size: columns and rows.
        board: its shapes, with the names of columns and rows.
        description: the position as one line.
        caption: the standing of the game, also used as the title.
        turn: the side whose ball stands before the caption, "red" or "black".

    Examples:
        >>> picture = sheet((2, 3), named_squares(2, 3), "...", "red to move", "red")
        >>> picture.width, picture.height, picture.title
        (200.0, 294.0, 'red to move')
    """
    width = max(size[0] * SQUARE + 2 * MARGIN, _NARROWEST)
    room = (width - _INDENT - _RIM) / (_WIDE * _CAPTION_SIZE)
    lines = textwrap.wrap(caption, int(room), break_on_hyphens=False)
    height = size[1] * SQUARE + 2 * MARGIN + _CAPTION + _NEXT_LINE * (len(lines) - 1)
    line = height - MARGIN * 0.75 - _NEXT_LINE * (len(lines) - 1)
    shapes = [paper(width, height), *board]
    shapes.append(Ball(MARGIN + 10, line, 9, *(RED if turn == "red" else BLACK)))
    for number, text in enumerate(lines):
        y = line + _NEXT_LINE * number
        shapes.append(Label(_INDENT, y, _CAPTION_SIZE, text, INK, centred=False))
    return Picture(width, height, tuple(shapes), caption, description)


def paper(width: float, height: float) -> Shape:
    """Return the paper of a sheet.

    Examples:
        >>> paper(260, 200).width
        260
    """
    return Plank(0, 0, width, height, 10, _PAPER, _PAPER)
