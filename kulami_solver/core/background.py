"""Searches with budgets and Ctrl-C, which look at both while they run.

A `Searching` is such work: the search for the answer to one question, of any game.
"""

from __future__ import annotations

import contextlib
import math
import threading
import time as clock
from collections.abc import Callable, Iterator
from typing import Any, Final, Generic, Protocol, TypeVar

from ..errors import BudgetError
from .budgets import check_budgets, check_watchers
from .interruption import SolveInterrupted, interrupts_deferred
from .table import TranspositionTable
from .watch import Watcher

# How long Ctrl-C, a time budget or the progress line may have to wait, in seconds.
_TICK: Final = 0.05

Found = TypeVar("Found", covariant=True)


@contextlib.contextmanager
def starting_threads() -> Iterator[None]:
    """Say it in a sentence if the system starts no more threads, or processes, in this block.

    Raises:
        BudgetError: in place of the system's error.
    """
    try:
        yield
    except BlockingIOError:
        raise BudgetError("no_more_threads") from None
    except RuntimeError as error:
        if "can't start new thread" not in str(error):
            raise
        raise BudgetError("no_more_threads") from None


class Stopped(Exception):  # noqa: N818  (not an error: a budget is used up)
    """The compiled search has come to an end without an answer."""


class Watched(Protocol):
    """A search that looks round while it runs."""

    def stop(self) -> None:
        """End it soon; may be called from any thread."""

    def watched_by(self, watcher: Watcher | None) -> None:
        """Have it call a watcher now and then; None for none."""


def run_watched(
    work: Callable[[], None],
    search: Watched,
    *,
    time: float | None = None,
    event: threading.Event | None = None,
    report: Callable[[float], object] | None = None,
    deferred: bool = False,
) -> None:
    """Do some work with a search, and end it when its time is up or Ctrl-C is pressed.

    The search itself looks at all this now and then, so no other thread has to run.

    Args:
        work: the work; it ends soon once the search is stopped, even if that was before it began,
            and may then raise `Stopped`.
        search: what the work searches with.
        time: seconds after which it is stopped.
        event: ends the work once another thread has set it.
        report: called about every 50 ms, and at the end, with the seconds passed, in this thread.
        deferred: whether Ctrl-C is to take effect only where the search looks, and at the end: for
            work in several threads, whose locks it would leave taken.

    Raises:
        KeyboardInterrupt: Ctrl-C.
        Any exception of `work` or `report`.

    Examples:
        >>> from kulami_solver.core.watch import Limited
        >>> done = []
        >>> run_watched(lambda: done.append("work"), Limited())
        >>> done
        ['work']
        >>> run_watched(lambda: int("x"), Limited())
        Traceback (most recent call last):
        ...
        ValueError: invalid literal for int() with base 10: 'x'
    """
    here = threading.get_ident()
    begun = clock.monotonic()
    ending = math.inf if time is None else begun + time

    def look() -> float:
        check()
        now = clock.monotonic()
        if now >= ending or (event is not None and event.is_set()):
            search.stop()
        if report is not None and threading.get_ident() == here:
            report(now - begun)
        return max(0.0, min(_TICK, ending - clock.monotonic()))

    with interrupts_deferred() if deferred else contextlib.nullcontext(_nothing) as check:
        watcher = Watcher(look, search.stop, max(0.0, min(_TICK, ending - begun)))
        search.watched_by(watcher)
        try:
            if event is not None and event.is_set():
                search.stop()
            with contextlib.suppress(Stopped):
                work()
            if report is not None and watcher.failure is None:
                report(clock.monotonic() - begun)
        except BaseException:
            if watcher.failure is None:  # else the work ended because of that
                raise
        finally:
            search.watched_by(None)
            search.stop()
    if watcher.failure is not None:
        raise watcher.failure


def _nothing() -> None:
    """Look at Ctrl-C, where Python itself does so."""


def made_table(size: int) -> TranspositionTable:
    """Return a table of `size` bytes.

    Raises:
        BudgetError: if the system does not give that much memory.
    """
    try:
        return TranspositionTable(size)
    except MemoryError as error:
        raise BudgetError("no_memory_for_table", why=str(error)) from None


class Searching(Generic[Found]):
    """The search for an answer, and what is known of it so far, which is correct at any time.

    A game's `Search` derives from it: `Search(question).narrow()` is the answer.

    Args:
        question: a `Question`, whose budget is checked here.

    Attributes:
        question: as given.
        begun: when the time began, by `time.monotonic`.
        threads, time, limit: threads, seconds and nodes of the budget; None for the default.
        searching: what it searches with, in a class that is no search itself.

    Raises:
        BudgetError: if a budget makes no sense.
    """

    searching: Watched
    threaded = False
    """Whether other threads help."""

    def __init__(self, question: Any) -> None:
        self.begun: Final = clock.monotonic()
        self.question: Final = question
        budget = question.budget
        self.threads, self.time, self.limit, _ = check_budgets(
            budget.threads, budget.seconds, budget.nodes
        )

    def work(self) -> None:
        """Search until everything asked for is known; may raise `Stopped`."""
        raise NotImplementedError

    def found(self) -> Found:
        """Return what is known so far; may be called from another thread."""
        raise NotImplementedError

    def stop(self) -> None:
        """End the search soon; may be called from any thread."""
        self.searching.stop()

    def watched_by(self, watcher: Watcher | None) -> None:
        """Have the search call a watcher now and then; None for none."""
        self.searching.watched_by(watcher)

    def close(self) -> None:
        """Let go of what only a search needs."""

    @property
    def seconds(self) -> float:
        """Seconds since the search began."""
        return clock.monotonic() - self.begun

    def narrow(self, report: Callable[[Any], object] | None = None) -> Found:
        """Search within the budget, and return the answer.

        Args:
            report: called about every 50 ms, and at the end, with what is known by then.

        Raises:
            KulamiError: if `report` is no function.
            BudgetError: if the budget's `stop` is no event.
            SolveInterrupted: Ctrl-C.
        """
        stop = self.question.budget.stop
        left = None if self.time is None else self.time - self.seconds
        tell = None if report is None else lambda _: report(self.found())
        try:
            check_watchers(report, stop)
            run_watched(self.work, self, time=left, event=stop, report=tell, deferred=self.threaded)
        except KeyboardInterrupt:
            raise SolveInterrupted(self.found()) from None
        finally:
            self.close()
        return self.found()
