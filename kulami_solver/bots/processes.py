"""Processes that Ctrl-C does not reach: it is for the one that started them, which ends them."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["deaf_children"]


@contextmanager
def deaf_children() -> Iterator[None]:
    """Processes started in here never hear Ctrl-C, not even while Python starts up in them.

    The signal is blocked, which they inherit, and not ignored: one that comes meanwhile reaches
    this process when the block ends.

    Examples:
        >>> with deaf_children():
        ...     pass
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
