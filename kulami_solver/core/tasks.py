"""Tasks on an Executor: run them all, hear how far they are, leave none behind."""

from __future__ import annotations

import concurrent.futures
import contextlib
import os
import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeAlias

from ..errors import KulamiError, quoted

__all__ = ["Task", "check_executor", "check_shared_memory", "run_tasks", "threads_or"]

Task: TypeAlias = tuple[Any, ...]
"""A function and its arguments."""

# Waiting without end would keep Ctrl-C waiting, too, on some systems.
_TICK: Final = 0.5

# Tells this process from those of other machines; the number of a process, from others of this one.
_HERE: Final = uuid.uuid4()


def run_tasks(
    executor: concurrent.futures.Executor,
    tasks: Sequence[Task],
    sizes: Sequence[int] | None = None,
    report: Callable[[int], None] | None = None,
) -> list[Any]:
    """Run tasks, in whatever order the executor likes.

    If one fails, or Ctrl-C is pressed, those that have not begun are dropped, and those at work are
    waited for: when this returns or raises, nothing goes on behind the caller's back.

    Args:
        executor: runs them, in threads, processes or on other machines.
        tasks: functions and their arguments.
        sizes: how much work each is, in any unit; 1 each if not given.
        report: called with the work done so far each time some tasks are through.

    Returns:
        Their results, in the order of the tasks.

    Raises:
        The first failure of a task.

    Examples:
        >>> with concurrent.futures.ThreadPoolExecutor(2) as executor:
        ...     run_tasks(executor, [(pow, 2, 3), (pow, 3, 2)])
        [8, 9]
    """
    sizes = [1] * len(tasks) if sizes is None else sizes
    report = report or (lambda _done: None)
    results: list[Any] = [None] * len(tasks)
    done = 0
    futures: dict[concurrent.futures.Future[Any], int] = {}
    try:
        for number, (function, *arguments) in enumerate(tasks):
            futures[executor.submit(function, *arguments)] = number
        waiting = set(futures)
        while waiting:
            ready, waiting = concurrent.futures.wait(
                waiting, _TICK, concurrent.futures.FIRST_COMPLETED
            )
            for future in ready:
                number = futures[future]
                results[number] = future.result()
                done += sizes[number]
            if ready:
                report(done)
    except BaseException:
        for future in futures:
            future.cancel()
        concurrent.futures.wait(futures)
        raise
    return results


@contextlib.contextmanager
def threads_or(
    executor: concurrent.futures.Executor | None, threads: int
) -> Iterator[concurrent.futures.Executor]:
    """Run tasks on an executor that is left open, or, if it is None, on so many new threads."""
    if executor is not None:
        yield executor
        return
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        yield pool


def check_executor(executor: concurrent.futures.Executor | None) -> None:
    """Refuse what runs no tasks.

    Raises:
        KulamiError: if it is neither an executor nor None.
    """
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise KulamiError(f"executor is {quoted(executor)}: give a concurrent.futures.Executor")


def check_shared_memory(executor: concurrent.futures.Executor | None, what: str) -> None:
    """Refuse an executor whose tasks do not see this process's memory.

    Args:
        executor: None will do.
        what: whose tasks they are, for the message.

    Raises:
        KulamiError: if it is none, or runs tasks in other processes.
    """
    check_executor(executor)
    if executor is not None and executor.submit(_process).result() != _process():
        raise KulamiError(
            f"executor: the tasks of {what} share memory, and this one runs them in other "
            "processes; give a ThreadPoolExecutor, or threads="
        )


def _process() -> tuple[int, uuid.UUID]:
    return os.getpid(), _HERE
