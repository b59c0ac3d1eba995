"""Notations: positions as text, and text as positions.

Three notations are read and written. Reading gives a `Placement`, the content of the text as plain
data; `Position` decides whether it is a position.

KFN
    ``LAYOUT MARBLES TURN LAST``, one line, everything but the marbles still in the bags:
    ``AAB/AAC 1r1/2b r c2,b1``

Hagen
    200 characters, a panel letter and a digit for each square of 10x10, row by row. ``a`` is no
    field, ``b``-``e`` are panels of 6, ``f``-``j`` of 4, ``k``-``n`` of 3, ``o``-``r`` of 2;
    ``0`` is empty, ``1`` black, ``2`` red. It has no turn and no last marbles.

KBN
    The same shape in capitals; ``A`` is no field, the other letters are free. ``1`` and ``2`` are
    the two players' marbles, ``3`` and ``4`` their last ones; player 1 has moved first, so the
    turn follows from the counts. It does not say which colour player 1 has.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from typing import NamedTuple, Protocol, runtime_checkable

from ...core.notation import (
    BLACK,
    RED,
    field_name,
    other_side,
    parse_fields,
    parse_turn,
    parts_found,
)
from ...errors import LayoutError, NotationError, Phrase, checked_kind
from .edition import Edition
from .layout import Layout
from .layout_text import NO_FIELD

__all__ = ["hagen_loses", "kbn_loses", "kfn_loses"]

# A run-length number that still fits on a grid has at most two digits.
_RUN = re.compile(r"[0-9]+|[^0-9]")

# Files of millions of positions have the same rows over and over again.
_ROWS_KEPT = 1 << 14

_GRID = 10  # squares on a side
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_HAGEN_PANELS = {(2, 3): "bcde", (2, 2): "fghij", (1, 3): "klmn", (1, 2): "opqr"}
_HAGEN_MARBLES = {"0": None, "1": BLACK, "2": RED}


class Placement(NamedTuple):
    """A position as a text has it: the layout, the marbles, the turn and the last marbles.

    `red` and `black` are sets of fields as bit masks; `turn` is "red" or "black", `last`
    names the last marbles, newest first.
    """

    layout: Layout
    red: int
    black: int
    turn: str
    last: tuple[str, ...]


@runtime_checkable
class Facts(Protocol):
    """What the writers are told of a position."""

    @property
    def layout(self) -> Layout: ...
    @property
    def red(self) -> int: ...
    @property
    def black(self) -> int: ...
    @property
    def turn(self) -> str: ...
    @property
    def last(self) -> tuple[str, ...]: ...
    @property
    def first(self) -> str: ...
    @property
    def edition(self) -> Edition: ...


# KFN


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


def write_kfn(position: Facts) -> str:
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


def kfn_loses(position: Facts) -> tuple[Phrase, ...]:
    """Return what the KFN of a position does not carry; its reader has to be told.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> kfn_loses(Position(Layout.square(), marbles=32))
        ('32 marbles of each colour',)
    """
    checked_kind(position, Facts, "notations are of Positions", NotationError)
    return position.edition.lost


def _read_marbles(text: str, layout: Layout) -> tuple[int, int]:
    if text == "-":
        return 0, 0
    width = layout.width
    rows = text.split("/", layout.height)
    if len(rows) > layout.height:
        raise NotationError("kfn_rows", count=layout.height)
    red = black = 0
    for number, (row, (first, _, columns)) in enumerate(zip(rows, _rows_of(layout), strict=False)):
        # A row that somebody has made long with zeros is not kept.
        read = _known_row if len(row) <= width else _read_row
        reds, blacks = read(row, number, width, columns)
        red |= reds << first
        black |= blacks << first
    return red, black


def _read_row(text: str, number: int, width: int, columns: tuple[int, ...]) -> tuple[int, int]:
    """The red and the black marbles of a row, a bit for each of its fields."""
    colours = {"r": 0, "b": 0}
    column = 0
    for match in _RUN.finditer(text):
        run = match[0]
        if "0" <= run[0] <= "9":
            # Only digits known to be few are turned into a number.
            digits = run.lstrip("0") or "0"
            column += int(digits) if len(digits) <= 2 else width + 1
        elif run not in colours:
            raise NotationError("kfn_marbles", row=number + 1, text=run)
        else:
            if column in columns:
                colours[run] |= 1 << columns.index(column)
            elif column < width:
                raise NotationError("kfn_nowhere", marble=run, square=field_name(column, number))
            column += 1
        if column > width:
            raise NotationError("kfn_wide", row=number + 1, width=width)
    return colours["r"], colours["b"]


def _write_marbles(position: Facts) -> str:
    if not position.red | position.black:
        return "-"
    layout, red, black = position.layout, position.red, position.black
    return "/".join(
        _row_text(layout.width, columns, red >> first & fields, black >> first & fields)
        for first, fields, columns in _rows_of(layout)
    )


_known_row = functools.lru_cache(maxsize=_ROWS_KEPT)(_read_row)


@functools.lru_cache(maxsize=256)
def _rows_of(layout: Layout) -> tuple[tuple[int, int, tuple[int, ...]], ...]:
    """Each row's first field, a bit for each of its fields, and their columns."""
    rows, first = [], 0
    for number in range(layout.height):
        columns = tuple(column for column, row in layout.squares if row == number)
        rows.append((first, (1 << len(columns)) - 1, columns))
        first += len(columns)
    return tuple(rows)


