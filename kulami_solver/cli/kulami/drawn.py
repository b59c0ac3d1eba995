"""A board of Kulami as text, and the meaning of its characters."""

from __future__ import annotations

from functools import partial

from kulami_solver.cli import output

#: The meaning of the characters on a board, for help pages.
MARKS = """\
on a board
  r  b       a red marble, a black one
  ( )  [ ]   around the newest marble; around the one before it
  +          a legal field
  ·          a field that is empty, and not legal now"""

#: A position or layout as text; `values` stand on its legal fields.
board_text = partial(output.board_text, "kulami_solver.kulami.drawing.render")
