"""The table of labels: rows, as Parquet or .npz, and the data card beside it."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ...core.files import file_sha256, replacement
from ...core.version import __version__
from ...errors import KulamiError
from ...game import Source
from ...kulami.database.probe import Database
from ...kulami.estimate.chances import estimate_value
from ...kulami.position.layout import Layout
from ...kulami.position.layout_text import MAX_FIELDS
from ...kulami.position.position import MARBLES, Position, restored
from ..exact import NO_VALUE
from .parquet import is_labelled, joined, shards_in, write_parquet, write_shards
from .plan import LabelPlan
from .reading import PARTS, splits

LICENSE: Final = "MIT"
"""The default licence of the data."""

SUFFIXES: Final = (".parquet", ".npz", "")
"""How the name of a file ends; one without an ending is a folder of Parquet files."""

_LAYOUTS_FILE: Final = "layouts.txt"  # what the card calls a file of layouts, which it lists

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
    "split": "0 for training, 1 for validation, 2 for a test, with --split: rows of one layout, "
    "mirrored or turned too, are in one part; of a file of a single layout, those of one game",
}
"""The meaning of each column."""

ESTIMATES: Final = tuple(name for name in COLUMNS if name.startswith("estimate_"))

_LOOKED_AT: Final = 1000  # nodes of the look that an estimate is made from

LOT: Final = 64
"""Number of groups whose positions are compared with earlier ones at once."""

ROW: Final = np.dtype(
    [
        ("game", "<i8"),
        ("red", "<u8"),
        ("black", "<u8"),
        ("legal", "<u8"),
        ("turn", "<u1"),
        ("last", "<i1"),
        ("before", "<i1"),
        ("supply", "<u1"),
        ("free", "<u1"),
        ("margin", "<i2"),
        ("values", "<i2", (MAX_FIELDS,)),
    ]
)

Rows = npt.NDArray[Any]
Keys = npt.NDArray[np.uint64]


def row_of(game: int, position: Position, margin: int, values: dict[int, int]) -> tuple[Any, ...]:
    """Return a position as a row.

    Args:
        game: number of the position's game.
        position: a position whose game is not over.
        margin: its exact margin, for the side to move.
        values: the exact margin of each legal field, for the side to move.
    """
    fields = [NO_VALUE] * MAX_FIELDS
    for number, value in values.items():
        fields[number] = value
    return (
        game,
        position.red,
        position.black,
        position.legal_mask,
        0 if position.turn == "red" else 1,
        position.last_field,
        position.barred_field,
        position.supply,
        position.free_count,
        margin,
        fields,
    )


def keys_of(layout: str, rows: Rows) -> Keys:
    """Return 64 bits of hash for each position; equal positions have equal hashes.

    Two different positions have the same hash in one of 18 million runs of a million positions
    each. Then one of the two has no row.
    """
    digest = hashlib.blake2b(layout.encode("ascii"), digest_size=8).digest()
    key = np.full(len(rows), int.from_bytes(digest, "little"), np.uint64)
    lasts = rows["last"].astype(np.int64) + 1 << 8 | rows["before"].astype(np.int64) + 1
    lasts = lasts << 1 | rows["turn"]
    for part in (rows["red"], rows["black"], lasts.astype(np.uint64)):
        key = _mixed(key ^ part)
    return key


def _mixed(words: Keys) -> Keys:
    """SplitMix64, which maps different words to different words."""
    with np.errstate(over="ignore"):
        words = words + np.uint64(0x9E3779B97F4A7C15)
        words = (words ^ words >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
        words = (words ^ words >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
        mixed: Keys = words ^ words >> np.uint64(31)
    return mixed


class Seen:
    """Earlier keys, 8 bytes each.

    They lie in sorted arrays. Two arrays of about equal length are merged, so there are few arrays,
    and a few binary searches find a key.

    Examples:
        >>> seen = Seen()
        >>> seen.new(np.array([3, 5, 3], np.uint64)).tolist(), len(seen)
        ([True, True, False], 2)
        >>> seen.new(np.array([5, 6], np.uint64)).tolist(), len(seen)
        ([False, True], 3)
    """

    def __init__(self) -> None:
        self._sorted: list[Keys] = []

    def __len__(self) -> int:
        return sum(map(len, self._sorted))

    def new(self, keys: Keys) -> npt.NDArray[np.bool_]:
        """Return which keys are new, also compared with earlier ones in `keys`, and note them."""
        unique, first = np.unique(keys, return_index=True)
        fresh = np.ones(len(unique), np.bool_)
        for known in self._sorted:
            place = np.minimum(np.searchsorted(known, unique), len(known) - 1)
            fresh &= known[place] != unique
        found = np.zeros(len(keys), np.bool_)
        found[first[fresh]] = True
        if fresh.any():
            self._sorted.append(unique[fresh])
        while len(self._sorted) > 1 and len(self._sorted[-2]) < 2 * len(self._sorted[-1]):
            last = self._sorted.pop()
            self._sorted[-1] = np.sort(np.concatenate([self._sorted[-1], last]))
        return found


@dataclass
class Counts:
    """The counts of a file's contents.

    Attributes:
        rows: positions.
        layouts: different layouts.
        games: games from which the positions come.
        free: positions by free fields.
        outcomes: positions by outcome: "win", "draw" or "loss" of the side to move.
        split: positions by part, of `PARTS`; none without a split.
    """

    rows: int = 0
    layouts: int = 0
    games: int = 0
    free: Counter[int] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    split: Counter[str] = field(default_factory=Counter)

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
        KulamiError: if it has an ending that is neither .parquet nor .npz, or pyarrow is missing.
    """
    unnamed = path.name.lower() in ("-", *filter(None, SUFFIXES))  # a stream, or an ending alone
    if unnamed or path.suffix.lower() not in SUFFIXES:
        raise KulamiError("labels_name", path=path)
    if path.suffix.lower() != ".npz":
        try:
            import pyarrow.parquet  # noqa: F401
        except ImportError:
            raise KulamiError(
                "Parquet is written by pyarrow, which is missing: pip install "
                "'kulami_solver[parquet]', or name a .npz file"
            ) from None


