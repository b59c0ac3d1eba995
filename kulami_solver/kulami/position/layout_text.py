"""Layouts as people and programs write them, read as rows of panels' names.

AAB/CCB                  rows of names; a line end does as well as a `/`
1 1 2/3 3 2              a grid of numbers, one for each panel; blanks or commas between them
2x1@a1,1x2@c1,2x1@a2     rectangles: width x height at the top left field
a1,b1;c1,c2;a2,b2        the fields of each panel, panels separated by `;` or line ends
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from ...core.notation import MAX_SIDE, field_name, parse_field
from ...errors import LayoutError
from .material import NO_FIELD, PANEL_NAMES

_RECTANGLE: Final = re.compile(r"([0-9]{1,2})x([0-9]{1,2})@([a-p](?:1[0-6]|[1-9]))")
_FIELDS: Final = re.compile(r"[a-p](?:1[0-6]|[1-9])")
_CELL: Final = re.compile(r"-?[0-9]{1,9}|[A-Za-z.]")
_WHOLE: Final = re.compile(r".*[{/@;].*|square|rulebook|[a-z]+-[0-9a-z]+")
_BETWEEN: Final = re.compile(r"[ \t\r]*,[ \t\r]*|[ \t\r]+")

Panels = Iterable[Iterable[tuple[int, int]]]
"""The column and row of each square of each panel, counted from 0."""


def rows_of(text: str, no_field: int | None = None) -> list[str]:
    """Return the rows of a layout, of panels' names, from any of the forms.

    Args:
        text: the layout.
        no_field: the number that stands for no field in a grid of numbers; `.` always does.

    Raises:
        LayoutError: if rectangles or fields overlap, there are more panels than names, or a grid
            has something that is no number. Rows of names are not looked at.

    Examples:
        >>> rows_of("AAB/CCB"), rows_of("7 7 0/2,2,0", no_field=0)
        (['AAB', 'CCB'], ['BB.', 'AA.'])
        >>> rows_of("2x1@a1, 1x2@c1, 2x1@a2"), rows_of("a1 b1; c1 c2; a2 b2")
        (['AAB', 'CCB'], ['AAB', 'CCB'])
    """
    words = _BETWEEN.split(re.sub("[;/\n]", " ", text).strip(" \t\r,"))
    if any("@" in word for word in words):
        return _drawn(map(_rectangle, words))
    if all(_FIELDS.fullmatch(word) for word in words) and (";" in text or _BETWEEN.search(text)):
        panels = [_BETWEEN.split(part.strip(" \t\r,")) for part in re.split("[;/\n]+", text)]
        return _drawn(map(parse_field, panel) for panel in panels if panel != [""])
    text = text.strip("\r\n")
    rows = [row.strip(" \t\r,") for row in text.split("\n" if "\n" in text else "/")]
    long = [row for row in rows if len(row) > 1]
    if no_field is not None or (long and all(map(_BETWEEN.search, long))):
        return _named([_cells(row, number) for number, row in enumerate(rows, 1)], no_field)
    return rows


def texts_of(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Return the layouts of a file, each with the number of its first line.

    A layout stands on a line of its own, as text or as a JSON object with the key `layout`; or it
    is drawn over several lines, where an empty line ends it. `#` begins a comment.

    Examples:
        >>> list(texts_of(["# mine", "AAB/CCB", "", "1 1", "2 2", "", '{"layout": "AB/AB"}']))
        [(2, 'AAB/CCB'), (4, '1 1\\n2 2'), (7, 'AB/AB')]
    """
    drawn: list[str] = []
    begun = 0
    for number, line in enumerate(itertools.chain(lines, ("",)), 1):
        row = line.strip() if line.lstrip().startswith("{") else line.partition("#")[0].strip()
        whole = _WHOLE.fullmatch(row)
        if drawn and (whole or not row):
            yield begun, "\n".join(drawn)
            drawn = []
        if whole:
            yield number, _of_object(row) if row.startswith("{") else row
        elif row:
            begun = begun if drawn else number
            drawn.append(row)


def _of_object(row: str) -> str:
    """The layout of a line of JSON; the line itself, which is no layout, if it has none."""
    try:
        found = json.loads(row)["layout"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return row
    return found if isinstance(found, str) else row


def _rectangle(word: str) -> Iterator[tuple[int, int]]:
    """The squares of `2x3@a1`."""
    found = _RECTANGLE.fullmatch(word)
    if found is None:
        raise LayoutError("layout_rectangle", text=word)
    width, height = int(found[1]), int(found[2])
    if not (1 <= width <= MAX_SIDE and 1 <= height <= MAX_SIDE):
        raise LayoutError("layout_rectangle", text=word)
    left, top = parse_field(found[3])
    for row in range(top, top + height):
        for column in range(left, left + width):
            yield column, row


def _drawn(panels: Panels) -> list[str]:
    """The rows of these panels, named A, B, ... in this order."""
    on: dict[tuple[int, int], str] = {}
    for which, panel in enumerate(panels):
        if which >= len(PANEL_NAMES):
            raise LayoutError("layout_many_panels", most=len(PANEL_NAMES))
        for column, row in panel:
            if (column, row) in on:
                raise LayoutError("layout_overlap", field=field_name(column, row))
            if column >= MAX_SIDE or row >= MAX_SIDE:
                raise LayoutError("layout_beyond", most=MAX_SIDE)
            on[column, row] = PANEL_NAMES[which]
    columns = range(1 + max(column for column, _ in on))
    rows = range(1 + max(row for _, row in on))
    return ["".join(on.get((column, row), NO_FIELD) for column in columns) for row in rows]


def _cells(row: str, number: int) -> list[str]:
    """The cells of one row of a grid."""
    cells = _BETWEEN.split(row)
    for square, cell in enumerate(cells, 1):
        if not _CELL.fullmatch(cell):
            raise LayoutError("layout_cell", row=number, text=cell, square=square)
    return cells


def _named(grid: Sequence[Sequence[str]], no_field: int | None) -> list[str]:
    """The rows of a grid: numbers are named A, B, ... as they rise, letters name themselves."""
    numbers = {int(cell) for row in grid for cell in row if cell[-1].isdigit()} - {no_field}
    letters = {cell for row in grid for cell in row if cell.isalpha()}
    free = [name for name in PANEL_NAMES if name not in letters]
    if len(numbers) > len(free):
        raise LayoutError("layout_many_panels", most=len(PANEL_NAMES))
    names = dict(zip(map(str, sorted(numbers)), free, strict=False))

    def name(cell: str) -> str:
        if not cell[-1].isdigit():
            return cell
        return NO_FIELD if int(cell) == no_field else names[str(int(cell))]

    return ["".join(map(name, row)) for row in grid]
