"""A database as a table for other programs, and the entropy of its values."""

from __future__ import annotations

import contextlib
import csv
import math
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from ..core.budgets import check_watchers
from ..core.files import named_file, replacement
from ..errors import KulamiError
from .database.probe import Database

# Rows that are columns at a time: as Python's numbers those of a whole part take 2 GB.
_TOGETHER: Final = 1 << 16


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

    Args:
        database: open.
        path: the file to write; it appears when it is complete. A link is followed, a pipe or
            device is written to directly.
        progress: called with the number of rows written, and of all.

    Returns:
        The number of rows.

    Raises:
        KulamiError: if the name ends in neither `.csv` nor `.parquet`, or pyarrow is missing.
        OSError: if the file cannot be written.
    """
    suffix = Path(named_file(path, "a table")).suffix.lower()
    if suffix not in (".csv", ".parquet"):
        raise KulamiError(f"{os.fspath(path)}: name a table that ends in .csv or .parquet")
    check_watchers(progress, None)
    rows = 0

    def tables() -> Iterator[dict[str, Any]]:
        nonlocal rows
        for table in _tables(database):
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
        raise KulamiError("extra_missing", package="pyarrow", extra="parquet") from None
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


def _tables(database: Database) -> Iterator[dict[str, Any]]:
    """The columns of some rows after others."""
    header = database.header
    bits = int(header["context_bits"])
    fields = [int(field) for field in header["fields"]]
    legal, barred = database.contexts
    for ply in database.plies:
        for part in range(database.parts(ply.ply)):
            frames, starts, *records = database.records(ply.ply, part)
            frames = np.repeat(frames, np.diff(starts).astype(np.int64))
            for first in range(0, len(frames), _TOGETHER):
                some = slice(first, first + _TOGETHER)
                details, values = (column[some] for column in records)
                context = (frames[some] & np.uint64((1 << bits) - 1)).astype(np.int64)
                live = _widened(frames[some] >> np.uint64(bits), fields)
                table = {
                    "ply": np.full(len(live), ply.ply, np.int8),
                    "live": live,
                    "legal": _widened(legal[context], fields),
                    "barred": np.where(barred == 64, -1, barred.astype(np.int8))[context],
                }
                if database.scoring.area or database.scoring.chains:
                    table |= _marbles(database, ply.ply, live, details, fields)
                    table["margin"] = values
                else:
                    table |= _leads(database, ply.ply, live, details)
                    table["value"] = values
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
