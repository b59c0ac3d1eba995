"""Ctrl-C: where it may come; a question that it ends keeps what was known by then."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Final, Generic, TypeVar

Found = TypeVar("Found", covariant=True)


class Interrupted(KeyboardInterrupt, Generic[Found]):
    """Ctrl-C ended a search, and nothing it has found is lost.

    Attributes:
        found: what the search would have returned, as far as it was known by then.
    """

    def __init__(self, found: Found) -> None:
        super().__init__("interrupted")
        self.found: Final = found


@contextlib.contextmanager
def interrupts_deferred() -> Iterator[Callable[[], None]]:
    """Within, Ctrl-C comes where the function that this gives is called, or at the end.

    Else it comes between any two instructions of the main thread, also within Python's locks and
    executors, which are not made for it: a lock stays taken, and the thread that wants it next
    waits for ever. Other threads never hear of Ctrl-C, and nothing is done in them.

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
