"""The page without a server, for tests: its files behind a plain host, and a stand-in for Python.

    files = site_files(built=False)        as scripts/make_static_page.py writes, but no WebAssembly
    with hosted(files) as site: ...        below a path of a host that knows nothing but files

Compiling takes minutes. Where nothing is compiled, a few lines of JavaScript stand in for Pyodide:
they hand each question to this process, in which `kulami_solver.web.inside` answers it. Everything
else, workers, service worker and page, is what readers have.
"""

from __future__ import annotations

import contextlib
import functools
import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import make_static_page
import webassembly

from kulami_solver.web.inside import Inside
from kulami_solver.web.searches import Limits

FOLDER = "/some/where/"
STAND_IN = """
export async function loadPyodide() {
  await fetch("HOLD");
  const worker = Math.random();
  const asked = (...said) => {
    const asking = new XMLHttpRequest();
    asking.open("POST", "ANSWER", false);
    asking.send(JSON.stringify([worker, ...said]));
    return JSON.parse(asking.responseText);
  };
  const answer = (path, body, heard) => {
    const { events, said } = asked("answer", path, body);
    for (const [kind, text] of events) heard(kind, text);
    said.destroy = () => {};
    return said;
  };
  const open_file = (game, name, size, read) => {
    const { said } = asked("open_file", game, name, [...read(0, size)]);
    said.destroy = () => {};
    return said;
  };
  const close_file = (name) => { asked("close_file", name); };
  const inside = { answer, open_file, close_file };
  return { unpackArchive() {}, runPython() {}, pyimport: () => ({ Inside: () => inside }) };
}
"""
KINDS = {".html": "text/html", ".css": "text/css", ".json": "application/json"}
KINDS |= {".js": "text/javascript", ".mjs": "text/javascript", ".svg": "image/svg+xml"}
KINDS |= {".wasm": "application/wasm", ".zip": "application/zip"}


@functools.cache
def site_files(built: bool) -> Mapping[str, bytes]:
    """All files; with Python for the browser, or with the stand-in."""
    if built:
        return make_static_page.static_site()
    modules, runtime = webassembly.modules, webassembly.runtime
    names = ("pyodide.mjs", "pyodide.asm.wasm", webassembly.LIBRARY, webassembly.LOCK)
    webassembly.modules = dict
    webassembly.runtime = lambda: {name: STAND_IN.encode() for name in names}
    try:
        return make_static_page.static_site()
    finally:
        webassembly.modules, webassembly.runtime = modules, runtime


def part_of(content: bytes, begin: int, end: int) -> bytes:
    """Some bytes of a file."""
    return content[begin:end]


@dataclass
class Site:
    """A host that runs.

    Attributes:
        url: of the page's folder.
        hold: while it is cleared, the stand-in does not start.
    """

    url: str
    hold: threading.Event


@contextlib.contextmanager
def hosted(files: Mapping[str, bytes]) -> Iterator[Site]:
    """Serve files below a path of a port of loopback, until the block ends."""
    site = Site("", threading.Event())
    site.hold.set()
    insides: dict[float, Inside] = {}  # of each worker, as in the browser

    class Host(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            name = self.path.partition("?")[0].removeprefix(FOLDER)
            if name.endswith("HOLD"):
                site.hold.wait(60)
                return self.say(200, b"", ".json")
            if not name or name.endswith("/"):
                name += "index.html"
            content = files.get(name)
            if not self.path.startswith(FOLDER) or content is None:
                return self.say(404, b"There is no such file.", ".html")
            return self.say(200, content, name[name.rindex(".") :])

        def do_POST(self) -> None:
            worker, what, *said = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if worker not in insides:
                insides[worker] = Inside(Limits(threads=1, memory=64 << 20, seconds=10.0))
            events: list[tuple[str, str]] = []
            answered: Any = None
            if what == "answer":
                path, body = said
                answered = insides[worker].answer(
                    path, body, lambda *event: events.append(event), bool
                )
            elif what == "open_file":
                game, name, content = said
                read = functools.partial(part_of, bytes(content))
                answered = insides[worker].open_file(game, name, len(content), read)
            else:
                insides[worker].close_file(*said)
            self.say(200, json.dumps({"events": events, "said": answered}).encode(), ".json")

        def say(self, status: int, content: bytes, kind: str) -> None:
            self.send_response(status)
            self.send_header("content-type", KINDS.get(kind, "application/octet-stream"))
            self.send_header("content-length", str(len(content)))
            with contextlib.suppress(ConnectionError):  # the reader has left
                self.end_headers()
                self.wfile.write(content)

        def log_message(self, *_arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Host)
    server.daemon_threads = True
    site.url = f"http://127.0.0.1:{server.server_port}{FOLDER}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield site
    finally:
        site.hold.set()
        server.shutdown()
        server.server_close()
        thread.join()
