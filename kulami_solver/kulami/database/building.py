"""Building: enumerate the positions ply by ply, solve them backwards, pack them into a file.

The work lies in tasks, plain functions that share nothing but files in a folder beside the
database:

    enumerate   all runs of the ply before -> some shards of a ply, and a run: their successors
    solve       some shards and the solved ply after it -> their values, counts of symbols
    pack        some shards and their values -> sections of the file
    check       sections of the whole file -> are they what was packed? (`readback.py`)

`build_tasks.py` has the tasks; `build_rounds.py` has their order, and the checkpoints between them.
They run through the interface of `concurrent.futures.Executor`. What they write follows from the
root, the scoring and the size of shards alone, so the file has the same bytes whoever runs them.
"""

from __future__ import annotations

import bisect
import concurrent.futures
import itertools
import os
import time as clock
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ...core.budgets import number_within, workers_of
from ...core.tasks import check_executor, check_workers, knows_workers, threads_or
from ...storage.build_folder import BuildFolder, target_of, write
from ...storage.container import (
    DatabaseError,
    check_byte_order,
    refuse_to_replace,
    size_and_checksum,
    write_database,
)
from ..estimate.builds import check_budget, needs_of
from ..position.position import Position
from ..position.scoring import Scoring
from ..solve.solver import checked_position
from .build_rounds import Checkpoints, Progress, Rounds, RoundTask, shards_of
from .build_tasks import Plan, check_group, forget_files, rules_of
from .header import contexts_of
from .probe import Database
from .readback import check_games

#: Positions, before equal ones are merged, that go into one shard of a layer.
SHARD: Final = 1 << 22
MOST_SHARD: Final = 1 << 32


@dataclass(frozen=True)
class Built:
    """The result of a build.

    Attributes:
        path: the file.
        positions: how many it gives values of.
        bytes: its size.
        seconds: time taken by this run; less than the whole if it continued an earlier one.
        value: the root's margin, for the side to move.
        kept: how many positions are in the file, which is all of them.
    """

    path: str
    positions: int
    bytes: int
    seconds: float
    value: int
    kept: int


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
        raise DatabaseError("nothing_to_build")
    workers = workers_of(threads, name="threads")
    check_executor(executor)
    shard = number_within(shard, "shard", 1, MOST_SHARD)
    work = os.path.abspath(target) + ".building"
    plan = Plan(work, root.kfn(), root.marbles, root.short_end, scoring.value, shard)
    folder = BuildFolder(target, plan.as_kept())
    if not overwrite:
        kept = {"root": plan.kfn, "marbles": plan.marbles, "short_end": plan.short_end}
        plies = {"every": None, "until": None}  # a file that an earlier version left plies out of
        refuse_to_replace(target, {"game": "kulami", **kept, "scoring": plan.scoring, **plies})
    rules_of(plan)  # Raises an error for an unfit root before anything is written.
    begun_before = folder.has_plan()  # A build that continues was checked when it began.
    if knows_workers(executor):
        needs = needs_of(root, scoring, target, executor, shard, memory, force or begun_before)
        check_workers(executor, needs)
    elif not begun_before:
        check_budget(root, scoring, target, workers, shard, memory, force)
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
        kept=about["positions"],
    )


def _assemble(plan: Plan, path: Path, rounds: Rounds) -> dict[str, Any]:
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
        "layout": str(shape.layout),
        "root": plan.kfn,
        "marbles": plan.marbles,
        "short_end": plan.short_end,
        "scoring": plan.scoring,
        "value": value + shape.base,
        "positions": sum(ply["positions"] for ply in plies),
        "plies": plies,
        "fields": shape.spots,
        "context_bits": shape.context_bits,
        "contexts": len(shape.contexts),
        "digits": [[digit.shift, digit.mask, digit.given] for digit in shape.digits],
        "panels": [[panel, *where] for panel, where in sorted(shape.panel_digits.items())],
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
        jobs = [
            RoundTask("check", check_group, ply, group, size, (shards, meant, database))
            for ply in range(len(kept.layers))
            for group, (size, shards, meant) in enumerate(
                zip(
                    kept.layers[ply]["positions"],
                    shards_of(kept.layers[ply]["bounds"]),
                    kept.packed[ply]["meant"],
                    strict=True,
                )
            )
        ]
        ends = list(itertools.accumulate(ply.positions for ply in database.plies))
        rounds.run(jobs, lambda done: bisect.bisect_left(ends, done))
        check_games(database)
