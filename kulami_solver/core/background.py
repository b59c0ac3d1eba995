"""Work in its own thread, with budgets and Ctrl-C, watched by the thread that waits for it."""

from __future__ import annotations

import contextlib
import sys
import threading
import time as clock
from collections.abc import Callable, Iterator
from typing import Final

from ..errors import BudgetError
from .watch import watched_by

#: A browser gives a program no further threads.
HAS_THREADS: Final = sys.platform != "emscripten"

# How long Ctrl-C, a time budget or the progress line may have to wait, in seconds.
_TICK: Final = 0.05


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
    if not HAS_THREADS:
        _run_here(work, stop, time, event, report)
        return
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

    begun = clock.monotonic()
    worker = threading.Thread(target=handed_over, name="kulami-solve", daemon=True)
    if event is not None and event.is_set():
        stop()
    try:
        try:
            with starting_threads():
                worker.start()
        except BudgetError:
            ended.set()
            raise
        while not ended.is_set():
            wait = _TICK
            if time is not None:
                wait = min(wait, max(begun + time - clock.monotonic(), 0.0))
            ended.wait(wait)
            passed = clock.monotonic() - begun
            if (time is not None and passed >= time) or (event is not None and event.is_set()):
                stop()
                ended.wait()
            if report is not None:
                report(passed)
    finally:
        stop()
        ended.wait()
    if failures:
        raise failures.pop()


def _run_here(
    work: Callable[[], None],
    stop: Callable[[], None],
    time: float | None,
    event: threading.Event | None,
    report: Callable[[float], object] | None,
) -> None:
    """`run_watched` without a thread."""
    failures: list[BaseException] = []
    begun = clock.monotonic()
    looked = 0.0

    def look() -> None:
        passed = clock.monotonic() - begun
        if time is not None and passed >= time:
            stop()
        if passed - looked >= _TICK:
            look_closely(passed)

    def look_closely(passed: float) -> None:
        nonlocal looked
        looked = passed
        try:
            if event is not None and event.is_set():
                stop()
            if report is not None:
                report(passed)
        except BaseException as failure:  # raised again when the work has ended
            failures.append(failure)
            stop()

    if event is not None and event.is_set():
        stop()
    before = watched_by(look)
    try:
        work()
        look_closely(clock.monotonic() - begun)
    finally:
        watched_by(before)
        stop()
    if failures:
        raise failures.pop()
