"""Random layouts of the 17 standard panels.

All random numbers come from `random.Random(seed).random()`: Python promises the same numbers in
every version and on every machine, but does not promise this for `shuffle` or `choice`.

A set of squares is an int, bit `column + row * pitch`; the pitch is one more than the width, so
that shifting a panel's squares sideways never runs on into the next row.
"""

from __future__ import annotations

import functools
import random

from .layout_text import NO_FIELD, PANEL_NAMES, STANDARD_PANELS, trimmed

_SQUARE_SIDE = 8
_IRREGULAR_SIDE = 10

# Filling the square nearly always succeeds within a few hundred tries or hardly ever; starting
# again is quicker than searching on.
_MOST_TRIES = 150


def random_rows(seed: int, irregular: bool) -> tuple[str, ...]:
    """Return the rows of a full 8x8, or of a connected arrangement inside 10x10.

    Empty outer rows and columns are cut.

    Examples:
        >>> rows = random_rows(1, irregular=False)
        >>> {len(row) for row in rows}, "." in "".join(rows)
        ({8}, False)
        >>> sum(name != "." for row in random_rows(1, irregular=True) for name in row)
        64
    """
    draw = random.Random(seed)
    place, side = (_spread, _IRREGULAR_SIDE) if irregular else (_fill, _SQUARE_SIDE)
    while not (placed := place(draw)):
        pass
    return _rows(placed, side)


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


def _spread(draw: random.Random) -> list[int]:
    """Put panel beside panel at random; an empty list when one finds no place."""
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
        # Take the one of two random places beside more taken squares: any arrangement is
        # possible, but few are mere strings of panels.
        one, other = (places[int(draw.random() * len(places))] for _ in range(2))
        panel, around = max(one, other, key=lambda place: (place[1] & taken).bit_count())
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
