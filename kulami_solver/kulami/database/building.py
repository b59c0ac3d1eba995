"""Building: enumerate the positions ply by ply, solve them backwards, pack them into a file.

The work lies in tasks, plain functions that share nothing but files in a folder beside the
database (`build_tasks.py`):

    enumerate   all runs of the ply before -> some shards of a ply, and a run: their successors
    solve       some shards and the solved ply after it -> their values, counts of symbols
    pack        some shards and their values -> sections of the file
    check       sections of the whole file -> are they what was packed? (`verification.py`)

What they write follows from the root, the scoring and the size of shards alone, so the file has the
same bytes whoever runs them. They run in rounds:

    forwards    a round a ply: its shards are put together, group by group, and expanded
    backwards   a round a ply: it is solved, and the ply after it, solved before, is packed

A round ends when all its tasks are done, since the next round needs all of them. Until then some
workers have nothing to do, and messages to other machines take time. So there are few rounds.

After each round, checkpoints (`layer-PP.kept` forwards, `packed-PP.kept` and `solved-PP.kept`
backwards) describe the state of a ply, and name its files and their CRC-32. A build that was killed
goes on from the last ones. If a power cut has damaged a file that they name, it starts anew.
"""

from __future__ import annotations

import bisect
import concurrent.futures
import itertools
import os
import secrets
import time as clock
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from ...core.budgets import check_watchers, number_within, workers_of
from ...core.locks import beside
from ...core.records import alphabets, code_lengths
from ...core.tasks import Task, check_executor, run_tasks, threads_or
from ...storage.container import (
    DatabaseError,
    check_byte_order,
    padded,
    refuse_to_replace,
    size_and_checksum,
    write_database,
)
from ...storage.kept_work import BuildFolder, Kept, load, save, target_of, write
from ..position.position import Position, checked_position
from ..position.scoring import Scoring
from .build_tasks import (
    END,
    Beside,
    BuildPlan,
    check_group,
    cuts_into,
    enumerate_group,
    forget_files,
    pack_group,
    rules_of,
    shards_in_group,
    solve_group,
)
from .cost import MOST_SHARD, check_cost
from .probe import Database
from .shape import WIDEST, Shape, contexts_of, entries_of
from .verification import check_games

#: Positions, before equal ones are merged, that go into one shard of a layer.
SHARD: Final = 1 << 22


@dataclass(frozen=True)
class Built:
    """The result of a build.

    Attributes:
        path: the file.
        positions: how many it gives values of.
        bytes: its size.
        seconds: time taken by this run; less than the whole if it continued an earlier one.
        value: the root's margin, for the side to move.
    """

    path: str
    positions: int
    bytes: int
    seconds: float
    value: int


@dataclass(frozen=True)
class BuildProgress:
    """How far a build is: its step, the ply, and how many positions have passed the step.

    Its steps are "enumerate", "solve", "pack" and "check". When a ply is solved, the one after it
    is packed, and the positions of both count; at the end only the first ply is left to pack.
    """

    step: str
    ply: int
    done: int
    total: int


