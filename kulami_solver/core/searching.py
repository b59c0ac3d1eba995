"""A search of one position, of any game: its table, its budgets, its end."""

from __future__ import annotations

import contextlib
import threading
import time as clock
from collections.abc import Callable
from typing import Generic, TypeVar

from ..errors import BudgetError
from .background import run_watched
from .interruption import SolveInterrupted
from .table import TranspositionTable

Found = TypeVar("Found")


class Stopped(Exception):  # noqa: N818  (not an error: a budget is used up)
    """The compiled search has come to an end without an answer."""


def made_table(size: int) -> TranspositionTable:
    """Return a table of `size` bytes.

    Raises:
        BudgetError: if the system does not give that much memory.
    """
    try:
        return TranspositionTable(size)
    except MemoryError as error:
        raise BudgetError("no_memory_for_table", why=str(error)) from None


class SearchJob(Generic[Found]):
    """A position to be searched, and its results so far, which are correct at any time.

    Attributes:
        stop: makes the search come to an end soon; may be called from another thread.
    """

    stop: Callable[[], None]

    def search(self) -> None:
        """Search until everything asked for is known; may raise `Stopped`."""
        raise NotImplementedError

    def found(self, seconds: float) -> Found:
        """Return the results so far; may be called from another thread."""
        raise NotImplementedError

    def finish(
        self,
        time: float | None,
        stop: threading.Event | None,
        report: Callable[[Found], object] | None,
        begun: float | None = None,
    ) -> Found:
        """Search in a thread of its own, within the budgets, and return the results.

        Args:
            time, stop: budgets that have been checked.
            report: called about every 50 ms with the results so far.
            begun: start of the time, by `time.monotonic`; None for now.

        Raises:
            SolveInterrupted: Ctrl-C.
        """
        begun = clock.monotonic() if begun is None else begun
        left = None if time is None else begun + time - clock.monotonic()
        try:
            tell = None if report is None else lambda seconds: report(self.found(seconds))
            run_watched(self.run, self.stop, time=left, event=stop, report=tell)
        except KeyboardInterrupt:
            raise SolveInterrupted(self.found(clock.monotonic() - begun)) from None
        return self.found(clock.monotonic() - begun)

    def run(self) -> None:
        """Search until a budget ends it."""
        with contextlib.suppress(Stopped):
            self.search()
