"""Answers that take time: a search as a stream of events, or the result of a search.

A stream is `text/event-stream`: any number of `event: progress`, or of `event: move` where a game
is graded, and then an event with the result. A failure after the stream has begun is an
`event: error`, with one sentence.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import msgspec
from starlette.responses import StreamingResponse

from ..errors import BudgetError, KulamiError
from .answers import Refused, told
from .searches import Search

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope, Send

_STALLED: Final = 10.0  # seconds after which a reader that takes nothing is dropped


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
    yield b": waiting for its turn\n\n"
    try:
        async for kind, said in search.events():
            yield _event(kind, said)
    except (KulamiError, MemoryError, OSError) as error:
        yield _event("error", told(error))


def _event(kind: str, said: Mapping[str, Any]) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (kind.encode(), msgspec.json.encode(said))


async def result_of(search: Search, receive: Receive) -> Any:
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
