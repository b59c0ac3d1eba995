"""Rows of layouts: random ones of the 17 standard panels, and all those of a rectangle.

All random numbers come from `random.Random(seed).random()`: Python promises the same numbers in
every version and on every machine, but does not promise this for `shuffle` or `choice`.

In random layouts a set of squares is an int, bit `column + row * pitch`; the pitch is one more than
the width, so that shifting a panel's squares sideways never runs on into the next row.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator, Mapping
from itertools import product

from ...core.whole_numbers import whole
from ...errors import LayoutError, quoted
from .layout_text import (
    MAX_FIELDS,
    NO_FIELD,
    PANEL_NAMES,
    STANDARD_PANELS,
    SYMMETRIES,
    Sizes,
    named_in_order,
    trimmed,
    turned,
)

_SQUARE_SIDE = 8
_IRREGULAR_SIDE = 10

# Filling the square nearly always succeeds within a few hundred tries or hardly ever; starting
# again is quicker than searching on.
_MOST_TRIES = 150

# How many random places are looked at for each panel, and the longest outline, in sides of squares,
# of a compact arrangement; those that people have published have 36 to 48.
_PLACES, _COMPACT_PLACES = 2, 12
_LONGEST_OUTLINE = 48


def random_rows(seed: int, irregular: bool, compact: bool = False) -> tuple[str, ...]:
    """Return the rows of a full 8x8, or of a connected arrangement inside 10x10.

    Empty outer rows and columns are cut. An arrangement that is compact has no holes and a short
    outline.

    Examples:
        >>> rows = random_rows(1, irregular=False)
        >>> {len(row) for row in rows}, "." in "".join(rows)
        ({8}, False)
        >>> sum(name != "." for row in random_rows(1, irregular=True) for name in row)
        64
    """
    draw = random.Random(seed)
    if not (irregular or compact):
        while not (placed := _fill(draw)):
            pass
        return _rows(placed, _SQUARE_SIDE)
    choices = _COMPACT_PLACES if compact else _PLACES
    while not (placed := _spread(draw, choices)) or (compact and not _is_compact(placed)):
        pass
    return _rows(placed, _IRREGULAR_SIDE)


def _is_compact(placed: list[int]) -> bool:
    """Whether no square is enclosed, and the outline is short."""
    pitch = _IRREGULAR_SIDE + 1
    taken = sum(placed) << pitch  # a free row above; each row ends with a free square
    free = (1 << (_IRREGULAR_SIDE + 2) * pitch) - 1 & ~taken
    reached, before = 1, 0
    while reached != before:
        before = reached
        around = reached << 1 | reached >> 1 | reached << pitch | reached >> pitch
        reached |= around & free
    ends = (taken & ~(taken >> 1)).bit_count() + (taken & ~(taken >> pitch)).bit_count()
    return reached == free and 2 * ends <= _LONGEST_OUTLINE


def _fill(draw: random.Random) -> list[int]:
    """Tile the square from its first free square on; an empty list when tries run out."""
    pitch = _SQUARE_SIDE + 1
    left = dict(STANDARD_PANELS)
    placed: list[int] = []
    tries = 0

    def fill(free: int) -> bool:
        nonlocal tries
        if not free:
            return True
        tries += 1
        first = (free & -free).bit_length() - 1
        # Each panel still in the box is as likely as any other, so that the sizes run out evenly.
        bag = [
            (size, sides)
            for size, count in left.items()
            for sides in (size, size[::-1])
            for _ in range(count)
        ]
        while bag and tries <= _MOST_TRIES:
            size, sides = bag[int(draw.random() * len(bag))]
            bag = [choice for choice in bag if choice[1] != sides]
            panel = _rectangle(*sides, pitch) << first
            if panel & ~free:
                continue
            left[size] -= 1
            placed.append(panel)
            if fill(free & ~panel):
                return True
            placed.pop()
            left[size] += 1
        return False

    return placed if fill(_rectangle(_SQUARE_SIDE, _SQUARE_SIDE, pitch)) else []


def _spread(draw: random.Random, choices: int) -> list[int]:
    """Put panel beside panel at random; an empty list when one finds no place.

    Of so many random places each panel takes the one beside most taken squares: any arrangement is
    possible, but few are mere strings of panels.
    """
    box = [size for size, count in STANDARD_PANELS.items() for _ in range(count)]
    taken = beside = 0
    placed: list[int] = []
    while box:
        size = box.pop(int(draw.random() * len(box)))
        places = [
            (panel, around)
            for panel, around in _places(size)
            if not panel & taken and (panel & beside or not taken)
        ]
        if not places:
            return []
        drawn = [places[int(draw.random() * len(places))] for _ in range(choices)]
        panel, around = max(drawn, key=lambda place: (place[1] & taken).bit_count())
        placed.append(panel)
        taken |= panel
        beside |= around
    return placed


@functools.cache
def _places(size: tuple[int, int]) -> tuple[tuple[int, int], ...]:
    """Return every place of a panel on the irregular grid, each with the squares beside it."""
    pitch = _IRREGULAR_SIDE + 1
    everything = _rectangle(_IRREGULAR_SIDE, _IRREGULAR_SIDE, pitch)
    places = []
    for width, height in sorted({size, size[::-1]}):
        for row in range(_IRREGULAR_SIDE - height + 1):
            for column in range(_IRREGULAR_SIDE - width + 1):
                panel = _rectangle(width, height, pitch) << column + row * pitch
                around = panel << 1 | panel >> 1 | panel << pitch | panel >> pitch
                places.append((panel, around & everything & ~panel))
    return tuple(places)


def _rectangle(width: int, height: int, pitch: int) -> int:
    return sum(((1 << width) - 1) << row * pitch for row in range(height))


def _rows(placed: list[int], side: int) -> tuple[str, ...]:
    """Draw the panels as rows, named A, B, ... by their first squares, without empty edges."""
    grid = [[NO_FIELD] * side for _ in range(side)]
    for which, panel in enumerate(sorted(placed, key=lambda panel: panel & -panel)):
        for row in range(side):
            for column in range(side):
                if panel >> column + row * (side + 1) & 1:
                    grid[row][column] = PANEL_NAMES[which]
    return trimmed(["".join(row) for row in grid])


def numbers_of_panels(panels: Sizes | None) -> dict[tuple[int, int], int]:
    """Return how many panels of each size there are, their shorter side first.

    Raises:
        LayoutError: if there is no such panel.

    Examples:
        >>> numbers_of_panels({(2, 1): 3, (1, 2): 1})
        {(1, 2): 4}
    """
    if panels is not None and not isinstance(panels, Mapping):
        raise LayoutError(f"panels are {quoted(panels)}: give a number for each (width, height)")
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


def all_rows(
    width: int, height: int, left: dict[tuple[int, int], int], up_to_symmetry: bool
) -> Iterator[tuple[str, ...]]:
    """Yield the rows of every layout of a full rectangle, as `layout.enumerate_layouts` does.

    Args:
        width, height, up_to_symmetry: as there.
        left: how many panels of each size there are, their shorter side first.

    Examples:
        >>> list(all_rows(2, 1, {(1, 1): 64, (1, 2): 64}, True))
        [('AB',), ('AA',)]
    """
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
                _put(rows, x, y, w, h, PANEL_NAMES[number])
                yield from place(number + 1)
                _put(rows, x, y, w, h, "")
                left[kind] += 1

    for found in place(0):
        if not up_to_symmetry or _comes_first(found):
            yield found


def _put(rows: list[list[str]], x: int, y: int, width: int, height: int, name: str) -> None:
    for row in rows[y : y + height]:
        row[x : x + width] = [name] * width


def _comes_first(rows: tuple[str, ...]) -> bool:
    """Whether no image of the same width, named in order, has a text before that of the rows."""
    return all(
        named_in_order(image) >= rows
        for image in (turned(rows, symmetry) for symmetry in SYMMETRIES)
        if len(image) == len(rows)
    )