def build(
    path: str | os.PathLike[str],
    root: Position,
    scoring: Scoring | str | int = Scoring.LEVEL0,
    *,
    threads: int | None = None,
    memory: int | float | str | None = None,
    force: bool = False,
    overwrite: bool = True,
    progress: Callable[[BuildProgress], None] | None = None,
    executor: concurrent.futures.Executor | None = None,
    shard: int = SHARD,
) -> Built:
    """Solve every position that can be reached from a root, and keep them in a file.

    While it runs, its work lies in the folder `path` + ".building"; if it is ended, whether by
    Ctrl-C or by a power cut, the same call goes on from its last checkpoint.

    Args:
        path: the file to make. Any file of this name is replaced once the new one is complete,
            unless `overwrite` is False, as in the command `kulami build` without `--force`.
        root: where play starts; not over.
        scoring: what counts, a `Scoring` or what `Scoring.parse` reads.
        threads: how many work at the same time; None for one a processor.
        memory: what the build may use, MiB or a text such as "14G"; by default what is available.
        force: build even if the estimate says that memory or disk is too small, and throw away
            what another build has left in the folder.
        overwrite: True, the default, replaces any file. False refuses, before any work, to replace
            a sound database of other positions, or a file that is no database. It still replaces a
            database of the same positions, a damaged database and an empty file.
        progress: called with how far the build is, after each task.
        executor: runs the tasks instead of threads, and is left open; its workers, in this process
            or others, need the same file system. Workers of `cluster.connect` are checked first.
        shard: positions in a shard, 1 to 2^32; another number makes a different file with the
            same content.

    Returns:
        The result.

    Raises:
        BudgetError: if it will not fit, or a budget makes no sense.
        PositionError, NotationError: if the root is no position, or the scoring none.
        KulamiError: if `executor` is not an executor, or one of its workers cannot do the work.
        DatabaseError: if the root is over, another build is at work there or has left its work, no
            file can be written there, one must not be replaced, or the new one is read back with
            errors.
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
    check_byte_order(path)
    target = target_of(path)
    root = checked_position(root)
    scoring = Scoring.parse(scoring)
    if root.is_over:
        raise DatabaseError("the game is over in this position: there is nothing to build")
    workers = workers_of(threads, name="threads")
    check_executor(executor)
    check_watchers(progress, None)
    shard = number_within(shard, "shard", 1, MOST_SHARD)
    work = beside(os.path.abspath(target), ".building")
    plan = BuildPlan(work, root.kfn(), root.edition, scoring.value, shard)
    folder = BuildFolder(target, plan.as_kept(), stays=True)
    if not overwrite:
        kept = {"root": plan.kfn, **root.edition, "scoring": plan.scoring}
        refuse_to_replace(target, {"game": "kulami", **kept})
    rules_of(plan)  # Raises an error for an unfit root before anything is written.
    begun_before = folder.has_plan()  # A build that continues was checked when it began.
    check_cost(root, scoring, shard, target, executor, workers, memory, force or begun_before)
    folder.open(force, lambda: Checkpoints.of(plan).files())
    with folder, threads_or(executor, workers) as pool:
        try:
            rounds = Rounds(plan, pool, progress or (lambda _: None))
            about = _assemble(plan, target, rounds)
        finally:
            forget_files()
        folder.clear()
    return Built(
        path=os.fspath(path),
        positions=about["positions"],
        bytes=target.stat().st_size,
        seconds=clock.monotonic() - begun,
        value=about["value"],
    )


Checkpoint = dict[str, Any]
"""The content of a checkpoint."""


@dataclass(frozen=True)
class Checkpoints:
    """All checkpoints of a build.

    Attributes:
        layers: one for each ply, from 0 on.
        solved: by ply: one for each ply from some ply on.
        packed: by ply: one for each solved ply; that of the first may be missing.
    """

    layers: list[Checkpoint]
    solved: dict[int, Checkpoint]
    packed: dict[int, Checkpoint]

    @classmethod
    def of(cls, plan: BuildPlan) -> Checkpoints:
        """Read the checkpoints of a build.

        Raises:
            OSError, ValueError: if one is damaged or missing.
        """
        layers, solved, packed = (
            {int(path.stem[-2:]): load(path) for path in Path(plan.folder).glob(f"{kind}-*.kept")}
            for kind in ("layer", "solved", "packed")
        )
        plies = len(layers)
        first = plies - len(solved)
        if (
            layers.keys() != set(range(plies))
            or (solved and _filled(layers[plies - 1]))
            or solved.keys() != set(range(first, plies))
            or packed.keys() not in (set(range(first, plies)), set(range(first + 1, plies)))
        ):
            raise ValueError(f"{plan.folder}: a checkpoint is missing")
        return cls([layers[ply] for ply in range(plies)], solved, packed)

    def files(self) -> list[Kept]:
        """The files that the checkpoints name and the build will need again."""
        plies = len(self.layers)
        first = plies - len(self.solved)
        needed = [ply["codes_file"] for ply in self.solved.values()]
        needed += [kept for ply in self.packed.values() for kept in ply["files"]]
        if self.layers:
            needed += [run["file"] for run in self.layers[-1]["runs"] if run["records"]]
        if 0 not in self.packed:  # else nothing is left to be solved or packed
            needed += [kept for layer in self.layers[: first + 1] for kept in layer["files"]]
            needed += self.solved[first]["values"] if self.solved else []
        return needed


@dataclass(frozen=True)
class RoundTask:
    """A task of a round: a function of the plan, a ply, a group, and further arguments."""

    what: str
    function: Callable[..., Any]
    ply: int
    group: int
    positions: int
    others: tuple[Any, ...] = ()


class Rounds:
    """The rounds of a build.

    Args:
        plan: what is built.
        executor: runs the tasks.
        report: called with the progress after each task.
    """

    def __init__(
        self,
        plan: BuildPlan,
        executor: concurrent.futures.Executor,
        report: Callable[[BuildProgress], None],
    ) -> None:
        self._plan: Final = plan
        self._executor: Final = executor
        self._report: Final = report
        self._kept: Final = Checkpoints.of(plan)

    def run_all(self) -> Checkpoints:
        """Enumerate, solve and pack what is not done yet; return all checkpoints."""
        self._enumerate()
        plies = len(self._kept.layers)
        for ply in range(plies - 1, -1, -1):
            self._solve_and_pack(ply)
            for kind in ("values", "layer"):
                for i in range(self._groups_of(ply + 1)):
                    self._plan.file(kind, ply + 1, i).unlink(missing_ok=True)
        self._solve_and_pack(-1)
        return self._kept

    def run(self, jobs: list[RoundTask], ply_at: Callable[[int], int] | None = None) -> list[Any]:
        """Run the tasks of a round in any order; return their results in the order given.

        Args:
            jobs: the tasks. The step of the first is reported.
            ply_at: gives the ply to report, by the number of positions done; None to report the
                first task's.
        """
        total = sum(job.positions for job in jobs)
        what, ply = jobs[0].what, jobs[0].ply

        def report(done: int) -> None:
            self._report(BuildProgress(what, ply_at(done) if ply_at else ply, done, total))

        report(0)
        tasks: list[Task] = [
            (job.function, self._plan, job.ply, job.group, *job.others) for job in jobs
        ]
        names = [f"{self._plan.name}: {job.what} ply {job.ply}" for job in jobs]
        return run_tasks(self._executor, tasks, [job.positions for job in jobs], report, names)

    def tasks_of(
        self, what: str, function: Callable[..., Any], ply: int, others: Iterable[tuple[Any, ...]]
    ) -> list[RoundTask]:
        """A task for each group of a ply, with its further arguments."""
        sizes = self._kept.layers[ply]["positions"]
        return [
            RoundTask(what, function, ply, group, size, more)
            for group, (size, more) in enumerate(zip(sizes, others, strict=True))
        ]

    def _enumerate(self) -> None:
        layers = self._kept.layers
        while not layers or _filled(layers[-1]):
            ply = len(layers)
            results = self.run(self._groups_to_enumerate(ply, layers[-1] if layers else None))
            runs = [found["run"] for found in results]
            samples = [run.pop("samples") for run in runs]
            arrived = sum(run["records"] for run in runs)
            layers.append(
                {
                    "positions": [found["records"] for found in results],
                    "bounds": [found["bounds"] for found in results],
                    "files": [found["file"] for found in results],
                    "runs": runs,
                    "cuts": cuts_into(samples, arrived, self._plan.shard) if arrived else [],
                }
            )
            save(self._plan.checkpoint("layer", ply), layers[-1])
        self._keep_runs(())

    def _groups_to_enumerate(self, ply: int, before: Checkpoint | None) -> list[RoundTask]:
        """The tasks of a ply; `before` is the checkpoint of the ply before it."""
        what = "enumerate"
        if before is None:
            return [RoundTask(what, enumerate_group, 0, 0, 1, (None, (0, END)))]
        filled, runs = _filled(before), before["runs"]
        self._keep_runs({self._plan.file("run", ply - 1, i) for i in filled})
        records = sum(run["records"] for run in runs)
        cuts = before["cuts"]
        size = shards_in_group(records, self._plan.shard)
        beside = Beside(ply - 1, tuple(filled), secrets.randbits(63))
        groups = [tuple(cuts[at : at + size + 1]) for at in range(0, len(cuts) - 1, size)]
        return [
            RoundTask(what, enumerate_group, ply, i, records // len(groups), (beside, group))
            for i, group in enumerate(groups)
        ]

    def _keep_runs(self, wanted: Collection[Path]) -> None:
        """Remove runs that no ply needs any more, and those that a killed build has left."""
        for run in Path(self._plan.folder).glob("run-*"):
            if run not in wanted:
                run.unlink()

    def _solve_and_pack(self, ply: int) -> None:
        """Solve a ply, if there is one, and pack the one after it, as far as not yet done."""
        layers, solved, packed = self._kept.layers, self._kept.solved, self._kept.packed
        jobs: list[RoundTask] = []
        if ply >= 0 and ply not in solved:
            after = Beside(ply + 1, tuple(range(self._groups_of(ply + 1))), secrets.randbits(63))
            others = ((bounds, after) for bounds in layers[ply]["bounds"])
            jobs += self.tasks_of("solve", solve_group, ply, others)
        to_solve = len(jobs)
        if ply + 1 < len(layers) and ply + 1 not in packed:
            codes = solved[ply + 1]["codes"]
            others = ((bounds, codes) for bounds in layers[ply + 1]["bounds"])
            jobs += self.tasks_of("pack", pack_group, ply + 1, others)
        if not jobs:
            return
        results = self.run(jobs)
        if parts := results[to_solve:]:
            packed[ply + 1] = {
                "sections": [sections for sections, _, _ in parts],
                "files": [kept for _, kept, _ in parts],
                "meant": [meant for _, _, meant in parts],
            }
            save(self._plan.checkpoint("packed", ply + 1), packed[ply + 1])
        if groups := results[:to_solve]:
            solved[ply] = self._solve_ply(ply, groups)
            save(self._plan.checkpoint("solved", ply), solved[ply])

    def _groups_of(self, ply: int) -> int:
        """How many groups a ply has; 0 after the last ply."""
        layers = self._kept.layers
        return len(layers[ply]["bounds"]) if ply < len(layers) else 0

    def _solve_ply(self, ply: int, groups: list[tuple[Any, Kept]]) -> Checkpoint:
        """Find the codes of a ply's records, and write them as a section of the file."""
        plan = self._plan
        shape, _ = rules_of(plan)
        codes = _codes(shape, sum(counts for counts, _ in groups))
        content = padded(bytes(codes["lengths"]) + np.array(codes["only"], np.uint16).tobytes())
        return {
            "codes": codes,
            "section": {"kind": "codes", "ply": ply, **size_and_checksum(content)},
            "codes_file": write(plan.file("codes", ply, 0), [content]),
            "values": [kept for _, kept in groups],
        }


