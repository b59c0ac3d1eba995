"""Building: enumerate the positions ply by ply, solve them backwards, pack them into a file.

The work lies in tasks, plain functions that share nothing but files in a folder beside the
database:

    expand   a shard of a layer            -> a run: its successors, sorted
    merge    a range of all runs of a ply  -> a shard of the next layer
    solve    a shard and the solved layer after it -> the shard's values, counts of symbols
    pack     a shard and its values        -> a section of the file
    check    a section of the whole file   -> is it what was packed? (`readback.py`)

They are in `build_tasks.py`; here is in which order they run, and what is kept on the way. They run
through the interface of `concurrent.futures.Executor`. What they write follows from the root, the
scoring and the size of shards alone, so the file has the same bytes whoever runs them.

After each ply a checkpoint (`layer-PP.json` forwards, `solved-PP.json` backwards) is written, which
names the ply's files and their CRC-32. A build that was killed goes on from the last one; should a
power cut have taken anything of what the checkpoints name, it starts anew.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import hashlib
import math
import os
import time as clock
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from ..core.budgets import workers_of
from ..core.records import alphabets, code_lengths
from ..core.tasks import Task, check_executor, check_workers, knows_workers, run_tasks, threads_or
from ..errors import BudgetError, quoted
from ..storage.build_folder import BuildFolder, Kept, load, save, target_of, write
from ..storage.container import DatabaseError, padded, refuse_to_replace, write_database
from .build_tasks import (
    Plan,
    check_section,
    digits_of,
    expand_shard,
    merge_shard,
    pack_shard,
    rules_of,
    solve_shard,
    write_arrays,
)
from .estimate import check_budget, needs_of
from .header import WIDEST as _WIDEST
from .header import contexts_of
from .position import Position
from .probe import Database
from .readback import check_games
from .scoring import Scoring
from .shape import Shape
from .solver import checked_position

__all__ = ["Built", "Progress", "build"]

#: Positions, before equal ones are merged, that go into one shard of a layer.
SHARD: Final = 1 << 22


@dataclass(frozen=True)
class Built:
    """What a build has made.

    Attributes:
        path: the file.
        positions: how many it holds.
        bytes: its size.
        seconds: time taken by this run; less than the whole if it took up a broken one.
        value: the root's margin, for the side to move.
    """

    path: str
    positions: int
    bytes: int
    seconds: float
    value: int


@dataclass(frozen=True)
class Progress:
    """How far a build is: what it does, at which ply, and how many positions are through that."""

    step: str
    ply: int
    done: int
    total: int


class _Build:
    def __init__(
        self,
        plan: Plan,
        executor: concurrent.futures.Executor,
        report: Callable[[Progress], None],
    ) -> None:
        self.plan = plan
        self.executor = executor
        self.report = report

    def run_all(self, step: str, ply: int, tasks: list[Task], sizes: list[int]) -> list[Any]:
        """Run tasks (function and arguments), in any order; their results in the order given."""
        total = sum(sizes)
        self.report(Progress(step, ply, 0, total))
        return run_tasks(
            self.executor,
            [(function, self.plan, *arguments) for function, *arguments in tasks],
            sizes,
            lambda done: self.report(Progress(step, ply, done, total)),
            name=f"{self.plan.name}: {step} ply {ply}",
        )

    def forwards(self) -> list[dict[str, Any]]:
        """Enumerate; returns the checkpoints of all layers."""
        plan = self.plan
        layers = _checkpoints(plan, "layer")
        if not layers:
            shape, _ = rules_of(plan)
            frames, starts = np.array([shape.frame], np.uint64), np.array([0, 1], np.uint64)
            details = np.array([shape.detail], np.uint64)
            kept = write_arrays(plan, plan.file("layer", 0, 0), (frames, starts, details))
            layers.append({"shards": [1], "files": [kept]})
            save(plan.checkpoint("layer", 0), layers[0])
        while layers[-1]["shards"]:
            layers.append(self.next_layer(len(layers), layers[-1]["shards"]))
        return layers

    def next_layer(self, ply: int, before: list[int]) -> dict[str, Any]:
        plan = self.plan
        for leftover in Path(plan.folder).glob("run-*"):
            leftover.unlink()
        runs = self.run_all(
            "expand", ply - 1, [(expand_shard, ply - 1, i) for i in range(len(before))], before
        )
        filled = [i for i, run in enumerate(runs) if run["records"]]
        cuts = _cuts(
            [frame for run in runs for frame in run["samples"]],
            sum(run["records"] for run in runs),
            plan.shard,
        )
        ends = [*cuts[1:], (1 << 64) - 1]
        tasks = [
            (merge_shard, ply, i, filled, low, high)
            for i, (low, high) in enumerate(zip(cuts, ends, strict=True))
        ]
        if not filled:
            tasks = []
        total = sum(run["records"] for run in runs)
        results = self.run_all("merge", ply, tasks, [total // max(1, len(tasks))] * len(tasks))
        layer = {
            "shards": [records for records, _ in results],
            "files": [kept for _, kept in results],
            "moves": sum(run["moves"] for run in runs),
            "ended": sum(run["ended"] for run in runs),
        }
        save(plan.checkpoint("layer", ply), layer)
        for i in filled:
            plan.file("run", ply - 1, i).unlink()
        return layer

    def backwards(self, layers: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Solve and pack; returns the checkpoints of all plies."""
        plan = self.plan
        solved: dict[int, dict[str, Any]] = {}
        for ply in range(len(layers) - 2, -1, -1):
            if plan.checkpoint("solved", ply).exists():
                solved[ply] = load(plan.checkpoint("solved", ply))
            else:
                solved[ply] = self.solve_ply(ply, layers)
            for kind in ("values", "layer"):
                for i in range(len(layers[ply + 1]["shards"])):
                    plan.file(kind, ply + 1, i).unlink(missing_ok=True)
        return [solved[ply] for ply in range(len(layers) - 1)]

    def solve_ply(self, ply: int, layers: list[dict[str, Any]]) -> dict[str, Any]:
        plan = self.plan
        shape, _ = rules_of(plan)
        sizes = layers[ply]["shards"]
        after = len(layers[ply + 1]["shards"])
        results = self.run_all(
            "solve", ply, [(solve_shard, ply, i, after) for i in range(len(sizes))], sizes
        )
        counts = sum(counted for counted, _ in results)
        files = [kept for _, kept in results]
        codes = _codes(shape, counts)
        content = padded(bytes(codes["lengths"]) + np.array(codes["only"], np.uint16).tobytes())
        files.append(write(plan.file("codes", ply, 0), [content]))
        section = {
            "kind": "codes",
            "ply": ply,
            "bytes": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        parts = self.run_all(
            "pack", ply, [(pack_shard, ply, i, codes) for i in range(len(sizes))], sizes
        )
        done = {
            "about": {
                "positions": sum(sizes),
                "moves": layers[ply + 1]["moves"],
                "ended": layers[ply + 1]["ended"],
                "lowest": codes["lowest"],
                "values": codes["histogram"],
            },
            "sections": [section, *(part for part, _, _ in parts)],
            "files": [*files, *(kept for _, kept, _ in parts)],
            "meant": [meant for _, _, meant in parts],
        }
        save(plan.checkpoint("solved", ply), done)
        return done

    def assemble(self, path: Path, solved: list[dict[str, Any]]) -> dict[str, Any]:
        plan = self.plan
        shape, _ = rules_of(plan)
        (value,) = (
            index
            for index, count in enumerate(
                solved[0]["about"]["values"], solved[0]["about"]["lowest"]
            )
            if count
        )
        contexts = contexts_of(shape)
        write(plan.file("contexts", 0, 0), [contexts])
        about = {
            "game": "kulami",
            "layout": str(shape.layout),
            "root": plan.kfn,
            "marbles": plan.marbles,
            "short_end": plan.short_end,
            "scoring": plan.scoring,
            "value": value + shape.base,
            "positions": sum(ply["about"]["positions"] for ply in solved),
            "plies": [ply["about"] for ply in solved],
            "fields": shape.spots,
            "context_bits": shape.context_bits,
            "contexts": len(shape.contexts),
            "digits": [[digit.shift, digit.mask, digit.given] for digit in shape.digits],
            "panels": [[panel, *where] for panel, where in sorted(shape.panel_digits.items())],
            "shard": plan.shard,
        }
        sections = [
            (
                {
                    "kind": "contexts",
                    "bytes": len(contexts),
                    "sha256": hashlib.sha256(contexts).hexdigest(),
                },
                plan.file("contexts", 0, 0),
            )
        ]
        for number, ply in enumerate(solved):
            codes, *parts = ply["sections"]
            sections.append((codes, plan.file("codes", number, 0)))
            sections += [(part, plan.file("part", number, i)) for i, part in enumerate(parts)]
        write_database(
            path, about, sections, check=lambda whole: self.read_back(path, whole, solved)
        )
        return about

    def read_back(self, path: Path, whole: Path, solved: list[dict[str, Any]]) -> None:
        """Read the whole file, still under a passing name, and compare it with what was meant."""
        try:
            with Database(whole) as database:
                for ply, done in enumerate(solved):
                    sizes = [section["records"] for section in done["sections"][1:]]
                    tasks = [
                        (check_section, ply, shard, meant, database)
                        for shard, meant in enumerate(done["meant"])
                    ]
                    self.run_all("check", ply, tasks, sizes)
                check_games(database)
        except DatabaseError as error:
            raise DatabaseError(
                f"{path}: was not written, since what is read of it is not what was meant "
                f"({error}); remove {path}.building and build it again"
            ) from None


def _cuts(samples: list[int], records: int, shard: int) -> list[int]:
    """Frames at which a layer is cut into shards of about equal size; the first is 0.

    No shard is empty: each begins at a frame there is, and the first holds the lowest, which is
    among the samples, as every run's first is.
    """
    wanted = max(1, math.ceil(records / shard))
    ranked = sorted(samples)
    chosen = {ranked[len(ranked) * i // wanted] for i in range(1, wanted)} if ranked else set()
    return [0, *sorted(chosen - set(ranked[:1]))]


def _codes(shape: Shape, counts: Any) -> dict[str, Any]:
    """Return the codes that suit these counts, and the range and histogram of the values."""
    digits = digits_of(shape)
    sizes = alphabets(digits, 2 * _WIDEST + 1)
    ends = np.cumsum(sizes)
    split = [[int(count) for count in part] for part in np.split(counts, ends[:-1])]
    used = [i for i, count in enumerate(split[1]) if count]
    split[1] = split[1][used[0] : used[-1] + 1]
    lengths: list[int] = []
    only = []
    for code in split:
        lengths += code_lengths(code)
        symbols = [i for i, count in enumerate(code) if count]
        only.append(symbols[0] if len(symbols) == 1 else 0)
    return {
        "lowest": used[0] - _WIDEST,
        "values": len(split[1]),
        "histogram": split[1],
        "lengths": lengths,
        "only": only,
    }


def _checkpoints(plan: Plan, kind: str) -> list[dict[str, Any]]:
    """The checkpoints of plies 0, 1, ... as far as there are any."""
    found: list[dict[str, Any]] = []
    while plan.checkpoint(kind, len(found)).exists():
        found.append(load(plan.checkpoint(kind, len(found))))
    return found


def _intact(plan: Plan, folder: BuildFolder) -> bool:
    """Whether all the files that checkpoints name, and that are still needed, are as written."""
    try:
        layers = _checkpoints(plan, "layer")
        solved = len(layers) - 1
        names: list[Kept] = []
        while solved > 0 and plan.checkpoint("solved", solved - 1).exists():
            solved -= 1
            checkpoint = load(plan.checkpoint("solved", solved))
            if "meant" not in checkpoint:  # an earlier builder's
                return False
            names += checkpoint["files"]
            # Only the lowest solved ply's values are needed; those above it may be gone.
            names = [
                (name, crc)
                for name, crc in names
                if not name.startswith("values") or name.startswith(f"values-{solved:02}")
            ]
        for layer in layers[: solved + 1]:
            if 0 in layer["shards"]:  # an earlier builder's, which came to no end with it
                return False
            names += layer["files"]
        return all(folder.is_intact(kept) for kept in names)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def build(
    path: str | os.PathLike[str],
    root: Position,
    scoring: Scoring | str | int = Scoring.LEVEL0,
    *,
    threads: int | None = None,
    memory: int | float | str | None = None,
    force: bool = False,
    overwrite: bool = True,
    progress: Callable[[Progress], None] | None = None,
    executor: concurrent.futures.Executor | None = None,
    shard: int = SHARD,
) -> Built:
    """Solve every position that can be reached from a root, and keep them all in a file.

    While it runs, its work lies in the folder `path` + ".building"; if it is ended, whether by
    Ctrl-C or by a power cut, the same call goes on from its last checkpoint.

    Args:
        path: the file to make. A file that is there is replaced when the new one is complete,
            whatever it is, unless `overwrite` says no: the command `kulami build` refuses what
            this function replaces.
        root: where play starts; not over.
        scoring: what counts, a `Scoring` or what `Scoring.parse` reads.
        threads: how many work at the same time; None for one a processor.
        memory: what the build may use, MiB or a text such as "14G"; by default what is available.
        force: build even if the estimate says that memory or disk will not do, and throw away
            what another build has left in the folder.
        overwrite: True, the default, replaces whatever file is there. False refuses, before any
            work, where there is a sound database of other positions, or a file that is no
            database; one of the same positions, a damaged and an empty one are replaced all the
            same.
        progress: called with how far the build is, after each task.
        executor: runs the tasks instead of threads, and is left open; its workers, in this process
            or others, need the same file system. One of `cluster.connect` looks at them first.
        shard: positions in a shard; another number makes another file of the same content.

    Returns:
        What was built.

    Raises:
        BudgetError: if it will not fit, or a budget makes no sense.
        PositionError, NotationError: if the root is no position, or the scoring none.
        KulamiError: if the executor is none, or one of its workers cannot do the work.
        DatabaseError: if the root is over, another build's work is in the way or at work, no file
            can be written there, one is not to be overwritten, or what is read of it is not what
            was to be written.
        OSError: if files cannot be written.

    Examples:
        >>> import tempfile
        >>> from kulami_solver import Layout, Position
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     built = build(folder + "/small.kdb", Position(Layout.parse("AAB/CCB")))
        >>> built.positions, built.value
        (19, 0)
    """
    begun = clock.monotonic()
    target = target_of(path)
    root = checked_position(root)
    scoring = Scoring.parse(scoring)
    if root.is_over:
        raise DatabaseError("the game is over in this position: there is nothing to build")
    workers = workers_of(threads)
    check_executor(executor)
    if not isinstance(shard, int) or isinstance(shard, bool) or shard < 1:
        raise BudgetError(f"shards of {quoted(shard)} positions: give a whole number from 1 on")
    work = os.path.abspath(target) + ".building"
    plan = Plan(work, root.kfn(), root.marbles, root.short_end, scoring.value, shard)
    if not overwrite:
        kept = {"root": plan.kfn, "marbles": plan.marbles, "short_end": plan.short_end}
        refuse_to_replace(target, {"game": "kulami", **kept, "scoring": plan.scoring})
    folder = BuildFolder(target, plan.as_kept())
    rules_of(plan)  # Raises what is wrong with the root before anything is written.
    begun_before = folder.has_plan()  # What was begun has been thought about before.
    if knows_workers(executor):
        needs = needs_of(root, scoring, target, executor, shard, memory, force or begun_before)
        check_workers(executor, needs)
    elif not begun_before:
        check_budget(root, scoring, target, workers, shard, memory, force)
    folder.open(lambda: _intact(plan, folder), force)
    with contextlib.closing(folder), threads_or(executor, workers) as pool:
        building = _Build(plan, pool, progress or (lambda _: None))
        about = building.assemble(target, building.backwards(building.forwards()))
        folder.clear()
    return Built(
        path=os.fspath(path),
        positions=about["positions"],
        bytes=target.stat().st_size,
        seconds=clock.monotonic() - begun,
        value=about["value"],
    )
