"""A database as a table for other programs.

A record does not say where all marbles lie, nor which were the last. A position for each record is
found from the root, ply by ply: the children of one position for each record reach all records of
the next ply.
"""

from __future__ import annotations

import contextlib
import csv
import itertools
import math
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.budgets import check_watchers
from ..core.files import replacement
from ..errors import KulamiError
from ..storage.container import DatabaseError
from .database.probe import Database, arrays_of
from .position.layout import Layout
from .position.position import Position, after_root


def entropy(database: Database) -> float:
    """Return the entropy of the values, in bits a position, given the ply."""
    bits = 0.0
    for ply in database.plies:
        for count in ply.values:
            if count:
                bits -= count * math.log2(count / ply.positions)
    return bits / database.positions


def export(
    database: Database,
    path: str | os.PathLike[str],
    progress: Callable[[int, int], None] | None = None,
    *,
    kfn: bool = False,
) -> int:
    """Write all positions as a table: `.csv`, or `.parquet` through pyarrow.

    A row stands for a position up to the equivalence that the scoring allows. Where only panels
    count:

        ply      marbles placed since the root
        live     fields that play can still reach, a mask: bit i is field number i
        legal    fields that may be played now
        barred   panel of the newest marble while it has a live field, else -1
        lead_X   marbles on panel X of the side to move minus the other's; empty where the panel
                 is decided or has no live field
        value    not the margin, but the margin, for the side to move, less the points of panels
                 that are decided or have no live field: a row stands for positions that differ
                 in those

    Where areas or chains count, `own` and `other` (the marbles of the side to move and of the other
    side, masks) stand in place of the leads, and `margin` in place of the value.

    With `kfn` there are two columns more, or one where there is a margin already:

        kfn      one of the positions that the row stands for, which can be reached from the root
        margin   its margin after best play, for the side to move

    Args:
        database: open.
        path: the file to write; it appears when it is complete. A link is followed, a pipe or
            device is written to directly.
        progress: called with the number of rows written, and of all.
        kfn: with a position for each row as text; takes some 20 microseconds a row, and memory for
            all moves of a ply.

    Returns:
        The number of rows.

    Raises:
        KulamiError: if the name ends in neither `.csv` nor `.parquet`, or pyarrow is missing.
        OSError: if the file cannot be written.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in (".csv", ".parquet"):
        raise KulamiError(f"{os.fspath(path)}: name a table that ends in .csv or .parquet")
    check_watchers(progress, None)
    rows = 0

    def tables() -> Iterator[dict[str, Any]]:
        nonlocal rows
        for table in _tables(database, kfn):
            yield table
            rows += len(table["ply"])
            if progress is not None:
                progress(rows, database.positions)

    with replacement(path) as writing:
        if suffix == ".csv":
            _write_csv(writing, tables())
        else:
            about = {
                "kulami.layout": str(database.layout),
                "kulami.root": database.root.kfn(),
                "kulami.scoring": database.scoring.value,
            }
            _write_parquet(writing, tables(), about)
    return rows


def _write_csv(path: Path, tables: Iterator[dict[str, Any]]) -> None:
    """Write tables below each other."""
    with open(path, "w", encoding="ascii", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        for number, table in enumerate(tables):
            if not number:
                rows.writerow(table)
            # What is hidden is None in a list, and nothing in a row.
            rows.writerows(zip(*(column.tolist() for column in table.values()), strict=True))


def _write_parquet(path: Path, tables: Iterator[dict[str, Any]], about: dict[str, str]) -> None:
    """Write tables below each other, and what they are about."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise KulamiError(
            "Parquet is written by pyarrow, which is missing: pip install "
            "'kulami_solver[parquet]', or name a .csv file"
        ) from None
    with contextlib.ExitStack() as stack:
        writer: Any = None
        for table in tables:
            columns = {name: pyarrow.array(column) for name, column in table.items()}
            arrow = pyarrow.table(columns).replace_schema_metadata(about)
            if writer is None:
                writer = stack.enter_context(
                    pyarrow.parquet.ParquetWriter(path, arrow.schema, compression="zstd")
                )
            writer.write_table(arrow)


