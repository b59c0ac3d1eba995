"""Checks of the budgets of a search or an analysis, for any game."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Final

from ..errors import BudgetError, KulamiError, quoted
from .control_groups import processor_quota
from .whole_numbers import real, whole

if TYPE_CHECKING:
    from concurrent.futures import Executor

# Threads beyond the number of processors only wait, and each one takes memory.
_MOST_THREADS: Final = 256


def check_budgets(
    threads: int | None = None,
    time: float | None = None,
    nodes: int | None = None,
    workers: int | None = None,
) -> tuple[int | None, float | None, int | None, int | None]:
    """Return budgets as Python's own numbers; refuse any other value with a `BudgetError`.

    Args:
        threads: 1 to 256; None for the default, also in the following arguments.
        time: seconds, above 0.
        nodes: positions, 1 to 2^62 - 1.
        workers: 1 or more.
    """
    seconds = None if time is None else real(time)
    if time is not None and (seconds is None or not seconds > 0):
        raise BudgetError("no_seconds_above_0", name="time", value=time)
    threads = number_or_none("threads", threads)
    nodes = number_or_none("nodes", nodes)
    workers = number_or_none("workers", workers)
    if threads is not None and threads > _MOST_THREADS:
        raise BudgetError(f"threads is {quoted(threads)}: give 1 to {_MOST_THREADS}")
    if nodes is not None and nodes >= 1 << 62:
        raise BudgetError(f"nodes is {quoted(nodes)}: give less than 2^62, or None for no limit")
    return threads, seconds, nodes, workers


def number_or_none(name: str, value: object) -> int | None:
    """Return an argument's whole number, 1 or more, as Python's own; None for None.

    Raises:
        BudgetError: if it is something else.

    Examples:
        >>> number_or_none("count", 3), number_or_none("count", None)
        (3, None)
        >>> number_or_none("count", 0)
        Traceback (most recent call last):
        ...
        kulami_solver.errors.BudgetError: count is 0: give a whole number above 0
    """
    if value is None:
        return None
    number = whole(value)
    if number is None or number < 1:
        raise BudgetError("no_number_above_0", name=name, value=value)
    return number


def check_watchers(progress: object, stop: object) -> None:
    """Refuse a value that is no progress function (`KulamiError`) or no event (`BudgetError`).

    Args:
        progress: anything that can be called, None for none.
        stop: anything with an `is_set` like that of threading.Event, None for none.
    """
    if progress is not None and not callable(progress):
        raise KulamiError(f"progress is {quoted(progress)}: give a function, or None")
    if stop is not None and not callable(getattr(stop, "is_set", None)):
        raise BudgetError(f"stop is {quoted(stop)}: give a threading.Event")


def available_processors() -> int:
    """Return how many processors this process may keep busy, at least 1.

    The processors to which the process is bound count, up to the quota of its control group; a part
    of a processor counts as one.

    Examples:
        >>> 1 <= available_processors() <= os.cpu_count()
        True
    """
    try:
        bound = len(os.sched_getaffinity(0)) or 1
    except (AttributeError, OSError):  # macOS, and where asking is forbidden
        bound = os.cpu_count() or 1
    quota = processor_quota()
    return bound if quota is None else min(bound, max(1, math.ceil(quota)))


def workers_of(
    asked: int | None, *, executor: Executor | None = None, threads: int = 1, name: str = "workers"
) -> int:
    """Return how many workers, threads or processes, do a piece of work side by side.

    Args:
        asked: 1 to 256; None for the number that `executor` reports, or else for enough workers to
            keep the processors of `available_processors` busy, at most 256.
        executor: the caller's executor, if one runs the work.
        threads: how many threads each worker has.
        name: of the argument `asked`, for messages.

    Raises:
        BudgetError: if the number makes no sense.

    Examples:
        >>> workers_of(3)
        3
        >>> workers_of(1.5)
        Traceback (most recent call last):
        ...
        kulami_solver.errors.BudgetError: workers is 1.5: give 1 to 256
    """
    if asked is None:
        # The interface of executors has no such number, but Python's own executors keep it under
        # this name, and others follow them.
        known = getattr(executor, "_max_workers", None)
        if isinstance(known, int) and known > 0:
            return known
        return min(max(1, available_processors() // threads), _MOST_THREADS)
    number = whole(asked)
    if number is None or not 1 <= number <= _MOST_THREADS:
        raise BudgetError(f"{name} is {quoted(asked)}: give 1 to {_MOST_THREADS}")
    return number


def number_within(given: object, name: str, least: int, most: int) -> int:
    """Return an option's whole number as Python's own.

    Args:
        given: the number, of any type.
        name: of the option.
        least, most: the bounds of the number.

    Raises:
        BudgetError: if it is no whole number within the bounds.

    Examples:
        >>> number_within(2, "every", 1, 4)
        2
        >>> number_within(5, "every", 1, 4)
        Traceback (most recent call last):
        ...
        kulami_solver.errors.BudgetError: every is 5: give a whole number from 1 to 4
    """
    number = whole(given)
    if number is None or not least <= number <= most:
        raise BudgetError(f"{name} is {quoted(given)}: give a whole number from {least} to {most}")
    return number
