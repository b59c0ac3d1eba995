"""Layouts as rows of panels' names: read as people and programs write them, turned, and judged.

AAB/CCB                  rows of names; a line end does as well as a `/`
1 1 2/3 3 2              a grid of numbers, one for each panel; blanks or commas between them
[[1, 1, 2], [3, 3, 2]]   likewise, as programs have it; braces do as well
2x1@a1,1x2@c1,2x1@a2     rectangles: width x height at the top left field
a1,b1;c1,c2;a2,b2        the fields of each panel, panels separated by `;` or line ends
(0,0)(0,1);(0,2)(1,2)    likewise, row and column of each; other words of a panel are left aside
"""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from ...core.notation import MAX_SIDE, QUOTES, field_name, parse_field, plain_lines
from ...errors import LayoutError, Phrase

MAX_FIELDS: Final = 64
"""The most fields a layout may have."""

NO_FIELD: Final = "."
"""Stands in a layout's text for a square that is no field."""

PANEL_NAMES: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
"""The characters that may name a panel."""

STANDARD_PANELS: Final = {(2, 3): 4, (2, 2): 5, (1, 3): 4, (1, 2): 4}
"""How many panels of each size, shorter side first, are in the box."""

Sizes = Mapping[tuple[int, int], int | None]
"""How many panels of each size there are, None for any number."""

SYMMETRIES: Final = range(8)
"""The mirror images and rotations of a grid, as numbers; `turned` says which."""

MIRROR: Final = 4
"""The symmetry that mirrors left and right alone."""

Square = TypeVar("Square")

_RECTANGLE: Final = re.compile(r"([0-9]{1,2})x([0-9]{1,2})@([a-p](?:1[0-6]|[1-9]))")
_FIELDS: Final = re.compile(r"[a-p](?:1[0-6]|[1-9])")
_CELL: Final = re.compile(r"-?[0-9]{1,9}|[A-Za-z.]")
_PAIRS: Final = re.compile(r"\(\s*([0-9]{1,3})\s*,\s*([0-9]{1,3})\s*\)")
_PANEL_OF_PAIRS: Final = re.compile(rf"[\w\s:]*({_PAIRS.pattern}[\s,]*)+")
_BEFORE_ARRAY: Final = re.compile(r"(?:.*[=(:])?\s*", re.DOTALL)
_AFTER_ARRAY: Final = re.compile(r"\s*(?:[,;)][^\[\]{}]*)?")
_ROW_OF_ARRAY: Final = re.compile(r"[{\[]([^{}\[\]]*)[}\]]")
_OBJECT: Final = re.compile(r"\{\s*[\"'].*", re.DOTALL)
_WHOLE: Final = re.compile(
    rf"{_OBJECT.pattern}|[^{{}}\[\]]*[{{\[]\s*[{{\[].*[}}\]]\s*[}}\]]\s*[,;)]*|\[\s*[\"'].*\]"
    r"|[^{}\[\]]*[/@].*|(?=[^{}\[\];]*;\s*\S)[^;]*?[a-p(][0-9].*|square|rulebook|[a-z]+-[0-9a-z]+"
)
_BETWEEN: Final = re.compile(" ?, ?| ")
_FENCE: Final = re.compile(r"^(```|~~~)[a-z]*$", re.MULTILINE)  # what Markdown has around a text
_TEXTS: Final = re.compile("[\"']([^\"']*)[\"']")
_UNQUOTED: Final = str.maketrans("", "", QUOTES)

Panels = Iterable[Iterable[tuple[int, int]]]
"""The column and row of each square of each panel, counted from 0."""


@dataclass(frozen=True)
class Panel:
    """One wooden rectangle.

    Attributes:
        name: the character that stands for it in a layout's rows.
        fields: the numbers of its fields, in order; `Layout.fields` has their names by number.
        width, height: its sides, in fields.
    """

    name: str
    fields: tuple[int, ...]
    width: int
    height: int

    @property
    def size(self) -> int:
        """Its number of fields, which are the points it is worth."""
        return len(self.fields)

    @property
    def sides(self) -> tuple[int, int]:
        """Its sides in fields, the shorter one first."""
        return min(self.width, self.height), max(self.width, self.height)


