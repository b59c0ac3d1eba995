"""A limited number of searches at a time, and a short queue; abandoned searches are ended.

    request -> start() --queue--> a thread of the pool: work(search)
                  |                    |  search.tell("progress", {...})
                  v                    v
              events() <-- the newest of each kind, on the event loop

A search is cancelled when its reader leaves: `stop` is set, which every search checks about every
50 ms; a search in the queue never begins.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Protocol

from ..core.budgets import workers_of
from ..core.memory import default_table_size
from ..core.thread_pool import ThreadPool
from ..errors import KulamiError
from .messages import Refused

Event = tuple[str, Mapping[str, Any]]
"""The kind of an event, and its data."""

_WAITING: Final = 8
_BETWEEN: Final = 0.1  # seconds between two events of progress


@dataclass(frozen=True)
class Limits:
    """The limits of the page's searches.

    Attributes:
        threads: the most threads of one search.
        memory: the most bytes of one search's table.
        seconds: the most seconds of one search.
    """

    threads: int = 1
    memory: int = 256 << 20
    seconds: float = 60.0

    @cached_property
    def at_once(self) -> int:
        """The number of searches at a time: two, or up to four if there are processors for them."""
        return max(2, min(4, workers_of(None, threads=self.threads)))

    def time(self, asked: float | None) -> float:
        """Return the seconds of a search that asks for some number, or None."""
        return self.seconds if asked is None else min(asked, self.seconds)

    def threads_for(self, asked: int | None) -> int:
        """Return the threads of a search that asks for some number, or None."""
        return self.threads if asked is None else min(asked, self.threads)

    def table(self, plies: int, seconds: float, threads: int) -> str:
        """Return the memory of a search over a number of plies, as `solve` takes it."""
        usual = default_table_size(plies, seconds * threads, tables=self.at_once)
        return f"{min(usual, self.memory) >> 10}K"


class Task(Protocol):
    """The contact between work and its reader: the work tells events, and may be stopped."""

    @property
    def stop(self) -> threading.Event:
        """Set when the work has to end."""

    def tell(self, kind: str, said: Mapping[str, Any]) -> None:
        """Tell the reader an event."""


Work = Callable[[Task], Any]
"""Work that tells or returns its results, and ends when `stop` is set."""


class Search:
    """A search, waiting, working or done: its events, and a way to end it.

    It is made and read on the event loop; `tell` and `stop` are for the thread that works.
    """

    def __init__(self) -> None:
        self.stop: Final = threading.Event()
        self._loop: Final = asyncio.get_running_loop()
        self._news: Final = asyncio.Event()
        self._events: Final[deque[Event]] = deque()
        self._lock: Final = threading.Lock()
        self._woken = 0.0
        self.future: Future[Any] = Future()

    def tell(self, kind: str, said: Mapping[str, Any]) -> None:
        """Tell the reader an event; of progress only the newest is kept, and told now and then."""
        with self._lock:
            if kind == "progress" and self._events and self._events[-1][0] == kind:
                self._events.pop()
            self._events.append((kind, said))
        if kind != "progress" or time.monotonic() - self._woken >= _BETWEEN:
            self.wake()

    async def events(self) -> AsyncIterator[Event]:
        """Yield the events until the search is done.

        Raises:
            The error that the search failed with.
        """
        while True:
            done = self.future.done()  # before the events are looked at: none comes after it
            with self._lock:
                event = self._events.popleft() if self._events else None
            if event is not None:
                yield event
            elif done:
                break
            else:
                await self._news.wait()
                self._news.clear()
        if self.future.cancelled():
            raise KulamiError("ended_early")
        self.future.result()

    def cancel(self) -> None:
        """End the search soon, even if it has not begun."""
        self.stop.set()
        self.future.cancel()

    def wake(self) -> None:
        """Let the reader look for news."""
        self._woken = time.monotonic()
        with contextlib.suppress(RuntimeError):  # the loop has been closed: nobody reads any more
            self._loop.call_soon_threadsafe(self._news.set)


class Searches:
    """All searches of a server.

    Args:
        at_once: the number of searches that work at the same time.
        waiting: the number of further searches that may wait for their turn.
    """

    def __init__(self, at_once: int, waiting: int = _WAITING) -> None:
        self._most: Final = at_once + waiting
        self._pool: Final = ThreadPool(at_once, "kulami-search")
        self._lock: Final = threading.Lock()
        self._living: Final[set[Search]] = set()
        self._closed = False

    def __len__(self) -> int:
        """Return the number of searches that work or wait."""
        return len(self._living)

    def start(self, work: Work) -> Search:
        """Start some work in a thread, now or when its turn comes.

        Args:
            work: the work; it ends when the `stop` of its search is set.

        Raises:
            Refused: if too many searches wait already.
            BudgetError: the system starts no more threads.
        """
        search = Search()
        with self._lock:
            if self._closed or len(self._living) >= self._most:
                raise Refused(503, "busy", count=len(self._living))
            try:
                search.future = self._pool.submit(work, search)
            except KulamiError:
                search.cancel()  # it stays in the queue until a thread can be started again
                raise
            self._living.add(search)
        search.future.add_done_callback(lambda _future: self._finished(search))
        return search

    def _finished(self, search: Search) -> None:
        with self._lock:
            self._living.discard(search)
        search.wake()

    def close(self) -> None:
        """End all searches, and take no more."""
        with self._lock:
            self._closed = True
            living = list(self._living)
        for search in living:
            search.cancel()
        self._pool.shutdown(wait=False, cancel_futures=True)
