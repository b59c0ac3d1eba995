"""Processes that work for this one: its own on this machine, or the workers of an executor.

Ctrl-C does not reach its own processes: only the process that started them gets it, and ends them.
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
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.util import Finalize
from typing import Any, Final, NoReturn, TypeVar

from ..core.background import starting_threads
from ..core.budgets import workers_of
from ..core.interruption import interrupts_deferred, notice_pauses
from ..core.locks import free_in_forks
from ..core.tasks import first_completed, submit_as
from ..core.thread_pool import ThreadPool
from ..errors import KulamiError, reason
from ..registry import GAMES
from .protocol import BotCrashed

Result = TypeVar("Result")


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Keep Ctrl-C from processes started in this block, even while Python starts up in them.

    The signal is blocked, which they inherit, and not ignored: a Ctrl-C within the block reaches
    this process when the block ends.

    Examples:
        >>> with interrupts_blocked():
        ...     pass
    """
    with interrupts_deferred():  # another thread, such as a notebook's, may get the signal
        if not hasattr(signal, "pthread_sigmask"):
            yield
            return
        # The first spawn starts this tracker, which would unblock the signal: start it before.
        _start_tracker()
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _start_tracker() -> None:
    """Start Python's tracker, which removes the semaphores of a killed program, without a word."""
    sys.warnoptions.append("ignore:resource_tracker")  # it is started with these options
    try:
        resource_tracker.ensure_running()
    finally:
        sys.warnoptions.pop()


def _set_up() -> None:
    """Set a worker up: Ctrl-C and SIGHUP are for its parent, which ends the worker by SIGTERM.

    A process that is not ours to end, such as a worker of another machine, is left unchanged.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with suppress(ValueError, OSError):
        signal.signal(signal.SIGTERM, _end_worker)
    notice_pauses()
    _end_with_parent()


# In a worker: whether it is running a task, and the resources it releases at its end.
_at_task = False
_closing: Final = ExitStack()

# Seconds that an ended worker may take to release its resources.
_LAST: Final = 5.0


class _Ended(BaseException):
    """The worker has been ended. Any other exception counts as the bot's failure."""


def _end_worker(*_: object) -> None:
    """Handle SIGTERM: end a task by an exception, else the process; set a time limit for both.

    Nothing is printed, as Python and an executor would do for a `SystemExit` wherever it comes.
    Only the first SIGTERM counts: an executor that has lost one worker ends the others, which may
    be closing already.
    """
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    deadline = threading.Timer(_LAST, os._exit, (1,))
    deadline.daemon = True
    deadline.start()
    if _at_task:
        raise _Ended
    _end_now()


def _end_now() -> NoReturn:
    with suppress(Exception):
        _closing.close()
    os._exit(1)  # the pipes to a bot's program close with it, and end that, too


@functools.cache  # once in a process
def _end_with_parent() -> None:
    """Have the worker end when its parent does, even if a signal kills the parent at once."""
    parent = multiprocessing.parent_process()

    def wait() -> None:
        assert parent is not None
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(_LAST + 1)  # the main thread may not handle signals before its search returns
        os._exit(1)

    if parent is not None:
        threading.Thread(target=wait, daemon=True).start()


def _do_here(work: Callable[..., Result], *arguments: Any) -> Result:
    """Do a task, and end the process if it is told to end meanwhile.

    Executors treat every exception of a task as the task's failure, and would make the worker wait
    for a next task, which never comes.
    """
    global _at_task
    _at_task = True
    try:
        return work(*arguments)
    except _Ended:
        _end_now()
    finally:
        _at_task = False


@dataclass(frozen=True)
class Workers:
    """Processes that work for this one.

    Attributes:
        number: how many there are.
        submit: has a process do the work, which as its arguments and result can be pickled.
    """

    number: int
    submit: Callable[..., Future[Any]]

    def done(
        self, work: Callable[..., Result], pieces: Iterable[tuple[Any, ...]], ahead: int
    ) -> Iterator[tuple[tuple[Any, ...], Result]]:
        """Yield pieces of work, each with its result, in no particular order.

        Args:
            work: what is done with each piece.
            pieces: the arguments of each.
            ahead: how many are given to the processes at a time.
        """
        waiting = iter(pieces)
        running: dict[Future[Result], tuple[Any, ...]] = {}
        try:
            while True:
                for piece in itertools.islice(waiting, ahead - len(running)):
                    running[self.submit(work, *piece)] = piece
                if not running:
                    return
                for future in first_completed(running):
                    yield running.pop(future), future.result()
        finally:
            for future in running:
                future.cancel()


