"""The rounds of a build: which tasks run at the same time, and what is kept after each.

    forwards    a round a ply: its shards are put together, group by group, and expanded
    backwards   a round a ply: it is solved, and the ply after it, solved before, is packed

A round ends when all its tasks are done, since the next round needs all of them. Until then some
workers have nothing to do, and messages to other machines take time. So there are few rounds.

After each round, checkpoints (`layer-PP.json` forwards, `packed-PP.json` and `solved-PP.json`
backwards) describe the state of a ply, and name its files and their CRC-32. A build that was killed
goes on from the last ones. If a power cut has damaged a file that they name, it starts anew.
"""

from __future__ import annotations

import concurrent.futures
import itertools
import secrets
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from ...core.records import alphabets, code_lengths
from ...core.tasks import Task, run_tasks
from ...storage.build_folder import Kept, load, save, write
from ...storage.container import padded, size_and_checksum
from .build_tasks import (
    END,
    Beside,
    Plan,
    cuts_into,
    digits_of,
    enumerate_group,
    pack_group,
    rules_of,
    shards_in_group,
    solve_group,
)
from .header import WIDEST
from .shape import Shape

Checkpoint = dict[str, Any]
"""The content of a checkpoint, which can be written as JSON."""


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
    def of(cls, plan: Plan) -> Checkpoints:
        """Read the checkpoints of a build.

        Raises:
            OSError, ValueError, KeyError: if one is damaged or missing.
        """
        layers, solved, packed = (
            {int(path.stem[-2:]): load(path) for path in Path(plan.folder).glob(f"{kind}-*.json")}
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
class Progress:
    """How far a build is: its step, the ply, and how many positions have passed the step.

    Its steps are "enumerate", "solve", "pack" and "check". When a ply is solved, the one after it
    is packed, and the positions of both count; at the end only the first ply is left to pack.
    """

    step: str
    ply: int
    done: int
    total: int


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
        plan: Plan,
        executor: concurrent.futures.Executor,
        report: Callable[[Progress], None],
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
            self._report(Progress(what, ply_at(done) if ply_at else ply, done, total))

        report(0)
        tasks: list[Task] = [
            (job.function, self._plan, job.ply, job.group, *job.others) for job in jobs
        ]
        names = [f"{self._plan.name}: {job.what} ply {job.ply}" for job in jobs]
        return run_tasks(self._executor, tasks, [job.positions for job in jobs], report, names)

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
        jobs = []
        if ply >= 0 and ply not in solved:
            after = Beside(ply + 1, tuple(range(self._groups_of(ply + 1))), secrets.randbits(63))
            layer = layers[ply]
            jobs += [
                RoundTask("solve", solve_group, ply, i, size, (bounds, after))
                for i, (size, bounds) in enumerate(
                    zip(layer["positions"], layer["bounds"], strict=True)
                )
            ]
        to_solve = len(jobs)
        if ply + 1 < len(layers) and ply + 1 not in packed:
            layer, codes = layers[ply + 1], solved[ply + 1]["codes"]
            jobs += [
                RoundTask("pack", pack_group, ply + 1, i, size, (bounds, codes))
                for i, (size, bounds) in enumerate(
                    zip(layer["positions"], layer["bounds"], strict=True)
                )
            ]
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
            solved[ply] = self._solved(ply, groups)
            save(self._plan.checkpoint("solved", ply), solved[ply])

    def _groups_of(self, ply: int) -> int:
        """How many groups a ply has; 0 after the last ply."""
        layers = self._kept.layers
        return len(layers[ply]["bounds"]) if ply < len(layers) else 0

    def _solved(self, ply: int, groups: list[tuple[Any, Kept]]) -> Checkpoint:
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
    digits = digits_of(shape)
    sizes = alphabets(digits, 2 * WIDEST + 1)
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
