"""KFN: a position as one line of text, `LAYOUT MARBLES TURN LAST`.

    AAB/AAC 1r1/2b r c2,b1

It says everything but how many marbles are still in the bags.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ...core.notation import BLACK, RED, field_name, parse_fields, parse_turn, parts_found
from ...errors import NotationError, Phrase
from .layout import Layout
from .material import NO_FIELD
from .views import PositionView

# A run-length number that still fits on a grid has at most two digits.
_RUN = re.compile(r"[0-9]+|[^0-9]")


@dataclass(frozen=True)
class Placement:
    """A position as a text has it: the layout, the marbles, the turn and the last marbles.

    `red` and `black` are sets of fields as bit masks; `turn` is "red" or "black", `last`
    names the last marbles, newest first.
    """

    layout: Layout
    red: int
    black: int
    turn: str
    last: tuple[str, ...]


def read_kfn(text: str) -> Placement:
    """Read a KFN line.

    Raises:
        NotationError: if a part is missing or malformed.
        LayoutError: if its first part is no layout.

    Examples:
        >>> board = read_kfn("AAB/AAC 1r1/2b r c2,b1")
        >>> board.red, board.black, board.turn, board.last
        (2, 32, 'red', ('c2', 'b1'))
        >>> read_kfn("AAB/AAC 9999999999/2b r c2,b1")
        Traceback (most recent call last):
        ...
        kulami_solver.errors.NotationError: KFN marbles row 1 is more than 3 squares wide, \
as wide as its layout: shorten it
    """
    if not isinstance(text, str):
        raise NotationError("kfn_no_text", text=text)
    parts = text.strip(" \t\r\n").split(" ", 4)
    if len(parts) != 4 or "" in parts:
        raise NotationError("kfn_form", text=text, found=parts_found(parts, 4))
    layout = Layout.from_rows(parts[0].split("/"))
    red, black = _read_marbles(parts[1], layout)
    if parts[2] not in ("r", "b"):
        raise NotationError("kfn_turn", text=parts[2])
    return Placement(layout, red, black, parse_turn(parts[2]), read_last(parts[3], layout))


def write_kfn(position: PositionView) -> str:
    """Return the KFN of a position. `kfn_loses` tells what is not in it.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> write_kfn(Position(Layout.parse("AAB/AAC")).play("b1").play("c1"))
        'AAB/AAC 1rb/3 r c1,b1'
    """
    return " ".join(
        (
            str(position.layout),
            _write_marbles(position),
            position.turn[0],
            ",".join(position.last) or "-",
        )
    )


def kfn_loses(position: PositionView) -> tuple[Phrase, ...]:
    """Return what the KFN of a position does not carry; its reader has to be told.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> kfn_loses(Position(Layout.square(), marbles=32))
        ('32 marbles of each colour',)
    """
    lost = []
    if position.marbles != 28:
        lost.append(Phrase("loses_marbles", count=position.marbles))
    if position.short_end:
        lost.append(Phrase("loses_end"))
    return tuple(lost)


def _read_marbles(text: str, layout: Layout) -> tuple[int, int]:
    colours = {"r": 0, "b": 0}
    if text == "-":
        return 0, 0
    rows = text.split("/", layout.height)
    if len(rows) > layout.height:
        raise NotationError("kfn_rows", count=layout.height)
    for row, squares in enumerate(rows):
        column = 0
        for match in _RUN.finditer(squares):
            run = match[0]
            if "0" <= run[0] <= "9":
                # Only digits known to be few are turned into a number.
                digits = run.lstrip("0") or "0"
                column += int(digits) if len(digits) <= 2 else layout.width + 1
            elif run not in colours:
                raise NotationError("kfn_marbles", row=row + 1, text=run)
            elif column < layout.width:
                if layout.rows[row][column] == NO_FIELD:
                    raise NotationError("kfn_nowhere", marble=run, square=field_name(column, row))
                colours[run] |= 1 << layout.index(field_name(column, row))
                column += 1
            else:
                column += 1
            if column > layout.width:
                raise NotationError("kfn_wide", row=row + 1, width=layout.width)
    return colours["r"], colours["b"]


def _write_marbles(position: PositionView) -> str:
    if not position.red | position.black:
        return "-"
    rows = []
    marbles = marbles_by_square(position)
    for row in range(position.layout.height):
        text = ""
        free = 0
        for column in range(position.layout.width):
            colour = marbles.get((column, row))
            if colour is None:
                free += 1
            else:
                text += f"{free or ''}{colour[0]}"
                free = 0
        rows.append(f"{text}{free or ''}")
    return "/".join(rows)


def read_last(text: str | Iterable[str], layout: Layout) -> tuple[str, ...]:
    if isinstance(text, str):
        names = [] if text == "-" else text.split(",", 2)
    else:
        names = list(parse_fields(text))
    if len(names) > 2:
        raise NotationError("last_too_many", text=text)
    for name in names:
        try:
            layout.index(name)
        except NotationError as error:
            raise error.at("last_marbles") from None
    return tuple(names)


def marbles_by_square(position: PositionView) -> dict[tuple[int, int], str]:
    """Return the colour of each marble by its column and row."""
    return {
        square: RED if position.red >> number & 1 else BLACK
        for number, square in enumerate(position.layout.squares)
        if (position.red | position.black) >> number & 1
    }
