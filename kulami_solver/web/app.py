"""The routes, in one table, and their answers."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ..core.version import __version__
from ..errors import KulamiError
from .answers import json_answer, told
from .files import has_rules, static_files
from .games import GamePage, Question
from .guard import Guard, Refused, read_body
from .registry import pages
from .replays import Replays
from .requests import parsed
from .searches import Limits, Searches
from .streams import EventStream, result_of

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive

    from ..storage.database import Database

_LOG: Final = logging.getLogger(__name__)

Endpoint = Callable[[Request], Awaitable[Response]]


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
            *(Route(f"/rules/{one.name}/", self._rules) for one in self._games if has_rules(one)),
            Route("/api/health", self._health),
            Route("/api/options", self._options),
        ]
        answers = {
            "position": self._position,
            "export": self._export,
            "picture": self._picture,
            "move": self._move,
            "analyse": self._analyse,
            "grade": self._grade,
        }
        for page in self._games:
            endpoints = [
                *((what, "POST", self._about(page, what, answers[what])) for what in answers),
                *((what, *_further(*further)) for what, further in page.further.items()),
            ]
            for place in (f"/api/{page.name}", "/api")[: 1 + page.is_first]:
                for what, method, endpoint in endpoints:
                    routes.append(Route(f"{place}/{what}", endpoint, methods=[method]))
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

    async def _rules(self, request: Request) -> Response:
        return self._file(request, "rules/page.html")

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

    def _about(self, page: GamePage, what: str, answer: Callable[..., Any]) -> Endpoint:
        """Return an endpoint that is asked about a game, which it plays again first."""
        kind, databases = page.kinds[what], page.own(self._databases)

        async def endpoint(request: Request) -> Response:
            asked: Any = parsed(await read_body(request.receive), kind)
            replaying = self._replaying.start(lambda _search: self._replays.game(asked))
            game = await result_of(replaying, request.receive)
            question = Question(asked, game, self._limits, databases)
            found: Response = await answer(page, question, request.receive)
            return found

        return endpoint

    async def _position(self, page: GamePage, question: Question, _receive: Receive) -> Response:
        return json_answer(page.shown(question))

    async def _export(self, page: GamePage, question: Question, _receive: Receive) -> Response:
        return json_answer(page.exported(question))

    async def _picture(self, page: GamePage, question: Question, receive: Receive) -> Response:
        drawing = self._drawings.start(lambda _search: page.picture(question))
        painted = await result_of(drawing, receive)
        kind = "image/svg+xml" if isinstance(painted, str) else "image/png"
        return Response(painted, media_type=kind)

    async def _move(self, page: GamePage, question: Question, receive: Receive) -> Response:
        return json_answer(await result_of(self._searches.start(page.choosing(question)), receive))

    async def _analyse(self, page: GamePage, question: Question, _receive: Receive) -> Response:
        return EventStream(self._searches.start(page.valuing(question)))

    async def _grade(self, page: GamePage, question: Question, _receive: Receive) -> Response:
        return EventStream(self._searches.start(page.grading(question)))


def _further(kind: type[Any] | None, answer: Callable[..., Any]) -> tuple[str, Endpoint]:
    """Return an endpoint that answers at once, with its method."""

    async def endpoint(request: Request) -> Response:
        if kind is None:
            return json_answer(answer())
        return json_answer(answer(parsed(await read_body(request.receive), kind)))

    return "GET" if kind is None else "POST", endpoint


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
