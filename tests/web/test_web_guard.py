"""Who is answered by the page's server: each hostile request has its status and its sentence."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from typing import Any

import pytest
from web_server import Server

pytest.importorskip("uvicorn", reason="uvicorn is not installed: pip install -e '.[test]'")

from starlette.requests import Request

from kulami_solver.web import guard
from kulami_solver.web.guard import BODY_LIMIT, HEADERS, Guard
from kulami_solver.web.messages import Refused
from kulami_solver.web.places import Places
from kulami_solver.web.searches import Limits

Message = MutableMapping[str, Any]

ASK, PAGE, HEALTH = "POST /api/position HTTP/1.1", "GET / HTTP/1.1", "GET /api/health HTTP/1.1"
GOOD = b'{"layout": "square", "moves": "d4"}'
NO_REQUEST = "Invalid HTTP request received."


def chunked(body: bytes, size: int) -> bytes:
    """A body in chunks, which does not say how long it is."""
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (*parts, b""))


def refused(port: int) -> Iterator[tuple[int, str, bytes]]:
    """Requests of which one thing is wrong: the status, what is said of it, and the bytes."""
    own = f"127.0.0.1:{port}"

    def request(line: str = ASK, body: bytes = GOOD, **changed: str | None) -> bytes:
        headers = {"host": own, "content-type": "application/json", "prefer": "codes"}
        if line.startswith("POST"):
            headers["content-length"] = str(len(body))
        told = {**headers, **{name.replace("_", "-"): value for name, value in changed.items()}}
        head = "".join(f"{name}: {value}\r\n" for name, value in told.items() if value is not None)
        data = body if line.startswith("POST") else b""
        return f"{line}\r\n{head}connection: close\r\n\r\n".encode() + data

    in_chunks: dict[str, Any] = {"content_length": None, "transfer_encoding": "chunked"}
    for line in (ASK, PAGE, HEALTH):
        yield 200, "", request(line)
    for size in (1, 7, 1000):
        yield 200, "", request(body=chunked(GOOD, size), **in_chunks)
    longest = GOOD + b" " * (BODY_LIMIT - len(GOOD))
    yield 200, "", request(body=longest)
    yield 200, "", request(body=chunked(longest, 60_000), **in_chunks)
    # Whoever asks
    for host in (
        "evil.example", "evil.example:80", f"evil.example:{port}", "", "localhost:", "[::1", "::1",
        f"127.0.0.1.evil.example:{port}", f"localhost..:{port}", f"0.0.0.0:{port}", f"user@{own}",
        f"{own}@evil.example", "*", f"169.254.1.1:{port}", f"127.1:{port}", f"2130706433:{port}",
        f"0x7f.1:{port}",
        f"127.0.0.1:0{port}", f"{own}, evil.example", f"[::]:{port}", "\xe9.com",
    ):  # fmt: skip
        for line in (ASK, PAGE, HEALTH):
            yield 403, "Host is", request(line, host=host)
    yield 403, "Host is None", request("GET / HTTP/1.0", host=None)
    yield 403, "--allow-host", request(upgrade="websocket", host=f"mybox.local:{port}")
    for origin in (
        "http://evil.example", "null", "https://127.0.0.1", f"https://{own}", "file://", "", "*",
        f"http://127.0.0.1:{port + 1}", f"http://{own}.evil.example", f"http://{own}/", f"ws://{own}",
        "chrome-extension://abc",
    ):  # fmt: skip
        for path in ("analyse", "move", "grade", "position", "picture", "malawi/position"):
            yield 403, "Origin is", request(f"POST /api/{path} HTTP/1.1", origin=origin)
    for site in ("cross-site", "same-site", "", "SAME-ORIGIN", "none, cross-site"):
        for line in (ASK, HEALTH, "POST /api/analyse HTTP/1.1"):
            yield 403, "Sec-Fetch-Site is", request(line, sec_fetch_site=site)
    yield 403, "Sec-Fetch-Site is", request(origin=f"http://{own}", sec_fetch_site="cross-site")
    forms = ("application/x-www-form-urlencoded", "multipart/form-data", "application/jsonp")
    for kind in ("text/plain", *forms, "", None):
        yield 415, "Content-Type is", request(content_type=kind)
    # Links lead to the page from anywhere, and start nothing; what is the page's own is answered.
    yield 200, "", request(PAGE, sec_fetch_site="cross-site", origin="null")
    for host in (own, "localhost", "[::1]", f"LOCALHOST:{port}", "localhost:9000"):
        origin = f"http://{host.lower()}"
        yield 200, "", request(host=host, origin=origin, sec_fetch_site="same-origin")
        yield (
            200,
            "",
            request(host=host, sec_fetch_site="none", content_type="application/JSON;a=b"),
        )
    # What is asked for
    for method in ("PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "get", "FOO"):
        yield 405, "is not answered: use GET or POST", request(f"{method} /api/position HTTP/1.1")
    yield 405, "is not for this address: use POST", request(ASK.replace("POST", "GET"))
    yield 405, "is not for this address: use GET", request(HEALTH.replace("GET", "POST"))
    for path in (
        "/../pyproject.toml", "/api/../api/x", "//evil.example/", "/api/analyse/", "/api/nothing",
        "/api", "/rules/", "/rules/chess/", "/rules/kulami/page.json", "/nothing",
        "/api/chess/position",
    ):  # fmt: skip
        yield 404, "there is nothing at this address", request(f"GET {path} HTTP/1.1")
    for name in (
        "../app.py", "..%2fapp.py", "/etc/x", "%2e%2e/%2e%2e/errors.py", "texts/", ".", "",
        "nothing.js", "main.js%00.html", "\\..\\app.py",
    ):  # fmt: skip
        yield 404, "there is no such page", request(f"GET /static/{name} HTTP/1.1")
    # Bodies
    for length in (BODY_LIMIT + 1, 999_999_999_999, "0" * 9 + str(BODY_LIMIT + 1)):
        yield 413, f"send {BODY_LIMIT} at most", request(body=b"", content_length=str(length))
    for size in (BODY_LIMIT + 1, 300_000, 5_000_000):
        long = request(body=GOOD + b" " * (size - len(GOOD)))
        yield 413, f"the body has {size} bytes: send {BODY_LIMIT} at most", long
        for part in (60_000, 10_000_000):
            long = request(body=chunked(GOOD + b" " * (size - len(GOOD)), part), **in_chunks)
            yield 413, f"the body is too long: send {BODY_LIMIT} bytes at most", long
    for body in (b"", b"{", b"[" * 240_000, b"\x00" * 100, b"\xff" * 100, b'{"time": NaN}', b"{}x"):
        yield 400, "no_json", request(body=body)
    for body in (b"[]", b"null", b"0", b'"x"'):
        yield 400, "no_object", request(body=body)
    for code, said in (
        ("which_position", "{}"), ("which_position", '{"kfn": "x", "layout": "square"}'),
        ("wrong_field", '{"layout": 1}'), ("wrong_field", f'{{"kfn": "{"A" * 5000}"}}'),
        ("wrong_field", '{"layout": "square", "marbles": 99999999999999999999999}'),
        ("unknown_field", '{"layout": "square", "threads": 1}'),
        ("not_rectangle", '{"layout": "AAB/ABB"}'),
        ("taken", '{"layout": "square", "moves": "d4 d4"}'),
    ):  # fmt: skip
        yield 400, code, request(body=said.encode())
    # What is no request
    yield 400, NO_REQUEST, request(host=None)
    yield 400, NO_REQUEST, request().replace(b"host: ", b"host: evil.example\r\nhost: ")
    for wrong in ("-1", "1e3", "0x10", "\u0661", "4" * 5000):
        yield 400, NO_REQUEST, request(content_length=wrong)
    for data in (
        b"\x16\x03\x01\x02\x00\x01", b"SSH-2.0-x\r\n\r\n", b"GET\r\n\r\n", b"\r\n" * 50,
        b"no request\r\n\r\n", b"GET / HTTP/1.1\r\nx: " + b"y" * 100_000 + b"\r\n\r\n",
    ):  # fmt: skip
        yield 400, NO_REQUEST, data


def test_each_hostile_request_has_its_status(server: Server) -> None:
    """And its sentence, the headers of every answer, and no search."""
    server.has_searches(0, 30)  # a tab that has just been closed may have left a search
    before = server.process.memory_info().rss
    for status, said, data in refused(server.port):
        begun = time.monotonic()
        head, _, body = server.raw(data).partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        assert first.split(" ")[:2] == ["HTTP/1.1", str(status)], (data[:300], first, body[:300])
        headers = dict(line.lower().split(": ", 1) for line in lines)
        for name, value in HEADERS.items():
            assert headers[name] == value.lower(), data[:300]
        assert not any(name.startswith("access-control") for name in headers)
        if status != 200:
            told = json.loads(body)
            assert said == told.get("code") or said in told["error"], (data[:300], told)
            assert headers["content-type"] == "application/json"
        assert time.monotonic() - begun < 5, data[
            :300
        ]  # refused before it is sent, where it is long
    assert server.searches == 0
    assert server.process.memory_info().rss < before + (64 << 20)


def test_strangers_are_refused_everywhere(server: Server) -> None:
    paths = [place.path for place in Places(Limits()).all if place.kind]
    assert len(paths) > 25
    for path in paths:
        for status, headers in (
            (403, {"host": f"evil.example:{server.port}"}),
            (403, {"origin": "http://evil.example"}),
            (403, {"sec-fetch-site": "cross-site"}),
            (415, {"content-type": "text/plain"}),
        ):
            assert server.ask(path, {}, headers)[0] == status, (path, headers)
        assert server.ask(path, {"moves": "x" * 270_000})[0] == 413, path
        assert server.ask(path) == (405, b'{"error":"GET is not for this address: use POST"}'), path
    assert server.searches == 0
    # People who come to nothing have a page that leads to the board; programs, and scripts, do not.
    for path in ("/nothing", "/api/nothing", "/static/nothing.js"):
        status, said = server.ask(path, headers={"accept": "text/html,*/*;q=0.8"})
        assert (status, b'<a href="/">' in said) == (404, not path.startswith("/static"))


# Other machines, tunnels and proxies


def status(headers: dict[str, str], line: str = "POST /api/analyse", **options: Any) -> int:
    """The status that a request with these headers has from the guard; 200 behind it."""
    said: list[int] = []

    async def app(_scope: Any, _receive: Any, send: Callable[[Message], Awaitable[None]]) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def receive() -> Message:
        assert said, "nothing is to be read before it is known who asks"
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            said.append(message["status"])

    coded = [(name.encode(), value.encode()) for name, value in headers.items()]
    method, path = line.split()
    scope = {"type": "http", "method": method, "path": path, "headers": coded}
    asyncio.run(Guard(app, **options)(scope, receive, send))
    (found,) = said
    return found


JSON = {"content-type": "application/json"}
BOX, ANYWHERE = {"allowed": ("box.lan",)}, {"anywhere": True}
HOSTS: list[tuple[dict[str, Any], tuple[str, ...], tuple[str, ...]]] = [
    # Another port outside: of a tunnel, a container or a proxy.
    ({}, ("127.0.0.1:8765", "LOCALHOST:8765", "[::1]:8765", "localhost:9000", "localhost",
      "localhost.:9000"),
     ("localhost:", "localhost:0", "localhost:8765:1", "localhost..", "", "box.lan:8765",
      "192.168.7.9:8765", "0.0.0.0:8765")),
    # A name can be pointed here by its owner, so it has to be given; an address cannot.
    ({"own": ("box.lan",)}, ("box.lan:8765",), ("a.box.lan:8765",)),
    (BOX, ("Box.lan:9000",), ("a.box.lan", "192.168.7.9")),
    ({**BOX, **ANYWHERE}, ("box.lan",), ("box.lan.evil.example",)),
    (ANYWHERE, ("192.168.7.9:8765", "192.168.7.8", "[fe80::1]:80"),
     ("evil.example:8765", "192.168.7.9.evil.example", "fe80::1", "box.lan")),
    ({"allowed": ("192.168.7.9",)}, ("192.168.7.9:8765",), ("192.168.7.8:8765",)),
]  # fmt: skip
#: Pairs of Host and Origin where games.example is allowed, and others can connect.
ORIGINS = {
    200: (
        # The page itself, through a tunnel or another port of a container.
        ("localhost:9000", "http://localhost:9000"),
        ("192.168.7.9:9000", "http://192.168.7.9:9000"),
        ("192.168.7.9", "http://192.168.7.9"),
        # A proxy that passes the Host on, or puts its own in its place.
        ("games.example", "https://games.example"), ("games.example:8443", "https://games.example:8443"),
        ("127.0.0.1:8765", "https://games.example"), ("127.0.0.1:8765", "http://games.example:8080"),
    ),
    403: (
        # Other servers of the same machine.
        ("localhost:8765", "http://localhost:3000"), ("192.168.7.9:8765", "http://192.168.7.9"),
        ("localhost:8765", "https://localhost:8765"),
        ("games.example:8765", "http://games.example:3000"),
        *(("127.0.0.1:8765", origin) for origin in (
            "ws://games.example", "https://games.example.evil.example", "https://evil.example",
            "null", "",
        )),
    ),
}  # fmt: skip


def test_hosts_and_origins_behind_a_proxy_or_a_tunnel() -> None:
    for options, right, wrong in HOSTS:
        for host in (*right, *wrong):
            for line in ("POST /api/analyse", "GET /"):
                expected = 200 if host in right else 403
                assert status({"host": host, **JSON}, line, **options) == expected, (host, options)
    for expected, pairs in ORIGINS.items():
        for host, origin in pairs:
            told = {"host": host, "origin": origin, **JSON}
            assert status(told, allowed=("games.example",), anywhere=True) == expected, told


def test_a_body_that_does_not_arrive_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "_BODY_SECONDS", 0.05)

    async def nothing() -> Message:
        await asyncio.sleep(30)
        raise AssertionError

    async def gone() -> Message:
        return {"type": "http.disconnect"}

    for receive, expected, code in ((nothing, 408, "slow_body"), (gone, 400, "closed_early")):
        with pytest.raises(Refused) as failed:
            asyncio.run(guard.read_body(Request({"type": "http", "headers": []}, receive)))
        assert (failed.value.status, failed.value.code) == (expected, code)
