"""Labels as a file: Parquet through pyarrow, or .npz, which NumPy reads by itself."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ...core.files import replacement
from ...core.version import __version__
from ...errors import KulamiError
from ...kulami.estimate.chances import estimate_value
from ...kulami.position.layout import Layout
from ...kulami.position.material import MAX_FIELDS
from .plan import LabelPlan
from .rows import NO_VALUE, ROW, Rows, Seen, keys_of, position_of

if TYPE_CHECKING:
    import pyarrow

SUFFIXES: Final = (".parquet", ".npz")

COLUMNS: Final = {
    "layout": "the layout, rows from the top, separated by `/`, a letter for each panel; in .npz "
    "its number in the array `layouts`",
    "kfn": "the position as a KFN line, with --kfn",
    "game": "number of the game that the position is from",
    "red": "fields with a red marble, a mask: bit i is field number i; fields are numbered row by "
    "row from a1, gaps skipped",
    "black": "fields with a black marble",
    "legal": "fields that the side to move may play",
    "turn": "the side to move: 0 red, 1 black",
    "last": "field number of the newest marble, -1 for none",
    "before": "that of the marble before it, -1 for none",
    "supply": "marbles that may still be placed before they run out, both colours together",
    "free": "fields without a marble",
    "margin": "the exact margin after best play of both, for the side to move",
    "values": f"64 numbers: what each field makes of the margin, for the side to move; "
    f"{NO_VALUE} in .npz, null in Parquet, where a field is not legal",
    "estimate_margin": "about what margin is to be expected, which is not proved: what "
    "`estimate_value` says after a short look, with --estimate",
    "estimate_win": "likewise the chance of a win of the side to move, 0 to 1",
    "estimate_draw": "of a draw",
    "estimate_loss": "of a loss",
}
"""The meaning of each column."""

ESTIMATES: Final = tuple(name for name in COLUMNS if name.startswith("estimate_"))

_LOOKED_AT: Final = 1000  # nodes of the look that an estimate is made from

LOT: Final = 64
"""Number of groups whose positions are compared with earlier ones at once."""

_TOGETHER: Final = 1 << 15  # rows of Parquet that are compressed as one group


@dataclass
class Counts:
    """The counts of a file's contents.

    Attributes:
        rows: positions.
        layouts: different layouts.
        games: games from which the positions come.
        free: positions by free fields.
        outcomes: positions by outcome: "win", "draw" or "loss" of the side to move.
    """

    rows: int = 0
    layouts: int = 0
    games: int = 0
    free: Counter[int] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)

    def add(self, rows: Rows) -> None:
        """Count more rows."""
        self.rows += len(rows)
        self.games += len(np.unique(rows["game"]))
        self.free.update(rows["free"].tolist())
        signs = np.sign(rows["margin"]).tolist()
        self.outcomes.update({1: "win", 0: "draw", -1: "loss"}[sign] for sign in signs)


def distinct(groups: Iterable[tuple[str, Rows]], count: int) -> Iterator[tuple[str, Rows]]:
    """Yield rows whose position is new, at most `count` of them."""
    seen = Seen()
    listed = iter(groups)
    while lot := list(itertools.islice(listed, LOT)):
        done = len(seen)
        new = seen.new(np.concatenate([keys_of(layout, rows) for layout, rows in lot]))
        new &= np.cumsum(new) <= count - done
        ends = np.cumsum([len(rows) for _, rows in lot])
        for (layout, rows), chosen in zip(lot, np.split(new, ends[:-1]), strict=True):
            if chosen.any():
                yield layout, rows[chosen]
        if len(seen) >= count:
            return


def check_file_kind(path: Path) -> None:
    """Refuse a file name that does not fit a file of labels.

    Raises:
        KulamiError: if it ends in neither .parquet nor .npz, or pyarrow is missing.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise KulamiError("labels_name", path=path)
    if path.suffix.lower() == ".parquet":
        try:
            import pyarrow.parquet  # noqa: F401
        except ImportError:
            raise KulamiError("labels_pyarrow_missing") from None


def write_file(
    path: Path,
    plan: LabelPlan,
    groups: Iterable[tuple[str, Rows]],
    kfn: bool = False,
    estimate: bool = False,
) -> Counts:
    """Write groups of rows; the file appears when it is complete.

    Args:
        path: ends in one of `SUFFIXES`.
        plan: the plan.
        groups: each position once, and no group without rows.
        kfn: with a column of KFN lines.
        estimate: with columns of estimates.
    """
    counts = Counts()
    with replacement(path) as writing:
        write = _write_parquet if path.suffix.lower() == ".parquet" else _write_npz
        write(writing, plan, _counted(groups, counts), kfn, estimate)
    return counts


