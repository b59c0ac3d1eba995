"""What is answered, in one table."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ..core.version import __version__
from ..errors import KulamiError
from .answers import json_answer, told
from .files import static_files
from .games import GamePage
from .guard import Guard, Refused, read_body
from .registry import pages
from .replays import Replayed, Replays
from .requests import parsed
from .searches import Limits, Search, Searches, Work
from .streams import EventStream, last_event

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive

    from ..storage.database import Database

__all__ = ["Page"]

_LOG: Final = logging.getLogger(__name__)


class Page:
    """The page and its API.

    Args:
        limits: what its searches may use.
        databases: of any game, asked for what they know.
    """

    def __init__(self, limits: Limits, databases: Sequence[Database[Any]] = ()) -> None:
        self._limits: Final = limits
        self._databases: Final = databases
        self._games: Final = pages()
        self._replays: Final = Replays()
        self._searches: Final = Searches(limits.at_once)
        # Pictures take part of a second each, and are not to wait for searches of a minute.
        self._drawings: Final = Searches(1)
        # So do games of hundreds of moves that nobody has asked about before.
        self._replaying: Final = Searches(1)
        self._files: Final = static_files(self._games)

    def asgi(self, hosts: Collection[str], port: int) -> ASGIApp:
        """Return it as an application.

        Args:
            hosts: names and addresses it may be asked by, besides those of loopback.
            port: the one it listens on.
        """
        routes = [
            Route("/", self._index),
            Route("/static/{name:path}", self._static),
            Route("/api/health", self._health),
            Route("/api/options", self._options),
        ]
        questions: Mapping[str, Callable[..., Any]] = {
            "position": self._position,
            "export": self._export,
            "picture": self._picture,
            "move": self._move,
            "analyse": self._analyse,
            "grade": self._grade,
        }
        for game in self._games:
            for place in (f"/api/{game.name}", "/api")[: 1 + game.is_first]:
                for what, answer in questions.items():
                    route = _asked(game, game.kinds[what], answer)
                    routes.append(Route(f"{place}/{what}", route, methods=["POST"]))
                for what, (kind, further) in game.further.items():
                    route, method = _further(kind, further), "GET" if kind is None else "POST"
                    routes.append(Route(f"{place}/{what}", route, methods=[method]))
        failures: Mapping[Any, Any] = {
            KulamiError: _refusal,
            404: _missing,
            405: _missing,
            500: _fault,
        }
        app = Starlette(routes=routes, exception_handlers=failures)
        app.router.redirect_slashes = False
        return Guard(app, hosts, port)

    def close(self) -> None:
        """End all searches."""
        self._searches.close()
        self._drawings.close()
        self._replaying.close()

    # The page

    async def _index(self, request: Request) -> Response:
        return self._file(request, "index.html")

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

    # What it asks

    async def _health(self, _request: Request) -> Response:
        return json_answer({"ok": True, "version": __version__})

    async def _options(self, _request: Request) -> Response:
        limits = self._limits
        games = {one.name: one.options(self._databases) for one in self._games}
        first = next(one.name for one in self._games if one.is_first)
        return json_answer(
            {
                "version": __version__,
                "seconds": limits.seconds,
                "threads": limits.threads,
                "memory": limits.memory,
                "searches": len(self._searches),
                "games": games,
                **{name: games[first][name] for name in ("bots", "databases")},
            }
        )

    # About a game

    async def _replayed(self, asked: Any, receive: Receive) -> Replayed:
        call = functools.partial(self._replays.game, asked)
        game: Replayed = await self._worked(self._replaying, call, receive)
        return game

    async def _worked(self, pool: Searches, call: Callable[[], Any], receive: Receive) -> Any:
        """Return what a call returns that is not to keep others waiting."""

        def work(search: Search) -> None:
            search.tell("done", {"found": call()})

        return (await last_event(pool.start(work), receive))[1]["found"]

    async def _position(self, page: GamePage, asked: Any, receive: Receive) -> Response:
        return json_answer(page.shown(asked, await self._replayed(asked, receive)))

    async def _export(self, page: GamePage, asked: Any, receive: Receive) -> Response:
        return json_answer(page.exported(asked, await self._replayed(asked, receive)))

    async def _picture(self, page: GamePage, asked: Any, receive: Receive) -> Response:
        state = (await self._replayed(asked, receive)).states[-1]
        painted = await self._worked(self._drawings, lambda: page.picture(asked, state), receive)
        kind = "image/svg+xml" if isinstance(painted, str) else "image/png"
        return Response(painted, media_type=kind)

    async def _move(self, page: GamePage, asked: Any, receive: Receive) -> Response:
        state = (await self._replayed(asked, receive)).states[-1]
        work = page.choosing(asked, state, self._limits, self._databases_of(page))
        _, said = await last_event(self._searches.start(work), receive)
        return json_answer(said)

    async def _analyse(self, page: GamePage, asked: Any, receive: Receive) -> Response:
        state = (await self._replayed(asked, receive)).states[-1]
        return self._stream(page.valuing(asked, state, self._limits, self._databases_of(page)))

    async def _grade(self, page: GamePage, asked: Any, receive: Receive) -> Response:
        game = await self._replayed(asked, receive)
        return self._stream(page.grading(asked, game, self._limits, self._databases_of(page)))

    def _stream(self, work: Work) -> EventStream:
        return EventStream(self._searches.start(work))

    def _databases_of(self, page: GamePage) -> Sequence[Any]:
        return page.own(self._databases)


def _asked(page: GamePage, kind: type[Any], answer: Callable[..., Any]) -> Callable[..., Any]:
    """Return an endpoint that is asked about a game."""

    async def endpoint(request: Request) -> Response:
        asked = parsed(await read_body(request.receive), kind)
        found: Response = await answer(page, asked, request.receive)
        return found

    return endpoint


def _further(kind: type[Any] | None, answer: Callable[..., Any]) -> Callable[..., Any]:
    """Return an endpoint that answers at once."""

    async def endpoint(request: Request) -> Response:
        if kind is None:
            return json_answer(answer())
        return json_answer(answer(parsed(await read_body(request.receive), kind)))

    return endpoint


async def _refusal(request: Request, error: Exception) -> Response:
    status = error.status if isinstance(error, Refused) else 400
    preferred = {wish.strip() for wish in request.headers.get("prefer", "").split(",")}
    said = told(error) if "codes" in preferred else {"error": str(error)}
    if status == 400 and "handling=lenient" in preferred:
        status = 200  # the page asks what is legal, and a browser calls every 400 an error
    answer = json_answer(said, status)
    if status in (408, 413):
        answer.headers["connection"] = "close"
    if status == 503:
        answer.headers["retry-after"] = "1"
    return answer


async def _missing(request: Request, error: Exception) -> Response:
    if getattr(error, "status_code", 404) == 405:
        return json_answer({"error": f"{request.method} is not for this address"}, 405)
    return json_answer({"error": "there is nothing at this address: go to /"}, 404)


async def _fault(_request: Request, error: Exception) -> Response:
    _LOG.error("a request failed", exc_info=error)
    return json_answer(
        {"error": "something is wrong in the server: it is on its standard error"}, 500
    )
