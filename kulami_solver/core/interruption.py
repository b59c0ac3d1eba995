"""Ctrl-C, SIGTERM, SIGHUP and Ctrl-Z.

Ctrl-C: where it may take effect, and searches that keep their result when it ends them. SIGTERM: a
Ctrl-C from a program, as `kill`, `timeout` and batch systems send it; SIGHUP: one from a terminal
that is closed. Ctrl-Z: the time in which this process stands still, and a clock that does not count
it. A program that this process talks to may go on meanwhile, so by any other clock it would be
late.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Final, Generic, TypeVar

Found = TypeVar("Found", covariant=True)

_state: tuple[float, float | None] = (0.0, None)
"""Seconds of the pauses that are over, and when the present one began: replaced as one, since
another thread may look at the clock before this one has counted the pause that is over."""

_ENDING: Final = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""What does as Ctrl-C does; Windows has no SIGHUP."""

_told_to_end: signal.Signals | None = None


class SolveInterrupted(KeyboardInterrupt, Generic[Found]):
    """Ctrl-C ended a search; the exception keeps what was proved by then.

    Attributes:
        solution: the search's return value, as far as it was known.
        later: from `solve_many`, the solutions so far of the positions after this one.
    """

    def __init__(self, solution: Found, later: tuple[Found, ...] = ()) -> None:
        super().__init__("interrupted")
        self.solution: Final = solution
        self.later: Final = later

    def __reduce__(self) -> tuple[type[SolveInterrupted[Found]], tuple[Found, tuple[Found, ...]]]:
        # Pickled exceptions from other processes are rebuilt from the message alone by default.
        return SolveInterrupted, (self.solution, self.later)


@contextlib.contextmanager
def interrupts_deferred() -> Iterator[Callable[[], None]]:
    """Defer Ctrl-C within the block to calls of the yielded function, or to the block's end.

    Normally Ctrl-C may come between any two instructions of the main thread, also within Python's
    locks and executors, which cannot handle it: a lock stays taken, and the next thread that wants
    it waits for ever. Other threads never get Ctrl-C, so the block has no effect in them.

    Examples:
        >>> try:
        ...     with interrupts_deferred() as check:
        ...         signal.raise_signal(signal.SIGINT)
        ...         print("goes on")
        ...         check()
        ... except KeyboardInterrupt:
        ...     print("has come")
        goes on
        has come
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield lambda: None
        return
    pressed = False

    def note(_number: int, _frame: object) -> None:
        nonlocal pressed
        pressed = True

    def check() -> None:
        nonlocal pressed
        if pressed:
            pressed = False
            handler(signal.SIGINT, None)

    signal.signal(signal.SIGINT, note)
    try:
        yield check
    finally:
        signal.signal(signal.SIGINT, handler)
    check()


@contextlib.contextmanager
def ended_as_interrupted() -> Iterator[None]:
    """Let SIGTERM and SIGHUP do within the block what Ctrl-C does, even where Ctrl-C is ignored.

    That is so in a job that a script has put in the background. Only the first signal counts:
    `timeout` sends two. The block has no effect outside the main thread, and on a signal that a
    program handles itself, or ignores, as `nohup` has it.

    Examples:
        >>> try:
        ...     with ended_as_interrupted():
        ...         signal.raise_signal(signal.SIGTERM)
        ... except KeyboardInterrupt:
        ...     print(told_to_end().name)
        SIGTERM
    """
    global _told_to_end
    _told_to_end = None
    here = threading.current_thread() is threading.main_thread()
    taken = [one for one in _ENDING if here and signal.getsignal(one) is signal.SIG_DFL]
    if not taken:
        yield
        return
    interrupt = signal.getsignal(signal.SIGINT)
    if interrupt is signal.SIG_IGN:
        signal.signal(signal.SIGINT, _interrupt_if_told)
    for one in taken:
        signal.signal(one, _end)
    try:
        yield
    finally:
        for one in taken:
            signal.signal(one, signal.SIG_DFL)
        signal.signal(signal.SIGINT, interrupt)


def told_to_end() -> signal.Signals | None:
    """Return which of them has come within the last block of `ended_as_interrupted`."""
    return _told_to_end


def _end(number: int, _frame: object) -> None:
    global _told_to_end
    if _told_to_end is None:
        _told_to_end = signal.Signals(number)
        signal.raise_signal(signal.SIGINT)  # so that it can be deferred and blocked likewise


def _interrupt_if_told(_number: int, _frame: object) -> None:
    if _told_to_end is not None:
        raise KeyboardInterrupt


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
