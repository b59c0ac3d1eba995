"""Grids as text, plain or in a terminal's colours.

In plain text the edges of regions run between the squares:

         a   b   c
       ┌───────┬───┐
     1 │ r   · │ · │
       │       ├───┤
     2 │ ·   b │ · │
       └───────┴───┘

In colours a region is a block of one tone of wood. A square is five characters wide and two lines
high, so that it looks square: half a line, the line of its field, half a line. Where two squares
share a line between their fields, half a block of the lower one's tone is drawn on the upper's.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final, TextIO

from ..core.notation import COLUMNS

Square = tuple[int, int]
"""Column and row, both counted from 0."""

# The characters for corners, by the sum of their edges: 1 up, 2 right, 4 down, 8 left.
_LINES = " ╵╶└╷│┌├╴┘─┴┐┤┬┼"
_ASCII = " |-+||++-+-+++++"

# Numbers of a terminal's 256 colours.
WOOD: Final = (180, 137, 222, 173, 179)
RED_INK: Final = 124
BLACK_INK: Final = 16
FAINT_INK: Final = 94


def framed(
    size: tuple[int, int],
    regions: Mapping[Square, int],
    marks: Mapping[Square, str],
    ascii_only: bool = False,
    *,
    named: bool = True,
) -> str:
    """Return a grid as plain text, with lines where two regions meet.

    Args:
        size: columns and rows.
        regions: the number of the region each square belongs to; squares without one are outside.
        marks: the texts on the squares, all equally wide, with `·` for an empty square.
        ascii_only: draw lines with `+`, `-` and `|`, and `·` as `.`.
        named: name columns and rows.

    Examples:
        >>> print(framed((2, 1), {(0, 0): 0, (1, 0): 1}, {(0, 0): "r2", (1, 0): "b1"}))
             a  b
           ┌──┬──┐
         1 │r2│b1│
           └──┴──┘
    """
    columns, rows = size
    lines = _ASCII if ascii_only else _LINES
    wide = max(map(len, marks.values()), default=3)

    # Whether an edge runs along the left side of a square, and along its upper side.
    places = [(x, y) for y in range(-1, rows + 1) for x in range(-1, columns + 1)]
    upright = {(x, y): regions.get((x - 1, y)) != regions.get((x, y)) for x, y in places}
    level = {(x, y): regions.get((x, y - 1)) != regions.get((x, y)) for x, y in places}
    drawn = ["     " + (wide * " ").join(COLUMNS[:columns])] if named else []
    for row in range(rows + 1):
        border, fields = ("   ", f"{row + 1:2} ") if named else ("", "")
        for column in range(columns + 1):
            meeting = (
                upright[column, row - 1]
                + 2 * level[column, row]
                + 4 * upright[column, row]
                + 8 * level[column - 1, row]
            )
            border += lines[meeting] + wide * lines[10 * level[column, row]]
            fields += lines[5 * upright[column, row]] + marks.get((column, row), wide * " ")
        drawn.append(border)
        if row < rows:
            drawn.append(fields)
    text = "\n".join(line.rstrip() for line in drawn)
    return text.replace("·", ".") if ascii_only else text


def painted(size: tuple[int, int], wood: Mapping[Square, int], inked: Mapping[Square, str]) -> str:
    """Return a grid as text with the colours of a terminal.

    Args:
        size: columns and rows.
        wood: the tone of each square, one of the 256 colours; squares without one are outside.
        inked: the texts on the squares, three characters wide in print.

    Examples:
        >>> "\\x1b[48;5;180m r2  " in painted((1, 1), {(0, 0): 180}, {(0, 0): "r2 "})
        True
    """
    columns, rows = size
    drawn = ["     " + "    ".join(COLUMNS[:columns])]
    for row in range(rows + 1):
        between, fields = "   ", f"{row + 1:2} "
        for column in range(columns):
            above, here = wood.get((column, row - 1), 0), wood.get((column, row), 0)
            if above == here:
                between += f"\x1b[48;5;{here}m     \x1b[0m" if here else "     "
            elif not here:
                between += f"\x1b[38;5;{above}m▀▀▀▀▀\x1b[0m"
            else:
                table = f"\x1b[48;5;{above}m" if above else ""
                between += f"{table}\x1b[38;5;{here}m▄▄▄▄▄\x1b[0m"
            mark = inked.get((column, row))
            fields += f"\x1b[48;5;{here}m {mark} \x1b[0m" if mark else "     "
        drawn.append(between.rstrip())
        if row < rows:
            drawn.append(fields.rstrip())
    return "\n".join(drawn)


def wants_colour(stream: TextIO) -> bool:
    """Return whether coloured text suits `stream`: a terminal, and colours are not turned off.

    The environment turns them off by a `NO_COLOR` that is not empty, or by `TERM=dumb`.

    Examples:
        >>> import io
        >>> wants_colour(io.StringIO())
        False
    """
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()
