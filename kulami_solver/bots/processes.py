"""Processes that Ctrl-C does not reach: it is for the one that started them, which ends them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from typing import Any, TypeVar

from .protocol import BotCrashed

__all__ = ["Workers", "interrupts_blocked", "set_up", "workers_at"]

Result = TypeVar("Result")


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Processes started in here never hear Ctrl-C, not even while Python starts up in them.

    The signal is blocked, which they inherit, and not ignored: one that comes meanwhile reaches
    this process when the block ends.

    Examples:
        >>> with interrupts_blocked():
        ...     pass
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # The first process that is spawned starts this one, which ends with the signal let through.
    resource_tracker.ensure_running()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


@contextmanager
def set_up() -> Iterator[None]:
    """What a worker does first is done in here: Ctrl-C is for its parent, which ends it by SIGTERM.

    A worker that is ended lets go of what it has, and says nothing: also while it is set up, where
    its executor would print the exit as a failure.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(ValueError, OSError):
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        yield
    except SystemExit:
        os._exit(1)  # the pipes to a bot's program close with it, and end that, too


class Workers:
    """Processes that are given work; see `workers_at`."""

    def __init__(self, executor: ProcessPoolExecutor) -> None:
        self._executor = executor

    def submit(self, work: Callable[..., Result], *arguments: Any) -> Future[Result]:
        """Have a process do the work, which as its arguments and result can be pickled."""
        with interrupts_blocked():  # a process may be started for it
            return self._executor.submit(work, *arguments)


@contextmanager
def workers_at(
    number: int, begin: Callable[..., None], arguments: tuple[Any, ...], crashed: str
) -> Iterator[Workers]:
    """Processes for as long as the block lasts.

    A block that comes to its end leaves them to end by themselves; one that is left by an
    exception, or as a generator that is closed, ends them at once.

    Args:
        number: of processes, 1 or more.
        begin: called in each of them first, with the arguments.
        arguments: for `begin`.
        crashed: what to say if a process comes to an end.

    Raises:
        BotCrashed: if one does.
    """
    before = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")
    executor = ProcessPoolExecutor(number, context, begin, arguments)
    done = False
    try:
        yield Workers(executor)
        done = True
        executor.shutdown()
    except BrokenProcessPool:
        raise BotCrashed(f"{crashed}; try --workers 1 to see why") from None
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
        if not done:
            for process in set(multiprocessing.active_children()) - before:
                process.terminate()
