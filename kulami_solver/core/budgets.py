"""Budgets of a search or an analysis, whatever the game: what makes sense as one."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Final

from ..errors import BudgetError, KulamiError
from .control_groups import processor_quota
from .whole_numbers import real, whole

if TYPE_CHECKING:
    from concurrent.futures import Executor

# More threads than any machine has processors do nothing but wait, and each takes its memory.
_MOST_THREADS: Final = 256


def check_budgets(
    threads: int | None = None,
    time: float | None = None,
    nodes: int | None = None,
    workers: int | None = None,
) -> tuple[int | None, float | None, int | None, int | None]:
    """Return budgets as Python's own numbers; refuse what is none, with a `BudgetError`.

    Args:
        threads: 1 to 256, None for the default, as for all that follow.
        time: seconds, above 0.
        nodes: positions, 1 to 2^62 - 1.
        workers: 1 or more.
    """
    seconds = None if time is None else real(time)
    if time is not None and (seconds is None or not seconds > 0):
        raise BudgetError("no_seconds_above_0", name="time", value=time)
    threads = _above_0("threads", threads)
    nodes = _above_0("nodes", nodes)
    workers = _above_0("workers", workers)
    if threads is not None and threads > _MOST_THREADS:
        raise BudgetError("no_such_many", name="threads", given=threads, most=_MOST_THREADS)
    if nodes is not None and nodes >= 1 << 62:
        raise BudgetError("nodes_too_many", nodes=nodes)
    return threads, seconds, nodes, workers


def _above_0(name: str, value: object) -> int | None:
    if value is None:
        return None
    number = whole(value)
    if number is None or number < 1:
        raise BudgetError("no_number_above_0", name=name, value=value)
    return number


def check_watchers(progress: object, stop: object) -> None:
    """Refuse what is no progress function (`KulamiError`) or no event (`BudgetError`).

    Args:
        progress: anything that can be called, None for none.
        stop: anything with an `is_set` like that of threading.Event, None for none.
    """
    if progress is not None and not callable(progress):
        raise KulamiError("no_function", progress=progress)
    if stop is not None and not callable(getattr(stop, "is_set", None)):
        raise BudgetError("no_event", stop=stop)


def available_processors() -> int:
    """Return how many processors this process may keep busy, at least 1.

    Those it is bound to count, and of them no more than the quota of its control group pays for; a
    part of a processor counts as one.

    Examples:
        >>> 1 <= available_processors() <= os.cpu_count()
        True
    """
    try:
        bound = len(os.sched_getaffinity(0))
    except AttributeError:  # macOS
        bound = os.cpu_count() or 1
    quota = processor_quota()
    return bound if quota is None else min(bound, max(1, math.ceil(quota)))


def workers_of(
    asked: int | None,
    *,
    executor: Executor | None = None,
    threads: int = 1,
    name: str = "workers",
) -> int:
    """Return how many workers, threads or processes, do a piece of work side by side.

    Args:
        asked: 1 to 256; None for as many as `executor` says it has, else for as many as keep the
            processors busy that `available_processors` counts, but no more than 256.
        executor: what runs the work, if it is an executor of the caller.
        threads: how many threads each of the workers has of its own.
        name: of the argument that asks for them.

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
        # The interface does not tell, but Python's own executors keep it under this name, and
        # others have followed them.
        known = getattr(executor, "_max_workers", None)
        if isinstance(known, int) and known > 0:
            return known
        return min(max(1, available_processors() // threads), _MOST_THREADS)
    number = whole(asked)
    if number is None or not 1 <= number <= _MOST_THREADS:
        raise BudgetError("no_such_many", name=name, given=asked, most=_MOST_THREADS)
    return number


def number_within(given: object, name: str, least: int, most: int) -> int:
    """Return a whole number that an option has, as Python's own.

    Args:
        given: the number, of whatever kind.
        name: of the option.
        least, most: what it may be.

    Raises:
        BudgetError: if it is none of these.

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
        raise BudgetError("number_within", name=name, given=given, least=least, most=most)
    return number
