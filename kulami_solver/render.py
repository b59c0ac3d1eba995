"""Boards as text, plain or in a terminal's colours.

In plain text every field is three characters wide, and the edges of the panels run between:

         a   b   c
       ┌───────┬───┐
     1 │(r)  · │ + │        (r) the newest marble, [b] the one before it, + a legal field
       │       ├───┤
     2 │ ·   b │ · │
       └───────┴───┘

In colours a panel is a block of one tone of wood. A square is five characters wide and two lines
high, so that it looks square: half a line, the line of its field, half a line. Where two squares
share a line between their fields, half a block of the lower one's tone is drawn on the upper's.
"""

from __future__ import annotations

import os
from typing import TextIO

from .fields import COLUMNS
from .layout import Layout
from .position import Position
from .tones import panel_tones

__all__ = ["board_ansi", "board_text", "standing", "wants_colour"]

# What stands where edges meet that go 1 up, 2 right, 4 down, 8 left.
_LINES = " ╵╶└╷│┌├╴┘─┴┐┤┬┼"
_ASCII = " |-+||++-+-+++++"

# Numbers of the 256 colours.
_WOOD = (180, 137, 222, 173, 179)
_RED = 124
_BLACK = 16
_LEGAL = 22
_FAINT = 94


def board_text(board: Position | Layout, *, ascii_only: bool = False) -> str:
    """Return the board as plain text, several lines without a line end after the last.

    Args:
        board: a position, or a layout, whose fields then show the names of their panels.
        ascii_only: draw the edges of the panels with `+`, `-` and `|`, and empty fields as `.`.

    Examples:
        >>> from kulami_solver import Layout
        >>> print(board_text(Layout.parse("AAB/AAC")))
             a   b   c
          ┌───────┬───┐
        1 │ A   A │ B │
          │       ├───┤
        2 │ A   A │ C │
          └───────┴───┘
    """
    layout = _layout(board)
    lines = _ASCII if ascii_only else _LINES
    panels = _panels(layout)
    marks = _marks(board)

    def upright(column: int, row: int) -> bool:
        """Whether an edge runs along the left side of a square."""
        return panels.get((column - 1, row)) != panels.get((column, row))

    def level(column: int, row: int) -> bool:
        """Whether an edge runs along the upper side of a square."""
        return panels.get((column, row - 1)) != panels.get((column, row))

    drawn = ["     " + "   ".join(COLUMNS[: layout.width])]
    for row in range(layout.height + 1):
        border, fields = "   ", f"{row + 1:2} "
        for column in range(layout.width + 1):
            meeting = (
                upright(column, row - 1)
                + 2 * level(column, row)
                + 4 * upright(column, row)
                + 8 * level(column - 1, row)
            )
            border += lines[meeting] + 3 * lines[10 * level(column, row)]
            fields += lines[5 * upright(column, row)] + marks.get((column, row), "   ")
        drawn.append(border)
        if row < layout.height:
            drawn.append(fields)
    if isinstance(board, Position):
        drawn.append(standing(board))
    text = "\n".join(line.rstrip() for line in drawn)
    return text.replace("·", ".") if ascii_only else text


def board_ansi(board: Position | Layout) -> str:
    """Return the board as text with the colours of a terminal (256 colours, ANSI sequences).

    Whether a terminal wants them is for the caller to say; `wants_colour` can tell.

    Examples:
        >>> from kulami_solver import Layout
        >>> "\\x1b[48;5;180m" in board_ansi(Layout.square())
        True
    """
    layout = _layout(board)
    panels = _panels(layout)
    tones = panel_tones(layout)
    marks = _marks(board)

    def wood(column: int, row: int) -> int:
        """Return the colour of a square, 0 for the table."""
        panel = panels.get((column, row), -1)
        return _WOOD[tones[panel]] if panel >= 0 else 0

    drawn = ["     " + "    ".join(COLUMNS[: layout.width])]
    for row in range(layout.height + 1):
        between, fields = "   ", f"{row + 1:2} "
        for column in range(layout.width):
            above, here = wood(column, row - 1), wood(column, row)
            if above == here:
                between += f"\x1b[48;5;{here}m     \x1b[0m" if here else "     "
            elif not here:
                between += f"\x1b[38;5;{above}m▀▀▀▀▀\x1b[0m"
            else:
                table = f"\x1b[48;5;{above}m" if above else ""
                between += f"{table}\x1b[38;5;{here}m▄▄▄▄▄\x1b[0m"
            mark = marks.get((column, row))
            fields += f"\x1b[48;5;{here}m {_ink(mark)} \x1b[0m" if mark else "     "
        drawn.append(between.rstrip())
        if row < layout.height:
            drawn.append(fields.rstrip())
    if isinstance(board, Position):
        drawn.append(standing(board))
    return "\n".join(drawn)


def wants_colour(stream: TextIO) -> bool:
    """Return whether coloured text suits `stream`: a terminal, and nobody has said no.

    The environment says no with a `NO_COLOR` that is not empty, or with `TERM=dumb`.

    Examples:
        >>> import io
        >>> wants_colour(io.StringIO())
        False
    """
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


def _layout(board: Position | Layout) -> Layout:
    return board if isinstance(board, Layout) else board.layout


def _panels(layout: Layout) -> dict[tuple[int, int], int]:
    """Return the number of the panel on each square that is a field."""
    return {
        layout.squares[field]: number
        for number, panel in enumerate(layout.panels)
        for field in panel.fields
    }


def _marks(board: Position | Layout) -> dict[tuple[int, int], str]:
    """Return the three characters that stand on each field in plain text."""
    if isinstance(board, Layout):
        return {
            board.squares[field]: f" {panel.name} "
            for panel in board.panels
            for field in panel.fields
        }
    marks = {}
    for number, square in enumerate(board.layout.squares):
        bit = 1 << number
        sign = "·"
        if board.red & bit:
            sign = "r"
        elif board.black & bit:
            sign = "b"
        elif board.legal_mask & bit:
            sign = "+"
        around = "  "
        if number == board.last_field:
            around = "()"
        elif number == board.barred_field:
            around = "[]"
        marks[square] = around[0] + sign + around[1]
    return marks


def _ink(mark: str) -> str:
    """Return a mark in its colour, red and black marbles as balls."""
    sign = mark[1]
    colour = {"r": _RED, "b": _BLACK, "+": _LEGAL}.get(sign, _FAINT)
    ball = "●" if sign in "rb" else sign
    around = mark.replace(sign, ball)
    return f"\x1b[1;38;5;{colour}m{around}"


def standing(position: Position) -> str:
    """Return in a few words how the game stands: who is to move, and what was placed last.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> standing(Position(Layout.square()).play("d4"))
        'black to move, 11 legal fields; last d4'
    """
    count = position.legal_mask.bit_count()
    last = f"; last {','.join(position.last)}" if position.last else ""
    if position.is_over:
        return f"game over, {position.turn} cannot move{last}"
    return f"{position.turn} to move, {count} legal field{'s' if count > 1 else ''}{last}"
