"""All layouts of a rectangle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Final

from ...core.whole_numbers import whole
from ...errors import LayoutError, quoted
from .layout import Layout
from .layout_text import (
    MAX_FIELDS,
    PANEL_NAMES,
    STANDARD_PANELS,
    SYMMETRIES,
    named_in_order,
    turned,
)

_MOST_SIDE: Final = 16

Sizes = Mapping[tuple[int, int], int | None]
"""How many panels of each size there are, None for any number."""


def enumerate_layouts(
    width: int,
    height: int,
    panels: Sizes | None = None,
    *,
    up_to_symmetry: bool = True,
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
    for name, side in (("width", width), ("height", height)):
        if whole(side) is None or not 1 <= side <= _MOST_SIDE:
            raise LayoutError(f"{name} {quoted(side)}: give 1 to {_MOST_SIDE} squares")
    if width * height > MAX_FIELDS:
        raise LayoutError(f"{width} by {height} squares: a layout has {MAX_FIELDS} fields at most")
    return _enumerated(width, height, _numbers(panels), up_to_symmetry)


def _numbers(panels: Sizes | None) -> dict[tuple[int, int], int]:
    """How many panels of each size there are, their shorter side first."""
    left: dict[tuple[int, int], int] = {}
    for size, number in (STANDARD_PANELS if panels is None else panels).items():
        are_two = isinstance(size, tuple) and len(size) == 2 and None not in map(whole, size)
        if not are_two or min(size) < 1:
            raise LayoutError(f"panels of {size!r}: give (width, height), 1 or more")
        if number is not None and (whole(number) is None or number < 0):
            raise LayoutError(f"{quoted(number)} panels of {size}: give a number, or None for any")
        key = (min(size), max(size))
        left[key] = left.get(key, 0) + (MAX_FIELDS if number is None else number)
    return left


def _enumerated(
    width: int, height: int, left: dict[tuple[int, int], int], up_to_symmetry: bool
) -> Iterator[Layout]:
    rows = [[""] * width for _ in range(height)]

    def place(number: int) -> Iterator[tuple[str, ...]]:
        """Cover the first empty square in every possible way, and then the other squares."""
        squares = product(range(height), range(width))
        empty = next(((x, y) for y, x in squares if not rows[y][x]), None)
        if empty is None:
            yield tuple("".join(row) for row in rows)
            return
        if number == len(PANEL_NAMES):
            return
        x, y = empty
        for kind in left:
            for w, h in dict.fromkeys((kind[::-1], kind)):
                if not left[kind] or x + w > width or y + h > height:
                    continue
                # Squares below an empty one are empty, too, so the panel's top row decides.
                if any(rows[y][x : x + w]):
                    continue
                left[kind] -= 1
                _fill(rows, x, y, w, h, PANEL_NAMES[number])
                yield from place(number + 1)
                _fill(rows, x, y, w, h, "")
                left[kind] += 1

    for found in place(0):
        if not up_to_symmetry or _comes_first(found):
            yield Layout.from_rows(found)


def _fill(rows: list[list[str]], x: int, y: int, width: int, height: int, name: str) -> None:
    for row in rows[y : y + height]:
        row[x : x + width] = [name] * width


def _comes_first(rows: tuple[str, ...]) -> bool:
    """Whether no image of the same width, named in order, has a text before that of the rows."""
    return all(
        named_in_order(image) >= rows
        for image in (turned(rows, symmetry) for symmetry in SYMMETRIES)
        if len(image) == len(rows)
    )
