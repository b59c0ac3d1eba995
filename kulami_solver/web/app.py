"""The server's routes, and how its answers travel.

A search travels as a stream, `text/event-stream`: any number of `event: progress`, or of
`event: move` where a game is graded, and then an event with the result. A failure after the stream
has begun is an `event: error`, with one sentence. While a search waits for its turn, a comment
`: 3 before` says how many take theirs before it.
"""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from ..errors import BudgetError, KulamiError
from .files import addresses, static_files
from .guard import read_body
from .messages import Refused, as_json, parsed, told
from .places import Place, Places, Way
from .searches import TURNS, Limits, Search, Searches

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_LOG: Final = logging.getLogger(__name__)
_STALLED: Final = 10.0  # seconds after which a reader that takes nothing is dropped


class Page:
    """The page and its API.

    Args:
        limits: the limits of its searches.
        sources: databases and proofs of any game, as sources of values.
    """

    def __init__(self, limits: Limits, sources: Sequence[Any] = ()) -> None:
        # What takes part of a second must not wait for searches of a minute, and the values of
        # positions not for games that are graded, or for bots that think.
        valued, others = Searches(limits.at_once, turns=TURNS), Searches(limits.at_once)
        self._queues: Final = {
            **{way: Searches(1) for way in (Way.REPLAYED, Way.DRAWN)},
            Way.VALUED: valued,
            Way.FOUND: others,
            Way.STREAMED: others,
        }
        self._places: Final = Places(limits, sources, lambda: len(valued) + len(others))
        self._files: Final = static_files(self._places.games)

    def asgi(self) -> ASGIApp:
        """Return the page as an application, for a `Guard`."""
        pages = addresses(self._places.games)
        routes = [
            Route("/static/{name:path}", functools.partial(self._file, None)),
            *(Route(path, functools.partial(self._file, name)) for path, name in pages.items()),
            *(Route(path[:-1], _with_slash) for path in pages if path != "/"),
        ]
        for place in self._places.all:
            method = "GET" if place.kind is None else "POST"
            answer = functools.partial(self._answer, place)
            routes.append(Route(place.path, answer, methods=[method]))
        failures: Mapping[Any, Any] = {
            KulamiError: _refusal,
            404: _missing,
            405: _missing,
            500: _fault,
        }
        app = Starlette(routes=routes, exception_handlers=failures)
        app.router.redirect_slashes = False
        return app

    def close(self) -> None:
        """End all searches."""
        for searches in self._queues.values():
            searches.close()

    async def _file(self, name: str | None, request: Request) -> Response:
        """Answer with a file of the page; None for the one in the path."""
        file = self._files.get(name or request.path_params["name"])
        if file is None:
            raise Refused(404, "no_page")
        headers = {"etag": file.tag, "cache-control": "no-cache"}
        if request.headers.get("if-none-match") == file.tag:
            return Response(status_code=304, headers=headers)
        return Response(file.content, headers={**headers, "content-type": file.kind})

    async def _answer(self, place: Place, request: Request) -> Response:
        """Answer a question to the API."""
        asked = None if place.kind is None else parsed(await read_body(request), place.kind)
        if place.way is Way.ASIDE:
            return _json(place.answer(asked))
        first = self._queues[Way.REPLAYED].start(lambda _task: place.answer(asked))
        said = await finished(first, request.receive)
        if place.way is Way.REPLAYED:
            return _json(said)
        search = self._queues[place.way].start(said)
        if place.way in (Way.VALUED, Way.STREAMED):
            return EventStream(search)
        found = await finished(search, request.receive)
        if place.way is Way.FOUND:
            return _json(found)
        return Response(found, media_type="image/svg+xml")


def _json(said: Mapping[str, Any], status: int = 200) -> Response:
    """Return an answer that no cache keeps."""
    headers = {"cache-control": "no-store"}
    return Response(as_json(said), status, media_type="application/json", headers=headers)


async def _refusal(request: Request, error: Exception) -> Response:
    status = error.status if isinstance(error, Refused) else 400
    preferred = {wish.strip() for wish in request.headers.get("prefer", "").split(",")}
    said = told(error)
    if "codes" not in preferred:
        said = {"error": said["error"]}
    if status == 400 and "handling=lenient" in preferred:
        status = 200  # the page asks what is legal, and a browser calls every 400 an error
    answer = _json(said, status)
    if status in (408, 413):
        answer.headers["connection"] = "close"
    if status == 503:
        answer.headers["retry-after"] = "1"
    return answer


async def _with_slash(request: Request) -> Response:
    """Redirect to the page: relatively, because a proxy may have put a path before the address."""
    _, _, name = request.url.path.rpartition("/")
    query = request.url.query
    return RedirectResponse(f"{name}/?{query}" if query else f"{name}/")


_NOTHING_HERE: Final = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Nothing here</title>
<p>There is nothing at this address. <a href="/">Go to the board</a>
"""


async def _missing(request: Request, error: Exception) -> Response:
    if getattr(error, "status_code", 404) == 405:
        allowed = (getattr(error, "headers", None) or {}).get("Allow", "GET")
        right = ", ".join(sorted(allowed.split(", ")))
        answer = _json({"error": f"{request.method} is not for this address: use {right}"}, 405)
        answer.headers["Allow"] = right
        return answer
    if "text/html" in request.headers.get("accept", ""):
        return HTMLResponse(_NOTHING_HERE, 404)
    return _json({"error": "there is nothing at this address: go to /"}, 404)


async def _fault(_request: Request, error: Exception) -> Response:
    _LOG.error("a request failed", exc_info=error)
    return _json({"error": "something is wrong in the server: it is on its standard error"}, 500)


class EventStream(StreamingResponse):
    """A search as an answer to a request; it ends as soon as its reader leaves.

    Args:
        search: a search that has been started.
    """

    media_type = "text/event-stream"

    def __init__(self, search: Search) -> None:
        super().__init__(_events(search), headers={"cache-control": "no-store"})
        self._search: Final = search

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_or_leave(message: Message) -> None:
            await asyncio.wait_for(send(message), _STALLED)

        try:
            await super().__call__(scope, receive, send_or_leave)
        except asyncio.TimeoutError:
            pass  # the reader takes nothing any more
        finally:
            self._search.cancel()


async def _events(search: Search) -> AsyncIterator[bytes]:
    try:
        async for kind, said in search.events():
            yield b": %d before\n\n" % said["before"] if kind == "waiting" else _event(kind, said)
    except (KulamiError, MemoryError, OSError) as error:
        yield _event("error", told(error))


def _event(kind: str, said: Mapping[str, Any]) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (kind.encode(), msgspec.json.encode(said))


async def finished(search: Search, receive: Receive) -> Any:
    """Return the result of a search's work; end the search if its reader leaves.

    Raises:
        The error that the search failed with; `Refused` if the reader has left.
    """

    async def reader_leaves() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    work, gone = asyncio.wrap_future(search.future), asyncio.ensure_future(reader_leaves())
    try:
        await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            raise Refused(400, "reader_left")
        if work.cancelled():
            raise BudgetError("ended_early")
        return work.result()
    finally:
        search.cancel()
        gone.cancel()
        work.cancel()
