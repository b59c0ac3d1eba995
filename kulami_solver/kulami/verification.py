"""Verification: is every value in a database what follows from its successors' values?

Ply by ply, the last one first. Parts of a ply are unpacked and checked against the ply after it,
as many at a time as there are threads; what has been checked is set aside in files without a
name, so that memory is bounded by the parts at work. The files take some 15 bytes for each
position of two plies, and are gone with the process, however it ends.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import functools
import mmap
import random
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..core.budgets import workers_of
from ..errors import BudgetError, quoted
from ..storage.container import DatabaseError
from ..storage.verified import Verified
from .parts import Records
from .position import Position
from .probe import Database, Ply
from .solve import solve

__all__ = ["verify"]

# A sampled position with more free fields than this is played on: it would take too long to search.
_SEARCHED = 22


def verify(
    database: Database,
    *,
    threads: int | None = None,
    sample: int = 20,
    progress: Callable[[int, int], None] | None = None,
) -> Verified:
    """Check a database thoroughly.

    Every section is compared with its checksum, every value with what follows from the values one
    ply later by the rules, and the root's and those of positions of random games with a forward
    search. None of it uses the code that builds databases.

    Args:
        database: open.
        threads: how many work at the same time, 1 to 256; None for one a processor.
        sample: how many positions are searched, 0 or more.
        progress: called with the number of positions done, and of all.

    Returns:
        What was found; problems are reported, not raised.

    Raises:
        BudgetError: if a number makes no sense.
        DatabaseError: never for damage, only if the file was closed, or its size has changed since
            it was opened.
    """
    workers = workers_of(threads)
    if not isinstance(sample, int) or isinstance(sample, bool) or sample < 0:
        raise BudgetError(f"sample is {quoted(sample)}: give 0 or more")
    database.check_open()
    report = progress or (lambda _done, _total: None)
    checked = done = searched = 0
    try:
        for size in database.check_sections():
            checked += size
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            done = _check_values(database, pool, report)
        searched = _check_sample(database, sample)
    except DatabaseError as error:
        return Verified(done, checked, searched, (str(error),))
    return Verified(done, checked, searched, ())


@dataclass(frozen=True)
class _Part:
    """What was found of a part: its records' values follow from the next ply."""

    records: Records
    moves: int
    ended: int
    histogram: Any


def _check_part(database: Database, about: Ply, part: int, following: list[Records]) -> _Part:
    """Compute the values of a part again.

    Raises:
        DatabaseError: if one is wrong.
    """
    records = database.records(about.ply, part)
    wrong, moves, ended = database.check(about.ply, records, following)
    if wrong >= 0:
        raise DatabaseError(
            f"{database.path}: ply {about.ply}, position {wrong} of part {part} does not have the "
            "value that follows from the next ply; build it again"
        )
    histogram = np.bincount(records[3] - about.lowest, minlength=len(about.values))
    if database.parts(about.ply) > 1:
        records = _set_aside(records, Path(database.path).parent)
    return _Part(records, moves, ended, histogram)


def _set_aside(records: Records, folder: Path) -> Records:
    """Put arrays into a file without a name, and map it: the system may drop them from memory."""
    with contextlib.ExitStack() as stack:
        try:
            file = stack.enter_context(tempfile.TemporaryFile(dir=folder))
        except OSError:  # a folder that is only read
            file = stack.enter_context(tempfile.TemporaryFile())
        for array in records:
            file.write(array.data)
        file.flush()
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    ends = np.cumsum([array.nbytes for array in records]).tolist()
    frames, starts, details, values = (
        np.frombuffer(mapped, array.dtype, len(array), end - array.nbytes)
        for array, end in zip(records, ends, strict=True)
    )
    return frames, starts, details, values


def _check_values(
    database: Database,
    pool: concurrent.futures.Executor,
    report: Callable[[int, int], None],
) -> int:
    following: list[Records] = []
    done = 0
    for about in reversed(database.plies):
        numbers = range(database.parts(about.ply))
        check = functools.partial(_check_part, database, about, following=following)
        parts = []
        for part in pool.map(check, numbers):
            parts.append(part)
            done += len(part.records[3])
            report(done, database.positions)
        histogram = sum(part.histogram for part in parts)
        if (
            sum(len(part.records[3]) for part in parts),
            sum(part.moves for part in parts),
            sum(part.ended for part in parts),
            tuple(histogram.tolist()),
        ) != (about.positions, about.moves, about.ended, about.values):
            raise DatabaseError(f"{database.path}: ply {about.ply} is not what the header says")
        following = [part.records for part in parts]
    if done != database.positions or database.get(database.root) != database.value:
        raise DatabaseError(f"{database.path}: the root's value is not what the header says")
    return done


def _check_sample(database: Database, sample: int) -> int:
    """Search positions of random games, the same ones every time."""
    draw = random.Random(20)
    for number in range(sample):
        position = _random_position(database.root, draw)
        margin = solve(position, database.scoring).margin
        if database.get(position) != margin:
            raise DatabaseError(
                f"{database.path}: {position.kfn()} is worth {margin} and not "
                f"{database.get(position)} as it says; build it again"
            )
        del number
    return sample


def _random_position(root: Position, draw: random.Random) -> Position:
    position = root
    game = [root]
    while not position.is_over:
        position = position.play(draw.choice(position.legal_fields))
        game.append(position)
    short = [p for p in game if p.free_count <= _SEARCHED]
    return draw.choice(short or game[-1:])
