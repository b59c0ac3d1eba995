"""The process that serves the page, from its socket to Ctrl-C."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import ipaddress
import json
import socket
from collections.abc import Callable, Collection, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..errors import KulamiError, reason
from .app import Page
from .guard import HEADERS, Guard
from .searches import Limits

if TYPE_CHECKING:
    from starlette.types import ASGIApp

_ASKING: Final = 10.0  # seconds in which the head of a request has to arrive
_CONNECTIONS: Final = 512
_SILENT: Final = 128  # connections that wait for a request; if there are more, the oldest is closed
_BACKLOG: Final = 256


# Addresses for documents, to which the system knows a way if it has a network.
_ELSEWHERE: Final = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}


class Listener:
    """A listening socket, and the addresses that people open.

    Args:
        host: a name or an address.
        port: the port; 0 for any free one.

    Attributes:
        port: the port.
        host: what people of this machine open, as in a URL.
        reached: what others open, as in a URL; None if there is no way to this machine.
        is_loopback: whether only this machine's users can connect.

    Raises:
        KulamiError: if nothing can listen there.
    """

    def __init__(self, host: str, port: int) -> None:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        except (OSError, UnicodeError):
            raise KulamiError(
                f"--host {host} is no address of this machine: leave it out, or give one"
            ) from None
        # localhost may have two addresses; every machine has the IPv4 address.
        family, kind, protocol, _, address = min(found, key=lambda info: info[0] != socket.AF_INET)
        self.socket: Final = socket.socket(family, kind, protocol)
        try:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:  # "::" is also all addresses of IPv4
                self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
            self.socket.bind(address)
        except OSError as error:
            self.socket.close()
            if error.errno == errno.EADDRNOTAVAIL:
                raise KulamiError(
                    f"--host {host} is no address of this machine: leave it out, or give one"
                ) from None
            raise KulamiError(
                f"cannot listen on {host} port {port}: {reason(error)}; give another --port, or 0 "
                "for any that is free"
            ) from None
        self.port: Final = int(self.socket.getsockname()[1])
        bound = ipaddress.ip_address(self.socket.getsockname()[0].partition("%")[0])
        self.is_loopback: Final = bound.is_loopback
        self.host: Final = _in_url(
            host if not bound.is_unspecified else "127.0.0.1" if bound.version == 4 else "::1"
        )
        self.reached: Final = self.host if not bound.is_unspecified else _reached(family)

    def url(self, host: str) -> str:
        """Return the address of the page at a host."""
        return f"http://{host}:{self.port}/"

    def guarded(self, app: ASGIApp, allowed: Collection[str]) -> Guard:
        """Return an application behind a guard that knows this machine's names.

        Args:
            app: the application.
            allowed: further names, as `guard.host_named` returns them.
        """
        own = [self.host.lower()]
        if not self.is_loopback:
            name = socket.gethostname().lower()
            short = name.partition(".")[0]
            own += [name, short, f"{short}.local"]
        return Guard(app, own, allowed, anywhere=not self.is_loopback)


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _reached(family: int) -> str | None:
    """Return the address from which this machine speaks to others; nothing is sent."""
    with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as asked:
        asked.connect((_ELSEWHERE[socket.AddressFamily(family)], 9))
        return _in_url(asked.getsockname()[0])
    return None


class Connection(H11Protocol):
    """A connection of uvicorn that is closed if the head of a request does not arrive.

    Otherwise a few hundred clients that send nothing, or a letter a minute, would keep everybody
    else out. So the number of connections without a request is limited. A refusal here comes before
    the guard, and has the guard's headers, too.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept the connection, if there are not too many."""
        super().connection_made(transport)
        self.begun = self.loop.time()
        silent = [one for one in self.connections if isinstance(one, Connection) and one.is_silent]
        if len(silent) > _SILENT:
            min(silent, key=lambda one: one.begun).transport.abort()
        elif len(self.connections) > _CONNECTIONS:
            self._refuse(503, "the server has its hands full: ask again in a moment")
        self._seen: object = self  # the cycle that `_look` saw waiting last; `self` for none
        self.loop.call_later(_ASKING, self._look)

    @property
    def is_silent(self) -> bool:
        """Whether the connection is open and no request waits for an answer."""
        open_still = not self.transport.is_closing()
        return open_still and (self.cycle is None or self.cycle.response_complete)

    def send_400_response(self, msg: str) -> None:
        """Refuse bytes that are no request."""
        self._refuse(400, msg)

    def _refuse(self, status: int, why: str) -> None:
        body = json.dumps({"error": why}).encode()
        said = {
            **HEADERS,
            "content-type": "application/json",
            "content-length": str(len(body)),
            "connection": "close",
        }
        if status == 503:
            said["retry-after"] = "1"
        head = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"]
        head += [f"{name}: {value}" for name, value in said.items()]
        self.transport.write("\r\n".join([*head, "", ""]).encode() + body)
        self.transport.close()

    def _look(self) -> None:
        """Close the connection if it still waits for the same request as at the last look."""
        if self.transport.is_closing():
            return
        waits = self.cycle is None or (
            # Between two requests uvicorn has a timer of its own, until the next request begins.
            self.cycle.response_complete and self.timeout_keep_alive_task is None
        )
        if waits and self._seen is self.cycle:
            self.transport.close()
            return
        self._seen = self.cycle if waits else self
        self.loop.call_later(_ASKING, self._look)


class _Server(uvicorn.Server):
    """A uvicorn server that announces when it answers, and ends without waiting for anybody."""

    def __init__(self, config: uvicorn.Config, page: Page, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._page: Final = page
        self._announce: Final = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._announce()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._page.close()
        await super().shutdown(sockets)


def serve(
    listener: Listener,
    limits: Limits,
    sources: Sequence[Any],
    announce: Callable[[], None],
    allowed: Collection[str] = (),
) -> None:
    """Serve the page until Ctrl-C, or until the process is told to end.

    Args:
        listener: the socket to serve at.
        limits: the limits of its searches.
        sources: databases and proofs, as sources of values.
        announce: called once the server answers.
        allowed: further hosts that requests may name, as `guard.host_named` returns them.

    Raises:
        KeyboardInterrupt: at Ctrl-C.
    """
    page = Page(limits, sources)
    config = uvicorn.Config(
        listener.guarded(page.asgi(), allowed),
        http=Connection,
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        backlog=_BACKLOG,
        workers=1,  # without it, WEB_CONCURRENCY says how many
        timeout_graceful_shutdown=1,
    )
    try:
        _Server(config, page, announce).run([listener.socket])
    finally:
        page.close()
        listener.socket.close()
