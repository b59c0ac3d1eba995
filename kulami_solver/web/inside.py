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

import functools
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

_PAGE: Final = 1 << 16
_PAGES: Final = 64  # kept in memory: 4 MiB
_LONGEST: Final = 1 << 25  # slice, in bytes; files of hundreds of GiB have shorter headers

LIMITS: Final = Limits(threads=1, memory=128 << 20, seconds=300.0)
"""The limits of a search in a browser."""

Reply = tuple[int, str, str]
"""The HTTP status, the type and the text of an answer."""

Read = Callable[[int, int], Any]
"""Returns the bytes of a file from one place to another, or a buffer of JavaScript with them."""


class ChosenFile:
    """A file that somebody has chosen in a browser, read as an `mmap.mmap` is.

    Small slices come from pages; the last pages read are kept.

    Args:
        size: in bytes.
        read: see `Read`; may raise anything.

    Examples:
        >>> file = ChosenFile(5, lambda begin, end: b"12345"[begin:end])
        >>> file[1:3], file[3:9], file.size()
        (b'23', b'45', 5)
    """

    def __init__(self, size: int, read: Read) -> None:
        self._size: Final = size
        self._read: Final = read
        self._page: Final = functools.lru_cache(_PAGES)(self._read_page)
        self.closed = False

    def size(self) -> int:
        """Return the size of the file in bytes when it was chosen."""
        return self._size

    def __getitem__(self, part: slice) -> bytes:
        """Return the bytes of a slice.

        Raises:
            MemoryError: if the slice is longer than what is read at once.
            OSError: if the file cannot be read any more.
        """
        begin, end, _ = part.indices(self._size)
        if end - begin > _LONGEST:
            raise MemoryError
        if end - begin > _PAGE:
            return self._bytes(begin, end)
        first, last = begin // _PAGE, max(begin, end - 1) // _PAGE
        pages = b"".join(self._page(number) for number in range(first, last + 1))
        return pages[begin - first * _PAGE : end - first * _PAGE]

    def close(self) -> None:
        """Drop the pages in memory."""
        self.closed = True
        self._page.cache_clear()

    def _read_page(self, number: int) -> bytes:
        return self._bytes(number * _PAGE, min(number * _PAGE + _PAGE, self._size))

    def _bytes(self, begin: int, end: int) -> bytes:
        try:
            found = self._read(begin, end)
            found = found if isinstance(found, bytes) else found.to_bytes()
        except Exception as error:  # JavaScript's
            raise OSError("the file cannot be read any more") from error
        if len(found) != end - begin:
            raise OSError("the file has become shorter")
        return bytes(found)


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
        self._files: Final[dict[str, Any]] = {}
        self._sources: Final[list[Any]] = []
        self._places: Final = Places(limits, self._sources)

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

    def open_file(self, game: str, name: str, size: int, read: Read) -> Reply:
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
            page = next((one for one in self._places.games if one.name == game), None)
            if page is None:
                raise KulamiError(
                    "no_game", name=game, games=[one.name for one in self._places.games]
                )
            source = page.chosen_file(name, ChosenFile(size, read))
        except _REFUSALS as error:
            return _refusal(error)
        self.close_file(name)
        self._files[name] = source
        self._sources.append(source)
        return 200, _JSON, _json_text({"name": name, **page.file_shown(source)})

    def close_file(self, name: str) -> None:
        """Close the file of this name, if it is open."""
        source = self._files.pop(name, None)
        if source is not None:
            self._sources.remove(source)
            source.close()

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
        if isinstance(said, bytes):
            raise KulamiError("not_drawn", game=place.game, format="PNG")
        if isinstance(said, str):
            return 200, "image/svg+xml", said
        return 200, _JSON, _json_text(said)


def _refusal(error: BaseException) -> Reply:
    status = error.status if isinstance(error, Refused) else 400
    return 200 if status == 400 else status, _JSON, _json_text(told(error))


def _json_text(said: Mapping[str, Any]) -> str:
    return as_json(said).decode()
