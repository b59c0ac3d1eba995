"""The verification of a database: the part common to all games, and its result."""

from __future__ import annotations

import concurrent.futures
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from ..core.budgets import workers_of
from ..core.tasks import threads_or
from ..errors import Phrase
from .container import DatabaseError
from .database import Database

Opened = TypeVar("Opened", bound=Database[Any])


@dataclass(frozen=True)
class Verified:
    """The result of a verification.

    Attributes:
        positions: number of values that were computed again.
        bytes: number of bytes whose checksums were verified.
        searched: number of sampled positions whose margin a forward search found, too.
        problems: the faults found, in words; empty if there are none.
    """

    positions: int
    bytes: int
    searched: int
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


@dataclass
class Tally:
    """The counts of a running verification, as in `Verified`."""

    positions: int = 0
    bytes: int = 0
    searched: int = 0


def verified(
    database: str | os.PathLike[str] | Opened,
    opening: Callable[[str | os.PathLike[str]], Opened],
    check: Callable[[Opened, concurrent.futures.Executor, Tally], None],
    threads: int | None,
    executor: concurrent.futures.Executor | None,
) -> Verified:
    """Verify a database by its game's own check.

    Args:
        database: an open database, or the path of one.
        opening: opens a path as a database of the game.
        check: the check; it counts in the tally, and raises a `DatabaseError` for a fault.
        threads: the number of threads, as for `workers_of`.
        executor: runs the tasks instead; None for threads that end with the verification.

    Raises:
        BudgetError: if the number of threads makes no sense.
        DatabaseError: if the database was closed, or its size has changed since it was opened.
    """
    workers = workers_of(threads, name="threads")
    if isinstance(database, (str, os.PathLike)):
        try:
            with opening(database) as opened:
                return verified(opened, opening, check, threads, executor)
        except DatabaseError as error:
            return Verified(0, 0, 0, (Phrase(error.code or str(error), **error.values),))
    database.check_open()
    tally = Tally()
    problems: tuple[str, ...] = ()
    with threads_or(executor, workers) as pool:
        try:
            check(database, pool, tally)
        except DatabaseError as error:
            problems = (Phrase(error.code or str(error), **error.values),)
    return Verified(tally.positions, tally.bytes, tally.searched, problems)