def write_table(
    path: Path,
    work: Path,
    plan: LabelPlan,
    groups: Iterable[tuple[str, Rows]],
    kfn: bool = False,
    estimate: bool = False,
    split: Sequence[float] | None = None,
) -> Counts:
    """Write groups of rows; the file appears when it is complete.

    Args:
        path: ends in one of `SUFFIXES`.
        work: the folder for the files of a folder until all of them are complete.
        plan: the plan.
        groups: each position once, at least one group, and no group without rows.
        kfn: with a column of KFN lines.
        estimate: with columns of estimates.
        split: with a column of parts, in these shares.
    """
    counts = Counts()

    def columns() -> Iterator[tuple[str, dict[str, Any]]]:
        layouts = set()
        for text, rows in groups:
            layouts.add(text)
            counts.add(rows)
            counts.layouts = len(layouts)
            columns = _columns(text, rows, plan, kfn, estimate)
            if split is not None:
                games = rows["game"] if isinstance(plan.layout, Layout) else None
                columns["split"] = splits([text] * len(rows), games, split, plan.seed)
                counts.split.update(PARTS[part] for part in columns["split"].tolist())
            yield text, columns

    about = json.dumps({"version": __version__, **plan.to_json()})
    if not path.suffix:
        write_shards(path, work, columns(), about)
        return counts
    with replacement(path) as writing:
        write = write_parquet if path.suffix.lower() == ".parquet" else _write_npz
        write(writing, columns(), about)
    return counts


def _columns(
    text: str, rows: Rows, plan: LabelPlan, kfn: bool, estimate: bool
) -> dict[str, npt.NDArray[Any]]:
    """The columns of rows of a layout, in their order; that of the layout is not among them."""
    layout = Layout.parse(text)
    columns: dict[str, npt.NDArray[Any]] = {name: rows[name] for name in ROW.names or ()}
    if not kfn and not estimate:
        return columns
    positions = []
    for row in rows:
        red, black, turn, last, before = (
            int(row[name]) for name in ("red", "black", "turn", "last", "before")
        )
        positions.append(
            restored(layout, red, black, turn, last, before, plan.marbles, plan.short_end)
        )
    if kfn:
        columns = {"kfn": np.array([position.kfn() for position in positions]), **columns}
    if estimate:
        found = [estimate_value(one, plan.scoring, nodes=_LOOKED_AT) for one in positions]
        for name in ESTIMATES:
            values = [getattr(one, name.removeprefix("estimate_")) for one in found]
            columns[name] = np.array(values, np.float32)
    return columns