@functools.lru_cache(maxsize=_ROWS_KEPT)
def _row_text(width: int, columns: tuple[int, ...], red: int, black: int) -> str:
    row = ["."] * width
    for number, column in enumerate(columns):
        if (red | black) >> number & 1:
            row[column] = "r" if red >> number & 1 else "b"
    return re.sub(r"\.+", lambda free: str(len(free[0])), "".join(row))


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


# Hagen


def read_hagen(
    text: str, turn: str | None = None, last: str | Iterable[str] | None = None
) -> Placement:
    """Read a Hagen board; its panels keep their letters as names.

    Args:
        text: 200 characters. Letters b-z may name any rectangle.
        turn: the side to move, which the text does not have.
        last: the last two marbles, newest first, like "f8,d3"; not needed on an empty board.

    Raises:
        NotationError: if the text is malformed, or something it lacks is not given.
        LayoutError: if its panels make no layout.

    Examples:
        >>> text = "b0b0" + "a0" * 8 + "b0b2" + "a0" * 88
        >>> board = read_hagen(text, turn="black", last="b2")
        >>> board.layout.rows[1], board.red, board.last
        ('bb........', 8, ('b2',))
        >>> read_hagen(text, turn="black")
        Traceback (most recent call last):
        ...
        kulami_solver.errors.NotationError: a Hagen board does not say which marbles were \
placed last: give last, like 'f8,d3'
    """
    layout, marbles = _read_grid(text, "Hagen", _LETTERS, "012")
    if turn is None:
        raise NotationError("hagen_turn")
    colours = {RED: 0, BLACK: 0}
    for number, digit in enumerate(marbles):
        colour = _HAGEN_MARBLES[digit]
        if colour:
            colours[colour] |= 1 << number
    if last is None:
        if any(colours.values()):
            raise NotationError("hagen_last")
        last = ()
    return Placement(
        layout, colours[RED], colours[BLACK], parse_turn(turn), read_last(last, layout)
    )