def rows_of(text: str, no_field: int | None = None) -> list[str]:
    """Return the rows of a layout, of panels' names, from any of the forms.

    Args:
        text: the layout.
        no_field: the number that stands for no field in a grid, or among names of one digit; `.`
            always does.

    Raises:
        LayoutError: if rectangles or fields overlap, there are more panels than names, a grid
            has something that is no number, or it has a number that seems to stand for no field.
            Rows of names are not looked at.

    Examples:
        >>> rows_of("AAB/CCB"), rows_of("7 7 0/2,2,0", no_field=0), rows_of("770/220", no_field=0)
        (['AAB', 'CCB'], ['BB.', 'AA.'], ['77.', '22.'])
        >>> rows_of("2x1@a1, 1x2@c1, 2x1@a2"), rows_of("a1 b1; c1 c2; a2 b2")
        (['AAB', 'CCB'], ['AAB', 'CCB'])
        >>> rows_of("1x2 (0,0)(0,1)\\n2x1 (0,2)(1,2)"), rows_of("{{1, 1, 2}, {3, 3, 2}}")
        (['AAB', '..B'], ['AAB', 'CCB'])
    """
    text = _FENCE.sub("", plain_lines(text)).strip(" \n/")
    text = re.sub("^sep=.\n", "", text)
    if "[" in text or "{" in text:
        inner = _of_object(text)
        return _of_array(text, no_field) if inner == text else rows_of(inner, no_field)
    text = text.translate(_UNQUOTED)
    if "(" in text:
        return _drawn(_from_corner(map(_pairs, filter(None, re.split("[;/\n]", text)))))
    words = _BETWEEN.split(" ".join(re.sub("[;/\n]", " ", text).strip(" ,").split()))
    if any("@" in word for word in words):
        return _drawn(map(_rectangle, words))
    if all(_FIELDS.fullmatch(word) for word in words) and (";" in text or _BETWEEN.search(text)):
        panels = [_BETWEEN.split(part.strip(" ,")) for part in re.split("[;/\n]+", text)]
        return _drawn(map(parse_field, panel) for panel in panels if panel != [""])
    rows = [row.strip(" ,;") for row in text.split("\n" if "\n" in text else "/")]
    long = [row for row in rows if len(row) > 1]
    if ";" in text or (long and all(map(_BETWEEN.search, long))):
        between = re.compile(" ?; ?") if ";" in text else _BETWEEN  # as spreadsheets write cells
        cells = [_cells(between.split(row), number) for number, row in enumerate(rows, 1)]
        return _named(cells, no_field)
    absent = str(no_field)
    return [row.replace(absent, NO_FIELD) for row in rows] if len(absent) == 1 else rows


