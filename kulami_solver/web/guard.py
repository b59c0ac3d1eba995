"""The guard of the server: one ASGI middleware between uvicorn and everything else.

The server listens on loopback, but every page that the user has open in a browser can send requests
there, under a name that its makers choose. So a request need not come from our page.

Host
    A name that somebody else's DNS points at 127.0.0.1 makes their page "same-origin" with this
    one. Its requests have that name as their Host. So Host is checked on every request: it must be
    a name or address of loopback, the one given with --host, or the very address that the
    connection arrived at, with the port.

Origin, Sec-Fetch-Site
    Another page may send requests here under the right Host, though it cannot read the answers.
    Those would start searches. Browsers name the sender in one of these headers or in both; an
    EventSource or a link sends no Origin, and programs such as curl send neither. So below /api/
    every such header that is there must be right, and the type of a body must be JSON, which a
    foreign page cannot send unasked. Links may lead to the page itself from anywhere.

Sizes
    A body is refused by its length before it is read; if it does not say its length or does not
    arrive, while it is read. The rest of it is dropped for a while.

Headers
    Every answer tells the browser to run only the page's own files, to ask nobody else, and to let
    no other page frame it.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Final

from starlette.datastructures import Headers, MutableHeaders

from .answers import Refused

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

BODY_LIMIT: Final = 1 << 16
"""The longest body of a request, in bytes."""

_BODY_SECONDS: Final = 10.0
# How many bytes of a refused request's body are read and dropped.
_DROPPED: Final = 1 << 25
_DROPPED_SECONDS: Final = 5.0
_SILENCE_SECONDS: Final = 0.5

_LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
_METHODS: Final = ("GET", "HEAD", "POST")

HEADERS: Final = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
"""The headers of every answer."""


class Guard:
    """Refuses foreign requests, and adds the headers to every answer.

    Args:
        app: answers all other requests.
        hosts: more names and addresses that Host may have, as in a URL, without the port.
        port: the port of the server.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str], port: int) -> None:
        self._app: Final = app
        self._port: Final = port
        self._hosts: Final = frozenset(_with_port((*_LOOPBACK, *hosts), port))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return  # uvicorn is set to speak only HTTP

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            self._check(scope)
        except Refused as refused:
            await _say(refused, send_with_headers)
            await _let_it_end(receive)
            await send({"type": "http.response.body", "body": b""})
            return
        await self._app(scope, receive, send_with_headers)

    def _check(self, scope: Scope) -> None:
        """Raise `Refused` if a request must not be answered."""
        headers = Headers(scope=scope)
        allowed = self._hosts | self._own_address(scope)
        host = headers.getlist("host")
        if len(host) != 1 or host[0].lower() not in allowed:
            raise Refused(403, "foreign_host", host=", ".join(host) or None)
        if scope["method"] not in _METHODS:
            raise Refused(405, "no_http_method", method=scope["method"])
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit() or int(length[:9]) > BODY_LIMIT:
            raise Refused(413, "long_body", length=length, most=BODY_LIMIT)
        if not scope["path"].startswith("/api/"):
            return
        for origin in headers.getlist("origin"):
            if origin.lower() not in {f"http://{name}" for name in allowed}:
                raise Refused(403, "foreign_origin", origin=origin)
        for site in headers.getlist("sec-fetch-site"):
            if site not in ("same-origin", "none"):
                raise Refused(403, "foreign_site", site=site)
        if scope["method"] == "POST":
            kind = headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind != "application/json":
                raise Refused(415, "wrong_type", type=kind)

    def _own_address(self, scope: Scope) -> frozenset[str]:
        """Return the address that the connection arrived at: no name, so no DNS can point to it."""
        server = scope.get("server")
        if not server:
            return frozenset()
        try:
            address = ipaddress.ip_address(server[0])
        except ValueError:
            return frozenset()
        text = f"[{address}]" if address.version == 6 else str(address)
        return frozenset(_with_port((text,), self._port))


def _with_port(hosts: Iterable[str], port: int) -> Iterable[str]:
    """Return how Host may name these: browsers leave out port 80, the default of http."""
    for host in hosts:
        yield f"{host.lower()}:{port}"
        if port == 80:
            yield host.lower()


async def _say(refused: Refused, send: Send) -> None:
    body = json.dumps({"error": str(refused)}).encode()
    await send(
        {
            "type": "http.response.start",
            "status": refused.status,
            # The rest of the request must not be taken for another one.
            "headers": [
                (b"content-type", b"application/json"),
                (b"content-length", str(len(body)).encode()),
                (b"connection", b"close"),
            ],
        }
    )
    await send({"type": "http.response.body", "body": body, "more_body": True})


async def _let_it_end(receive: Receive) -> None:
    """Drop the rest of a request that has its answer.

    If the connection were closed at once, it would be reset for a client that sends its whole body
    before it reads, and the answer would be lost.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + _DROPPED_SECONDS
    left = _DROPPED
    while left > 0:
        try:
            patience = min(deadline - loop.time(), _SILENCE_SECONDS)
            message = await asyncio.wait_for(receive(), max(patience, 0))
        except asyncio.TimeoutError:
            return
        left -= len(message.get("body", b""))
        if message["type"] == "http.disconnect" or not message.get("more_body", False):
            return


async def read_body(receive: Receive) -> bytes:
    """Return the body of a request.

    Raises:
        Refused: if it is too long, or does not arrive.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + _BODY_SECONDS
    body = b""
    more = True
    while more:
        try:
            message = await asyncio.wait_for(receive(), max(deadline - loop.time(), 0))
        except asyncio.TimeoutError:
            raise Refused(408, "slow_body", seconds=round(_BODY_SECONDS)) from None
        if message["type"] == "http.disconnect":
            raise Refused(400, "closed_early")
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > BODY_LIMIT:
            raise Refused(413, "longer_body", most=BODY_LIMIT)
    return body
