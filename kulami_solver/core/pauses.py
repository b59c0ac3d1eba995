"""Ctrl-Z: time in which this process stood still, and a clock that does not count it.

A program that this process talks to may go on meanwhile, so by any other clock it would be late.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Iterator

_still = 0.0


def awake() -> float:
    """Return seconds as `time.perf_counter` does, without those of the pauses noticed.

    Examples:
        >>> begun = awake()
        >>> awake() >= begun
        True
    """
    return time.perf_counter() - _still


@contextlib.contextmanager
def pauses_noticed() -> Iterator[None]:
    """Measure how long Ctrl-Z stops this process within the block; `awake` leaves that out.

    It has no effect where `notice_pauses` has none.

    Examples:
        >>> with pauses_noticed():
        ...     pass
    """
    noticed = notice_pauses()
    try:
        yield
    finally:
        if noticed:
            signal.signal(signal.SIGTSTP, signal.SIG_DFL)


def notice_pauses() -> bool:
    """Do so until this process ends, and return whether it could be set up.

    It cannot outside the main thread, and where Ctrl-Z stops nothing.
    """
    number = getattr(signal, "SIGTSTP", None)
    here = threading.current_thread() is threading.main_thread()
    if number is None or not here or signal.getsignal(number) is not signal.SIG_DFL:
        return False
    signal.signal(number, _stand_still)
    return True


def _stand_still(*_: object) -> None:
    global _still
    begun = time.perf_counter()
    signal.raise_signal(signal.SIGSTOP)  # of this thread, so that it returns after the pause
    _still += time.perf_counter() - begun
