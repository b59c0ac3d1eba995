"""MFN: a position of Malawi as one line of text, `ROWS TURN`.

    b2b2b2/.../.../r2r2r2 r

The rows come from the top, separated by `/`. A square is `.`, or `r` or `b` and the number of
beads on that figure, `r0` for none. Red's home row is the lowest. TURN is the side to move.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ..core.notation import MAX_SIDE, field_name, parts_found
from ..core.whole_numbers import wholes
from ..errors import NotationError

MAX_STACK: Final = 255
"""The most beads one side may have in all: a figure's beads are a byte."""

_SQUARE: Final = re.compile(r"\.|[rb][0-9]{0,4}|[^.rb]+", re.ASCII)


@dataclass(frozen=True)
class Placement:
    """The content of a line: figures and side to move. `Position` checks that it is a position.

    `red` and `black` are sets of squares, numbered row by row from the top; `beads` has those on
    every square; `turn` is "red" or "black".
    """

    columns: int
    rows: int
    red: int
    black: int
    beads: bytes
    turn: str

    def __post_init__(self) -> None:
        names = ("columns", "rows", "red", "black")
        for name, number in zip(names, wholes(getattr(self, one) for one in names), strict=True):
            object.__setattr__(self, name, number)


def read_mfn(text: str) -> Placement:
    """Read an MFN line.

    Raises:
        NotationError: if it is malformed.

    Examples:
        >>> placement = read_mfn("b2b2/../r0r12 b")
        >>> placement.red, placement.black, list(placement.beads), placement.turn
        (48, 3, [2, 2, 0, 0, 0, 12], 'black')
        >>> read_mfn("b2b2/../r r12 b")
        Traceback (most recent call last):
        ...
        kulami_solver.errors.NotationError: an MFN is 'ROWS TURN' with a single space between: \
'b2b2/../r r12 b' has more than 2 parts
        >>> read_mfn("b2b2/./r1r1 b")
        Traceback (most recent call last):
        ...
        kulami_solver.errors.NotationError: MFN row 2 is 1 square wide, row 1 is 2: write . for \
an empty square
    """
    if not isinstance(text, str):
        raise NotationError("mfn_no_text", text=text)
    parts = text.strip(" \t\r\n").split(" ", 2)
    if len(parts) != 2 or "" in parts:
        raise NotationError("mfn_form", text=text, found=parts_found(parts, 2))
    rows, turn = parts
    if turn not in ("r", "b"):
        raise NotationError("mfn_turn", text=turn)
    squares: list[tuple[str, int]] = []
    lines = rows.split("/", MAX_SIDE)
    if len(lines) > MAX_SIDE:
        raise NotationError("mfn_rows", most=MAX_SIDE)
    width = 0
    for row, line in enumerate(lines):
        read = _read_row(line, row)
        width = width or len(read)
        if len(read) != width:
            raise NotationError("mfn_widths", row=row + 1, count=len(read), width=width)
        squares += read
    masks = {
        side: sum(1 << number for number, (found, _) in enumerate(squares) if found == side)
        for side in "rb"
    }
    beads = bytes(beads for _, beads in squares)
    return Placement(
        width, len(lines), masks["r"], masks["b"], beads, "red" if turn == "r" else "black"
    )


def figures(placement: Placement) -> list[str]:
    """Return the figure on each square, like "r2", and "" for empty squares.

    Examples:
        >>> figures(read_mfn("b2b2/../r0r12 b"))
        ['b2', 'b2', '', '', 'r0', 'r12']
    """
    red, black = placement.red, placement.black
    return [
        f"{'r' if red >> number & 1 else 'b'}{beads}" if (red | black) >> number & 1 else ""
        for number, beads in enumerate(placement.beads)
    ]


def write_mfn(placement: Placement) -> str:
    """Return the MFN line of a placement.

    Examples:
        >>> write_mfn(read_mfn("b2b2/../r0r12 b"))
        'b2b2/../r0r12 b'
    """
    squares = [figure or "." for figure in figures(placement)]
    width = placement.columns
    rows = ["".join(squares[at : at + width]) for at in range(0, len(squares), width)]
    return f"{'/'.join(rows)} {placement.turn[0]}"


def _read_row(line: str, row: int) -> list[tuple[str, int]]:
    """Return side and beads of each square of a row, (".", 0) for empty ones."""
    squares: list[tuple[str, int]] = []
    if not line:
        raise NotationError("mfn_row_empty", row=row + 1)
    for match in _SQUARE.finditer(line):
        found = match[0]
        if len(squares) == MAX_SIDE:
            raise NotationError("mfn_row_wide", row=row + 1, most=MAX_SIDE)
        if found == ".":
            squares.append((".", 0))
            continue
        square = field_name(len(squares), row)
        wrong = _what_is_wrong(found)
        if wrong is not None:
            raise wrong.at("mfn_square", row=row + 1, square=square)
        squares.append((found[0], int(found[1:])))
    return squares


def _what_is_wrong(text: str) -> NotationError | None:
    """Return the error that says why a text is no figure; None if it is one."""
    number = text[1:]
    if text[0] not in "rb":
        return NotationError("mfn_no_square", text=text)
    if not number:
        return NotationError("mfn_no_beads", text=text)
    if len(number) > 1 and number[0] == "0":
        return NotationError("mfn_leading_zero", text=text, right=f"{text[0]}{int(number)}")
    if int(number) > MAX_STACK:
        return NotationError("mfn_too_many_beads", text=text, most=MAX_STACK)
    return None