def _filled(layer: Checkpoint) -> list[int]:
    """The groups of a ply that lead to positions of the next."""
    return [i for i, run in enumerate(layer["runs"]) if run["records"]]


def shards_of(bounds: list[list[int]]) -> list[range]:
    """The numbers of each group's shards."""
    ends = itertools.accumulate((len(group) - 1 for group in bounds), initial=0)
    return [range(first, end) for first, end in itertools.pairwise(ends)]


def _codes(shape: Shape, counts: Any) -> dict[str, Any]:
    """Return the codes that suit these counts, and the range and histogram of the values."""
    sizes = alphabets(shape.digits, 2 * WIDEST + 1)
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
        "lowest": used[0] - WIDEST,
        "values": len(split[1]),
        "histogram": split[1],
        "lengths": lengths,
        "only": only,
    }


def _assemble(plan: BuildPlan, path: Path, rounds: Rounds) -> dict[str, Any]:
    """Do all the rounds, write the file, and read it back; return its header."""
    kept = rounds.run_all()
    shape, _ = rules_of(plan)
    plies = [
        {
            "positions": sum(layer["positions"]),
            "moves": sum(run["moves"] for run in layer["runs"]),
            "ended": sum(run["ended"] for run in layer["runs"]),
            "lowest": kept.solved[ply]["codes"]["lowest"],
            "values": kept.solved[ply]["codes"]["histogram"],
        }
        for ply, layer in enumerate(kept.layers)
    ]
    (value,) = (
        value for value, count in enumerate(plies[0]["values"], plies[0]["lowest"]) if count
    )
    contexts = contexts_of(shape)
    write(plan.file("contexts", 0, 0), [contexts])
    about = {
        "game": "kulami",
        **entries_of(shape),
        **plan.edition,
        "value": value + shape.base,
        "positions": sum(ply["positions"] for ply in plies),
        "plies": plies,
        "shard": plan.shard,
    }
    described = {"kind": "contexts", **size_and_checksum(contexts)}
    sections = [(described, plan.file("contexts", 0, 0))]
    for ply in range(len(plies)):
        sections.append((kept.solved[ply]["section"], plan.file("codes", ply, 0)))
        for i, group in enumerate(kept.packed[ply]["sections"]):
            part = plan.file("part", ply, i)
            sections += [(section, part) for section in group]
    write_database(path, about, sections, check=lambda whole: _read_back(whole, kept, rounds))
    return about


def _read_back(whole: Path, kept: Checkpoints, rounds: Rounds) -> None:
    """Read the whole file, and compare it with what was packed."""
    with Database(whole) as database:
        jobs = []
        for ply, layer in enumerate(kept.layers):
            groups = zip(shards_of(layer["bounds"]), kept.packed[ply]["meant"], strict=True)
            others = ((shards, meant, database) for shards, meant in groups)
            jobs += rounds.tasks_of("check", check_group, ply, others)
        ends = list(itertools.accumulate(ply.positions for ply in database.plies))
        rounds.run(jobs, lambda done: bisect.bisect_left(ends, done))
        check_games(database)
