"""Layouts: how the panels lie on the grid.

    A A B .        three panels; '.' is a square without a field
    A A B C

Fields are numbered row by row, squares without a field skipped:

    0 1 2 .
    3 4 5 6
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import index
from pathlib import Path
from typing import Any, Final, SupportsIndex

from ...core.notation import BLACK, MAX_SIDE, RED, SQUARES, field_name, parse_field
from ...core.whole_numbers import checked_seed, whole
from ...errors import LayoutError, NotationError, Phrase, quoted
from .layout_text import (
    MAX_FIELDS,
    MIRROR,
    NO_FIELD,
    PANEL_NAMES,
    SYMMETRIES,
    Panel,
    Sizes,
    layout_warnings,
    named_in_order,
    rows_of,
    trimmed,
    turned,
)
from .rules import Geometry

LAYOUT_NAMES: Final = ("square", "rulebook", "random")
"""Names of layouts on the command line; `random` only where many layouts are wanted."""

_LONGEST_TEXT: Final = 1 << 14  # characters: of a grid of numbers, with room to spare
_PUBLISHED_NAME: Final = re.compile("[a-z]+(?:-[0-9a-z]+)+")  # boardspace-17

# Similarity, from 0 to 1, from which on a text is probably a misspelt name.
_CLOSE: Final = 0.8

_SQUARE = "AABCCCDD/AABEEFDD/GGBEEFDD/GGHHHIII/JJHHHKKL/MNNOOKKL/MNNPPPQQ/MNNPPPQQ"
_RULEBOOK = (
    "...AABB../.CCAADDD./.CCEEFFGG/HCCEEFFGG/HIIIJJJGG/HIIIKKKL./.MMMKKKL./.NNOOPPQQ/...OOPP.."
)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Layout:
    """An arrangement of panels: an immutable value, equal to another with the same text.

    Get one from `parse`, `from_rows`, `square`, `rulebook` or `random`.

    Attributes:
        rows: from the top, all of the same width.
        width, height: the number of columns and of rows, 1 to 16.
        fields: the names of the fields in the order of their numbers.
        squares: the column and row of each field, counted from 0, in the same order.
        panels: in the order of their first fields.
        geometry: the compiled tables of this layout.

    Examples:
        >>> layout = Layout.parse("AAB./AABC")
        >>> len(layout), layout.width, layout.height
        (7, 4, 2)
        >>> layout.fields
        ('a1', 'b1', 'c1', 'a2', 'b2', 'c2', 'd2')
        >>> layout.panel_of(layout.index("c2"))
        Panel(name='B', fields=(2, 5), width=1, height=2)
        >>> layout == Layout.parse("AAB/AABC")
        True
    """

    rows: tuple[str, ...]
    width: int
    height: int
    fields: tuple[str, ...]
    squares: tuple[tuple[int, int], ...]
    panels: tuple[Panel, ...]
    geometry: Geometry
    _text: str
    _numbers: dict[str, int]  # of the fields, by their names
    _panel_numbers: tuple[int, ...]  # by the numbers of the fields

    __slots__ = (*__annotations__, "__weakref__")

    def __init__(self) -> None:
        raise LayoutError(
            "a layout is not made bare: use Layout.parse, .from_rows, .square, .rulebook or .random"
        )

    # Making layouts

    @classmethod
    def parse(cls, text: str, no_field: int | None = None) -> Layout:
        """Read a layout: rows from the top, separated by `/` or by line ends.

        One character a square: a panel's name (`A`-`Z`, `a`-`z`, `0`-`9`) or `.` for no field.
        Short rows are filled up with `.`. Also a grid of numbers with blanks or commas between
        them, rectangles, the fields of each panel, or the name of a published layout, such as
        `boardspace-17`.

        Args:
            text: 1 to 16 rows of up to 16 squares, 1 to 64 fields in all.
            no_field: the number in a grid that stands for no field.

        Raises:
            LayoutError: if a character names no panel, a panel is not a rectangle, there is no
                field, or there is too much of anything; also if the text is the name of a layout,
                or close to one (see `square`, `rulebook` and `random`), or if `no_field` is no
                whole number.

        Examples:
            >>> str(Layout.parse("A\\nABB"))
            'A../ABB'
            >>> Layout.parse("AAB/ABB")
            Traceback (most recent call last):
            ...
            kulami_solver.errors.LayoutError: panel A is not a rectangle: it lies on a1-b2 but \