def texts_of(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Return the layouts of a file, each with the number of its first line.

    A layout stands on a line of its own, as text or as a JSON object with the key `layout`; or it
    is drawn over several lines, where an empty line ends it. `#` begins a comment.

    Examples:
        >>> list(texts_of(["# mine", "AAB/CCB", "", "1 1", "2 2", "", '{"layout": "AB/AB"}']))
        [(2, 'AAB/CCB'), (4, '1 1\\n2 2'), (7, 'AB/AB')]
    """
    drawn: list[str] = []
    begun = depth = 0
    cut = (row for line in lines for row in plain_lines(line.rstrip("\r\n")).split("\n"))
    for number, line in enumerate(itertools.chain(cut, ("",)), 1):
        in_object = _OBJECT.match(line) or (drawn and drawn[0].startswith("{"))
        row = line if in_object else _FENCE.sub("", line.partition("#")[0].strip())
        whole = not depth and _WHOLE.fullmatch(row)
        if drawn and (whole or not (row or depth)):
            yield begun, _of_object("\n".join(drawn))
            drawn = []
        if whole:
            yield number, _of_object(row)
        elif row:
            begun = begun if drawn else number
            drawn.append(row)
            before, depth = depth, depth + sum(map(row.count, "[{")) - sum(map(row.count, "]}"))
            if depth <= 0 < before:  # an array or an object over several lines
                yield begun, _of_object("\n".join(drawn))
                drawn = []
            depth = max(depth, 0)
    if drawn:
        yield begun, _of_object("\n".join(drawn))


def _of_object(text: str) -> str:
    """The layout of an object of JSON, such as a record; the text itself if it is none."""
    if not _OBJECT.match(text):
        return text
    try:
        record = json.loads(text)
        found = record["layout"] if "layout" in record else record["board"]
        return found if isinstance(found, str) else "/".join(found)
    except (ValueError, KeyError, TypeError, RecursionError):
        return text


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


def _pairs(panel: str) -> list[tuple[int, int]]:
    """The squares of `2x1 (0,2)(1,2)`."""
    if not _PANEL_OF_PAIRS.fullmatch(panel):
        raise LayoutError("layout_pairs", text=panel.strip())
    return [(int(column), int(row)) for row, column in _PAIRS.findall(panel)]


def _from_corner(panels: Iterable[list[tuple[int, int]]]) -> Panels:
    """The same panels counted from 0, from whatever their program counts."""
    listed = list(panels)
    left = min(column for panel in listed for column, _ in panel)
    top = min(row for panel in listed for _, row in panel)
    return [[(column - left, row - top) for column, row in panel] for panel in listed]


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


def _of_array(text: str, no_field: int | None) -> list[str]:
    """The rows of `[[1, 1, 2], [3, 3, 2]]`, as a program's source or its output has it.

    A list of texts has a row in each: `["AAB", "CCB"]`.
    """
    end = 1 + max(map(text.rfind, "]}"))
    begin = max(text.rfind("=", 0, end), 0)  # C has the numbers of rows and columns before it
    begun = (text.find(sign, begin, end) for sign in "[{")
    begin = min((place for place in begun if place >= 0), default=end)
    before, array, after = text[:begin], text[begin:end], text[end:]
    listed = [part for row in _ROW_OF_ARRAY.findall(array) for part in row.split(";")]
    if not listed or not _BEFORE_ARRAY.fullmatch(before) or not _AFTER_ARRAY.fullmatch(after):
        raise LayoutError("layout_array", row=1, text=text)
    if _OBJECT.match(text):
        raise LayoutError("layout_cell", row=1, text=text, square=1)
    if len(listed) == 1 and (texts := _TEXTS.findall(array)):
        return rows_of("/".join(texts), no_field)
    words = (" ".join(row.translate(_UNQUOTED).split()).strip(" ,") for row in listed)
    rows = enumerate(filter(None, words), 1)
    grid = [_cells(_BETWEEN.split(row), number) for number, row in rows]
    for number, row in enumerate(grid, 1):
        if len(row) != len(grid[0]):
            raise LayoutError("layout_array", row=number, text=" ".join(row))
    return _named(grid, no_field)


def _cells(cells: list[str], number: int) -> list[str]:
    """The cells of one row of a grid, after a check."""
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
    if no_field is None:
        _refuse_gap(grid)

    def name(cell: str) -> str:
        if not cell[-1].isdigit():
            return cell
        return NO_FIELD if int(cell) == no_field else names[str(int(cell))]

    return ["".join(map(name, row)) for row in grid]


def _refuse_gap(grid: Sequence[Sequence[str]]) -> None:
    """Refuse a grid of rectangles and one number that is none: it will stand for no field."""
    on: dict[int, list[tuple[int, int]]] = {}
    for row, cells in enumerate(grid):
        for column, cell in enumerate(cells):
            if cell[-1].isdigit():
                on.setdefault(int(cell), []).append((column, row))

    def is_rectangle(squares: list[tuple[int, int]]) -> bool:
        columns, rows = ({square[way] for square in squares} for way in (0, 1))
        wide, tall = (1 + max(line) - min(line) for line in (columns, rows))
        return wide * tall == len(squares)

    odd = [number for number, squares in on.items() if not is_rectangle(squares)]
    if len(odd) == 1 < len(on):
        raise LayoutError("layout_gap", number=odd[0])


def turned(grid: Sequence[Sequence[Square]], symmetry: int) -> list[tuple[Square, ...]]:
    """Return a grid's image under a symmetry.

    A symmetry is a number from 0 to 7. Its third bit mirrors left and right; then its lower two
    bits give a number of quarter turns, clockwise.

        0  A A B    1  C A    2  B C C    3  B B    4  B A A    5  B B    6  C C B    7  A C
           C C B       C A       B A A       A C       B C C       C A       A A B       A C
                       B B                   A C                   C A                   B B

    Examples:
        >>> ["".join(row) for row in turned(["AAB", "CCB"], 1)]
        ['CA', 'CA', 'BB']
        >>> ["".join(row) for row in turned(["AAB", "CCB"], MIRROR)]
        ['BAA', 'BCC']
    """
    rows = [tuple(row[::-1]) if symmetry & MIRROR else tuple(row) for row in grid]
    for _ in range(symmetry & 3):
        rows = list(zip(*rows[::-1], strict=True))
    return rows


def named_in_order(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the rows of a layout with its panels named in the order in which they appear.

    Examples:
        >>> named_in_order(["x.b", "xbb"])
        ('A.B', 'ABB')
    """
    names = {NO_FIELD: NO_FIELD}
    for row in rows:
        for name in row:
            names.setdefault(name, PANEL_NAMES[len(names) - 1])
    return tuple("".join(names[name] for name in row) for row in rows)


def trimmed(rows: Sequence[str]) -> tuple[str, ...]:
    """Return the rows of a layout without the empty ones, and empty columns, at its edges.

    Examples:
        >>> trimmed(["....", ".A.B", ".A.B"])
        ('A.B', 'A.B')
    """
    kept = [y for y, row in enumerate(rows) if row.strip(NO_FIELD)]
    left = min(len(row) - len(row.lstrip(NO_FIELD)) for row in rows if row.strip(NO_FIELD))
    right = max(len(row.rstrip(NO_FIELD)) for row in rows)
    return tuple(row[left:right] for row in rows[kept[0] : kept[-1] + 1])


def layout_warnings(
    panels: Sequence[Panel], rows: tuple[str, ...], *, whole: bool = True
) -> list[Phrase]:
    """Return in words what is unusual about a layout of these panels, lying in these rows.

    Args:
        panels: all of them.
        rows: as `Layout.rows`.
        whole: whether it should have the panels of the box.
    """
    warnings = []
    counts = Counter(panel.sides for panel in panels if whole)
    if whole and counts != STANDARD_PANELS:
        kinds = list(STANDARD_PANELS) + sorted(set(counts) - set(STANDARD_PANELS))
        listed = [
            Phrase(
                "panels_of_size",
                count=counts[kind],
                size=f"{kind[0]}x{kind[1]}",
                standard=STANDARD_PANELS.get(kind, 0),
            )
            for kind in kinds
        ]
        warnings.append(Phrase("not_standard", panels=listed))
    groups = _groups(panels, rows)
    if len(groups) > 1:
        warnings.append(Phrase("not_one_piece", panels=" / ".join(groups)))
    return warnings


def _groups(panels: Sequence[Panel], rows: tuple[str, ...]) -> list[str]:
    """Return the names of the panels that touch side by side, one text for each group."""
    touching: dict[str, set[str]] = {panel.name: set() for panel in panels}
    columns = ["".join(column) for column in zip(*rows, strict=True)]
    for one, other in (pair for line in (*rows, *columns) for pair in itertools.pairwise(line)):
        if one != NO_FIELD and other != NO_FIELD:
            touching[one].add(other)
            touching[other].add(one)
    groups = []
    left = dict.fromkeys(touching)
    while left:
        group = {next(iter(left))}
        reached = list(group)
        while reached:
            new = touching[reached.pop()] - group
            group |= new
            reached.extend(new)
        groups.append("".join(name for name in left if name in group))
        left = dict.fromkeys(name for name in left if name not in group)
    return groups
