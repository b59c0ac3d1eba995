"""Processes that work for this one: on this machine its own, or the workers of an executor.

Ctrl-C does not reach its own: it is for the one that started them, which ends them.
"""

from __future__ import annotations

import functools
import itertools
import multiprocessing
import os
import secrets
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.util import Finalize
from typing import Any, Final, TypeVar

from ..core.budgets import workers_of
from ..core.tasks import submit_as
from ..errors import KulamiError
from ..registry import GAMES
from .protocol import BotCrashed

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
    its executor would print the exit as a failure. What is not ours to end, as a worker of another
    machine, is left as it is.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(ValueError, OSError):
        signal.signal(signal.SIGTERM, _end_worker)
    _end_with_parent()
    try:
        yield
    except SystemExit:
        os._exit(1)  # the pipes to a bot's program close with it, and end that, too


# In a worker: whether it is at a task, and what it lets go of when it ends.
_at_task = False
_closing: Final = ExitStack()

# How long a worker that has been ended may take to let go of what it has, in seconds.
_LAST: Final = 5.0


class _Ended(BaseException):
    """The worker has been ended. Any other exception counts as the bot's failure."""


def _end_worker(*_: object) -> None:
    """What SIGTERM does: an exit that unwinds, and a time after which the process is gone.

    It comes once: an executor that has lost one worker ends the others, which are closing already.
    """
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    deadline = threading.Timer(_LAST, os._exit, (1,))
    deadline.daemon = True
    deadline.start()
    if _at_task:
        raise _Ended
    sys.exit(1)


@functools.cache  # once in a process
def _end_with_parent() -> None:
    """Have the worker end when its parent does, be it by a signal that leaves that no time."""
    parent = multiprocessing.parent_process()

    def wait() -> None:
        assert parent is not None
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(_LAST + 1)  # the main thread may not hear of signals before its search returns
        os._exit(1)

    if parent is not None:
        threading.Thread(target=wait, daemon=True).start()


def close_at_end(close: Callable[[], None]) -> None:
    """Have this worker call `close` when it comes to its end, or is ended by SIGTERM."""
    Finalize(None, close, exitpriority=1)  # processes of multiprocessing leave without atexit
    _closing.callback(close)


def _do_here(work: Callable[..., Result], *arguments: Any) -> Result:
    """Do a task, and end with it if told to meanwhile.

    Executors take whatever a task raises for the task's failure, and would have the worker wait for
    the next one, which never comes.
    """
    global _at_task
    _at_task = True
    try:
        return work(*arguments)
    except _Ended:
        with suppress(Exception):
            _closing.close()
        os._exit(1)
    finally:
        _at_task = False


@dataclass(frozen=True)
class Workers:
    """Processes that are given work.

    Attributes:
        number: how many there are.
        submit: has a process do the work, which as its arguments and result can be pickled.
    """

    number: int
    submit: Callable[..., Future[Any]]


def workers_at(
    workers: int | Executor,
    name: str,
    begin: Callable[..., Callable[[], None]],
    arguments: tuple[Any, ...],
    crashed: str,
) -> AbstractContextManager[Workers]:
    """Processes for as long as the block lasts.

    A block that comes to its end leaves them to end by themselves; one that is left by an
    exception, or as a generator that is closed, ends them at once. An executor is left open.

    Args:
        workers: how many processes, 1 or more, or an executor that has some.
        name: of their tasks, where an executor shows it.
        begin: called in each of them first, with the arguments; returns what ends it there.
        arguments: for `begin`.
        crashed: what to say if a process of this machine comes to an end.

    Raises:
        BotCrashed: if one does.
    """
    arguments = (dict(GAMES), begin, arguments)
    if isinstance(workers, int):
        return _own_workers(workers, _begin_with, arguments, crashed)
    return _workers_of_executor(workers, name, _begin_with, arguments)


def _begin_with(
    games: dict[str, str], begin: Callable[..., Callable[[], None]], arguments: tuple[Any, ...]
) -> Callable[[], None]:
    """Begin where the same games are known as here."""
    GAMES.update(games)
    return begin(*arguments)


@contextmanager
def _own_workers(
    number: int, begin: Callable[..., object], arguments: tuple[Any, ...], crashed: str
) -> Iterator[Workers]:
    before = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")
    executor = ProcessPoolExecutor(number, context, begin, arguments)
    done = False

    def submit(work: Callable[..., Result], *arguments: Any) -> Future[Result]:
        with interrupts_blocked():  # a process may be started for it
            return executor.submit(_do_here, work, *arguments)

    try:
        yield Workers(number, submit)
        done = True
        executor.shutdown()
    except BrokenProcessPool:
        raise BotCrashed("worker_crashed", why=crashed) from None
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
        if not done:
            for process in set(multiprocessing.active_children()) - before:
                process.terminate()


@contextmanager
def _workers_of_executor(
    executor: Executor,
    name: str,
    begin: Callable[..., Callable[[], None]],
    arguments: tuple[Any, ...],
) -> Iterator[Workers]:
    """The workers of an executor; what has not begun in the end is dropped.

    A worker does one piece of work at a time, however many threads it has: bots are not made for
    threads.
    """
    mark, numbers = secrets.token_hex(8), itertools.count(1)
    futures: set[Future[Any]] = set()

    def submit(work: Callable[..., Any], *given: Any) -> Future[Any]:
        task = (_do_there, mark, begin, arguments, work, given)
        future: Future[Any] = submit_as(executor, name, next(numbers), *task)
        futures.add(future)
        future.add_done_callback(futures.discard)
        return future

    try:
        yield Workers(workers_of(None, executor=executor), submit)
    finally:
        for future in list(futures):
            future.cancel()
        everywhere = getattr(executor, "run_on_workers", None)
        if everywhere is not None:
            with suppress(KulamiError):  # they may be gone
                everywhere(_leave_if_idle, lambda _threads: (mark,))


# On a worker of an executor: one piece of work at a time, what it has begun with, and what ends it.
_at_work = threading.Lock()
_begun = ""
_end: Callable[[], None] | None = None


def _do_there(
    mark: str,
    begin: Callable[..., Callable[[], None]],
    arguments: tuple[Any, ...],
    work: Callable[..., Result],
    given: tuple[Any, ...],
) -> Result:
    global _begun, _end
    with _at_work:
        if _begun != mark:
            _leave()
            # Workers of dask are daemons, to which multiprocessing allows no processes; those of
            # bots end with their pipes.
            multiprocessing.current_process()._config.pop("daemon", None)  # type: ignore[attr-defined]
            _end = begin(*arguments)
            _begun = mark
        return work(*given)


def _leave() -> None:
    global _begun, _end
    if _end is not None:
        _end()
    _begun, _end = "", None


def _leave_if_idle(mark: str) -> None:
    """End what was begun, unless something is at work: the next one to begin ends it, then."""
    if _at_work.acquire(blocking=False):
        try:
            if _begun == mark:
                _leave()
        finally:
            _at_work.release()
