"""A search of one position of a sibling game: its table, its budgets, its end.

Kulami's has other parts, since it may have the help of other threads: `kulami/solve/job.py`.
"""

from __future__ import annotations

import contextlib
import threading
import time as clock
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Final, Generic, Protocol, TypeVar

from ..errors import BudgetError
from .background import run_watched
from .interruption import SolveInterrupted
from .table import TranspositionTable

Found = TypeVar("Found")


class Stopped(Exception):  # noqa: N818  (not an error: a budget is used up)
    """The compiled search has come to an end without an answer."""


class CompiledSearch(Protocol):
    """The interface of a compiled search that is used here."""

    def stop(self) -> None:
        """Come to an end soon; may be called from another thread."""

    def limit_nodes(self, nodes: int) -> None:
        """Search no more than `nodes` positions; -1 for no limit."""


def made_table(size: int) -> TranspositionTable:
    """Return a table of `size` bytes.

    Raises:
        BudgetError: if the system does not give that much memory.
    """
    try:
        return TranspositionTable(size)
    except MemoryError as error:
        raise BudgetError("no_memory_for_table", why=str(error)) from None


class SearchJob(ABC, Generic[Found]):
    """A position to be searched, and its results so far, which are correct at any time."""

    def __init__(self, compiled: CompiledSearch) -> None:
        self._compiled: Final = compiled

    @abstractmethod
    def search(self) -> None:
        """Search until everything asked for is known; may raise `Stopped`."""

    @abstractmethod
    def found(self, seconds: float) -> Found:
        """Return the results so far."""

    def finish(
        self,
        time: float | None,
        nodes: int | None,
        stop: threading.Event | None,
        report: Callable[[Found], object] | None,
    ) -> Found:
        """Search within the budgets, and return the results.

        Args:
            time, nodes, stop: budgets that have been checked.
            report: called about every 50 ms with the results so far.

        Raises:
            SolveInterrupted: Ctrl-C.
        """
        self._compiled.limit_nodes(-1 if nodes is None else nodes)
        begun = clock.monotonic()
        try:
            tell = None if report is None else lambda seconds: report(self.found(seconds))
            run_watched(self._run, self._compiled.stop, time=time, event=stop, report=tell)
        except KeyboardInterrupt:
            raise SolveInterrupted(self.found(clock.monotonic() - begun)) from None
        return self.found(clock.monotonic() - begun)

    def _run(self) -> None:
        with contextlib.suppress(Stopped):
            self.search()
