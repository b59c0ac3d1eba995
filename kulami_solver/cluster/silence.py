"""Reports of silence on a cluster: a scheduler or worker that hangs, or no worker left.

A process that has ended is noticed without this, and its tasks are done by others. A process that
hangs (it was stopped, or its machine has no memory left) keeps its connections and its tasks.
"""

from __future__ import annotations

import asyncio
import contextlib
import time as clock
from collections.abc import Callable
from typing import Any, Final

from ..errors import Phrase

# The seconds between two looks, and the looks without any worker before a report: workers that are
# restarted need a while.
_LOOK: Final = 2.0
_EMPTY: Final = 5


class Silence:
    """Watches a scheduler, its workers and the tasks that they have from us.

    Args:
        address: the scheduler's address.
        ask: returns the connection to the scheduler, None if that is gone, which is reported
            elsewhere.
        waiting: returns since when we have been waiting for a task to end, by `time.monotonic`;
            None if for no task.
        report: called with a sentence, once for each silence.
        patience: seconds of silence that are not unusual.
    """

    def __init__(
        self,
        address: str,
        ask: Callable[[], Any],
        waiting: Callable[[], float | None],
        report: Callable[[Phrase], None],
        patience: float,
    ) -> None:
        self._address: Final = address
        self._ask: Final = ask
        self._waiting: Final = waiting
        self._report: Final = report
        self._patience: Final = patience
        self._empty = 0
        self._heard: dict[str, tuple[float, float]] = {}  # a worker's last sign, and our note of it
        self._told: float | None = None  # the beginning of the silence that has been reported

    async def watch(self) -> None:
        """Look again and again, until cancelled."""
        while True:
            await asyncio.sleep(min(_LOOK, self._patience / 4))
            with contextlib.suppress(OSError, AttributeError):  # no scheduler: reported elsewhere
                try:
                    await asyncio.wait_for(self._look(), self._patience)
                except asyncio.TimeoutError:
                    self._say("scheduler_silent", address=self._address, seconds=self._patience)
                    await self._ask().ncores()  # wait as long as it takes

    async def _look(self) -> None:
        scheduler = self._ask()
        self._empty = 0 if await scheduler.ncores() else self._empty + 1
        if self._empty == _EMPTY:
            self._say("no_worker_left", address=self._address)
        since = self._waiting()
        if since is None or self._empty or clock.monotonic() - since < self._patience / 2:
            self._heard.clear()
            return
        seen = (await scheduler.identity())["workers"]
        now = clock.monotonic()
        for worker, about in seen.items():
            if self._heard.get(worker, (None, 0))[0] != about["last_seen"]:
                self._heard[worker] = (about["last_seen"], now)
        if now - since < self._patience or self._told == since:
            return
        self._told = since
        busy = [worker for worker, tasks in (await scheduler.processing()).items() if tasks]
        silent = [worker for worker in busy if now - self._heard[worker][1] > self._patience / 4]
        seconds = now - since
        if silent:
            last = clock.localtime(self._heard[silent[0]][0])
            self._say(
                "worker_silent",
                seconds=seconds,
                worker=silent[0],
                time=clock.strftime("%H:%M:%S", last),
            )
        elif busy:
            self._say("workers_busy", seconds=seconds, worker=busy[0], count=len(busy))

    def _say(self, code: str, **values: object) -> None:
        seconds = values.get("seconds")
        if isinstance(seconds, float):
            values["seconds"] = round(seconds)
        self._report(Phrase(code, **values))
