"""Boards of Malawi as text, plain or in a terminal's colours, drawn as Kulami's are.

    a   b
  ┌───┬───┐
1 │b2 │b0 │      black's figures with their beads
  ├───┼───┤
2 │   │r1 │
  ├───┼───┤
3 │r4 │   │
  └───┴───┘
"""

from __future__ import annotations

from ..drawing.text import BLACK_INK, FAINT_INK, RED_INK, WOOD, framed, painted
from .notation import figures
from .views import PositionView


def board_text(position: PositionView, *, ascii_only: bool = False, language: str = "en") -> str:
    """Return the board as plain text, several lines without a line end after the last.

    Args:
        position: any position.
        ascii_only: draw the lines with `+`, `-` and `|`.
        language: of the page, in which the line below the board says how the game stands.

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
    shown = _figures(position)
    wide = max(3, *(len(figure) for figure in shown.values()))
    grid = framed(
        (position.columns, position.rows),
        {square: number for number, square in enumerate(shown)},
        {square: figure.ljust(wide) for square, figure in shown.items()},
        ascii_only,
    )
    return f"{grid}\n{position.standing().said(language)}"


def board_ansi(position: PositionView, *, language: str = "en") -> str:
    """Return the board as text with the colours of a terminal (256 colours, ANSI sequences).

    Figures are balls with their beads beside them; those without a bead are faint.

    Examples:
        >>> from kulami_solver.malawi import Board, Position
        >>> "\\x1b[48;5;180m" in board_ansi(Position.start(Board(2, 3)))
        True
    """
    shown = _figures(position)
    wood = {(column, row): WOOD[(column + row) % 2] for column, row in shown}
    inked = {square: _ink(figure) for square, figure in shown.items()}
    grid = painted((position.columns, position.rows), wood, inked)
    return f"{grid}\n{position.standing().said(language)}"


def _figures(position: PositionView) -> dict[tuple[int, int], str]:
    """Return what stands on each square, by column and row."""
    return {
        (number % position.columns, number // position.columns): figure
        for number, figure in enumerate(figures(position.placement))
    }


def _ink(figure: str) -> str:
    if not figure:
        return "   "
    side, beads = figure[0], figure[1:]
    colour = RED_INK if side == "r" else BLACK_INK
    weight = "2" if beads == "0" else "1"
    count = f"\x1b[22;38;5;{FAINT_INK}m0 " if beads == "0" else beads.ljust(2)
    return f"\x1b[{weight};38;5;{colour}m●{count}"
