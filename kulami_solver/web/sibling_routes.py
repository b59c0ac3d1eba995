"""What is answered about Malawi and Just 4 Fun: the same four questions about each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from . import requests
from .answers import json_answer, post
from .guard import read_body
from .opponents import strengths
from .searches import Limits, Search, Searches
from .siblings import Replays, Sibling
from .streams import EventStream, last_event

if TYPE_CHECKING:
    from starlette.types import Receive

__all__ = ["SiblingRoutes"]


class SiblingRoutes:
    """The addresses of one game.

    Args:
        sibling: the game.
        limits: what its searches may use.
        databases: of any game.
        searches: where values are searched, and bots think.
        replaying: where games are replayed, which can take part of a second.
    """

    def __init__(
        self,
        sibling: Sibling,
        limits: Limits,
        databases: Sequence[Any],
        searches: Searches,
        replaying: Searches,
    ) -> None:
        self._sibling: Final = sibling
        self._limits: Final = limits
        self._databases: Final = [one for one in databases if one.position_type is sibling.database]
        self._searches: Final = searches
        self._replaying: Final = replaying
        self._replays: Final = Replays()

    @property
    def name(self) -> str:
        """The game's."""
        return self._sibling.name

    def options(self) -> dict[str, Any]:
        """Return the part of `/api/options` that is the game's."""
        return {
            "bots": strengths(self._sibling.bots),
            "databases": [
                {"board": str(one.board), "beads": one.board.beads} for one in self._databases
            ],
        }

    def routes(self) -> list[Route]:
        """Return its addresses."""
        return [
            post(f"/api/{self.name}/position", self._position),
            post(f"/api/{self.name}/analyse", self._analyse),
            post(f"/api/{self.name}/move", self._move),
            post(f"/api/{self.name}/picture", self._picture),
        ]

    async def _asked(self, request: Request, kind: type[Any]) -> tuple[Any, tuple[Any, ...]]:
        """Return what is asked, and the states of the game that it is asked about."""
        asked = requests.parsed(await read_body(request.receive), kind)
        return asked, await self._replayed(asked, request.receive)

    async def _replayed(self, asked: Any, receive: Receive) -> tuple[Any, ...]:
        found: list[tuple[Any, ...]] = []

        def work(search: Search) -> None:
            found.append(self._replays.states(asked))
            search.tell("states", {})

        await last_event(self._replaying.start(work), receive)
        return found[0]

    async def _position(self, request: Request) -> Response:
        asked, states = await self._asked(request, self._sibling.position)
        return json_answer(self._sibling.shown(asked, states))

    async def _analyse(self, request: Request) -> EventStream:
        asked, states = await self._asked(request, self._sibling.values)
        work = self._sibling.valuing(asked, states[-1], self._limits, self._databases)
        return EventStream(self._searches.start(work))

    async def _move(self, request: Request) -> Response:
        asked, states = await self._asked(request, self._sibling.move)
        work = self._sibling.choosing(asked, states[-1], self._limits, self._databases)
        _, said = await last_event(self._searches.start(work), request.receive)
        return json_answer(said)

    async def _picture(self, request: Request) -> Response:
        asked, states = await self._asked(request, self._sibling.position)
        picture = self._sibling.picture(asked, states[-1])
        return Response(picture, media_type="image/svg+xml")
