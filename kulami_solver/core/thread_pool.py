"""A pool of threads that says it in a sentence if the system starts no more of them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from .background import starting_threads

P = ParamSpec("P")
Found = TypeVar("Found")


class ThreadPool(ThreadPoolExecutor):
    """Threads as `concurrent.futures` has them.

    Examples:
        >>> with ThreadPool(2) as pool:
        ...     pool.submit(pow, 2, 3).result()
        8
    """

    def submit(self, fn: Callable[P, Found], /, *args: P.args, **kwargs: P.kwargs) -> Future[Found]:
        """Have a thread call a function.

        Raises:
            BudgetError: the system starts no more threads.
        """
        with starting_threads():
            return super().submit(fn, *args, **kwargs)
