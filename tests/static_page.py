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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import make_static_page
import pytest
import webassembly

from kulami_solver.web.files import StaticFile, static_files
from kulami_solver.web.games import GamePage
from kulami_solver.web.inside import Inside
from kulami_solver.web.searches import Limits

FOLDER = "/some/where/"
FOLDERS = (FOLDER, "/elsewhere/", "/")
STAND_IN = """
export async function loadPyodide({ indexURL }) {
  await fetch("HOLD");
  const worker = Math.random();
  const answer = (path, body, heard) => {
    const asking = new XMLHttpRequest();
    asking.open("POST", "ANSWER", false);
    asking.send(JSON.stringify([worker, path, body]));
    const { events, said } = JSON.parse(asking.responseText);
    for (const [kind, text] of events) heard(kind, text);
    said.destroy = () => {};
    return said;
  };
  const inside = { answer };
  await WebAssembly.instantiateStreaming(fetch(`${indexURL}pyodide.asm.wasm`));
  return { unpackArchive() {}, runPython() {}, pyimport: () => ({ Inside: () => inside }) };
}
export default null;
"""
KINDS = {".html": "text/html", ".css": "text/css", ".json": "application/json"}
KINDS |= {".js": "text/javascript", ".svg": "image/svg+xml"}
KINDS |= {".wasm": "application/wasm", ".zip": "application/zip"}


@functools.cache
def site_files(built: bool, generation: str = "") -> Mapping[str, bytes]:
    """All files; with Python for the browser, or with the stand-in.

    The modules of a generation note it in `window.generations`.
    """
    if built:
        return make_static_page.static_site()
    names = ("pyodide.mjs", "pyodide.asm.mjs", webassembly.LIBRARY, webassembly.LOCK)
    stand_ins = {name: STAND_IN.encode() for name in names}
    stand_ins["pyodide.asm.wasm"] = b"\0asm\1\0\0\0"
    note = f'\n(window.generations ??= new Set()).add("{generation}");\n'.encode()

    def noting(games: Sequence[GamePage]) -> dict[str, StaticFile]:
        return {
            name: replace(file, content=file.content + note * name.endswith(".js"))
            for name, file in static_files(games).items()
        }

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(webassembly, "modules", dict)
        patch.setattr(webassembly, "runtime", lambda: stand_ins)
        if generation:
            patch.setattr(make_static_page, "static_files", noting)
        return make_static_page.static_site()


@dataclass
class Site:
    """A host that runs.

    Attributes:
        url: of the page's folder.
        hold: while it is cleared, the stand-in does not start.
        files: what the host has; may be replaced.
        seconds: that a search of the stand-in may take; so few that nobody waits for a hard one.
    """

    url: str
    hold: threading.Event
    files: Mapping[str, bytes]
    seconds: float = 0.5


@contextlib.contextmanager
def hosted(
    files: Mapping[str, bytes],
    kinds: Mapping[str, str] | None = None,
    headers: Callable[[str], Mapping[str, str]] = lambda _name: {},
) -> Iterator[Site]:
    """Serve files below some paths of a port of loopback, until the block ends.

    Args:
        files: by their paths.
        kinds: types that are others than usual, by the ends of names; an empty one is of files
            that the host does not send.
        headers: returns further headers of a file's answer.
    """
    site = Site("", threading.Event(), files)
    site.hold.set()
    insides: dict[float, Inside] = {}  # of each worker, as in the browser

    class Host(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            folder = next((one for one in FOLDERS if path.startswith(one)), "")
            name = path.removeprefix(folder)
            if name.endswith("HOLD"):
                site.hold.wait(60)
                return self.say(200, b"", ".json")
            if not name or name.endswith("/"):
                name += "index.html"
            content, ending = site.files.get(name), name[name.rfind(".") :]
            if not folder or content is None or not {**KINDS, **(kinds or {})}.get(ending, "-"):
                return self.say(404, b"There is no such file.", ".html")
            return self.say(200, content, ending, headers(name))

        def do_POST(self) -> None:
            worker, path, body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if worker not in insides:
                insides[worker] = Inside(Limits(threads=1, memory=64 << 20, seconds=site.seconds))
            events: list[tuple[str, str]] = []
            answered = insides[worker].answer(path, body, lambda *event: events.append(event), bool)
            self.say(200, json.dumps({"events": events, "said": answered}).encode(), ".json")

        def say(
            self, status: int, content: bytes, ending: str, more: Mapping[str, str] | None = None
        ) -> None:
            kind = {**KINDS, **(kinds or {})}.get(ending, "application/octet-stream")
            self.send_response(status)
            self.send_header("content-type", kind)
            for header, value in (more or {}).items():
                self.send_header(header, value)
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
