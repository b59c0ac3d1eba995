"""Tasks on an Executor: run them all, hear how far they are, leave none behind."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

__all__ = ["Task", "run_tasks"]

Task: TypeAlias = tuple[Any, ...]
"""A function and its arguments."""

# Waiting without end would keep Ctrl-C waiting, too, on some systems.
_TICK: Final = 0.5


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
