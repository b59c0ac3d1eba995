"""Tasks on an Executor: run all, report their progress, leave none running."""

from __future__ import annotations

import contextlib
import itertools
import os
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from ..errors import KulamiError, quoted
from .interruption import interrupts_deferred

if TYPE_CHECKING:
    import concurrent.futures

Found = TypeVar("Found")

Task: TypeAlias = tuple[Any, ...]
"""A function and its arguments."""

# How long Ctrl-C may have to wait, in seconds.
_TICK: Final = 0.1

# Distinguishes processes of different machines; the process number distinguishes those of one.
_HERE: Final = os.urandom(16)


def run_tasks(
    executor: concurrent.futures.Executor,
    tasks: Sequence[Task],
    sizes: Sequence[int] | None = None,
    report: Callable[[int], None] | None = None,
    name: str | Sequence[str] = "",
) -> list[Any]:
    """Run tasks, in whatever order the executor likes.

    If a task fails, or Ctrl-C is pressed, tasks that have not begun are dropped, and running tasks
    are waited for: no task runs any more when this returns or raises.

    Args:
        executor: runs them, in threads, processes or on other machines.
        tasks: functions and their arguments.
        sizes: how much work each is, in any unit; 1 each if not given.
        report: called with the work done so far each time some tasks are through.
        name: one name for all tasks, or one for each, for executors that show names.

    Returns:
        Their results, in the order of the tasks.

    Raises:
        The first failure of a task.

    Examples:
        >>> from concurrent.futures import ThreadPoolExecutor
        >>> with ThreadPoolExecutor(2) as executor:
        ...     run_tasks(executor, [(pow, 2, 3), (pow, 3, 2)])
        [8, 9]
    """
    import concurrent.futures  # it takes its time to import

    sizes = [1] * len(tasks) if sizes is None else sizes
    named = list(zip(tasks, [name] * len(tasks) if isinstance(name, str) else name, strict=True))
    parts = {called: itertools.count() for _, called in named}
    report = report or (lambda _done: None)
    results: list[Any] = [None] * len(tasks)
    done = 0
    futures: dict[concurrent.futures.Future[Any], int] = {}
    with interrupts_deferred() as check_for_interrupt:
        try:
            for number, (task, called) in enumerate(named):
                futures[submit_as(executor, called, next(parts[called]), *task)] = number
                check_for_interrupt()
            while futures:
                ready = first_completed(futures, _TICK)
                for future in ready:
                    number = futures[future]
                    results[number] = future.result()
                    done += sizes[number]
                    del futures[future]
                if ready:
                    report(done)
                check_for_interrupt()
        except BaseException:
            for future in futures:
                future.cancel()
            concurrent.futures.wait(futures)
            raise
    return results


def first_completed(
    futures: Collection[concurrent.futures.Future[Found]], timeout: float | None = None
) -> set[concurrent.futures.Future[Found]]:
    """Wait until a future is done, or cancelled; return those that are.

    As `concurrent.futures.wait`, but Ctrl-C never takes effect within the locks of that function: a
    lock left taken, or released twice, would be the error that the user sees. Ctrl-C is delayed by
    a tenth of a second at most, or, within `interrupts_deferred`, until this returns.

    Args:
        futures: if there are none, it returns at once.
        timeout: seconds after which it returns in any case; None for never.

    Examples:
        >>> from concurrent.futures import Future
        >>> future = Future()
        >>> first_completed([future], 0.01)
        set()
        >>> future.set_result(1)
        >>> first_completed([future]) == {future}
        True
    """
    import concurrent.futures

    ending = None if timeout is None else time.monotonic() + timeout
    while True:
        patience = _TICK if ending is None else min(_TICK, max(0.0, ending - time.monotonic()))
        with interrupts_deferred():
            ready, _ = concurrent.futures.wait(
                futures, patience, concurrent.futures.FIRST_COMPLETED
            )
        if ready or not futures or (ending is not None and time.monotonic() >= ending):
            return ready


def submit_as(
    executor: concurrent.futures.Executor,
    name: str,
    part: int,
    function: Callable[..., Any],
    *arguments: Any,
) -> concurrent.futures.Future[Any]:
    """Submit a task under a name and the number of its part, if the executor has names for tasks.

    Such an executor has a `submit_as(name, part, function, *arguments)`.
    """
    named = getattr(executor, "submit_as", None)
    if named is None or not name:
        return executor.submit(function, *arguments)
    future: concurrent.futures.Future[Any] = named(name, part, function, *arguments)
    return future


@dataclass(frozen=True)
class Needs:
    """The requirements of some work for each worker of an executor.

    Attributes:
        folder: a folder that all workers and this process must share; None for none.
        files: files that all workers and this process must share.
        alike: a function that must return the same there as here, and the name of its result.
    """

    folder: str | None = None
    files: tuple[str, ...] = ()
    alike: tuple[Callable[[], object], str] | None = None


def check_workers(executor: concurrent.futures.Executor | None, needs: Needs) -> None:
    """Have an executor check before some work that its workers can do it.

    Only an executor with a `check_workers(needs)` does so; threads and processes of this machine
    need no check.

    Raises:
        KulamiError: if a worker cannot; the message names it.
    """
    if knows_workers(executor):
        executor.check_workers(needs)  # type: ignore[union-attr]


def knows_workers(executor: concurrent.futures.Executor | None) -> bool:
    """Whether an executor has a `check_workers`."""
    return callable(getattr(executor, "check_workers", None))


# For each thread: a function that tells whether anybody still wants the result of its task.
_watching = threading.local()


@contextlib.contextmanager
def while_wanted(wanted: Callable[[], bool]) -> Iterator[None]:
    """Let a task in this block ask by `is_wanted` whether it is to go on; for executors."""
    before = getattr(_watching, "wanted", None)
    _watching.wanted = wanted
    try:
        yield
    finally:
        _watching.wanted = before


def is_wanted() -> bool:
    """Whether anybody still waits for this thread's task, as far as is known.

    A long task should call this now and then, in its own thread, because executors of other
    machines cannot end it.

    Examples:
        >>> is_wanted()
        True
        >>> with while_wanted(lambda: False):
        ...     is_wanted()
        False
    """
    wanted = getattr(_watching, "wanted", None)
    return wanted is None or wanted()


@contextlib.contextmanager
def threads_or(
    executor: concurrent.futures.Executor | None, threads: int
) -> Iterator[concurrent.futures.Executor]:
    """Yield the executor and leave it open, or, if it is None, `threads` new threads."""
    if executor is not None:
        yield executor
        return
    from .thread_pool import ThreadPool

    with ThreadPool(threads) as pool:
        yield pool


def check_executor(executor: concurrent.futures.Executor | None) -> None:
    """Refuse an object that runs no tasks.

    Raises:
        KulamiError: if it is neither an executor nor None.
    """
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise KulamiError(f"executor is {quoted(executor)}: give a concurrent.futures.Executor")


def check_shared_memory(executor: concurrent.futures.Executor | None, what: str) -> None:
    """Refuse an executor whose tasks do not see this process's memory.

    Args:
        executor: the executor; None is accepted.
        what: the work whose tasks they are, for the message.

    Raises:
        KulamiError: if it is not an executor, or runs tasks in other processes.
    """
    check_executor(executor)
    if executor is not None and executor.submit(_process).result() != _process():
        raise KulamiError(
            f"executor: the tasks of {what} share memory, and this one runs them in other "
            "processes; give a ThreadPoolExecutor, or threads="
        )


def _process() -> tuple[int, bytes]:
    return os.getpid(), _HERE
