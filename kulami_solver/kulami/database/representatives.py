"""One position for each record of a database.

A record does not say where all marbles lie, nor which were the last. Positions are found from the
root, ply by ply: the children of one position for each record reach all records of the next ply.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...storage.container import DatabaseError
from ..position.layout import Layout
from ..position.position import Position, after_root
from .probe import Database


@dataclass(frozen=True)
class Represented:
    """Positions as arrays, in the view of the side to move, and a part of their margins.

    Attributes:
        own, other, last, before: as `Database.probe_many` takes them.
        base: margin less the record's value.
    """

    own: npt.NDArray[np.uint64]
    other: npt.NDArray[np.uint64]
    last: npt.NDArray[np.int8]
    before: npt.NDArray[np.int8]
    base: npt.NDArray[np.int16]

    def kfn(self, root: Position, ply: int, begin: int, end: int) -> list[str]:
        """Return some of them as KFN lines, `ply` marbles after the root."""
        columns = (self.own, self.other, self.last, self.before)
        views = zip(*(column[begin:end].tolist() for column in columns), strict=True)
        return [after_root(root, ply, *view).kfn() for view in views]


def represented_plies(database: Database) -> Iterator[Represented]:
    """Yield a position for each record of each ply, in the order of the records.

    It takes some 40 bytes of memory for each move of a ply.

    Raises:
        DatabaseError: if the file does not hold the positions reachable from its root.

    Examples:
        >>> import tempfile
        >>> from kulami_solver import build, open_database
        >>> root = Position(Layout.parse("AAB/CCB"))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = build(folder + "/small.kdb", root)
        ...     with open_database(folder + "/small.kdb") as database:
        ...         plies = [one.kfn(root, ply, 0, 2) for ply, one in enumerate(
        ...             represented_plies(database))]
        >>> plies[0], plies[1]
        (['AAB/CCB - r -'], ['AAB/CCB 3/2r b c2', 'AAB/CCB 3/1r1 b b2'])
    """
    own, other, last, before = database.root.view
    here = (
        np.array([own], np.uint64),
        np.array([other], np.uint64),
        np.array([last], np.int8),
        np.array([before], np.int8),
    )
    cross, barred = _tables(database.layout)
    for ply in database.plies:
        plies, frames, details, bases = database.locate_many(*here)
        held = np.flatnonzero(plies == ply.ply)
        order = held[np.lexsort((details[held], frames[held]))]
        same = (np.diff(frames[order]) == 0) & (np.diff(details[order]) == 0)
        chosen = order[np.concatenate([[True], ~same])[: len(order)]]
        if len(chosen) != ply.positions:
            raise DatabaseError(
                "ply_holds_others",
                path=database.path,
                ply=ply.ply,
                positions=ply.positions,
                reached=len(chosen),
            )
        found = Represented(
            here[0][chosen], here[1][chosen], here[2][chosen], here[3][chosen], bases[chosen]
        )
        yield found
        here = _children(found, cross, barred)


def _tables(layout: Layout) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """For each field its row and column without its panel, and its panel; last, for no field."""
    cross, barred = [], []
    for field, (x, y) in enumerate(layout.squares):
        panel = sum(1 << other for other in layout.panel_of(field).fields)
        lines = sum(1 << other for other, (u, v) in enumerate(layout.squares) if u == x or v == y)
        cross.append(lines & ~panel)
        barred.append(panel)
    every = (1 << len(layout)) - 1
    return np.array([*cross, every], np.uint64), np.array([*barred, 0], np.uint64)


def _children(
    found: Represented, cross: npt.NDArray[np.uint64], barred: npt.NDArray[np.uint64]
) -> tuple[Any, Any, Any, Any]:
    """The positions after every move, including ended games."""
    legal = cross[found.last] & ~barred[found.before] & ~(found.own | found.other)
    parts = []
    for field in range(len(cross) - 1):
        bit = np.uint64(1 << field)
        some = np.flatnonzero(legal & bit)
        parts.append(
            (
                found.other[some],
                found.own[some] | bit,
                np.full(len(some), field, np.int8),
                found.last[some],
            )
        )
    own, other, last, before = (np.concatenate(column) for column in zip(*parts, strict=True))
    return own, other, last, before
