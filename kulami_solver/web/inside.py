"""The page's answers without a server or threads: the caller's thread answers one by one.

A worker of the browser, `scripts/static_page/kulami-worker.js`, runs Python and asks here:

    answer(path, body, heard, is_stopped)  ->  status, type and text of the answer
        heard(kind, text)       each event of an answer that is a stream, when it comes
        is_stopped()            asked about every 50 ms during a search
    open_file(game, name, size, read)  ->  likewise; from now on the file is a source of answers
    close_file(name)

As the page prefers, a refusal is an answer like others, and has a code.
"""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable, Mapping
from typing import Any, Final

from ..errors import KulamiError
from .answers import Refused, as_json, told
from .chosen import ChosenFile, Read
from .questions import Place, Questions, Way
from .requests import parsed
from .searches import Limits

_BETWEEN: Final = 0.1  # seconds between two events of progress
_JSON: Final = "application/json"

LIMITS: Final = Limits(threads=1, memory=128 << 20, seconds=300.0)
"""The limits of a search in a browser."""

Answer = tuple[int, str, str]
"""The HTTP status, the type and the text of an answer."""


class _Stop(threading.Event):
    """An event that asks `is_stopped` whether it is set, until it is."""

    def __init__(self, is_stopped: Callable[[], bool]) -> None:
        super().__init__()
        self._is_stopped: Final = is_stopped

    def is_set(self) -> bool:
        if not super().is_set() and self._is_stopped():
            self.set()
        return super().is_set()


class _Task:
    """Work that is done in the thread of whoever waits for it."""

    def __init__(self, heard: Callable[[str, str], None], is_stopped: Callable[[], bool]) -> None:
        self.stop: Final = _Stop(is_stopped)
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
        self._files: Final[dict[str, Any]] = {}
        self._sources: Final[list[Any]] = []
        self._questions: Final = Questions(limits, self._sources)
        self._games: Final = {page.name: page for page in self._questions.games}
        self._places: Final = {place.path: place for place in self._questions.places}

    def answer(
        self,
        path: str,
        body: str,
        heard: Callable[[str, str], None],
        is_stopped: Callable[[], bool],
    ) -> Answer:
        """Return the answer to a question.

        Args:
            path: as in /api/analyse.
            body: the posted request, as JSON; ignored where nothing is posted.
            heard: called with each event of a stream: its kind, and its data in JSON.
            is_stopped: returns whether nobody waits for the answer any more.
        """
        place = self._places.get(path)
        if place is None:
            return 404, _JSON, _text({"error": f"there is nothing at {path}"})
        task = _Task(heard, is_stopped)
        try:
            return self._answer(place, body, task)
        except Refused as refused:
            status = 200 if refused.status == 400 else refused.status
            return status, _JSON, _text(told(refused))
        except (KulamiError, MemoryError, OSError) as error:
            return 200, _JSON, _text(told(error))
        except Exception as error:
            traceback.print_exc()
            return 500, _JSON, _text({"error": f"something is wrong here: {error}"})

    def open_file(self, game: str, name: str, size: int, read: Read) -> Answer:
        """Open a file from the reader's disk; it replaces an open file of the same name.

        Args:
            game: the name of the game.
            name: the name of the file.
            size: its size in bytes.
            read: returns the bytes from one place to another.

        Returns:
            The description of the file, as an answer.
        """
        try:
            page = self._games.get(game)
            if page is None:
                raise KulamiError("no_game", name=game, games=[*self._games])
            source = page.chosen_file(name, ChosenFile(size, read))
        except (KulamiError, MemoryError, OSError) as error:
            return 200, _JSON, _text(told(error))
        self.close_file(name)
        self._files[name] = source
        self._sources.append(source)
        return 200, _JSON, _text({"name": name, **page.file_shown(source)})

    def close_file(self, name: str) -> None:
        """Close the file of this name, if it is open."""
        source = self._files.pop(name, None)
        if source is not None:
            self._sources.remove(source)
            source.close()

    def _answer(self, place: Place, body: str, task: _Task) -> Answer:
        asked = None if place.kind is None else parsed(body.encode(), place.kind)
        if place.way is Way.ASIDE:
            return 200, _JSON, _text(place.answer(asked))
        found = place.answer(self._questions.question(place, asked))
        if place.way is Way.AT_ONCE:
            return 200, _JSON, _text(found)
        if place.way is Way.DRAWN:
            if not isinstance(found, str):
                raise KulamiError("not_drawn", game=place.page and place.page.name, format="PNG")
            return 200, "image/svg+xml", found
        if place.way is Way.FOUND:
            return 200, _JSON, _text(found(task))
        try:
            found(task)
        except (KulamiError, MemoryError, OSError) as error:
            task.tell("error", told(error))
        return 200, "text/event-stream", ""


def _text(said: Mapping[str, Any]) -> str:
    return as_json(said).decode()