not on b2; give every panel its own name
            >>> Layout.parse("1 1 2/3 3 2") == Layout.parse("2x1@a1,1x2@c1,2x1@a2")
            True
        """
        if not isinstance(text, str):
            raise LayoutError("layout_no_text", text=text)
        if len(text) > _LONGEST_TEXT:
            raise LayoutError(
                f"{len(text):,} characters are no layout: it has {MAX_SIDE} rows of {MAX_SIDE}"
            )
        meant = close_layout_name(text)
        if meant is not None:
            raise LayoutError("layout_name", text=text, name=meant)
        if no_field is not None and (no_field := whole(given := no_field)) is None:
            raise LayoutError(f"no_field is {quoted(given)}: give the number that is no field")
        name = text.strip().lower()
        if not _PUBLISHED_NAME.fullmatch(name):
            return cls.from_rows(rows_of(text, no_field))
        # No row of panels has a dash, so that no name of a published layout can be one.
        if name not in published_layouts():
            raise LayoutError(
                f"no layout is called {quoted(text)}: 'kulami layout --list' names those that are"
            )
        return cls.from_rows(rows_of(published_layouts()[name]))

    @classmethod
    def from_rows(cls, rows: Iterable[str]) -> Layout:
        """Return the layout with these rows, from the top; the characters are those of `parse`.

        Raises:
            LayoutError: as `parse` does; also if the rows are one text, which is for `parse`.

        Examples:
            >>> Layout.from_rows(["AAB", "AAB"])
            Layout.parse('AAB/AAB')
        """
        try:
            listed = list(rows)
        except TypeError:
            raise LayoutError("layout_rows_no_text", given=rows) from None
        if isinstance(rows, str):
            raise LayoutError(
                f"a layout's rows are a list of text, not the text {quoted(rows)}: use Layout.parse"
            )
        if len(listed) > MAX_SIDE:
            raise LayoutError("layout_rows", count=len(listed), most=MAX_SIDE)
        for number, row in enumerate(listed, 1):
            if not isinstance(row, str):
                raise LayoutError("layout_row_no_text", row=number, given=row)
            if len(row) > MAX_SIDE:
                raise LayoutError("layout_wide", row=number, count=len(row), most=MAX_SIDE)
            for column, name in enumerate(row):
                if name != NO_FIELD and name not in PANEL_NAMES:
                    raise LayoutError("layout_letter", row=number, text=name, square=column + 1)
        width = max(map(len, listed), default=0)
        return _layout(tuple(row.ljust(width, NO_FIELD) for row in listed))

    @classmethod
    def square(cls) -> Layout:
        """Return the rulebook's square: all 17 panels on 8x8.

        Examples:
            >>> print(Layout.square())
            AABCCCDD/AABEEFDD/GGBEEFDD/GGHHHIII/JJHHHKKL/MNNOOKKL/MNNPPPQQ/MNNPPPQQ
        """
        return cls.parse(_SQUARE)

    @classmethod
    def rulebook(cls) -> Layout:
        """Return the irregular layout of the rulebook's worked example, on 9x9.

        Examples:
            >>> Layout.rulebook().rows[0]
            '...AABB..'
        """
        return cls.parse(_RULEBOOK)

    @classmethod
    def random(cls, seed: int, irregular: bool = False, compact: bool = False) -> Layout:
        """Return a layout of the 17 standard panels, the same for a seed on every machine.

        Args:
            seed: 0 or more.
            irregular: if true, any connected arrangement inside 10x10, holes allowed;
                otherwise a full 8x8.
            compact: if true, an irregular layout as people lay them: without holes, and with an
                outline of at most 48 sides of squares.

        Raises:
            LayoutError: if the seed is not a whole number of 0 or more.

        Examples:
            >>> layout = Layout.random(5, irregular=True)
            >>> len(layout), len(layout.panels), layout.warnings
            (64, 17, ())
            >>> layout == Layout.random(5, irregular=True) != Layout.random(6, irregular=True)
            True
        """
        from .arrangements import random_rows

        return cls.from_rows(random_rows(checked_seed(seed, LayoutError), irregular, compact))

    # Parts

    @property
    def warnings(self) -> tuple[Phrase, ...]:
        """Departures from the rulebook: panels other than the 17, or some that do not touch.

        Examples:
            >>> for warning in Layout.parse("AA.B").warnings:
            ...     print(warning)
            not the 17 standard panels: 0 of 2x3 (4), 0 of 2x2 (5), 0 of 1x3 (4), \
