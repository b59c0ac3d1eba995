"""Answers that take their time: searches as streams of events, and a bot's move as one answer.

A stream is `text/event-stream`: any number of `event: progress`, or of `event: move` where a game
is graded, and one last event that says how it came out. What fails once the stream has begun is an
`event: error`, with one sentence.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ..bots import Clock
from ..bots.grade import Grade, GradedMove
from ..bots.kulami.suite import case_of
from ..core.fields import parse_fields
from ..errors import BudgetError, KulamiError
from ..kulami.game import state_of
from ..kulami.solve import Progress, solve
from ..kulami.solver import table_plies
from . import requests
from .guard import Refused
from .opponents import choose, opponent
from .searches import Event, Limits, Search
from .sentences import recognized

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from ..kulami.position import Position
    from ..kulami.probe import Database
    from ..kulami.scoring import Scoring
    from ..kulami.solution import Solution

__all__ = ["EventStream", "Work", "analysis", "grading", "last_event", "playing"]

Work = Callable[[Search], None]
"""What a thread of the pool does."""

_BETWEEN: Final = 0.1  # seconds between two events of progress
_STALLED: Final = 10.0  # seconds in which a reader takes nothing before it is left alone
_BOT_SECONDS: Final = 2.0
_GRADE_SECONDS: Final = 5.0


class _Solver:
    """Solves positions for one search, within what the server allows."""

    def __init__(
        self, search: Search, limits: Limits, databases: Sequence[Database], scoring: Scoring
    ) -> None:
        self._search = search
        self._limits = limits
        self._databases = databases
        self._scoring = scoring

    def solve(
        self,
        position: Position,
        seconds: float,
        threads: int | None = None,
        progress: Callable[[Progress], None] | None = None,
        **options: Any,
    ) -> Solution:
        plies = table_plies(position.plies_left, self._scoring)
        threads = self._limits.threads_for(threads)
        return solve(
            position,
            self._scoring,
            threads=threads,
            memory=self._limits.table(plies, seconds, threads),
            time=seconds,
            database=_database_of(self._databases, position, self._scoring),
            progress=progress or False,
            stop=self._search.stop,
            **options,
        )


def _database_of(
    databases: Sequence[Database], position: Position, scoring: Scoring
) -> Database | None:
    """Return the database to ask: of those of this board, the first that has the position."""
    of_board = [
        database
        for database in databases
        if database.scoring is scoring
        and database.layout == position.layout
        and database.root.marbles == position.marbles
        and database.root.short_end == position.short_end
    ]
    holding = (database for database in of_board if position in database)
    return next(holding, of_board[0] if of_board else None)


def analysis(asked: requests.Analyse, limits: Limits, databases: Sequence[Database]) -> Work:
    """Return the work of `/api/analyse`.

    Raises:
        KulamiError: if no position is asked about.
    """
    position, scoring = asked.position(), asked.counts
    seconds = limits.time(asked.time)

    def work(search: Search) -> None:
        told = 0.0

        def report(progress: Progress) -> None:
            nonlocal told
            now = time.monotonic()
            if progress.solution is not None and now - told >= _BETWEEN:
                told = now
                search.tell("progress", progress.solution.to_json())

        solution = _Solver(search, limits, databases, scoring).solve(
            position,
            seconds,
            asked.threads,
            report,
            goal=asked.goal,
            every_move=asked.all,
        )
        search.tell("solution", solution.to_json())

    return work


def grading(asked: requests.Grade, limits: Limits, databases: Sequence[Database]) -> Work:
    """Return the work of `/api/grade`: as `kulami grade`, from the end of the game backwards.

    Raises:
        KulamiError: if no game is asked about.
    """
    start, scoring = asked.start(), asked.counts
    asked.position()  # says which move is wrong
    played = parse_fields(asked.moves)
    states = [state_of(start, scoring)]
    for field in played:
        states.append(states[-1].play(field))
    each = min(limits.time(asked.time), _GRADE_SECONDS if asked.time is None else limits.seconds)

    def work(search: Search) -> None:
        solver = _Solver(search, limits, databases, scoring)
        deadline = time.monotonic() + limits.seconds
        graded: list[GradedMove] = []
        for ply in range(len(played), 0, -1):
            state = states[ply - 1]
            left = deadline - time.monotonic()
            if left <= 0 or search.stop.is_set():
                break
            solution = solver.solve(state.position, min(each, left), every_move=True)
            if any(move.margin is None for move in solution.moves):
                break
            values = {move.field: move.lower for move in solution.moves}
            graded.append(GradedMove(ply, played[ply - 1], case_of(state, values)))
            search.tell("move", graded[-1].to_json() | {"solution": solution.to_json()})
        grade = Grade(states[0], played, tuple(reversed(graded)), states[-1])
        search.tell("grade", grade.to_json())

    return work


def playing(asked: requests.Move, limits: Limits) -> Work:
    """Return the work of `/api/move`.

    Raises:
        KulamiError: if there is no such position or bot, or the game is over.
    """
    position, scoring = asked.position(), asked.counts
    if position.is_over:
        raise KulamiError("the game is over: there is no move to choose")
    bot = opponent(asked.bot, asked.seed)
    seconds = limits.time(_BOT_SECONDS if asked.time is None else asked.time)

    def work(search: Search) -> None:
        choice = choose(bot, position, scoring, Clock(seconds=seconds, stop=search.stop))
        thought = choice.thought
        search.tell(
            "move",
            {
                "kfn": position.kfn(),
                "field": choice.field,
                "bot": asked.bot,
                "proved": choice.proved,
                "score": None if thought is None else thought.score,
                "line": [choice.field] if thought is None else list(thought.line),
            },
        )

    return work


class EventStream:
    """A search as an answer to a request; ended as soon as its reader has left.

    Args:
        search: has been started.
    """

    def __init__(self, search: Search) -> None:
        self._search: Final = search

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        pump = asyncio.ensure_future(self._pump(send))
        gone = asyncio.ensure_future(_gone(receive))
        try:
            await asyncio.wait({pump, gone}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._search.cancel()
            gone.cancel()
            pump.cancel()
            with contextlib.suppress(asyncio.CancelledError, asyncio.TimeoutError, OSError):
                await pump

    async def _pump(self, send: Send) -> None:
        async def sent(body: bytes, more: bool = True) -> None:
            message = {"type": "http.response.body", "body": body, "more_body": more}
            await asyncio.wait_for(send(message), _STALLED)

        await send(
            {
                "type": "http.response.start",
                "status": 200,
                "headers": [
                    (b"content-type", b"text/event-stream; charset=utf-8"),
                    (b"cache-control", b"no-store"),
                ],
            }
        )
        await sent(b": waiting for its turn\n\n")
        try:
            async for kind, said in self._search.events():
                await sent(_event(kind, said))
        except (KulamiError, MemoryError, OSError) as error:
            if isinstance(error, OSError) and error.filename is None:
                raise  # of the connection
            sentence = _sentence(error)
            await sent(_event("error", {"error": sentence, **recognized(sentence)}))
        await sent(b"", more=False)


def _event(kind: str, said: Mapping[str, Any]) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (kind.encode(), msgspec.json.encode(said))


def _sentence(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "there is not enough memory for this search now: ask again in a moment"
    return str(error)


async def _gone(receive: Receive) -> None:
    """Return once the reader has left."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def last_event(search: Search, receive: Receive) -> Event:
    """Return the last thing a search tells; end it if its reader leaves.

    Raises:
        What the search failed with; `Refused` if there is nobody to answer.
    """

    async def result() -> Event:
        last = None
        async for event in search.events():
            last = event
        if last is None:
            raise BudgetError("the search was ended before it had an answer: ask again")
        return last

    work = asyncio.ensure_future(result())
    gone = asyncio.ensure_future(_gone(receive))
    try:
        await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            raise Refused(400, "the reader has left")
        return work.result()
    finally:
        search.cancel()
        gone.cancel()
        work.cancel()
