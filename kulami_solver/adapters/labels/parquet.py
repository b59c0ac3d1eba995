"""Labels as a Parquet file: written in groups of rows, read as NumPy's arrays."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ...core.files import named_file
from ...errors import KulamiError
from ...kulami.position.layout_text import MAX_FIELDS
from ..exact import NO_VALUE

if TYPE_CHECKING:
    import pyarrow

_ABOUT: Final = "kulami.labels"
_CARD: Final = "kulami.card"
_TOGETHER: Final = 1 << 15  # rows that are compressed as one group

Group: TypeAlias = "tuple[str, dict[str, npt.NDArray[Any]]]"
"""Rows of one layout: the layout, and the columns."""


def check_pyarrow() -> None:
    """Refuse to go on without pyarrow.

    Raises:
        KulamiError: if it is missing.
    """
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise KulamiError("extra_missing", package="pyarrow", extra="parquet") from None


def write_parquet(path: Path, groups: Iterable[Group], about: str, card: Callable[[], str]) -> None:
    """Write a file.

    Args:
        path: the file.
        groups: at least one.
        about: what was asked for, as JSON; it becomes the file's `kulami.labels`.
        card: called after the last group; what it returns becomes the file's `kulami.card`.
    """
    import pyarrow.parquet

    tables = map(_table, _gathered(groups))
    first = next(tables)
    schema = first.schema.with_metadata({_ABOUT: about})
    with pyarrow.parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for one in itertools.chain([first], tables):
            writer.write_table(one)
        writer.add_key_value_metadata({_CARD: card()})


def read_labels(path: str | os.PathLike[str]) -> dict[str, npt.NDArray[Any]]:
    """Read a file of labels.

    Args:
        path: the file.

    Returns:
        The columns by name. `layout` has texts; `values` has a row of 64 for each position, with
        `kulami_solver.adapters.exact.NO_VALUE` where a field is not legal.

    Raises:
        KulamiError: if it is no Parquet file, or pyarrow is missing.
        OSError: if it cannot be read.
    """
    check_pyarrow()
    import pyarrow.parquet

    try:
        table = pyarrow.parquet.read_table(named_file(path, "a table"))
    except pyarrow.ArrowInvalid as refusal:
        raise KulamiError(f"{os.fspath(path)}: no Parquet file: {refusal}") from None
    columns = {name: table[name] for name in table.column_names}
    if "values" in columns:
        values = columns["values"].combine_chunks().flatten().fill_null(NO_VALUE)
        columns["values"] = values.to_numpy().reshape(-1, MAX_FIELDS)
    return {name: np.array(column) for name, column in columns.items()}


def _table(groups: list[Group]) -> pyarrow.Table:
    import pyarrow

    which = np.arange(len(groups), dtype=np.int32)
    which = np.repeat(which, [len(columns["game"]) for _, columns in groups])
    texts = [text for text, _ in groups]
    arrays = {"layout": pyarrow.DictionaryArray.from_arrays(which, texts)}
    for name in groups[0][1]:
        column = np.concatenate([columns[name] for _, columns in groups])
        if name == "values":
            flat = column.reshape(-1)
            values = pyarrow.array(flat, mask=flat == NO_VALUE)
            arrays[name] = pyarrow.FixedSizeListArray.from_arrays(values, MAX_FIELDS)
        else:
            arrays[name] = pyarrow.array(column)
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
