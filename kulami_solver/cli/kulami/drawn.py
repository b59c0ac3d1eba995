"""A board of Kulami as text, and what its characters mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kulami_solver.cli.output import draws_boards

if TYPE_CHECKING:
    from kulami_solver.kulami.layout import Layout
    from kulami_solver.kulami.position import Position
    from kulami_solver.kulami.render import Values

#: What the characters on a board mean, for help pages.
MARKS = """\
on a board
  r  b       a red marble, a black one
  ( )  [ ]   around the newest marble; around the one before it
  +          a legal field
  ·          a field that is empty, and not legal now"""


def board_text(
    shown: Position | Layout,
    color: bool = False,
    values: Values | None = None,
    language: str = "en",
) -> str:
    """A board as text, in characters that stdout has; with values on its legal fields."""
    from kulami_solver.kulami import render

    drawable = draws_boards()
    if color and drawable:
        return render.board_ansi(shown, values=values, language=language)
    return render.board_text(shown, ascii_only=not drawable, values=values, language=language)
