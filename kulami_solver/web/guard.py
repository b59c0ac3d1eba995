"""The guard of the server: one ASGI middleware between uvicorn and everything else.

The server listens on loopback, but every page that the user has open in a browser can send requests
there, under a name that its makers choose. So a request need not come from our page.

Host
    A name that somebody else's DNS points at this machine makes their page "same-origin" with this
    one. Its requests have that name as their Host. So Host is checked on every request: it must be
    a name or address of loopback, the one given with --host, or one of --allow-host. Where others
    than this machine's users can connect, it may also be the machine's own name or any address,
    because no DNS points an address elsewhere. The port is free: a container, a tunnel or a proxy
    may have another one outside.

Origin, Sec-Fetch-Site
    Another page may send requests here under the right Host, though it cannot read the answers.
    Those would start searches. Browsers name the sender in one of these headers or in both; an
    EventSource or a link sends no Origin, and programs such as curl send neither. So below /api/
    every such header that is there must be right: Origin has the name and the port of Host, or,
    where a proxy has put another Host in its place, a name of --allow-host. The type of a body
    must be JSON, which a foreign page cannot send unasked. Links may lead to the page itself from
    anywhere.

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
import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect

from ..errors import KulamiError, quoted
from .messages import Refused

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

BODY_LIMIT: Final = 1 << 18
"""The longest body of a request, in bytes."""

_MOST_DIGITS: Final = 20  # of a content length

_BODY_SECONDS: Final = 10.0
# How many bytes of a refused request's body are read and dropped.
_DROPPED: Final = 1 << 25
_DROPPED_SECONDS: Final = 5.0
_SILENCE_SECONDS: Final = 0.5

# Of a Host: a name, or an address in brackets; and a port, which browsers leave out if it is usual.
_HOST: Final = re.compile(r"([^\[\]:@/]+|\[[0-9a-f:.]+\])(:[1-9][0-9]{0,4})?", re.ASCII)
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
        own: names and addresses by which this machine is reached, as in a URL, without a port.
        allowed: further ones, by which a proxy may be reached.
        anywhere: whether others than this machine's users can connect.
    """

    def __init__(
        self,
        app: ASGIApp,
        own: Collection[str] = (),
        allowed: Collection[str] = (),
        anywhere: bool = False,
    ) -> None:
        self._app: Final = app
        self._allowed: Final = frozenset(allowed)
        self._names: Final = frozenset(("localhost", *own, *allowed))
        self._anywhere: Final = anywhere

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
        hosts = headers.getlist("host")
        host = hosts[0].lower() if len(hosts) == 1 else ""
        if not self._is_ours(host):
            raise Refused(403, "foreign_host", host=", ".join(hosts) or None)
        if scope["method"] not in _METHODS:
            raise Refused(405, f"{quoted(scope['method'])} is not answered: use GET or POST")
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit() or len(length) > _MOST_DIGITS:
            raise Refused(413, "long_body", length=length, most=BODY_LIMIT)
        if int(length) > BODY_LIMIT:
            raise Refused(413, "long_body", length=int(length), most=BODY_LIMIT)
        if not scope["path"].startswith("/api/"):
            return
        for origin in headers.getlist("origin"):
            if not self._is_of_page(origin.lower(), host):
                raise Refused(403, "foreign_origin", origin=origin)
        for site in headers.getlist("sec-fetch-site"):
            if site not in ("same-origin", "none"):
                raise Refused(403, "foreign_site", site=site)
        if scope["method"] == "POST":
            kind = headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind != "application/json":
                raise Refused(415, "wrong_type", type=kind)

    def _is_ours(self, host: str) -> bool:
        """Whether a request may have this Host."""
        name = _name(host).removesuffix(".")  # a full name ends with a dot
        if name in self._names:
            return True
        try:
            address = ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return False
        return self._anywhere or address.is_loopback

    def _is_of_page(self, origin: str, host: str) -> bool:
        """Whether an Origin is the page's own, in a request with this Host."""
        scheme, _, place = origin.partition("://")
        if _name(place) not in self._allowed:
            return origin == f"http://{host}"
        return scheme in ("http", "https") and (place == host or _name(host) != _name(place))


def _name(host: str) -> str:
    """Return a Host without its port; nothing if it is no Host."""
    found = _HOST.fullmatch(host)
    return found[1] if found else ""


def host_named(text: str) -> str:
    """Return a host as browsers name it in Host.

    Args:
        text: a name or an address, without a port.

    Raises:
        KulamiError: if it is neither.

    Examples:
        >>> host_named("Mybox.local"), host_named("::1")
        ('mybox.local', '[::1]')
    """
    try:
        if ":" in text:
            return f"[{ipaddress.IPv6Address(text.strip('[]'))}]"
        name = text.encode("idna").decode().lower()
    except ValueError:
        name = ""
    if not re.fullmatch(r"[\w.-]+", name, re.ASCII):
        raise KulamiError(
            f"{quoted(text)} is no host: give a name or an address, without http:// and without a "
            "port"
        )
    return name


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


async def read_body(request: Request) -> bytes:
    """Return the body of a request.

    Raises:
        Refused: if it is too long, or does not arrive.
    """

    async def read() -> bytes:
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > BODY_LIMIT:
                raise Refused(413, "longer_body", most=BODY_LIMIT)
        return body

    try:
        return await asyncio.wait_for(read(), _BODY_SECONDS)
    except asyncio.TimeoutError:
        raise Refused(408, "slow_body", seconds=round(_BODY_SECONDS)) from None
    except ClientDisconnect:
        raise Refused(400, "closed_early") from None