1 of 1x2 (4), 1 of 1x1 (0) (standard numbers in brackets)
            not in one piece: A / B do not touch
        """
        return tuple(layout_warnings(self.panels, self.rows))

    def index(self, field: str) -> int:
        """Return the number of the field of this name.

        Raises:
            NotationError: if no field has this name, or the layout has no field there.

        Examples:
            >>> Layout.square().index("b2")
            9
            >>> Layout.rulebook().index("a1")
            Traceback (most recent call last):
            ...
            kulami_solver.errors.NotationError: there is no field a1 in this layout: \
row 1 has d1 e1 f1 g1
        """
        number = self._numbers.get(field) if isinstance(field, str) else None
        if number is None:
            row = parse_field(field)[1]
            present = [name for name in self.fields if parse_field(name)[1] == row]
            if present:
                fields = " ".join(present)
                raise NotationError("no_such_field", field=field, row=row + 1, fields=fields)
            raise NotationError("no_field_in_row", field=field, row=row + 1)
        return number

    def panel_of(self, field: int) -> Panel:
        """Return the panel that the field of this number lies on.

        Raises:
            NotationError: if no field has this number.

        Examples:
            >>> Layout.square().panel_of(0).name
            'A'
        """
        return self.panels[self._panel_numbers[self._number(field)]]

    def names(self, fields: int) -> tuple[str, ...]:
        """Return the names of a set of fields (a bit mask), in the order of their numbers.

        Raises:
            NotationError: if it is no mask, or a bit stands for no field.

        Examples:
            >>> Layout.square().names(0b101)
            ('a1', 'c1')
        """
        mask = whole(fields)
        if mask is None:
            raise NotationError(f"{quoted(fields)} is no set of fields: give a bit mask")
        if mask < 0 or mask >> len(self.fields):
            raise NotationError("mask_outside", last=len(self.fields) - 1)
        return tuple([name for bit, name in enumerate(self.fields) if mask >> bit & 1])

    def _number(self, field: object) -> int:
        if isinstance(field, str):
            return self.index(field)
        if not isinstance(field, SupportsIndex) or isinstance(field, bool):
            raise NotationError("field_name_or_number", given=field)
        number = index(field)
        if not 0 <= number < len(self.fields):
            raise NotationError("no_field_number", number=number, last=len(self.fields) - 1)
        return number

    # Symmetries

    def mirrored(self) -> Layout:
        """Return the mirror image, left and right exchanged; the panels keep their names.

        Examples:
            >>> Layout.parse("AAB/CCB").mirrored()
            Layout.parse('BAA/BCC')
        """
        return self.image(MIRROR)[0]

    def rotated(self, quarters: int = 1) -> Layout:
        """Return the layout turned clockwise; the panels keep their names.

        Args:
            quarters: how far, any whole number; below 0 counterclockwise.

        Raises:
            LayoutError: if it is no whole number.

        Examples:
            >>> Layout.parse("AAB/CCB").rotated()
            Layout.parse('CA/CA/BB')
        """
        return self.image(quarters_turned(quarters))[0]

    def canonical(self) -> Layout:
        """Return the one layout that stands for all that are equivalent to this one.

        Mirror images and rotations are equivalent; names of panels and empty rows and columns at
        the edges do not matter. The result is at least as wide as high, and its panels are named
        in the order in which they appear. It is the one of the layouts left whose text is first.

        Examples:
            >>> Layout.parse("xy/xy/.y").canonical()
            Layout.parse('.AA/BBB')
            >>> Layout.parse("AAB/CCB").canonical() == Layout.parse("ba/ba/cc").canonical()
            True
        """
        return canonical_images(self)[0][0]

    def image(self, symmetry: int) -> tuple[Layout, tuple[int, ...]]:
        """Return an image of the layout, and for each field the number that it has there.

        Args:
            symmetry: 0 to 7. The third bit mirrors left and right; then the lower two bits are the
                number of quarters to turn, clockwise.

        Raises:
            LayoutError: if it is no symmetry.

        Examples:
            >>> Layout.parse("AAB").image(4)
            (Layout.parse('BAA'), (2, 1, 0))
        """
        if whole(symmetry) not in SYMMETRIES:
            raise LayoutError(f"symmetry {quoted(symmetry)}: give a whole number from 0 to 7")
        numbers = {square: number for number, square in enumerate(self.squares)}
        grid = [[numbers.get((x, y), -1) for x in range(self.width)] for y in range(self.height)]
        moved = [0] * len(self)
        lying = [number for row in turned(grid, symmetry) for number in row if number >= 0]
        for place, number in enumerate(lying):
            moved[number] = place
        rows = tuple("".join(row) for row in turned(self.rows, symmetry))
        return _layout(rows), tuple(moved)

    # Equality, text and pickling

    def __len__(self) -> int:
        return len(self.fields)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Layout.parse({self._text!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Layout):
            return NotImplemented
        return self is other or self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __copy__(self) -> Layout:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Layout:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # The rows need no checks, and the process that reads them probably has the layout cached.
        return (_layout, (self.rows,))

    def _repr_svg_(self) -> str:
        from ...drawing.svg import picture_svg
        from ..drawing.render import picture_of

        return picture_svg(picture_of(self))


def quarters_turned(quarters: object) -> int:
    """Return the symmetry that turns by a number of quarters, clockwise.

    Raises:
        LayoutError: if it is no whole number.

    Examples:
        >>> quarters_turned(5), quarters_turned(-1)
        (1, 3)
    """
    number = whole(quarters)
    if number is None:
        raise LayoutError(f"{quoted(quarters)} quarters: turn by a whole number of them")
    return number & 3


def owner_of(panel: Panel, red: int, black: int) -> str | None:
    """Return who has more marbles on a panel, None if nobody has; marbles are masks of fields."""
    mask = sum(1 << field for field in panel.fields)
    lead = (red & mask).bit_count() - (black & mask).bit_count()
    return RED if lead > 0 else BLACK if lead < 0 else None


def named_layout(name: object) -> Layout | None:
    """Return the layout of this name, None if there is none.

    Examples:
        >>> named_layout("square") == Layout.square(), named_layout("AAB/AAC")
        (True, None)
    """
    if name == "square":
        return Layout.square()
    return Layout.rulebook() if name == "rulebook" else None


@functools.cache
def published_layouts() -> dict[str, str]:
    """Return the boards that other programs ship: the text of each by its name.

    Examples:
        >>> boards = published_layouts()
        >>> len(boards), boards["zack-1"][:11]
        (1018, 'AABBC..../A')
    """
    lines = Path(__file__).with_name("published.txt").read_text("utf-8").splitlines()
    listed = (line.split(" ", 2) for line in lines if not line.startswith("#"))
    return {name: text for name, text, *_ in listed}


def close_layout_name(text: str) -> str | None:
    """Return the layout name that a text is, or is probably meant to be; None if there is none.

    Names are for the command line; read as panels they would be small boards of one row.

    Examples:
        >>> close_layout_name("square"), close_layout_name("sqare"), close_layout_name("Rulebook")
        ('square', 'square', 'rulebook')
        >>> close_layout_name("AABBC"), close_layout_name("square/"), close_layout_name("squid")
        (None, None, None)
    """
    if "/" in text or "\n" in text:
        return None
    import difflib  # slow to import, and few texts have one row

    close = difflib.get_close_matches(text.strip().lower(), LAYOUT_NAMES, 1, _CLOSE)
    return close[0] if close else None


# Game records and lists of positions name the same few layouts again and again.
@functools.lru_cache(maxsize=64)
def canonical_images(layout: Layout) -> tuple[tuple[Layout, tuple[int, ...]], ...]:
    """Return the canonical layout with each mapping of this layout's fields onto its fields."""
    images = []
    for symmetry in SYMMETRIES:
        image, moved = layout.image(symmetry)
        rows = named_in_order(trimmed(image.rows))
        if len(rows[0]) >= len(rows):
            images.append((rows, moved))
    first = min(rows for rows, _ in images)
    return tuple((_layout(rows), moved) for rows, moved in images if rows == first)