def _tables(database: Database, kfn: bool) -> Iterator[dict[str, Any]]:
    """The columns of each part."""
    header = database.header
    bits = int(header["context_bits"])
    fields = [int(field) for field in header["fields"]]
    legal, barred = database.contexts
    represented = represented_plies(database) if kfn else itertools.repeat(None)
    for ply, standing in zip(database.plies, represented, strict=False):
        rows = 0
        for part in range(database.parts(ply.ply)):
            frames, starts, details, values = database.records(ply.ply, part)
            frames = np.repeat(frames, np.diff(starts).astype(np.int64))
            context = (frames & np.uint64((1 << bits) - 1)).astype(np.int64)
            live = _widened(frames >> np.uint64(bits), fields)
            table = {
                "ply": np.full(len(frames), ply.ply, np.int8),
                "live": live,
                "legal": _widened(legal[context], fields),
                "barred": np.where(barred == 64, -1, barred.astype(np.int8))[context],
            }
            if database.scoring.area or database.scoring.chains:
                table.update(_marbles(database, ply.ply, live, details, fields))
                table["margin"] = values
            else:
                table.update(_leads(database, ply.ply, live, details))
                table["value"] = values
            if standing is not None:
                end = rows + len(frames)
                table["margin"] = values + standing.base[rows:end]
                table["kfn"] = np.array(standing.kfn(database.root, ply.ply, rows, end), object)
                rows = end
            yield table


def _widened(spots: Any, fields: list[int]) -> Any:
    """Sets of spots as sets of fields."""
    wide = np.zeros(len(spots), np.uint64)
    for spot, field in enumerate(fields):
        wide |= (spots >> np.uint64(spot) & np.uint64(1)) << np.uint64(field)
    return wide


def _leads(database: Database, ply: int, live: Any, details: Any) -> dict[str, Any]:
    """A column for each panel: the lead of the side to move on it, hidden once decided or full."""
    columns = {}
    for number, shift, room in database.header["panels"]:
        panel = database.layout.panels[number]
        digit = details >> np.uint64(shift) & np.uint64((1 << (2 * room + 1).bit_length()) - 1)
        lead = (digit.astype(np.int16) - room).astype(np.int8)
        hidden = digit == 2 * room + 1
        hidden |= live & np.uint64(sum(1 << field for field in panel.fields)) == 0
        lead[hidden] = 0
        columns[f"lead_{panel.name}"] = np.ma.array(-lead if ply % 2 else lead, mask=hidden)
    return columns


def _marbles(
    database: Database, ply: int, live: Any, details: Any, fields: list[int]
) -> dict[str, Any]:
    """Two columns: the marbles of the side to move, and those of the other side."""
    root = database.root
    first, second, _, _ = root.view
    spots = np.zeros(len(details), np.uint64)
    for spot in range(len(fields)):
        spots |= (details >> np.uint64(len(fields) - 1 - spot) & np.uint64(1)) << np.uint64(spot)
    placed = _widened(spots, fields)
    every = sum(1 << field for field in fields)
    others = np.uint64(every) & ~live & ~placed | np.uint64(second)
    placed |= np.uint64(first)
    return {"own": others, "other": placed} if ply % 2 else {"own": placed, "other": others}


class Represented(NamedTuple):
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
        views = zip(*(column[begin:end].tolist() for column in self[:4]), strict=True)
        return [after_root(root, ply, *view).kfn() for view in views]


def represented_plies(database: Database) -> Iterator[Represented]:
    """Yield a position for each record of each ply, in the order of the records.

    It takes some 40 bytes of memory for each move of a ply.

    Raises:
        DatabaseError: if the file does not hold the positions reachable from its root.

    Examples:
        >>> import tempfile
        >>> from kulami_solver import Layout, Position, build, open_database
        >>> root = Position(Layout.parse("AAB/CCB"))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = build(folder + "/small.kdb", root)
        ...     with open_database(folder + "/small.kdb") as database:
        ...         plies = [one.kfn(root, ply, 0, 2) for ply, one in enumerate(
        ...             represented_plies(database))]
        >>> plies[0], plies[1]
        (['AAB/CCB - r -'], ['AAB/CCB 3/2r b c2', 'AAB/CCB 3/1r1 b b2'])
    """
    here = arrays_of([database.root])
    cross, barred = _reaches(database.layout)
    for ply in database.plies:
        plies, frames, details, bases = database.locate_many(*here)
        held = np.flatnonzero(plies == ply.ply)
        order = held[np.lexsort((details[held], frames[held]))]
        same = (np.diff(frames[order]) == 0) & (np.diff(details[order]) == 0)
        chosen = order[np.concatenate([[True], ~same])[: len(order)]]
        if len(chosen) != ply.positions:
            raise DatabaseError(
                f"{database.path}: damaged, ply {ply.ply} holds {ply.positions} positions, and "
                f"{len(chosen)} can be reached; build it again"
            )
        found = Represented(*(column[chosen] for column in (*here, bases)))
        yield found
        here = _children(found, cross, barred)


def _reaches(layout: Layout) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
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
