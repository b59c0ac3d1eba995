"""Boards of Malawi as text, plain or in a terminal's colours, and as a picture.

    a   b
  ┌───┬───┐
1 │b2 │b0 │      black's figures with their beads
  ├───┼───┤
2 │   │r1 │
  ├───┼───┤
3 │r4 │   │
  └───┴───┘

In the picture the board is chequered, and figures are balls with their beads on them.
`drawing/shapes.py` has the shapes of a picture, and its sheet.
"""

from __future__ import annotations

from typing import Final, Protocol

from ..drawing.shapes import (
    BLACK,
    MARGIN,
    RED,
    SQUARE,
    Ball,
    Colour,
    Label,
    Picture,
    Plank,
    Shape,
    middle,
    named_squares,
    sheet,
)
from ..drawing.text import BLACK_INK, FAINT_INK, RED_INK, WOOD, framed, painted
from .notation import Placement, figures, write_mfn

_LIGHT: Final[Colour] = (240, 208, 152, 1.0)
_DARK: Final[Colour] = (214, 172, 104, 1.0)
_CUT: Final[Colour] = (92, 58, 26, 1.0)
_SHADOW: Final[Colour] = (60, 40, 20, 0.30)
_BEADS: Final[Colour] = (255, 246, 214, 1.0)
_FIGURE: Final = 22.0
_BARE: Final = 17.0  # radius of a figure without a bead


class Facts(Protocol):
    """What a drawing is told of a position."""

    @property
    def placement(self) -> Placement: ...

    def standing(self) -> str: ...


def board_text(position: Facts, *, ascii_only: bool = False) -> str:
    """Return the board as plain text, several lines without a line end after the last.

    Args:
        position: any position.
        ascii_only: draw the lines with `+`, `-` and `|`.

    Examples:
        >>> from kulami_solver.malawi import Position
        >>> print(board_text(Position.from_mfn("b2b0/.r1/r14. r")))
             a   b
           ┌───┬───┐
         1 │b2 │b0 │
           ├───┼───┤
         2 │   │r1 │
           ├───┼───┤
         3 │r14│   │
           └───┴───┘
        red to move, 4 turns; beads red 15, black 2
    """
    placement = position.placement
    shown = _figures(placement)
    wide = max(3, *(len(figure) for figure in shown.values()))
    grid = framed(
        (placement.columns, placement.rows),
        {square: number for number, square in enumerate(shown)},
        {square: figure.ljust(wide) for square, figure in shown.items()},
        ascii_only,
    )
    return f"{grid}\n{position.standing()}"


def board_ansi(position: Facts) -> str:
    """Return the board as text with the colours of a terminal (256 colours, ANSI sequences).

    Figures are balls with their beads beside them; those without a bead are faint.

    Examples:
        >>> from kulami_solver.malawi import Board, Position
        >>> "\\x1b[48;5;180m" in board_ansi(Position.start(Board(2, 3)))
        True
    """
    placement = position.placement
    shown = _figures(placement)
    wood = {(column, row): WOOD[(column + row) % 2] for column, row in shown}
    inked = {square: _ink(figure) for square, figure in shown.items()}
    grid = painted((placement.columns, placement.rows), wood, inked)
    return f"{grid}\n{position.standing()}"


def _figures(placement: Placement) -> dict[tuple[int, int], str]:
    """Return what stands on each square, by column and row."""
    return {
        (number % placement.columns, number // placement.columns): figure
        for number, figure in enumerate(figures(placement))
    }


def _ink(figure: str) -> str:
    if not figure:
        return "   "
    side, beads = figure[0], figure[1:]
    colour = RED_INK if side == "r" else BLACK_INK
    weight = "2" if beads == "0" else "1"
    count = f"\x1b[22;38;5;{FAINT_INK}m0 " if beads == "0" else beads.ljust(2)
    return f"\x1b[{weight};38;5;{colour}m●{count}"


def picture_of(position: Facts) -> Picture:
    """Return the picture of a position.

    Examples:
        >>> from kulami_solver.malawi import Board, Position
        >>> picture = picture_of(Position.start(Board(2, 3)))
        >>> picture.title, picture.description
        ('red to move, 4 turns; beads red 4, black 4', 'b2b2/../r2r2 r')
        >>> sum(getattr(shape, "text", "") == "2" for shape in picture.shapes)
        5
    """
    placement = position.placement
    columns, rows = placement.columns, placement.rows
    shapes = named_squares(columns, rows)
    shown = _figures(placement)
    for column, row in sorted(shown):
        colour = _DARK if (column + row) % 2 else _LIGHT
        x, y = MARGIN + column * SQUARE, MARGIN + row * SQUARE
        shapes.append(Plank(x, y, SQUARE, SQUARE, 0, colour, colour, _CUT))
    for (column, row), figure in shown.items():
        if figure:
            colours = RED if figure[0] == "r" else BLACK
            shapes += _figure(middle(column), middle(row), colours, figure[1:])
    mfn, caption = write_mfn(placement), position.standing()
    return sheet((columns, rows), shapes, mfn, caption, placement.turn)


def _figure(x: float, y: float, colours: tuple[Colour, Colour], beads: str) -> list[Shape]:
    radius, size = (_BARE, 15) if beads == "0" else (_FIGURE, 19)
    return [
        Ball(x + 2, y + 3.5, radius, _SHADOW, _SHADOW),
        Ball(x, y, radius, *colours),
        Label(x, y, size, beads, _BEADS),
    ]