def write_hagen(position: Facts) -> str:
    """Return a position as a Hagen board, the layout in its top left corner.

    `hagen_loses` tells what is not in it. Panels keep their names where these are Hagen's letters
    for their sizes; otherwise all get new ones.

    Raises:
        NotationError: if the layout does not fit 10x10, or Hagen has too few letters for its
            panels.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> write_hagen(Position(Layout.parse("AA/AA")).play("b2"))[:24]
        'f0f0a0a0a0a0a0a0a0a0f0f2'
    """
    panels = position.layout.panels
    kept = [panel.name for panel in panels]
    fits = [
        name in _HAGEN_PANELS.get(panel.sides, "") for name, panel in zip(kept, panels, strict=True)
    ]
    if not all(fits):
        left = {size: list(letters) for size, letters in _HAGEN_PANELS.items()}
        kept = []
        for panel in panels:
            letters = left.get(panel.sides)
            if not letters:
                raise NotationError(
                    "hagen_letters" if letters is None else "hagen_letters_left",
                    panel=panel.name,
                    size=f"{panel.width}x{panel.height}",
                )
            kept.append(letters.pop(0))
    return _write_grid(position, "Hagen", "a", kept, {RED: "2", BLACK: "1"}, {})


def hagen_loses(position: Facts) -> tuple[Phrase, ...]:
    """Return what the Hagen board of a position does not carry.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> hagen_loses(Position(Layout.rulebook()).play("d6"))
        ('black is to move', 'the last marbles are d6', 'the layout is 9x9 squares')
    """
    checked_kind(position, Facts, "notations are of Positions", NotationError)
    lost = [Phrase("loses_turn", side=position.turn)]
    if position.last:
        lost.append(Phrase("loses_last", fields=",".join(position.last)))
    return (*lost, *_size_lost(position.layout), *kfn_loses(position))


# KBN


def read_kbn(text: str, first: str = RED) -> Placement:
    """Read a KBN board; its panels keep their letters as names.

    Args:
        text: 200 characters.
        first: the colour of player 1, which the text does not have.

    Raises:
        NotationError: if the text is malformed, or does not mark the newest marble.
        LayoutError: if its panels make no layout.

    Examples:
        >>> text = "B0B1" + "A0" * 8 + "B4B3" + "A0" * 88
        >>> board = read_kbn(text)
        >>> board.red, board.black, board.turn, board.last
        (10, 4, 'black', ('b2', 'a2'))
    """
    layout, marbles = _read_grid(text, "KBN", _LETTERS.upper(), "01234")
    one = parse_turn(first, "first")
    two = other_side(one)
    owner = {"1": one, "3": one, "2": two, "4": two}
    colours = {RED: 0, BLACK: 0}
    marked = {"3": "", "4": ""}
    for number, digit in enumerate(marbles):
        if digit == "0":
            continue
        colours[owner[digit]] |= 1 << number
        if digit in marked:
            if marked[digit]:
                raise NotationError(
                    "kbn_two_last", one=marked[digit], other=layout.fields[number], digit=digit
                )
            marked[digit] = layout.fields[number]
    ahead = colours[one].bit_count() - colours[two].bit_count()
    turn, newest, older = (one, "4", "3") if ahead == 0 else (two, "3", "4")
    if not any(colours.values()):
        return Placement(layout, 0, 0, turn, ())
    if ahead not in (0, 1):
        raise NotationError(
            "kbn_counts", first=colours[one].bit_count(), second=colours[two].bit_count()
        )
    if not marked[newest]:
        player = 2 if newest == "4" else 1
        raise NotationError("kbn_no_last", player=player, digit=newest)
    last = tuple(name for name in (marked[newest], marked[older]) if name)
    return Placement(layout, colours[RED], colours[BLACK], turn, last)