def _counted(groups: Iterable[tuple[str, Rows]], counts: Counts) -> Iterator[tuple[str, Rows]]:
    layouts = set()
    for layout, rows in groups:
        layouts.add(layout)
        counts.add(rows)
        counts.layouts = len(layouts)
        yield layout, rows


def _about(plan: LabelPlan) -> str:
    return json.dumps({"version": __version__, **plan.to_json()})


def _kfn(text: str, rows: Rows, plan: LabelPlan) -> list[str]:
    layout = Layout.parse(text)
    return [position_of(layout, row, plan.marbles, plan.short_end).kfn() for row in rows]


def _estimates(text: str, rows: Rows, plan: LabelPlan) -> Rows:
    """Estimates of each position's result: a column for each of `ESTIMATES`."""
    layout = Layout.parse(text)
    columns = np.zeros((len(ESTIMATES), len(rows)), np.float32)
    for number, row in enumerate(rows):
        position = position_of(layout, row, plan.marbles, plan.short_end)
        found = estimate_value(position, plan.scoring, nodes=_LOOKED_AT)
        columns[:, number] = found.margin, found.win, found.draw, found.loss
    return columns


def _write_npz(
    path: Path, plan: LabelPlan, groups: Iterable[tuple[str, Rows]], kfn: bool, estimate: bool
) -> None:
    numbers: dict[str, int] = {}
    parts, which, lines = [np.zeros(0, ROW)], [np.zeros(0, np.int32)], []
    expected: list[Rows] = [np.zeros((len(ESTIMATES), 0), np.float32)]
    for layout, rows in groups:
        number = numbers.setdefault(layout, len(numbers))
        parts.append(rows)
        which.append(np.full(len(rows), number, np.int32))
        if kfn:
            lines += _kfn(layout, rows, plan)
        if estimate:
            expected.append(_estimates(layout, rows, plan))
    whole = np.concatenate(parts)
    columns: dict[str, Any] = {
        "layouts": np.array(list(numbers), np.str_),
        "layout": np.concatenate(which),
        **({"kfn": np.array(lines, np.str_)} if kfn else {}),
        **{name: np.ascontiguousarray(whole[name]) for name in ROW.names or ()},
        **(dict(zip(ESTIMATES, np.concatenate(expected, 1), strict=True)) if estimate else {}),
        "about": np.array(_about(plan)),
    }
    with open(path, "wb") as file:
        np.savez_compressed(file, **columns)


def _write_parquet(
    path: Path, plan: LabelPlan, groups: Iterable[tuple[str, Rows]], kfn: bool, estimate: bool
) -> None:
    import pyarrow
    import pyarrow.parquet

    schema = pyarrow.schema(
        [
            ("layout", pyarrow.dictionary(pyarrow.int32(), pyarrow.string())),
            *([("kfn", pyarrow.string())] if kfn else []),
            *(
                (name, pyarrow.from_numpy_dtype(ROW[name]))
                for name in ROW.names or ()
                if name != "values"
            ),
            ("values", pyarrow.list_(pyarrow.int16(), MAX_FIELDS)),
            *((name, pyarrow.float32()) for name in ESTIMATES if estimate),
        ],
        {"kulami.labels": _about(plan)},
    )
    with pyarrow.parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for part in _gathered(groups):
            writer.write_table(_arrow(part, plan, kfn, estimate, schema))


def _gathered(
    groups: Iterable[tuple[str, Rows]],
) -> Iterator[list[tuple[str, Rows]]]:
    """Lists of groups of rows that are written together."""
    part: list[tuple[str, Rows]] = []
    for group in groups:
        part.append(group)
        if sum(len(rows) for _, rows in part) >= _TOGETHER:
            yield part
            part = []
    if part:
        yield part


def _arrow(
    part: list[tuple[str, Rows]],
    plan: LabelPlan,
    kfn: bool,
    estimate: bool,
    schema: pyarrow.Schema,
) -> pyarrow.Table:
    import pyarrow

    rows = np.concatenate([rows for _, rows in part])
    numbers = np.repeat(np.arange(len(part), dtype=np.int32), [len(rows) for _, rows in part])
    values = rows["values"].reshape(-1)
    columns = [
        pyarrow.DictionaryArray.from_arrays(numbers, [layout for layout, _ in part]),
        *([[line for layout, rows in part for line in _kfn(layout, rows, plan)]] if kfn else []),
        *(np.ascontiguousarray(rows[name]) for name in ROW.names or () if name != "values"),
        pyarrow.FixedSizeListArray.from_arrays(
            pyarrow.array(values, mask=values == NO_VALUE), MAX_FIELDS
        ),
    ]
    if estimate:
        columns += [*np.concatenate([_estimates(layout, rows, plan) for layout, rows in part], 1)]
    arrays = [
        column if isinstance(column, pyarrow.Array) else pyarrow.array(column) for column in columns
    ]
    return pyarrow.Table.from_arrays(arrays, schema=schema)
