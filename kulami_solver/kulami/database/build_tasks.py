"""The tasks of a build: plain functions that share nothing but files in a folder.

`building.py` lists them and runs them. A task also needs the plan, which can be sent to other
processes. A task may run twice, in turn or at the same time, and may be killed: what it writes
follows from the plan and its arguments alone, and a file appears under its name only when it is
complete.

A task works on a *group*, some consecutive shards of a ply, and writes one file of
each kind for all of them. So small shards take neither more files nor more tasks.

A file of arrays holds the number of frames and that of details, then the frames, the place where
the details of each begin, and the details, all as 64-bit words. `bounds` are the numbers of the
frames that begin the shards of a group; the last of them is the number of all frames.
"""

from __future__ import annotations

import functools
import itertools
import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np

from ...core.files import mapped_file
from ...core.locks import free_in_forks
from ...core.records import Codec, count_symbols
from ...storage.container import padded, size_and_checksum
from ...storage.kept_work import Kept, write
from ..position.edition import Edition
from ..position.position import Position
from ..position.scoring import Scoring
from .layers import LayerRules
from .probe import Database
from .shape import WIDEST, Shape
from .shards import Runs, SolvedLayer
from .verification import Meaning, check_parts, meaning

Arrays = tuple[Any, Any, Any]
"""Frames, where each one's details begin, and the details."""

T = TypeVar("T")

_opening: Final = free_in_forks(threading.Lock())

END: Final = (1 << 64) - 1
"""Beyond all frames."""

# How finely a run is sampled to cut a layer into shards.
_SAMPLES: Final = 64
# Positions in a group of shards, at least and at most, and the groups that a ply should have.
_LEAST: Final = 1 << 16
_MOST: Final = 1 << 22
_GROUPS: Final = 1024


