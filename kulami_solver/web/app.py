"""The server's routes, and how its answers travel."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from ..errors import KulamiError
from .answers import Refused, as_json, told
from .files import addresses, static_files
from .guard import read_body
from .questions import Place, Questions, Way
from .requests import parsed
from .searches import Limits, Searches
from .streams import EventStream, result_of

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive

    from ..storage.game_file import GameFile
    from .games import Question

_LOG: Final = logging.getLogger(__name__)

Endpoint = Callable[[Request], Awaitable[Response]]


class Page:
    """The page and its API.

    Args:
        limits: the limits of its searches.
        sources: databases and proofs of any game, as sources of values.
        kept: the file in which games are kept; None to keep none.
    """

    def __init__(
        self,
        limits: Limits,
        sources: Sequence[Any] = (),
        kept: GameFile | None = None,
    ) -> None:
        self._searches: Final = Searches(limits.at_once)
        # Pictures take part of a second each, and must not wait for searches of a minute.
        self._drawings: Final = Searches(1)
        # Replaying a game of hundreds of moves takes part of a second, too.
        self._replaying: Final = Searches(1)
        # A disk may be slow.
        self._keeping: Final = Searches(1)
        searching = self._searches.__len__
        self._questions: Final = Questions(limits, sources, searching, kept)
        self._files: Final = static_files(self._questions.games)

    def asgi(self) -> ASGIApp:
        """Return the page as an application, for a `Guard`."""
        games = self._questions.games
        routes = [
            Route("/static/{name:path}", self._static),
            *(Route(path, self._page(name)) for path, name in addresses(games).items()),
            *(Route(path[:-1], _with_slash) for path in addresses(games) if path != "/"),
        ]
        for place in self._questions.places:
            method = "GET" if place.kind is None else "POST"
            routes.append(Route(place.path, self._endpoint(place), methods=[method]))
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
        for searches in (self._searches, self._drawings, self._replaying, self._keeping):
            searches.close()

    # The page

    def _page(self, name: str) -> Endpoint:
        """Return the endpoint of a page."""

        async def endpoint(request: Request) -> Response:
            return self._file(request, name)

        return endpoint

    async def _static(self, request: Request) -> Response:
        return self._file(request, request.path_params["name"])

    def _file(self, request: Request, name: str) -> Response:
        file = self._files.get(name)
        if file is None:
            raise Refused(404, "no_page")
        headers = {"etag": file.tag, "cache-control": "no-cache"}
        if request.headers.get("if-none-match") == file.tag:
            return Response(status_code=304, headers=headers)
        return Response(file.content, headers={**headers, "content-type": file.kind})

    # Its API

    def _endpoint(self, place: Place) -> Endpoint:
        """Return the endpoint of an address."""

        async def endpoint(request: Request) -> Response:
            receive = request.receive
            asked = None if place.kind is None else parsed(await read_body(receive), place.kind)
            if place.way is Way.ASIDE:
                return _json(place.answer(asked))
            if place.way is Way.KEPT:
                keeping = self._keeping.start(lambda _task: place.answer(asked))
                return _json(await result_of(keeping, receive))
            replaying = self._replaying.start(lambda _task: self._questions.question(place, asked))
            return await self._answer(place, await result_of(replaying, receive), receive)

        return endpoint

    async def _answer(self, place: Place, question: Question, receive: Receive) -> Response:
        if place.way is Way.AT_ONCE:
            return _json(place.answer(question))
        if place.way is Way.DRAWN:
            drawing = self._drawings.start(lambda _task: place.answer(question))
            painted = await result_of(drawing, receive)
            kind = "image/svg+xml" if isinstance(painted, str) else "image/png"
            return Response(painted, media_type=kind)
        search = self._searches.start(place.answer(question))
        if place.way is Way.STREAMED:
            return EventStream(search)
        return _json(await result_of(search, receive))


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


async def _missing(request: Request, error: Exception) -> Response:
    if getattr(error, "status_code", 404) == 405:
        return _json({"error": f"{request.method} is not for this address"}, 405)
    return _json({"error": "there is nothing at this address: go to /"}, 404)


async def _fault(_request: Request, error: Exception) -> Response:
    _LOG.error("a request failed", exc_info=error)
    return _json({"error": "something is wrong in the server: it is on its standard error"}, 500)