@functools.lru_cache(maxsize=256)
def _layout(rows: tuple[str, ...]) -> Layout:
    """Build the layout of these rows, which are of one width and hold only known characters."""
    text = "/".join(rows)
    squares = tuple(
        (column, row)
        for row, names in enumerate(rows)
        for column, name in enumerate(names)
        if name != NO_FIELD
    )
    if not squares:
        raise LayoutError("layout_empty")
    if len(squares) > MAX_FIELDS:
        raise LayoutError("layout_too_many", count=len(squares), most=MAX_FIELDS)

    lying: dict[str, list[int]] = {}
    for number, (column, row) in enumerate(squares):
        lying.setdefault(rows[row][column], []).append(number)
    panels = tuple(_panel(name, numbers, squares, rows) for name, numbers in lying.items())
    panel_numbers = [0] * len(squares)
    for which, panel in enumerate(panels):
        for number in panel.fields:
            panel_numbers[number] = which

    which_panel = {panel.name: which for which, panel in enumerate(panels)}
    names = [which_panel.get(name, -1) for row in rows for name in row]
    fields = tuple(SQUARES[row][column] for column, row in squares)
    layout = object.__new__(Layout)
    for name, value in {
        "rows": rows,
        "width": len(rows[0]),
        "height": len(rows),
        "fields": fields,
        "squares": squares,
        "panels": panels,
        "geometry": Geometry(len(rows[0]), len(rows), names),
        "_text": text,
        "_numbers": {name: number for number, name in enumerate(fields)},
        "_panel_numbers": tuple(panel_numbers),
    }.items():
        object.__setattr__(layout, name, value)
    return layout


