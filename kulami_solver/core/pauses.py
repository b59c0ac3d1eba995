"""Ctrl-Z: time in which this process stood still, and a clock that does not count it.

A program that this process talks to may go on meanwhile, so by any other clock it would be late.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Iterator

_state: tuple[float, float | None] = (0.0, None)
"""Seconds of the pauses that are over, and when the present one began: replaced as one, since
another thread may look at the clock before this one has counted the pause that is over."""


def awake() -> float:
    """Return seconds as `time.perf_counter` does, without those of the pauses noticed.

    Examples:
        >>> begun = awake()
        >>> awake() >= begun
        True
    """
    while True:
        before = _state
        now = time.perf_counter()
        if _state is before:  # no pause has begun or ended between the two
            still, begun = before
            return (now if begun is None else begun) - still


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
    global _state
    still, begun = _state[0], time.perf_counter()
    _state = still, begun
    signal.raise_signal(signal.SIGSTOP)  # of this thread, so that it returns after the pause
    _state = still + time.perf_counter() - begun, None
