"""Work in its own thread, with budgets and Ctrl-C, watched by the thread that waits for it.

A `SearchJob` is such work: the search of one position, of any game.
"""

from __future__ import annotations

import contextlib
import math
import sys
import threading
import time as clock
from collections.abc import Callable, Iterator
from typing import Final, Generic, TypeVar

from ..errors import BudgetError
from .interruption import SolveInterrupted
from .table import TranspositionTable
from .watch import watched_by

#: A browser gives a program no further threads.
HAS_THREADS: Final = sys.platform != "emscripten"

# How long Ctrl-C, a time budget or the progress line may have to wait, in seconds.
_TICK: Final = 0.05

Found = TypeVar("Found")


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


def run_watched(
    work: Callable[[], None],
    stop: Callable[[], None],
    *,
    time: float | None = None,
    event: threading.Event | None = None,
    report: Callable[[float], object] | None = None,
) -> None:
    """Do some work in a thread, and end it when its time is up or Ctrl-C is pressed.

    The work has ended when this returns or raises. Without threads the work runs in this thread,
    and, if it is a search, calls the checks of its budgets itself.

    Args:
        work: the work.
        stop: makes the work end soon, even if it has not begun.
        time: seconds after which it is stopped.
        event: ends the work once another thread has set it.
        report: called about every 50 ms with the seconds passed.

    Raises:
        KeyboardInterrupt: Ctrl-C.
        BudgetError: the system starts no more threads.
        Any exception of `work` or `report`.

    Examples:
        >>> done = []
        >>> run_watched(lambda: done.append("work"), lambda: None)
        >>> done
        ['work']
        >>> run_watched(lambda: int("x"), lambda: None)
        Traceback (most recent call last):
        ...
        ValueError: invalid literal for int() with base 10: 'x'
    """
    begun = clock.monotonic()
    ending = math.inf if time is None else begun + time
    failures: list[BaseException] = []
    # Python before 3.13 thinks a thread has ended if Ctrl-C is pressed while it is joined.
    ended = threading.Event()

    def handed_over() -> None:
        try:
            work()
        except BaseException as failure:  # raised again in the thread that waits
            failures.append(failure)
        finally:
            ended.set()

    def look() -> None:
        now = clock.monotonic()
        if now >= ending or (event is not None and event.is_set()):
            stop()
            if HAS_THREADS:
                ended.wait()
        if report is not None:
            report(now - begun)

    if event is not None and event.is_set():
        stop()
    if HAS_THREADS:
        worker = threading.Thread(target=handed_over, name="kulami-solve", daemon=True)
        try:
            try:
                with starting_threads():
                    worker.start()
            except BudgetError:
                ended.set()
                raise
            while not ended.is_set():
                ended.wait(min(_TICK, max(ending - clock.monotonic(), 0.0)))
                look()
        finally:
            stop()
            ended.wait()
    else:
        _run_here(work, stop, look, ending, failures)
    if failures:
        raise failures.pop()


def _run_here(
    work: Callable[[], None],
    stop: Callable[[], None],
    look: Callable[[], None],
    ending: float,
    failures: list[BaseException],
) -> None:
    """Do the work, which calls its watcher now and then, in this thread."""
    looked = clock.monotonic()

    def watch(*, at_the_end: bool = False) -> None:
        nonlocal looked
        now = clock.monotonic()
        if now - looked < _TICK and now < ending and not at_the_end:
            return
        looked = now
        try:
            look()
        except BaseException as failure:  # raised again when the work has ended
            failures.append(failure)
            stop()

    before = watched_by(watch)
    try:
        work()
        watch(at_the_end=True)
    finally:
        watched_by(before)
        stop()


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