def _panel(
    name: str, numbers: list[int], squares: tuple[tuple[int, int], ...], rows: tuple[str, ...]
) -> Panel:
    columns = [squares[number][0] for number in numbers]
    left, right = min(columns), max(columns)
    top, bottom = squares[numbers[0]][1], squares[numbers[-1]][1]
    for row in range(top, bottom + 1):
        for column in range(left, right + 1):
            if rows[row][column] != name:
                where = f"{field_name(left, top)}-{field_name(right, bottom)}"
                field = field_name(column, row)
                raise LayoutError("not_rectangle", panel=name, where=where, field=field)
    return Panel(name, tuple(numbers), right - left + 1, bottom - top + 1)


def enumerate_layouts(
    width: int, height: int, panels: Sizes | None = None, *, up_to_symmetry: bool = True
) -> Iterator[Layout]:
    """Yield every layout of a full rectangle, each once, in no particular order.

    Args:
        width, height: of the rectangle, 1 to 16 squares each and 64 in all. From about 30 squares
            on there are more than anybody will wait for.
        panels: how many panels of each size there are, as (width, height) in any order, None for
            any number; by default those of the box, of which not all have to be used.
        up_to_symmetry: yield only one of the layouts that are mirror images or rotations of each
            other: the one of this width whose text comes first.

    Raises:
        LayoutError: if there is no such rectangle or panel.

    Examples:
        >>> [str(layout) for layout in enumerate_layouts(3, 2)]
        ['AAA/AAA', 'AAB/AAB', 'AAA/BBB', 'AAB/CCB', 'ABC/ABC']
        >>> len(list(enumerate_layouts(3, 2, up_to_symmetry=False)))
        7
        >>> [str(layout) for layout in enumerate_layouts(2, 2, {(1, 1): 2, (1, 2): None})]
        ['AA/BC', 'AA/BB']
    """
    from .arrangements import all_rows, numbers_of_panels

    for name, side in (("width", width), ("height", height)):
        if whole(side) is None or not 1 <= side <= MAX_SIDE:
            raise LayoutError(f"{name} {quoted(side)}: give 1 to {MAX_SIDE} squares")
    if width * height > MAX_FIELDS:
        raise LayoutError(f"{width} by {height} squares: a layout has {MAX_FIELDS} fields at most")
    left = numbers_of_panels(panels)
    return map(Layout.from_rows, all_rows(width, height, left, up_to_symmetry))
