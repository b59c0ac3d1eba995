"""Compacting: the values of a database, without its keys, in a file some five times smaller.

`compact_tasks.py` has the rounds of tasks that read the full database. What they write follows from
its values and the options alone, so the file has the same bytes however many threads run them.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import functools
import os
import time as clock
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ...core.budgets import number_within, workers_of
from ...core.memory import available_memory, parse_memory
from ...core.tasks import Needs, check_executor, check_workers, knows_workers, threads_or
from ...storage.build_folder import BuildFolder, target_of
from ...storage.container import (
    DatabaseError,
    check_byte_order,
    refuse_to_replace,
    write_database,
)
from ...storage.resources import Need, refuse_what_does_not_fit
from .compact_header import COMPACT_GAME, MOST_FINGERPRINT
from .compact_tasks import Compaction, Runner, groups_of
from .header import MOST_EVERY, MOST_UNTIL
from .probe import Database

# Bytes that a record takes while its section is written.
_AT_WORK: Final = 80
_PROGRAM: Final = 200 << 20
# Bytes of a record in the file, besides its fingerprint.
_IN_FILE: Final = 0.6


@dataclass(frozen=True)
class Compacted:
    """The result of compacting a database.

    Attributes:
        path: the file.
        positions: how many it gives values of, including those of plies left out.
        kept: how many of them are in the file.
        bytes: its size.
        seconds: time taken.
        fingerprint: bits of each position's fingerprint; a position that was not in the full
            database is answered, too, with a probability of 2 to the power of -`fingerprint`.
    """

    path: str
    positions: int
    kept: int
    bytes: int
    seconds: float
    fingerprint: int


def compact(
    full: str | os.PathLike[str] | Database,
    path: str | os.PathLike[str],
    *,
    fingerprint: int = 0,
    every: int = 1,
    until: int = 0,
    threads: int | None = None,
    memory: int | float | str | None = None,
    force: bool = False,
    overwrite: bool = True,
    progress: Callable[[int, int, str], None] | None = None,
    executor: concurrent.futures.Executor | None = None,
) -> Compacted:
    """Write the values of a database into a smaller file, without the keys.

    The file gives the value of each position that is in the full database. It may
    answer other positions, too: `fingerprint` says how often.

    While it runs, its work lies in the folder `path` + ".building"; if it is ended, the same call
    goes on and uses the complete sections.

    Args:
        full: a database of Kulami as `build` makes it, open or the path of one.
        path: the file to make.
        fingerprint: bits of each fingerprint, 0 to 16. A position that is not in the full database
            is answered with probability 2 to the power of -`fingerprint`: as a rule, if that is 0.
        every: 1 to keep every ply; 2, 3 or 4 to keep each second, third or fourth one, from the
            root on. Positions of other plies are played on to the next kept ply. A multiple of the
            step of `full`.
        until: how many of the last plies to leave out, 0 to 12, and no fewer than `full` does.
            Positions of these are played to the end.
        threads: how many work at the same time, 1 to 256; None for one a processor.
        memory: what it may use, MiB or a text such as "4G"; by default what is available. With
            more, less of the full database is unpacked twice.
        force: go on if the estimate says that memory or disk is too small, and throw away what
            another build has left in the folder.
        overwrite: False refuses to replace a sound database of other positions or options, or a
            file that is no database.
        progress: called with the number of records done, their total, and the step's name.
        executor: runs the tasks instead of threads, and is left open; its workers, in this process
            or others, need the same file system.

    Returns:
        The result.

    Raises:
        BudgetError: if it will not fit, or a number makes no sense.
        KulamiError: if `executor` is not an executor, or one of its workers cannot do the work.
        DatabaseError: if `full` is no database of Kulami with its keys, is damaged, or leaves out
            plies that `every` and `until` keep; if no file can be written at `path`, another build
            is at work there, or the new file is read back with errors.
        OSError: if files cannot be read or written.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     made = compact("data/3x4-level2.kdb", folder + "/small.kdb")
        >>> made.positions, made.bytes < 8000
        (629, True)
    """
    begun = clock.monotonic()
    check_byte_order(path)
    target = target_of(path)
    options = {
        "fingerprint": number_within(fingerprint, "fingerprint", 0, MOST_FINGERPRINT),
        "every": number_within(every, "every", 1, MOST_EVERY),
        "until": number_within(until, "until", 0, MOST_UNTIL),
    }
    workers = workers_of(threads, name="threads")
    check_executor(executor)
    with contextlib.ExitStack() as stack:
        if isinstance(full, (str, os.PathLike)):
            full = stack.enter_context(Database(full))
        elif not isinstance(full, Database) or full.keyless:
            raise DatabaseError("no_full_database", given=full)
        full.check_open()
        if options["every"] % full.every or options["until"] < full.until:
            thin = {"every": full.every, "until": full.until}
            raise DatabaseError("compact_of_thin", path=full.path, **thin)
        about = _about(full, options)
        if os.path.exists(target) and os.path.samefile(target, full.place):
            raise DatabaseError("compact_onto_itself", path=os.fspath(path))
        if not overwrite:
            refuse_to_replace(target, {key: about[key] for key in (*_IDENTITY, *options)})
        spare = 0
        if knows_workers(executor):
            check_workers(executor, _needs(full, target, memory, force))
        else:
            spare = _check_budget(full, target, options["fingerprint"], workers, memory, force)
        place = Path(os.path.abspath(target) + ".building")
        work = Compaction(full, place, options, 0 if executor else spare)
        folder = BuildFolder(target, work.plan)
        folder.open(force)
        stack.enter_context(folder)
        pool = stack.enter_context(threads_or(executor, workers))
        runner = Runner(pool, progress or (lambda *_: None))
        try:
            precision, sections = work.run(runner)
        except DatabaseError:  # `full` is damaged: there is nothing to go on with.
            folder.clear()
            raise
        about |= precision
        check = functools.partial(work.check, runner)
        size = write_database(target, about, sections, check=check)
        folder.clear()
    return Compacted(
        path=os.fspath(path),
        positions=about["positions"],
        kept=sum(about["plies"][ply]["positions"] for ply in work.plies),
        bytes=size,
        seconds=clock.monotonic() - begun,
        fingerprint=options["fingerprint"],
    )


_IDENTITY: Final = ("game", "root", "marbles", "short_end", "scoring")
_TAKEN_OVER: Final = (
    "layout",
    "root",
    "marbles",
    "short_end",
    "scoring",
    "value",
    "positions",
    "plies",
    "fields",
    "context_bits",
    "contexts",
    "digits",
    "panels",
)


def _about(full: Database, options: dict[str, int]) -> dict[str, Any]:
    """The entries of the header that do not depend on the codes."""
    return {"game": COMPACT_GAME, **{key: full.header[key] for key in _TAKEN_OVER}, **options}


def _largest(full: Database) -> int:
    """The most records of a section."""
    return max(
        sum(full.part_sizes(ply)[number] for number in group)
        for ply in range(len(full.plies))
        for group in groups_of(full.part_sizes(ply))
    )


def _needs(full: Database, target: Path, memory: int | float | str | None, force: bool) -> Needs:
    """What a compaction needs of each worker of an executor."""
    folder, files = str(target.parent), (full.place,)
    if force:
        return Needs(folder, files=files)
    return Needs(
        folder,
        files=files,
        said=f"{full.positions:,} positions",
        memory=_PROGRAM,
        thread=_largest(full) * _AT_WORK,
        allowed=parse_memory(memory) if memory is not None else None,
    )


def _check_budget(
    full: Database,
    target: Path,
    fingerprint: int,
    workers: int,
    memory: int | float | str | None,
    force: bool,
) -> int:
    """Refuse a compaction that does not fit; return the bytes of memory for parts to keep."""
    allowed = parse_memory(memory) if memory is not None else available_memory()
    needed = _PROGRAM + workers * _largest(full) * _AT_WORK
    if not force:
        refuse_what_does_not_fit(
            f"{full.positions:,} positions",
            target,
            Need(needed, f"with {workers} threads", "give fewer --threads or more --memory"),
            Need(2 * (_IN_FILE + fingerprint / 8) * full.positions, "", "name another folder"),
            allowed,
        )
    return (allowed - needed) // 2
