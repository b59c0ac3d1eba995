"""Mirror images and rotations of a grid, and panels named anew.

A symmetry is a number from 0 to 7. Its third bit mirrors left and right; then its lower two bits
give a number of quarter turns, clockwise.

    0  A A B    1  C A    2  B C C    3  B B    4  B A A    5  B B    6  C C B    7  A C
       C C B       C A       B A A       A C       B C C       C A       A A B       A C
                   B B                   A C                   C A                   B B
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeVar

from .material import NO_FIELD, PANEL_NAMES

SYMMETRIES: Final = range(8)
MIRROR: Final = 4

Square = TypeVar("Square")


def turned(grid: Sequence[Sequence[Square]], symmetry: int) -> list[tuple[Square, ...]]:
    """Return a grid's image under a symmetry.

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
