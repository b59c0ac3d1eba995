"""The tasks of a build: plain functions that share nothing but files in a folder.

`building.py` says which there are, and `build_rounds.py` has them run. A task also needs the
plan, which can be sent to other processes. A task may run twice, one after the other or at once,
and may be killed: what it writes follows from the plan and its arguments, and appears under its
name when it is complete.

A file of arrays holds the number of frames and that of details, then the frames, where each one's
details begin, and the details, all as 64-bit words.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np

from ..core import mapping
from ..core.records import Codec, count_symbols
from ..storage.build_folder import Kept, write
from ..storage.container import padded, size_and_checksum
from .header import WIDEST
from .layers import LayerRules
from .position import Position
from .probe import Database
from .readback import Meaning, check_part, meaning
from .scoring import Scoring
from .shape import Shape, Words
from .shards import Runs
from .solved_layer import SolvedLayer

Arrays = tuple[Any, Any, Any]
"""Frames, where each one's details begin, and the details."""

T = TypeVar("T")

_opening: Final = threading.Lock()

# How finely a run is sampled to cut a layer into shards.
_SAMPLES: Final = 64


@dataclass(frozen=True)
class Plan:
    """All that a task has to know, and all that the file's bytes depend on."""

    folder: str
    kfn: str
    marbles: int
    short_end: bool
    scoring: str
    shard: int

    @property
    def name(self) -> str:
        """What the build is called where its tasks are shown."""
        return f"build {Path(self.folder).stem}"

    @property
    def root(self) -> Position:
        return Position.from_kfn(self.kfn, self.marbles, self.short_end)

    def file(self, kind: str, ply: int, shard: int) -> Path:
        return Path(self.folder, f"{kind}-{ply:02}-{shard:05}")

    def checkpoint(self, kind: str, ply: int) -> Path:
        return Path(self.folder, f"{kind}-{ply:02}.json")

    def as_kept(self) -> dict[str, Any]:
        """What has to agree for one build to go on with the work of another."""
        return {**asdict(self), "folder": ""}


@functools.lru_cache(maxsize=2)
def rules_of(plan: Plan) -> tuple[Shape, LayerRules]:
    """What positions consist of, and the rules that make layers of them."""
    shape = Shape(plan.root, Scoring.parse(plan.scoring))
    return shape, LayerRules(shape.layout.geometry, shape.tables)


def _mover_and_last(plan: Plan, ply: int) -> tuple[bool, bool]:
    """Whether the side that began is to move, and whether its marble is the last there is."""
    return ply % 2 == 0, rules_of(plan)[0].root.supply - ply == 1


def _write_arrays(plan: Plan, path: Path, arrays: Arrays) -> Kept:
    frames, starts, details = arrays
    sizes = np.array([len(frames), len(details)], np.uint64)
    chunks = [array.data for array in (sizes, frames, starts, details)]
    return write(path, chunks, plan.as_kept())


def _read_arrays(path: Path) -> Arrays:
    words: Words = np.frombuffer(mapping.read_only(path), np.uint64)
    frames, details = int(words[0]), int(words[1])
    return words[2 : 2 + frames], words[2 + frames : 3 + 2 * frames], words[-details:]


@dataclass(frozen=True)
class Beside:
    """The ply that a task reads besides its own shard, before it or after it.

    Attributes:
        ply: which.
        shards: those of it that are read.
        round: a number of the round that reads it. A process opens the files once a round, however
            many shards there are, and not again as they were in an earlier one.
    """

    ply: int
    shards: tuple[int, ...]
    round: int


@functools.lru_cache(maxsize=1)
def _runs(plan: Plan, before: Beside) -> Runs:
    """What comes after the shards of a ply."""
    _solved.cache_clear()
    return Runs([_read_arrays(plan.file("run", before.ply, run)) for run in before.shards])


@functools.lru_cache(maxsize=1)
def _solved(plan: Plan, after: Beside) -> SolvedLayer:
    """A ply and its values."""
    _runs.cache_clear()
    return SolvedLayer(
        [
            (
                *_read_arrays(plan.file("layer", after.ply, shard)),
                _read_values(plan, after.ply, shard),
            )
            for shard in after.shards
        ]
    )


def _opened(read: Callable[[Plan, Beside], T], plan: Plan, beside: Beside) -> T:
    """What `read` finds; threads that need the same wait for the first of them."""
    with _opening:
        return read(plan, beside)


