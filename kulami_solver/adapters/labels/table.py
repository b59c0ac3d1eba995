"""The table of labels: its rows, and its data card."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ...core.files import replacement
from ...core.version import __version__
from ...game import Source
from ...kulami.database.probe import Database
from ...kulami.estimate.chances import estimate_value
from ...kulami.position.edition import OPTIONS
from ...kulami.position.layout import Layout
from ...kulami.position.layout_text import MAX_FIELDS
from ...kulami.position.position import Position, restored
from ..exact import NO_VALUE
from ..planes import PLACED
from .parquet import write_parquet
from .plan import LabelPlan
from .reading import PARTS, Digest, splits

_LAYOUTS_FILE: Final = "layouts.txt"  # what the card calls a file of layouts, which it lists

COLUMNS: Final = {
    "layout": "the layout, rows from the top, separated by `/`, a letter for each panel",
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
    "values": "64 numbers: what each field makes of the margin, for the side to move; null where "
    "a field is not legal",
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
        digest: of the rows.
    """

    rows: int = 0
    layouts: int = 0
    games: int = 0
    free: Counter[int] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    split: Counter[str] = field(default_factory=Counter)
    digest: Digest = field(default_factory=Digest)

    def add(self, rows: Rows) -> None:
        """Count more rows."""
        self.rows += len(rows)
        self.games += len(np.unique(rows["game"]))
        self.free.update(rows["free"].tolist())
        signs = np.sign(rows["margin"]).tolist()
        self.outcomes.update({1: "win", 0: "draw", -1: "loss"}[sign] for sign in signs)


def write_table(
    path: Path,
    plan: LabelPlan,
    groups: Iterable[tuple[str, Rows]],
    estimate: bool,
    split: Sequence[float] | None,
    card: Callable[[Counts], str],
) -> Counts:
    """Write groups of rows; the file appears when it is complete.

    Args:
        path: the file.
        plan: the plan.
        groups: each position once, at least one group, and no group without rows.
        estimate: with columns of estimates.
        split: with a column of parts, in these shares.
        card: makes the card that is in the file.
    """
    counts = Counts()

    def columns() -> Iterator[tuple[str, dict[str, Any]]]:
        layouts = set()
        for text, rows in groups:
            layouts.add(text)
            counts.add(rows)
            counts.layouts = len(layouts)
            columns: dict[str, Any] = {name: rows[name] for name in ROW.names or ()}
            if estimate:
                columns |= _estimates(text, rows, plan)
            if split is not None:
                games = rows["game"] if isinstance(plan.layout, Layout) else None
                columns["split"] = splits([text] * len(rows), games, split, plan.seed)
                counts.split.update(PARTS[part] for part in columns["split"].tolist())
            counts.digest.add({"layout": [text] * len(rows), **columns})
            yield text, columns

    about = json.dumps({"version": __version__, **plan.to_json()})
    with replacement(path) as writing:
        write_parquet(writing, columns(), about, lambda: card(counts))
    return counts


def _estimates(text: str, rows: Rows, plan: LabelPlan) -> dict[str, npt.NDArray[np.float32]]:
    """The columns of estimates of rows of a layout."""
    layout = Layout.parse(text)
    found = []
    for row in rows:
        placed = {name: int(row[name]) for name in PLACED}
        position = restored(layout, edition=plan.edition, **placed)
        found.append(estimate_value(position, plan.scoring, nodes=_LOOKED_AT))
    return {
        name: np.array([getattr(one, name.removeprefix("estimate_")) for one in found], np.float32)
        for name in ESTIMATES
    }


def command_of(
    name: str,
    plan: LabelPlan,
    estimate: bool = False,
    split: Sequence[float] | None = None,
    database: Source | None = None,
) -> str:
    """Return the command that writes a file again.

    Examples:
        >>> command_of("late.parquet", LabelPlan(1000, (8, 16), bots=("alphabeta:4",), plies=4))
        'kulami labels late.parquet --count 1000 --free 8-16 --bot alphabeta:4 --plies 4'
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
    for option, usual in (("plies", 6), ("games", 16), ("seed", 0)):
        if getattr(plan, option) != usual:
            words += [f"--{option}", str(getattr(plan, option))]
    unusual = plan.edition.unusual
    for one in OPTIONS:
        words += one.typed(unusual[one.name]).split() if one.name in unusual else []
    if estimate:
        words.append("--estimate")
    if split is not None:
        words += ["--split", "-".join(f"{share:g}" for share in split)]
    if isinstance(database, Database):
        words += ["--database", database.path]
    return shlex.join(words)


def card_of(
    name: str,
    plan: LabelPlan,
    estimate: bool,
    split: Sequence[float] | None,
    database: Source | None,
    counts: Counts,
) -> str:
    """Return the card of a file."""
    from jinja2 import Environment, StrictUndefined

    left_out = (() if estimate else ESTIMATES) + (() if split is not None else ("split",))
    environment = Environment(trim_blocks=True, undefined=StrictUndefined)
    environment.filters["number"] = "{:,}".format
    card = environment.from_string(Path(__file__).with_name("card.md").read_text("utf-8"))
    return card.render(
        name=name,
        plan=plan,
        several=isinstance(plan.layout, tuple),
        layouts_file=_LAYOUTS_FILE,
        counts=counts,
        database=database is not None,
        version=__version__,
        command=command_of(name, plan, estimate, split, database),
        columns={name: about for name, about in COLUMNS.items() if name not in left_out},
    )
