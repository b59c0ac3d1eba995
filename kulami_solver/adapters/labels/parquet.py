"""Labels as Parquet: one file, or a folder as Hugging Face's `datasets` loads it.

late/README.md                   the data card
late/data/train-00000.parquet    a million rows, then train-00001.parquet, ...
          validation-00000.parquet, test-00000.parquet     with a split
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ...core.files import sync_folder
from ...kulami.position.layout_text import MAX_FIELDS
from ..exact import NO_VALUE
from .reading import PARTS

if TYPE_CHECKING:
    import pyarrow
    import pyarrow.parquet

SHARD: Final = 1 << 20
"""Rows after which the next file of a folder begins."""

_DATA: Final = "data"
_ABOUT: Final = b"kulami.labels"
_SHARDS: Final = re.compile(rf"({'|'.join(PARTS)})-\d{{5,}}\.parquet")
_TOGETHER: Final = 1 << 15  # rows that are compressed as one group

Group: TypeAlias = "tuple[str, dict[str, npt.NDArray[Any]]]"
"""Rows of one layout: the layout, and the columns."""


def joined(groups: list[Group]) -> dict[str, npt.NDArray[Any]]:
    """Return the columns of several groups as those of one."""
    return {name: np.concatenate([group[name] for _, group in groups]) for name in groups[0][1]}


def write_parquet(path: Path, groups: Iterable[Group], about: str) -> None:
    """Write a file.

    Args:
        path: the file.
        groups: at least one.
        about: what was asked for, as JSON; it becomes the file's `kulami.labels`.
    """
    tables = map(_table, _gathered(groups))
    first = next(tables)
    with _writer(path, first, about) as writer:
        for one in itertools.chain([first], tables):
            writer.write_table(one)


def write_shards(folder: Path, work: Path, groups: Iterable[Group], about: str) -> None:
    """Write a folder, and make it if it is not there.

    All files are written elsewhere first. Shards that were in the folder before go; other files
    stay.

    Args:
        folder: the folder.
        work: an existing folder on the same file system, for the files until all are complete.
        groups: at least one; those with a column `split` come into the files of their part.
        about: as for `write_parquet`.
    """
    parts = [_PartFiles(work, number, about) for number in range(len(PARTS))]
    try:
        for gathered in _gathered(groups):
            for number, part in enumerate(parts):
                if chosen := _of_part(gathered, number):
                    part.write(_table(chosen))
    finally:
        for part in parts:
            part.close()
    (folder / _DATA).mkdir(parents=True, exist_ok=True)
    before = set(shards_in(folder))
    for name, part in zip(PARTS, parts, strict=True):
        for number, path in enumerate(part.paths):
            placed = folder / _DATA / f"{name}-{number:05}.parquet"
            os.replace(path, placed)  # fails before anything is lost if it is on another disk
            before.discard(placed)
    sync_folder(folder / _DATA)
    for shard in before:
        shard.unlink()


def shards_in(folder: Path) -> list[Path]:
    """Return the Parquet files of a folder that have names of shards, ordered by name."""
    return sorted(
        path for path in (folder / _DATA).glob("*.parquet") if _SHARDS.fullmatch(path.name)
    )


def is_labelled(path: Path) -> bool:
    """Whether `kulami labels` has written a Parquet file."""
    import pyarrow.parquet

    try:
        about = pyarrow.parquet.read_schema(path).metadata or {}
    except (OSError, pyarrow.ArrowException):
        return False
    return _ABOUT in about


class _PartFiles:
    """The files of one part, of `SHARD` rows and the last one of the rest."""

    def __init__(self, work: Path, number: int, about: str) -> None:
        self._work: Final = work
        self._number: Final = number
        self._about: Final = about
        self._writer: pyarrow.parquet.ParquetWriter | None = None
        self._rows = 0
        self.paths: Final[list[Path]] = []

    def write(self, table: pyarrow.Table) -> None:
        """Add rows."""
        while len(table):
            if self._writer is None:
                self.paths.append(self._work / f"part-{self._number}-{len(self.paths):05}")
                self._writer = _writer(self.paths[-1], table, self._about)
                self._rows = 0
            now = table.slice(0, SHARD - self._rows)
            self._writer.write_table(now)
            self._rows += len(now)
            table = table.slice(len(now))
            if self._rows == SHARD:
                self.close()

    def close(self) -> None:
        """Complete the last file."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
            with open(self.paths[-1], "rb") as file:
                os.fsync(file.fileno())


def _of_part(groups: list[Group], part: int) -> list[Group]:
    """The rows of one part, without the column that says so; without a split all of the first."""
    found = []
    for text, columns in groups:
        rest = dict(columns)
        split = rest.pop("split", np.zeros(len(columns["game"]), np.uint8))
        if (chosen := split == part).any():
            found.append((text, {name: column[chosen] for name, column in rest.items()}))
    return found


def _writer(path: Path, table: pyarrow.Table, about: str) -> pyarrow.parquet.ParquetWriter:
    import pyarrow.parquet

    schema = table.schema.with_metadata({_ABOUT: about})
    return pyarrow.parquet.ParquetWriter(path, schema, compression="zstd")


def _table(groups: list[Group]) -> pyarrow.Table:
    import pyarrow

    which = np.arange(len(groups), dtype=np.int32)
    which = np.repeat(which, [len(columns["game"]) for _, columns in groups])
    texts = [text for text, _ in groups]
    arrays = {"layout": pyarrow.DictionaryArray.from_arrays(which, texts)}
    for name, column in joined(groups).items():
        if name == "values":
            flat = column.reshape(-1)
            values = pyarrow.array(flat, mask=flat == NO_VALUE)
            arrays[name] = pyarrow.FixedSizeListArray.from_arrays(values, MAX_FIELDS)
        else:
            arrays[name] = pyarrow.array(np.ascontiguousarray(column))
    return pyarrow.table(arrays)


def _gathered(groups: Iterable[Group]) -> Iterator[list[Group]]:
    """Lists of groups that are written together."""
    part: list[Group] = []
    for group in groups:
        part.append(group)
        if sum(len(columns["game"]) for _, columns in part) >= _TOGETHER:
            yield part
            part = []
    if part:
        yield part
