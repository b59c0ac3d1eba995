"""Verification that every value in a database of Malawi follows from its successors' values.

Building goes back from the ends; verification does not. It reads the whole file and plays all turns
from every position in it. They must lead to positions in the file, and the position's value must
follow from their values. `docs/algorithms.md` explains why this proves all values.
"""

from __future__ import annotations

import concurrent.futures
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.budgets import check_watchers, workers_of
from ..core.certificate import first_wrong
from ..core.dense import Reached
from ..core.retrograde_driver import run_in_parts
from ..core.tasks import check_shared_memory
from ..storage.container import DatabaseError
from ..storage.database import Tally, Verified, verified
from .header import start_of
from .probe import Database, checked_database
from .solving import occurring
from .values import value_of


def verify(
    database: str | os.PathLike[str] | Database,
    *,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    executor: concurrent.futures.Executor | None = None,
) -> Verified:
    """Check a database thoroughly.

    Args:
        database: open, or the path of one.
        threads: how many work at the same time; None for one a processor.
        progress: called with the number of positions done, and of all.
        executor: runs the tasks instead of threads of its own, and is left open; its workers have
            to be threads of this process, since they share memory.

    Returns:
        The result; problems are reported, not raised.

    Raises:
        BudgetError: if the number of threads makes no sense.
        KulamiError: if `executor` is not an executor, or runs tasks in other processes.
        DatabaseError: never for damage, only if it is neither a database of Malawi nor a path, was
            open and has been closed, or its size has changed since.
        OSError: if the file cannot be read.

    Examples:
        >>> import tempfile
        >>> from kulami_solver.malawi import Board
        >>> from kulami_solver.malawi.building import build
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     built = build(folder + "/small.kdb", Board(2, 5))
        ...     verified = verify(built.path)
        >>> verified.ok, verified.positions
        (True, 6170)
    """
    workers_of(threads, name="threads")
    check_watchers(progress, None)
    check_shared_memory(executor, "a verification of Malawi")
    if not isinstance(database, (str, os.PathLike)):
        checked_database(database)

    def check(database: Database, pool: concurrent.futures.Executor, tally: Tally) -> None:
        reached = _contents(database, pool)
        tally.positions = _check(database, reached, pool, progress or (lambda *_: None))
        tally.bytes = database.bytes

    return verified(database, Database, check, threads, executor)


def _contents(database: Database, executor: concurrent.futures.Executor) -> Reached:
    """The contents of the file, in memory."""
    reached = Reached(database.index)
    layers = dict(database.reader.layers(executor, reached.bitmap))
    count = reached.number()
    if count != sum(len(values) for values in layers.values()):
        raise DatabaseError(f"{database.path}: sections overlap; build it again")
    filled = 0
    for layer in sorted(layers):
        values = layers.pop(layer)
        reached.values[filled : filled + len(values)] = values
        filled += len(values)
    return reached


def _check(
    database: Database,
    reached: Reached,
    executor: concurrent.futures.Executor,
    report: Callable[[int, int], None],
) -> int:
    path = database.path
    start = reached.value_at(start_of(database.board, database.index))
    if start is None or value_of(start) != database.value:
        raise DatabaseError(f"{path}: the start is not worth what the header says; build it again")

    def task(begin: int, end: int) -> Any:
        counts = np.zeros(1 << 16, np.uint64)
        wrong = first_wrong(reached, begin, end, counts)
        if wrong is not None:
            slot, why = wrong
            raise DatabaseError(f"{path}: slot {slot} {why}; build it again")
        return counts

    slots = database.index.slots

    def tell(done: int) -> None:
        report(database.positions * done // slots, database.positions)

    counts = sum(run_in_parts(executor, task, 0, slots, tell))
    if occurring(counts) != database.header["values"]:
        raise DatabaseError(f"{path}: holds other values than its header says; build it again")
    return int(counts.sum())