def write_kbn(position: Facts) -> str:
    """Return a position as a KBN board, the layout in its top left corner.

    `kbn_loses` tells what is not in it. Panels keep their names where all of these are capitals
    other than A; otherwise all get new ones.

    Raises:
        NotationError: if the layout does not fit 10x10, or has more than 25 panels.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> write_kbn(Position(Layout.parse("AA/AA")).play("b2"))[:24]
        'B0B0A0A0A0A0A0A0A0A0B0B3'
    """
    panels = position.layout.panels
    letters = _LETTERS.upper()[1:]
    names = [panel.name for panel in panels]
    if not set(names) <= set(letters):
        if len(panels) > len(letters):
            raise NotationError("kbn_panels", letters=len(letters), panels=len(panels))
        names = list(letters[: len(panels)])
    other = other_side(position.first)
    newest = dict.fromkeys(position.last[:1], "3" if position.turn == other else "4")
    before = dict.fromkeys(position.last[1:], "4" if position.turn == other else "3")
    return _write_grid(
        position, "KBN", "A", names, {position.first: "1", other: "2"}, newest | before
    )


def kbn_loses(position: Facts) -> tuple[Phrase, ...]:
    """Return what the KBN board of a position does not carry.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> kbn_loses(Position(Layout.rulebook(), first="black"))
        ('player 1 is black', 'the layout is 9x9 squares')
    """
    checked_kind(position, Facts, "notations are of Positions", NotationError)
    lost = [Phrase("loses_first", side=position.first)] if position.first != RED else []
    return (*lost, *_size_lost(position.layout), *kfn_loses(position))


# Both Hagen and KBN: two characters for each square of 10x10


def _read_grid(text: str, notation: str, letters: str, digits: str) -> tuple[Layout, str]:
    """Return the layout, and the digit of each field in the order of their numbers."""
    if not isinstance(text, str):
        raise NotationError("grid_no_text", notation=notation, text=text)
    text = text.strip(" \t\r\n")
    if len(text) != 2 * _GRID * _GRID:
        raise NotationError(
            "grid_length", notation=notation, length=2 * _GRID * _GRID, side=_GRID, count=len(text)
        )
    for place, (letter, digit) in enumerate(zip(text[::2], text[1::2], strict=True)):
        square = field_name(place % _GRID, place // _GRID)
        at = {"notation": notation, "square": square}
        ends = {"first": digits[0], "last": digits[-1]}
        if letter not in letters:
            ends = {"none": letters[0], "first": letters[1], "last": letters[-1]}
            raise NotationError("grid_letter", **at, letter=letter, **ends)
        if digit not in digits:
            raise NotationError("grid_digit", **at, digit=digit, **ends)
        if letter == letters[0] and digit != "0":
            raise NotationError("grid_marble_nowhere", **at, digit=digit, letter=letter)
    names = text[::2].replace(letters[0], NO_FIELD)
    try:
        layout = Layout.from_rows(
            names[start : start + _GRID] for start in range(0, len(names), _GRID)
        )
    except LayoutError as error:
        raise error.at("grid_board", notation=notation) from None
    return layout, "".join(
        digit for name, digit in zip(names, text[1::2], strict=True) if name != NO_FIELD
    )


def _write_grid(
    position: Facts,
    notation: str,
    no_field: str,
    names: list[str],
    digits: dict[str, str],
    special: dict[str, str],
) -> str:
    """Write the grid: `names` of the panels, `digits` of the colours, `special` of some fields."""
    layout = position.layout
    grid = {(column, row): f"{no_field}0" for row in range(_GRID) for column in range(_GRID)}
    for number, square in enumerate(layout.squares):
        if square not in grid:
            raise NotationError(
                "grid_size", notation=notation, side=_GRID, field=layout.fields[number]
            )
        digit = "0"
        for colour, marbles in ((RED, position.red), (BLACK, position.black)):
            if marbles >> number & 1:
                digit = digits[colour]
        name = names[layout.panels.index(layout.panel_of(number))]
        grid[square] = name + special.get(layout.fields[number], digit)
    return "".join(grid.values())


def _size_lost(layout: Layout) -> tuple[Phrase, ...]:
    if (layout.width, layout.height) == (_GRID, _GRID):
        return ()
    return (Phrase("loses_size", size=f"{layout.width}x{layout.height}"),)
