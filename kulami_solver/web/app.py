"""What is answered, in one table."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ..core.version import __version__
from ..errors import KulamiError
from ..kulami.layout import Layout
from ..kulami.position import Position
from . import exchange, requests
from .answers import Endpoint, json_answer, post
from .files import small_boards, static_files
from .guard import Guard, Refused, read_body
from .just4fun import JUST4FUN
from .malawi import MALAWI
from .opponents import OPPONENTS, strengths
from .searches import Limits, Search, Searches
from .sentences import recognized
from .shown import board_shown, layout_shown, position_shown
from .sibling_routes import SiblingRoutes
from .streams import EventStream, Work, analysis, grading, last_event, playing

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from ..kulami.probe import Database
    from ..storage.database import Database as AnyDatabase

__all__ = ["Page"]

_LOG: Final = logging.getLogger(__name__)


class Page:
    """The page and its API.

    Args:
        limits: what its searches may use.
        databases: of any game, asked for what they know.
    """

    def __init__(self, limits: Limits, databases: Sequence[AnyDatabase[Any]] = ()) -> None:
        self._limits: Final = limits
        self._databases: Final[Sequence[Any]] = [
            one for one in databases if one.position_type is Position
        ]
        self._searches: Final = Searches(limits.at_once)
        # Pictures take part of a second each, and are not to wait for searches of a minute.
        self._drawings: Final = Searches(1)
        # So do games of hundreds of moves that nobody has asked about before.
        self._replaying: Final = Searches(1)
        self._siblings: Final = [
            SiblingRoutes(sibling, limits, databases, self._searches, self._replaying)
            for sibling in (MALAWI, JUST4FUN)
        ]
        self._files: Final = static_files()

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
            Route("/api/layouts", self._layouts),
            post("/api/position", _answer(requests.Game, _position)),
            post("/api/board", _answer(requests.Board, _board)),
            post("/api/layout", _answer(requests.Shape, _layout)),
            post("/api/arrange", _answer(requests.Arrange, _arrange)),
            post("/api/import", _answer(requests.Import, exchange.take_in)),
            post("/api/export", _answer(requests.Export, exchange.written)),
            post("/api/picture", self._picture),
            post("/api/move", self._move),
            post("/api/analyse", self._stream(requests.Analyse, analysis)),
            post("/api/grade", self._stream(requests.Grade, grading)),
        ]
        for sibling in self._siblings:
            routes += sibling.routes()
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
            raise Refused(404, "there is no such page: go to /")
        headers = {"etag": file.tag, "cache-control": "no-cache"}
        if request.headers.get("if-none-match") == file.tag:
            return Response(status_code=304, headers=headers)
        return Response(file.content, headers={**headers, "content-type": file.kind})

    # What it asks

    async def _health(self, _request: Request) -> Response:
        return json_answer({"ok": True, "version": __version__})

    async def _options(self, _request: Request) -> Response:
        limits = self._limits
        return json_answer(
            {
                "version": __version__,
                "seconds": limits.seconds,
                "threads": limits.threads,
                "memory": limits.memory,
                "searches": len(self._searches),
                "bots": strengths(OPPONENTS),
                "games": {one.name: one.options() for one in self._siblings},
                "databases": [
                    {"layout": str(database.layout), "scoring": database.scoring.value}
                    for database in self._databases
                ],
            }
        )

    async def _layouts(self, _request: Request) -> Response:
        return json_answer({"small": small_boards()})

    async def _picture(self, request: Request) -> Response:
        asked = requests.parsed(await read_body(request.receive), requests.Draw)
        position = asked.position()
        if asked.format == "svg":
            return Response(position.svg(), media_type="image/svg+xml")
        painted: list[bytes] = []

        def work(search: Search) -> None:
            painted.append(position.png())
            search.tell("picture", {})

        await last_event(self._drawings.start(work), request.receive)
        return Response(painted[0], media_type="image/png")

    async def _move(self, request: Request) -> Response:
        asked = requests.parsed(await read_body(request.receive), requests.Move)
        search = self._searches.start(playing(asked, self._limits))
        _, said = await last_event(search, request.receive)
        return json_answer(said)

    def _stream(
        self, kind: type[Any], work_of: Callable[[Any, Limits, Sequence[Database]], Work]
    ) -> Endpoint:
        async def endpoint(request: Request) -> EventStream:
            asked = requests.parsed(await read_body(request.receive), kind)
            work = work_of(asked, self._limits, self._databases)
            return EventStream(self._searches.start(work))

        return endpoint


def _answer(kind: type[Any], answer: Callable[[Any], Mapping[str, Any]]) -> Endpoint:
    """Return an endpoint that answers at once."""

    async def endpoint(request: Request) -> Response:
        return json_answer(answer(requests.parsed(await read_body(request.receive), kind)))

    return endpoint


def _position(asked: requests.Game) -> dict[str, Any]:
    return position_shown(asked.position(), asked.counts)


def _board(asked: requests.Board) -> dict[str, Any]:
    return board_shown(requests.layout_of(asked.layout))


def _layout(asked: requests.Shape) -> dict[str, Any]:
    if (asked.layout is None) == (asked.seed is None):
        raise KulamiError("which layout is meant: give layout, or seed, and not both")
    if asked.seed is not None:
        return layout_shown(Layout.random(asked.seed, asked.irregular))
    assert asked.layout is not None
    return layout_shown(requests.layout_of(asked.layout))


def _arrange(asked: requests.Arrange) -> dict[str, Any]:
    layout = requests.layout_of(asked.layout)
    red, black = (
        sum({1 << layout.index(field) for field in fields}) for fields in (asked.red, asked.black)
    )
    position = Position.arranged(
        layout, red, black, asked.turn, asked.last, asked.marbles, asked.short_end
    )
    return {"kfn": position.kfn()}


async def _refusal(request: Request, error: Exception) -> Response:
    status = error.status if isinstance(error, Refused) else 400
    said: dict[str, Any] = {"error": str(error)}
    preferred = {wish.strip() for wish in request.headers.get("prefer", "").split(",")}
    if "codes" in preferred:
        said |= recognized(str(error))
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