def shards_in_group(records: int, shard: int) -> int:
    """Return how many shards of a ply make a group.

    A group with little work would mostly wait for files. Too many groups would make too many files,
    and every task reads all of them. A large shard is a group by itself.

    Args:
        records: positions that arrive at the ply.
        shard: positions in a shard.

    Examples:
        >>> shards_in_group(1_000_000, 1 << 22), shards_in_group(1_000_000, 1000)
        (1, 65)
    """
    wanted = min(max(_LEAST, math.ceil(records / _GROUPS)), _MOST)
    return max(1, wanted // shard)


@dataclass(frozen=True)
class BuildPlan:
    """Everything that a task needs to know, and that the bytes of the file depend on."""

    folder: str
    kfn: str
    edition: Edition
    scoring: str
    shard: int

    @property
    def name(self) -> str:
        """The build's name where its tasks are shown."""
        return f"build {Path(self.folder).stem}"

    @property
    def root(self) -> Position:
        return Position.from_kfn(self.kfn, **self.edition)

    def file(self, kind: str, ply: int, group: int) -> Path:
        return Path(self.folder, f"{kind}-{ply:02}-{group:05}")

    def checkpoint(self, kind: str, ply: int) -> Path:
        return Path(self.folder, f"{kind}-{ply:02}.kept")

    def as_kept(self) -> dict[str, Any]:
        """The values that must agree for a build to continue the work of another."""
        own = {name: value for name, value in vars(self).items() if name != "edition"}
        return {**own, **self.edition, "folder": ""}


@functools.lru_cache(maxsize=2)
def rules_of(plan: BuildPlan) -> tuple[Shape, LayerRules]:
    """The shape of the positions, and the rules that make layers of them."""
    shape = Shape(plan.root, Scoring.parse(plan.scoring))
    return shape, LayerRules(shape)


def mover_and_last(root: Position, ply: int) -> tuple[bool, bool]:
    """Whether the side that began is to move, and whether the next marble is the last."""
    return ply % 2 == 0, root.supply - ply == 1


def sampled_every(shard: int) -> int:
    """Return the step at which positions arriving at a layer are sampled to cut it into shards.

    Args:
        shard: about how many positions a shard of the layer is to have.
    """
    return max(1, shard // _SAMPLES)


def cuts_into(samples: Sequence[Any], records: int, shard: int) -> list[int]:
    """Return frames at which a layer is cut into shards of about equal size, from 0 to `END`.

    No shard is empty: each begins at a frame of the runs. The first holds the lowest frame, which
    is among the samples, because the first frame of every run is.

    Args:
        samples: an array of frames for each run, sampled at the step of `sampled_every`, with the
            first frame of the run.
        records: how many positions the runs have.
        shard: as for `sampled_every`.
    """
    wanted = max(1, math.ceil(records / shard))
    ranked = np.sort(np.concatenate(samples))
    chosen = np.unique(ranked[len(ranked) * np.arange(1, wanted) // wanted])
    return [0, *chosen[chosen != ranked[0]].tolist(), END]


def _write_arrays(plan: BuildPlan, path: Path, arrays: Arrays) -> Kept:
    frames, starts, details = arrays
    sizes = np.array([len(frames), len(details)], np.uint64)
    chunks = [array.data for array in (sizes, frames, starts, details)]
    return write(path, chunks, plan.as_kept())


def _read_arrays(path: Path) -> Arrays:
    words = np.frombuffer(mapped_file(path), np.uint64)
    frames, details = int(words[0]), int(words[1])
    return words[2 : 2 + frames], words[2 + frames : 3 + 2 * frames], words[-details:]


@dataclass(frozen=True)
class Beside:
    """The neighbouring ply, before or after, that a task reads besides its own group.

    Attributes:
        ply: its number.
        groups: its groups that are read.
        round: identifies the round that reads it. A process opens the files once a round, however
            many groups it works on, and never uses those that an earlier round opened.
    """

    ply: int
    groups: tuple[int, ...]
    round: int


@functools.lru_cache(maxsize=1)
def _runs(plan: BuildPlan, before: Beside) -> Runs:
    """The runs of the groups of a ply."""
    _solved.cache_clear()
    return Runs([_read_arrays(plan.file("run", before.ply, run)) for run in before.groups])


@functools.lru_cache(maxsize=1)
def _solved(plan: BuildPlan, after: Beside) -> SolvedLayer:
    """A ply and its values."""
    _runs.cache_clear()
    return SolvedLayer(
        [
            (
                *_read_arrays(plan.file("layer", after.ply, group)),
                _read_values(plan, after.ply, group),
            )
            for group in after.groups
        ]
    )


def _opened(read: Callable[[BuildPlan, Beside], T], plan: BuildPlan, beside: Beside) -> T:
    """The result of `read`; threads that need the same files wait for the first of them."""
    with _opening:
        return read(plan, beside)


def forget_files() -> None:
    """Release the files of a build that this process has mapped."""
    _runs.cache_clear()
    _solved.cache_clear()


def _read_values(plan: BuildPlan, ply: int, group: int) -> Any:
    return np.frombuffer(mapped_file(plan.file("values", ply, group)), np.int16)


def enumerate_group(
    plan: BuildPlan, ply: int, group: int, before: Beside | None, cuts: tuple[int, ...]
) -> dict[str, Any]:
    """Write a group of shards of a ply, and its successors as a run.

    Args:
        plan: what is built.
        ply, group: which group.
        before: the groups of the ply before that have successors; None for ply 0, the root alone.
        cuts: each shard has the frames from its cut to below the next one.

    Returns:
        The bounds of its shards, how many positions it has, its file, and the counts, samples and
        file of the run.
    """
    path = plan.file("layer", ply, group)
    whole = _opened(_runs, plan, before).merged(cuts[0], cuts[-1]) if before else _root(plan)
    kept = _write_arrays(plan, path, whole)
    del whole
    arrays = _read_arrays(path)  # mapped: the merged arrays are freed
    inner = np.searchsorted(arrays[0], np.array(cuts[1:-1], np.uint64)).tolist()
    bounds = [0, *inner, len(arrays[0])]
    return {
        "bounds": bounds,
        "records": len(arrays[2]),
        "file": kept,
        "run": _expanded(plan, ply, group, arrays, bounds),
    }


def _root(plan: BuildPlan) -> Arrays:
    shape, _ = rules_of(plan)
    frames, details = np.array([shape.frame], np.uint64), np.array([shape.detail], np.uint64)
    return frames, np.array([0, 1], np.uint64), details


def _expanded(
    plan: BuildPlan, ply: int, group: int, arrays: Arrays, bounds: Sequence[int]
) -> dict[str, Any]:
    """Write the successors of a group as a run; return its counts, and samples to cut it by.

    The cuts of a layer, and with them the bytes of the database, depend on the successors of each
    shard, so they are the same whatever the groups are.
    """
    shape, rules = rules_of(plan)
    side = mover_and_last(shape.root, ply)
    step = sampled_every(plan.shard)
    after, moves, ended, arrived, samples = rules.expand(*arrays, *side, bounds[1:-1], step)
    run = {"moves": moves, "ended": ended, "records": arrived, "samples": samples}
    if arrived:
        run["file"] = _write_arrays(plan, plan.file("run", ply, group), after)
    return run


def solve_group(
    plan: BuildPlan, ply: int, group: int, bounds: Sequence[int], after: Beside
) -> tuple[Any, Kept]:
    """Write the values of a group; `after` is the next ply, without groups after the last ply.

    Returns how often each symbol is needed to pack it, and the file.
    """
    shape, rules = rules_of(plan)
    arrays = _read_arrays(plan.file("layer", ply, group))
    values = np.empty(len(arrays[2]), np.int16)
    after_it = _opened(_solved, plan, after)
    rules.solve(*arrays, *mover_and_last(shape.root, ply), after_it, values)
    kept = write(plan.file("values", ply, group), [values.data], plan.as_kept())
    if ply % 2:
        values = -values
    counts = count_symbols(shape.digits, -WIDEST, 2 * WIDEST + 1, *arrays, values, bounds[1:-1])
    return counts, kept


def pack_group(
    plan: BuildPlan, ply: int, group: int, bounds: Sequence[int], codes: dict[str, Any]
) -> tuple[list[Any], Kept, Meaning]:
    """Write the shards of a group as sections of the file.

    Returns the header's entries for them, the file, and a summary of what was packed.
    """
    shape, _ = rules_of(plan)
    arrays = _read_arrays(plan.file("layer", ply, group))
    values = _read_values(plan, ply, group)
    if ply % 2:
        values = -values  # The file has values for the side to move.
    codec = Codec(
        shape.digits,
        shape.frame_bits,
        codes["lowest"],
        codes["values"],
        np.array(codes["lengths"], np.uint8),
        np.array(codes["only"], np.uint16),
    )
    frames, starts, details = arrays
    contents = [padded(part) for part in codec.pack(*arrays, values, bounds[1:-1])]
    sections = [
        {
            "kind": "records",
            "ply": ply,
            "records": int(starts[high] - starts[low]),
            "first": [int(frames[low]), int(details[starts[low]])],
            **size_and_checksum(content),
        }
        for (low, high), content in zip(itertools.pairwise(bounds), contents, strict=True)
    ]
    kept = write(plan.file("part", ply, group), contents, plan.as_kept())
    return sections, kept, meaning(ply, group, len(contents), (*arrays, values))


def check_group(
    plan: BuildPlan, ply: int, group: int, parts: Sequence[int], meant: Meaning, database: Database
) -> None:
    """Compare a group, read from these parts of the whole file, with what was packed."""
    check_parts(database, ply, parts, meant)