def _write_npz(path: Path, groups: Iterable[tuple[str, dict[str, Any]]], about: str) -> None:
    numbers: dict[str, int] = {}
    parts = list(groups)
    which = [
        np.full(len(part["game"]), numbers.setdefault(layout, len(numbers)), np.int32)
        for layout, part in parts
    ]
    columns: dict[str, Any] = {
        "layouts": np.array(list(numbers), np.str_),
        "layout": np.concatenate(which),
        **joined(parts),
        "about": np.array(about),
    }
    with open(path, "wb") as file:
        np.savez_compressed(file, **columns)


def command_of(
    name: str,
    plan: LabelPlan,
    kfn: bool = False,
    estimate: bool = False,
    database: Source | None = None,
    split: Sequence[float] | None = None,
    license: str = LICENSE,
) -> str:
    """Return the command that writes a file again.

    Examples:
        >>> command_of("late.npz", LabelPlan(1000, (8, 16), bots=("alphabeta:4",), plies=4))
        'kulami labels late.npz --count 1000 --free 8-16 --bot alphabeta:4 --plies 4'
    """
    words = ["kulami", "labels", name, "--count", str(plan.count)]
    words += ["--free", f"{plan.free[0]}-{plan.free[1]}"]
    if plan.scoring.value != "0":
        words += ["--scoring", plan.scoring.value]
    if plan.layout != "random":
        several = isinstance(plan.layout, tuple)
        words += ["--layout", _LAYOUTS_FILE if several else str(plan.layout)]
    for bot in plan.bots:
        words += ["--bot", bot]
    for option, value, default in (
        ("--plies", plan.plies, 6),
        ("--marbles", plan.marbles, MARBLES),
        ("--games", plan.games, 16),
        ("--seed", plan.seed, 0),
    ):
        if value != default:
            words += [option, str(value)]
    if plan.short_end:
        words.append("--short-end")
    if kfn:
        words.append("--kfn")
    if estimate:
        words.append("--estimate")
    if split is not None:
        words += ["--split", "-".join(f"{share:g}" for share in split)]
    if isinstance(database, Database):
        words += ["--database", database.path]
    if license != LICENSE:
        words += ["--license", license]
    return shlex.join(words)


def card_of(
    path: Path,
    plan: LabelPlan,
    counts: Counts,
    kfn: bool,
    estimate: bool,
    license: str,
    database: Source | None = None,
    split: Sequence[float] | None = None,
) -> str:
    """Return the card of a file that has been written."""
    from jinja2 import Environment, StrictUndefined

    folder, name = not path.suffix, os.path.basename(os.path.abspath(path))
    left_out = (() if kfn else ("kfn",)) + (() if estimate else ESTIMATES)
    left_out += () if split is not None and not folder else ("split",)
    files = {one.relative_to(path): file_sha256(one) for one in shards_in(path)} if folder else {}
    listed = "".join(f"{digest}  {name}\n" for name, digest in files.items())
    environment = Environment(trim_blocks=True, undefined=StrictUndefined)
    environment.filters["number"] = "{:,}".format
    card = environment.from_string(Path(__file__).with_name("card.md").read_text("utf-8"))
    return card.render(
        name=name,
        npz=path.suffix.lower() == ".npz",
        plan=plan,
        several=isinstance(plan.layout, tuple),
        layouts_file=_LAYOUTS_FILE,
        counts=counts,
        license=license,
        database=database is not None,
        version=__version__,
        files=files,
        parts=_parts(path, counts) if folder else {},
        sha256=hashlib.sha256(listed.encode()).hexdigest() if folder else file_sha256(path),
        command=command_of(name, plan, kfn, estimate, database, split, license),
        columns={name: about for name, about in COLUMNS.items() if name not in left_out},
    )


def strangers_in(folder: Path) -> list[str]:
    """Return the files of a folder whose names are those of labels, but which are none."""
    found = [shard for shard in shards_in(folder) if not is_labelled(shard)]
    card = folder / "README.md"
    begins = card.read_text("utf-8", "replace") if card.is_file() else ""
    if card.exists() and "\n# Labelled Kulami positions" not in begins:
        found.append(card)
    return [path.relative_to(folder).as_posix() for path in found]


def _parts(folder: Path, counts: Counts) -> dict[str, dict[str, int]]:
    """What the card of a folder says of each part, by the names that Hugging Face gives it."""
    rows = counts.split or {PARTS[0]: counts.rows}
    shards = shards_in(folder)
    sizes = {
        part: sum(path.stat().st_size for path in shards if path.name.startswith(f"{part}-"))
        for part in PARTS
    }
    return {
        part: {"num_examples": rows[part], "num_bytes": size}
        for part, size in sizes.items()
        if size
    }
