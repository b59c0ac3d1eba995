"""Searches in a thread of their own, watched by the one that waits for their answer."""

from __future__ import annotations

import threading
import time as clock
from collections.abc import Callable
from typing import Final

__all__ = ["watch"]

# How long Ctrl-C, a time budget or the progress line may have to wait, in seconds.
_TICK: Final = 0.05


def watch(
    work: Callable[[], None],
    stop: Callable[[], None],
    *,
    time: float | None = None,
    event: threading.Event | None = None,
    report: Callable[[float], None] | None = None,
) -> None:
    """Do some work in a thread, and end it when its time is up or Ctrl-C is pressed.

    Args:
        work: what is to be done; it raises nothing.
        stop: makes the work come to an end soon, also if it has not begun.
        time: seconds after which it is stopped.
        event: stops it likewise once another thread has set it.
        report: called about every 50 ms with the seconds passed.

    Raises:
        KeyboardInterrupt: Ctrl-C, once the work has come to its end.

    Examples:
        >>> done = []
        >>> watch(lambda: done.append("work"), lambda: None)
        >>> done
        ['work']
    """
    begun = clock.monotonic()
    worker = threading.Thread(target=work, name="kulami-solve", daemon=True)
    if event is not None and event.is_set():
        stop()
    worker.start()
    try:
        while worker.is_alive():
            wait = _TICK
            if time is not None:
                wait = min(wait, max(begun + time - clock.monotonic(), 0.0))
            worker.join(wait)
            passed = clock.monotonic() - begun
            if (time is not None and passed >= time) or (event is not None and event.is_set()):
                stop()
                worker.join()
            if report is not None:
                report(passed)
    finally:
        stop()
        worker.join()