def workers_at(
    workers: int | Executor,
    name: str,
    crashed: str,
    begin: Callable[..., Callable[[], None]] | None = None,
    arguments: tuple[Any, ...] = (),
) -> AbstractContextManager[Workers]:
    """Return a context manager for processes that exist within its block.

    At the normal end of the block they end by themselves; an exception, or the closing of a
    generator with the block, ends them at once. An executor is left open.

    Args:
        workers: how many processes, 1 or more, or an executor that has some.
        name: of their tasks, where an executor shows it.
        crashed: the message if a process of this machine ends.
        begin: called in each of them first, with the arguments; returns what is to be called there
            at its end.
        arguments: for `begin`.

    Raises:
        BotCrashed: if a process of this machine ends.
    """
    arguments = (dict(GAMES), begin, arguments)
    if isinstance(workers, int):
        return _own_workers(workers, _begin_with, arguments, crashed)
    return _workers_of_executor(workers, name, _begin_with, arguments)


def _begin_with(
    games: dict[str, str],
    begin: Callable[..., Callable[[], None]] | None,
    arguments: tuple[Any, ...],
) -> Callable[[], None]:
    """Begin in a process after making this process's games known there."""
    GAMES.update(games)
    _set_up()
    close = begin(*arguments) if begin is not None else lambda: None
    Finalize(None, close, exitpriority=1)  # processes of multiprocessing leave without atexit
    _closing.callback(close)
    return close


@contextmanager
def _own_workers(
    number: int, begin: Callable[..., object], arguments: tuple[Any, ...], crashed: str
) -> Iterator[Workers]:
    before = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")
    try:
        with interrupts_blocked(), starting_threads():
            executor = ProcessPoolExecutor(number, context, begin, arguments)
    except (OSError, ImportError, NotImplementedError) as fault:
        warnings.warn(
            f"all is done in one process, since no semaphore can be made ({reason(fault)}): make "
            "/dev/shm writable, or give --workers 1",
            RuntimeWarning,
            stacklevel=2,
        )
        _, begin_here, given = arguments
        with ExitStack() as stack:
            if begin_here is not None:
                stack.callback(begin_here(*given))
            yield Workers(1, stack.enter_context(ThreadPool(1)).submit)
        return
    done = False

    def submit(work: Callable[..., Result], *arguments: Any) -> Future[Result]:
        with interrupts_blocked(), starting_threads():  # a process may be started for it
            return executor.submit(_do_here, work, *arguments)

    try:
        yield Workers(number, submit)
        done = True
        executor.shutdown()
    except BrokenProcessPool:
        raise BotCrashed(crashed) from None
    finally:
        if not done:
            for process in set(multiprocessing.active_children()) - before:
                process.terminate()
            # One that was writing a result has not written all of it, and the executor would wait
            # for the rest as long as anybody, such as this process, could write it.
            executor._result_queue._writer.close()  # type: ignore[attr-defined]
        # To leave it to the end of the program would race with the executor's own thread, which
        # has not begun if the system starts no more threads.
        with suppress(RuntimeError):
            executor.shutdown(cancel_futures=True)


@contextmanager
def _workers_of_executor(
    executor: Executor,
    name: str,
    begin: Callable[..., Callable[[], None]],
    arguments: tuple[Any, ...],
) -> Iterator[Workers]:
    """The workers of an executor; work that has not begun at the end is dropped.

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
                everywhere(_leave_if_idle, mark)


# On a worker of an executor: the lock for one piece of work at a time, the mark of its set-up, and
# the function that ends that set-up.
_at_work = free_in_forks(threading.Lock())
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
    """End the present set-up, unless work is running: then the next set-up ends it."""
    if _at_work.acquire(blocking=False):
        try:
            if _begun == mark:
                _leave()
        finally:
            _at_work.release()
