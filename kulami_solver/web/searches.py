"""A limited number of searches at a time, and a queue; abandoned searches are ended.

    request -> start() --queue--> a thread of a pool: work(search)
                  |                    |  search.tell("progress", {...})
                  v                    v
              events() <-- the newest of each kind, on the event loop

A search is cancelled when its reader leaves: `stop` is set, which every search checks about every
50 ms; a search in the queue never begins.

Searches may take turns. The first turn is short while others wait for theirs, so that easy
questions are answered and estimates seen before hard questions are searched at length. A search
that gives way begins again at its next turn, which is longer. Later turns have threads of their
own: no first turn waits for them.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
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

TURNS: Final = (0.1, 4.0)
"""Seconds of the first turns of a search while others wait in the same queue; the turn after them
ends with the search. Each turn has the whole time that the search may take."""

_WAITING: Final = 64
_BETWEEN: Final = 0.1  # seconds between two events of progress
_NEWEST: Final = ("progress", "waiting")  # events of which the last one says all


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
        """The number of searches at a time: two, or up to four if there are processors for them.

        Each of three groups has so many: first turns, later turns, and searches without turns.
        """
        return max(2, min(4, workers_of(None, threads=self.threads)))

    def time(self, asked: float | None) -> float:
        """Return the seconds of a search that asks for some number, or None."""
        return self.seconds if asked is None else min(asked, self.seconds)

    def threads_for(self, asked: int | None) -> int:
        """Return the threads of a search that asks for some number, or None."""
        return self.threads if asked is None else min(asked, self.threads)

    def table(self, plies: int, seconds: float, threads: int) -> str:
        """Return the memory of a search over a number of plies, as `solve` takes it."""
        groups = 3 * self.at_once
        usual = default_table_size(plies, seconds * threads, tables=groups)
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


class _Ending(threading.Event):
    """Set when a search has to end, or to give way to others."""

    def __init__(self, gives_way: Callable[[], bool]) -> None:
        super().__init__()
        self._gives_way: Final = gives_way

    def is_set(self) -> bool:
        return super().is_set() or self._gives_way()


class Search:
    """A search, waiting, working or done: its events, and a way to end it.

    It is made and read on the event loop; `tell` and `stop` are for the thread that works.

    Args:
        work: the work.

    Attributes:
        turns: how many turns it has had.
        gave_way: whether it has given way in its present turn.
        is_left: whether it has been cancelled.
    """

    def __init__(self, work: Work) -> None:
        self.stop: Final = _Ending(self._gives_way)
        self.future: Final[Future[Any]] = Future()
        self.turns = 0
        self.gave_way = False
        self.is_left = False
        self._work: Final = work
        self._is_over: Callable[[], bool] = bool
        self._silent_until = 0.0
        self._lasted = 0.0  # seconds of the turn before
        self._loop: Final = asyncio.get_running_loop()
        self._news: Final = asyncio.Event()
        self._events: Final[deque[Event]] = deque()
        self._lock: Final = threading.Lock()
        self._woken = 0.0

    def go(self, is_over: Callable[[], bool]) -> None:
        """Work; at the end `future` has the result, or the search has given way.

        Args:
            is_over: whether the search has to give way now.
        """
        if self.future.done() or not (self.turns or self.future.set_running_or_notify_cancel()):
            return
        begun = time.monotonic()
        self._silent_until = begun + self._lasted  # until then it makes no progress over that turn
        self._is_over, self.gave_way = is_over, False
        try:
            found = self._work(self)
        except KulamiError as error:
            if not self._has_given_way:  # else there may have been no time for any answer
                self.future.set_exception(error)
        except BaseException as error:
            self.future.set_exception(error)
        else:
            if not self._has_given_way:
                self.future.set_result(found)
        self._lasted = time.monotonic() - begun

    @property
    def _has_given_way(self) -> bool:
        return self.gave_way and not self.is_left

    def _gives_way(self) -> bool:
        self.gave_way = self.gave_way or self._is_over()
        return self.gave_way

    def tell(self, kind: str, said: Mapping[str, Any]) -> None:
        """Tell the reader an event; of progress only the newest is kept, and told now and then."""
        if self.gave_way and kind == "solution":
            kind = "progress"  # the next turn begins again
        elif kind == "progress" and time.monotonic() < self._silent_until:
            return
        with self._lock:
            if kind in _NEWEST and self._events and self._events[-1][0] == kind:
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
        self.is_left = True
        self.stop.set()
        self.future.cancel()

    def wake(self) -> None:
        """Let the reader look for news."""
        self._woken = time.monotonic()
        with contextlib.suppress(RuntimeError):  # the loop has been closed: nobody reads any more
            self._loop.call_soon_threadsafe(self._news.set)


class Searches:
    """Some of the searches of a server.

    Args:
        at_once: the number of searches that work at the same time; where they take turns, so many
            of the first turns and so many of later ones.
        waiting: the number of further searches that may wait for their turn.
        turns: as `TURNS`; none if each search works until it is done.
    """

    def __init__(self, at_once: int, waiting: int = _WAITING, turns: Sequence[float] = ()) -> None:
        self._turns: Final = turns
        self._queues: Final = [_Queue(at_once) for _ in range(2 if turns else 1)]
        self._most: Final = len(self._queues) * at_once + waiting
        self._lock: Final = threading.RLock()  # a search that ends within it is taken away, too
        self._living: Final[set[Search]] = set()
        self._closed = False

    def __len__(self) -> int:
        """Return the number of searches that work or wait."""
        return sum(not search.is_left for search in self._living.copy())

    def start(self, work: Work) -> Search:
        """Start some work in a thread, now or when its turn comes.

        Args:
            work: the work; it ends when the `stop` of its search is set. If searches take turns, it
                may be done several times, and its event `solution` is the last one.

        Raises:
            Refused: if too many searches wait already, or the server ends.
            BudgetError: the system starts no more threads.
        """
        search = Search(work)
        with self._lock:
            if self._closed:
                raise Refused(503, "ended_early")
            if len(self) >= self._most:
                raise Refused(503, "busy", count=len(self))
            try:
                self._line_up(search)
            except KulamiError:
                search.cancel()  # it stays in the queue until a thread can be started again
                raise
            self._living.add(search)
        search.future.add_done_callback(lambda _future: self._finished(search))
        return search

    def _line_up(self, search: Search) -> None:
        queue = self._queues[min(search.turns, len(self._queues) - 1)]
        queue.waiting.append(search)
        queue.pool.submit(self._go_on, queue)
        queue.tell_places()

    def _go_on(self, queue: _Queue) -> None:
        """Give a turn to the search that has had the fewest, and waits the longest."""
        with self._lock:
            search = queue.next()
        length = self._turns[search.turns] if search.turns < len(self._turns) else None
        begun = time.monotonic()

        def is_over() -> bool:
            return bool(length and time.monotonic() - begun >= length and queue.others_wait())

        search.go(is_over)
        with self._lock:
            if search.future.done():
                return
            search.turns += 1
            search.wake()  # what it has told last is to be seen while it waits
            ended = KulamiError("ended_early")
            if not self._closed and not search.is_left:
                try:
                    self._line_up(search)
                    return
                except KulamiError as error:
                    search.is_left, ended = True, error  # in the queue, as `start` leaves one
            search.future.set_exception(ended)

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
        for queue in self._queues:
            queue.pool.shutdown(wait=False)


class _Queue:
    """Searches that wait, and the threads that wait for them."""

    def __init__(self, threads: int) -> None:
        self.waiting: Final[list[Search]] = []
        self.pool: Final = ThreadPool(threads, "kulami-search")

    def next(self) -> Search:
        """Take the search whose turn it is."""
        search = self._in_order()[0]
        self.waiting.remove(search)
        self.tell_places()
        return search

    def others_wait(self) -> bool:
        """Whether a search waits that somebody still wants."""
        return any(not search.is_left for search in self.waiting.copy())

    def tell_places(self) -> None:
        """Tell each search how many are before it."""
        wanted = (search for search in self._in_order() if not search.is_left)
        for before, search in enumerate(wanted):
            if before:
                search.tell("waiting", {"before": before})

    def _in_order(self) -> list[Search]:
        return sorted(self.waiting, key=lambda search: search.turns)
