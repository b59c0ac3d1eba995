"""Ctrl-C: where it may take effect, and searches that keep their result when it ends them."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Final, Generic, TypeVar

Found = TypeVar("Found", covariant=True)


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