def forget_files() -> None:
    """Let go of what this process has mapped of a build."""
    _runs.cache_clear()
    _solved.cache_clear()


def _read_values(plan: Plan, ply: int, shard: int) -> Any:
    return np.frombuffer(mapping.read_only(plan.file("values", ply, shard)), np.int16)


def enumerate_shard(
    plan: Plan, ply: int, shard: int, before: Beside | None, low: int, high: int
) -> dict[str, Any]:
    """Write a shard of a ply, and its successors as a run.

    Args:
        plan: what is built.
        ply, shard: which shard.
        before: the shards of the ply before that have successors; ply 0 is the root alone.
        low, high: the shard has their frames from `low` to below `high`.

    Returns:
        How many positions it has, its file, and what is to be known of the run.
    """
    path = plan.file("layer", ply, shard)
    merged = _opened(_runs, plan, before).merged(low, high) if before else _root(plan)
    kept = _write_arrays(plan, path, merged)
    del merged
    arrays = _read_arrays(path)  # mapped: what was merged takes no memory any more
    return {"records": len(arrays[2]), "file": kept, "run": _expanded(plan, ply, shard, arrays)}


def _root(plan: Plan) -> Arrays:
    shape, _ = rules_of(plan)
    frames, details = np.array([shape.frame], np.uint64), np.array([shape.detail], np.uint64)
    return frames, np.array([0, 1], np.uint64), details


def _expanded(plan: Plan, ply: int, shard: int, arrays: Arrays) -> dict[str, Any]:
    """Write the successors of a shard as a run, and say where it may be cut."""
    _, rules = rules_of(plan)
    frames, starts, details, moves, ended = rules.expand(*arrays, *_mover_and_last(plan, ply))
    run = {"moves": moves, "ended": ended, "records": len(details), "samples": []}
    if len(details):
        at = np.arange(0, len(details), max(1, plan.shard // _SAMPLES))
        sampled = frames[np.searchsorted(starts, at, side="right") - 1]
        run["samples"] = [int(frame) for frame in sampled]
        path = plan.file("run", ply, shard)
        run["file"] = _write_arrays(plan, path, (frames, starts, details))
    return run


def solve_shard(plan: Plan, ply: int, shard: int, after: Beside) -> tuple[Any, Kept]:
    """Write the values of a shard; `after` is the next ply, none of its shards after the last.

    Returns how often each symbol is needed to pack it, and the file.
    """
    shape, rules = rules_of(plan)
    arrays = _read_arrays(plan.file("layer", ply, shard))
    values = np.empty(len(arrays[2]), np.int16)
    rules.solve(*arrays, *_mover_and_last(plan, ply), _opened(_solved, plan, after), values)
    kept = write(plan.file("values", ply, shard), [values.data], plan.as_kept())
    if ply % 2:
        values = -values
    return count_symbols(digits_of(shape), -WIDEST, 2 * WIDEST + 1, *arrays, values), kept


def pack_shard(
    plan: Plan, ply: int, shard: int, codes: dict[str, Any]
) -> tuple[Any, Kept, Meaning]:
    """Write a shard as a section of the file.

    Returns what the header says of it, the file, and what is kept of what was packed.
    """
    shape, _ = rules_of(plan)
    arrays = _read_arrays(plan.file("layer", ply, shard))
    values = _read_values(plan, ply, shard)
    if ply % 2:
        values = -values  # The file has them for the side to move.
    codec = Codec(
        digits_of(shape),
        shape.frame_bits,
        codes["lowest"],
        codes["values"],
        np.array(codes["lengths"], np.uint8),
        np.array(codes["only"], np.uint16),
    )
    content = padded(b"".join(array.tobytes() for array in codec.pack(*arrays, values)))
    kept = write(plan.file("part", ply, shard), [content], plan.as_kept())
    section = {
        "kind": "records",
        "ply": ply,
        "records": len(values),
        "first": [int(arrays[0][0]), int(arrays[2][0])],
        **size_and_checksum(content),
    }
    return section, kept, meaning(ply, shard, (*arrays, values))


def check_section(plan: Plan, ply: int, shard: int, meant: Meaning, database: Database) -> None:
    """Compare what is read of a shard in the whole file with what was packed."""
    check_part(database, ply, shard, meant)


def digits_of(shape: Shape) -> list[tuple[int, int, int]]:
    """The digits of a detail, as they are packed."""
    return [(digit.shift, digit.mask, digit.given) for digit in shape.digits]
