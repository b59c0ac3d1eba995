"""The page's answers without a server or threads: the caller's thread answers one by one.

A worker of the browser, `scripts/static_page/kulami-worker.js`, runs Python and asks here:

    answer(path, body, heard, is_stopped)  ->  status, type and text of the answer
        heard(kind, text)       each event of an answer that is a stream, when it comes
        is_stopped()            asked about every 50 ms during a search

As the page prefers, a refusal is an answer like others, and has a code.
"""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable, Mapping
from typing import Any, Final

from ..errors import KulamiError
from .messages import Refused, as_json, parsed, told
from .places import Place, Places, Way
from .searches import Limits

_BETWEEN: Final = 0.1  # seconds between two events of progress
_JSON: Final = "application/json"
_REFUSALS: Final = (KulamiError, MemoryError, OSError)

LIMITS: Final = Limits(threads=1, memory=128 << 20, seconds=300.0)
"""The limits of a search in a browser."""

Reply = tuple[int, str, str]
"""The HTTP status, the type and the text of an answer."""


class _AskedToStop(threading.Event):
    """An event that asks `is_stopped` whether it is set, until it is."""

    def __init__(self, is_stopped: Callable[[], bool]) -> None:
        super().__init__()
        self._is_stopped: Final = is_stopped

    def is_set(self) -> bool:
        if not super().is_set() and self._is_stopped():
            self.set()
        return super().is_set()


class _OwnTask:
    """Work that is done in the thread of whoever waits for it."""

    def __init__(self, heard: Callable[[str, str], None], is_stopped: Callable[[], bool]) -> None:
        self.stop: Final = _AskedToStop(is_stopped)
        self._heard: Final = heard
        self._told = -_BETWEEN

    def tell(self, kind: str, said: Mapping[str, Any]) -> None:
        """Tell the reader an event; events of progress only now and then."""
        now = time.monotonic()
        if kind == "progress":
            if now - self._told < _BETWEEN:
                return
            self._told = now
        self._heard(kind, as_json(said).decode())


class Inside:
    """Answers all questions of the page.

    Args:
        limits: the limits of its searches.

    Examples:
        >>> inside = Inside()
        >>> inside.answer("/api/health", "", print, bool)[:2]
        (200, 'application/json')
        >>> inside.answer("/api/layout", "{}", print, bool)[2][:39]
        '{"error":"which layout is meant: give l'
    """

    def __init__(self, limits: Limits = LIMITS) -> None:
        self._places: Final = Places(limits)

    def answer(
        self,
        path: str,
        body: str,
        heard: Callable[[str, str], None],
        is_stopped: Callable[[], bool],
    ) -> Reply:
        """Return the answer to a question.

        Args:
            path: as in /api/analyse.
            body: the posted request, as JSON; ignored where nothing is posted.
            heard: called with each event of a stream: its kind, and its data in JSON.
            is_stopped: returns whether nobody waits for the answer any more.
        """
        task = _OwnTask(heard, is_stopped)
        try:
            place = self._places.place(path)
            if place is None:
                return 404, _JSON, _json_text({"error": f"there is nothing at {path}"})
            return self._answer(place, body, task)
        except _REFUSALS as error:
            return _refusal(error)
        except Exception as error:
            traceback.print_exc()
            return 500, _JSON, _json_text({"error": f"something is wrong here: {error}"})

    def _answer(self, place: Place, body: str, task: _OwnTask) -> Reply:
        said = place.answer(None if place.kind is None else parsed(body.encode(), place.kind))
        if place.way in (Way.VALUED, Way.STREAMED):
            try:
                said(task)
            except _REFUSALS as error:
                task.tell("error", told(error))
            return 200, "text/event-stream", ""
        if place.way in (Way.DRAWN, Way.FOUND):
            said = said(task)
        if isinstance(said, str):
            return 200, "image/svg+xml", said
        return 200, _JSON, _json_text(said)


def _refusal(error: BaseException) -> Reply:
    status = error.status if isinstance(error, Refused) else 400
    return 200 if status == 400 else status, _JSON, _json_text(told(error))


def _json_text(said: Mapping[str, Any]) -> str:
    return as_json(said).decode()
