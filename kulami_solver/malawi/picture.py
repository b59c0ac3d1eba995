"""The picture of a board of Malawi: a chequered board, figures as balls with their beads on them.

`drawing/shapes.py` has the shapes of a picture, `drawing/sheet.py` its sheet.
"""

from __future__ import annotations

from typing import Final

from ..drawing.shapes import MARGIN, SQUARE, Ball, Colour, Label, Picture, Plank, Shape
from ..drawing.sheet import BLACK, RED, middle, named_squares, sheet
from .views import PositionView

_LIGHT: Final[Colour] = (240, 208, 152, 1.0)
_DARK: Final[Colour] = (214, 172, 104, 1.0)
_CUT: Final[Colour] = (92, 58, 26, 1.0)
_SHADOW: Final[Colour] = (60, 40, 20, 0.30)
_BEADS: Final[Colour] = (255, 246, 214, 1.0)
_FIGURE: Final = 22.0
_BARE: Final = 17.0  # radius of a figure without a bead


def picture_of(position: PositionView, language: str = "en") -> Picture:
    """Return the picture of a position, its caption in a language.

    Examples:
        >>> from kulami_solver.malawi import Board, Position
        >>> picture = picture_of(Position.start(Board(2, 3)))
        >>> picture.title, picture.description
        ('red to move, 4 turns; beads red 4, black 4', 'b2b2/../r2r2 r')
        >>> sum(getattr(shape, "text", "") == "2" for shape in picture.shapes)
        5
    """
    columns, rows = position.columns, position.rows
    shapes = named_squares(columns, rows)
    for column in range(columns):
        for row in range(rows):
            colour = _DARK if (column + row) % 2 else _LIGHT
            x, y = MARGIN + column * SQUARE, MARGIN + row * SQUARE
            shapes.append(Plank(x, y, SQUARE, SQUARE, 0, colour, colour, _CUT))
    placement = position.placement
    for number, beads in enumerate(placement.beads):
        x, y = middle(number % columns), middle(number // columns)
        if placement.red >> number & 1:
            shapes += _figure(x, y, RED, beads)
        elif placement.black >> number & 1:
            shapes += _figure(x, y, BLACK, beads)
    caption = position.standing().said(language)
    return sheet((columns, rows), shapes, position.mfn(), caption, position.turn)


def _figure(x: float, y: float, colours: tuple[Colour, Colour], beads: int) -> list[Shape]:
    radius = _FIGURE if beads else _BARE
    return [
        Ball(x + 2, y + 3.5, radius, _SHADOW, _SHADOW),
        Ball(x, y, radius, *colours),
        Label(x, y, 19 if beads else 15, str(beads), _BEADS),
    ]
