"""`kulami serve` as a process on a free port of loopback, and asking it as programs do."""

from __future__ import annotations

import contextlib
import http.client
import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import psutil

T = TypeVar("T")


def within(seconds: float, ask: Callable[[], T]) -> T:
    """Do something in less than so many seconds; the second of two tries counts on a busy machine.

    Returns what the try gave that was soon enough.
    """
    for _ in range(2):
        begun = time.perf_counter()
        found = ask()
        took = time.perf_counter() - begun
        if took < seconds:
            return found
    raise AssertionError(f"it took {took:.2f} seconds")


@dataclass
class Server:
    """A server that runs, and its process."""

    url: str
    port: int
    running: subprocess.Popen[str]

    @property
    def process(self) -> psutil.Process:
        """What the system knows of it."""
        return psutil.Process(self.running.pid)

    def raw(self, data: bytes, ends: bool = False) -> bytes:
        """Send bytes as they are, and no more if it ends so; return all that comes back."""
        with socket.create_connection(("127.0.0.1", self.port), 10) as connection:
            with contextlib.suppress(ConnectionError):
                connection.sendall(data)
                if ends:
                    connection.shutdown(socket.SHUT_WR)
            answer = b""
            with contextlib.suppress(ConnectionError, socket.timeout):
                while part := connection.recv(1 << 16):
                    answer += part
            return answer

    def ask(
        self,
        path: str,
        body: object = None,
        headers: dict[str, str] | None = None,
        method: str | None = None,
    ) -> tuple[int, bytes]:
        """Ask, and return the status and the whole answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
            kind = {} if data is None else {"content-type": "application/json"}
            verb = method or ("GET" if data is None else "POST")
            connection.request(verb, path, data, {**kind, **(headers or {})})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def good(self, path: str, body: object = None) -> Any:
        """Ask for JSON; it must be there."""
        status, answer = self.ask(path, body)
        assert status == 200, answer
        return json.loads(answer)

    def whole(self, game: str, start: dict[str, Any]) -> list[str]:
        """Return the moves of a whole game, always the last one that is told."""
        moves: list[str] = []
        while not (told := self.good(f"/api/{game}/position", {**start, "moves": moves}))["over"]:
            moves.append(told["legal"][-1])
            assert len(moves) < 400
        return moves

    def refused(self, path: str, body: object) -> str:
        """Ask what is bad input; return the sentence."""
        status, answer = self.ask(path, body)
        assert status == 400, (status, answer)
        said = json.loads(answer)
        assert list(said) == ["error"]
        return str(said["error"])

    def events(self, path: str, body: object) -> list[tuple[str, Any]]:
        """Ask for a stream, and return its events."""
        status, answer = self.ask(path, body)
        assert status == 200, answer
        return events(answer.decode())

    def head(self, path: str, length: int) -> bytes:
        """The head of a request whose body is so long."""
        return (
            f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1:{self.port}\r\n"
            f"content-type: application/json\r\ncontent-length: {length}\r\n\r\n"
        ).encode()

    def begin(self, path: str, body: object) -> socket.socket:
        """Ask for a stream, and leave the connection open."""
        data = json.dumps(body).encode()
        connection = socket.create_connection(("127.0.0.1", self.port), 30)
        connection.sendall(self.head(path, len(data)) + data)
        return connection

    @property
    def searches(self) -> int:
        """How many work or wait."""
        return int(self.good("/api/options")["searches"])

    def has_searches(self, count: int, seconds: float) -> None:
        """Wait until so many searches work or wait; fails if it takes longer than so."""
        end = time.monotonic() + seconds
        while (found := self.searches) != count:
            assert time.monotonic() < end, found
            time.sleep(0.02)


def events(text: str) -> list[tuple[str, Any]]:
    """The events of a stream."""
    found = []
    for block in text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if lines:
            found.append((lines["event"], json.loads(lines["data"])))
    return found


@contextlib.contextmanager
def serving(*options: str, program: Sequence[str] = ("-m", "kulami_solver")) -> Iterator[Server]:
    """Start `kulami serve`; it is ended with the block."""
    running = subprocess.Popen(
        [sys.executable, *program, "serve", "--port", "0", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert running.stdout is not None
    try:
        url = running.stdout.readline().strip()
        assert url.startswith("http://"), running.communicate(timeout=10)[1]
        yield Server(url, int(url.rstrip("/").rpartition(":")[2]), running)
    finally:
        running.kill()
        running.communicate(timeout=30)
