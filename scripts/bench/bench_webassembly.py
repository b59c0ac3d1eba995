#!/usr/bin/env python3
"""Compare the page without a server with the package here: values, nodes, time; and what it loads.

    python scripts/make_static_page.py site
    python scripts/bench/bench_webassembly.py site [--free 28,30] [--count 10] [--all] [--workers]

Random positions with so many free fields are solved at all four scorings, by the worker in headless
Chromium and by this Python, through the same questions. Margins and nodes have to be equal: the
exit code is 1 if one is not. With --all that is so of every field's margin, which takes longer.

With --workers the page analyses them instead, every field, as on a machine with one core and as on
one with two: margins have to be equal, and how long both took is printed.

Before that a new visitor opens the page, and a position as soon as the board is there, and comes
again: how many bytes were sent before the board was there, without what Python was loading then,
and in all, as files and as a host sends them that compresses with gzip, and after how many seconds
the board and the values were there. Chromium and playwright are needed.
"""

from __future__ import annotations

import gzip
import itertools
import json
import shutil
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from benching import parser_of
from playwright.sync_api import Page, sync_playwright
from random_play import positions

from kulami_solver.web.inside import Inside

SCORINGS: Final = ("0", "1", "2", "chains")
ASK: Final = """(asked) => new Promise((found) => {
    window.asking ??= new Worker("kulami-worker.js");
    window.asking.onmessage = ({ data }) => {
        if (data.event === "solution" || data.event === "error") found(data.data);
    };
    window.asking.postMessage(asked);
})"""
ASK_PAGE: Final = """async (asked) => {
    const { answer } = await import(document.querySelector("[src$='alone.js']").src);
    const begun = performance.now();
    const told = await (await answer("/api/analyse", { body: JSON.stringify(asked) })).text();
    const solution = JSON.parse(told.trim().split("data: ").at(-1));
    return { ...solution, seconds: (performance.now() - begun) / 1000 };
}"""
MACHINE: Final = """
const machine = { hardwareConcurrency: CORES, deviceMemory: 4 };
for (const [name, value] of Object.entries(machine)) {
    Object.defineProperty(Navigator.prototype, name, { get: () => value });
}"""
BOARD: Final = "#board .field"
VALUES: Final = "[data-role=value][data-exact]"


class Host(SimpleHTTPRequestHandler):
    """A host of plain files that notes what it sends."""

    sent: Final[list[tuple[float, Path]]] = []

    def copyfile(self, source: Any, outputfile: Any) -> None:
        """Send a file."""
        self.sent.append((time.perf_counter(), Path(source.name)))
        with suppress(ConnectionError):  # the browser knows enough, or has left
            super().copyfile(source, outputfile)

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""


@contextmanager
def hosted(folder: Path) -> Iterator[str]:
    """Serve a folder; the block has its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Host, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()


def natively(inside: Inside, asked: dict[str, Any]) -> Any:
    """Ask this Python as the worker is asked."""
    told: dict[str, str] = {}
    inside.answer("/api/analyse", json.dumps(asked), told.__setitem__, bool)
    return json.loads(told["solution"])


def compare(page: Page, free: int, count: int, every_move: bool) -> bool:
    """Solve positions here and there, and print what came of it; whether all are equal."""
    inside = Inside()
    here: list[float] = []
    there: list[float] = []
    equal = 0
    for position in itertools.islice(positions(free), count):
        for scoring in SCORINGS:
            asked = {"kfn": position.kfn(), "scoring": scoring, "all": every_move}
            one, other = natively(inside, asked), page.evaluate(ASK, asked)
            here.append(one.pop("seconds"))
            there.append(other.pop("seconds"))
            if one == other:
                equal += 1
            else:
                print(f"DIFFERENT {position.kfn()} {scoring}: {one} here, {other} there")
    total = count * len(SCORINGS)
    print(
        f"{free} free: {equal} of {total} equal; seconds together {sum(here):.2f} here, "
        f"{sum(there):.2f} there; median {1000 * statistics.median(here):.1f} and "
        f"{1000 * statistics.median(there):.1f} ms",
        flush=True,
    )
    return equal == total


def compare_workers(one: Page, two: Page, free: int, count: int) -> bool:
    """Analyse positions by one worker and by two, and print how long it took; whether all agree."""
    equal, seconds = 0, {one: 0.0, two: 0.0}
    for position in itertools.islice(positions(free), count):
        for scoring in SCORINGS:
            asked = {"kfn": position.kfn(), "scoring": scoring, "all": True, "time": 300}
            margins = []
            for page in (one, two):
                page.bring_to_front()
                found = page.evaluate(ASK_PAGE, asked)
                seconds[page] += found["seconds"]
                moves = {move["field"]: move["margin"] for move in found["moves"]}
                margins.append((found["margin"], moves))
            equal += margins[0] == margins[1] and None not in margins[0][1].values()
    total = count * len(SCORINGS)
    print(
        f"{free} free: {equal} of {total} equal; seconds together {seconds[one]:.2f} by one "
        f"worker, {seconds[two]:.2f} by two",
        flush=True,
    )
    return equal == total


def visit(page: Page, address: str, position: str, what: str) -> None:
    """Open the page and, when the board is there, a position; print what that took."""
    Host.sent.clear()
    begun = time.perf_counter()
    page.goto(address, wait_until="commit")
    page.locator(BOARD).first.wait_for(state="attached")
    board = time.perf_counter()
    page.evaluate("(position) => { location.hash = position; }", f"kfn={position}")
    page.locator(VALUES).wait_for(timeout=120_000)
    values = time.perf_counter()
    before = [path for when, path in Host.sent if when <= board and not is_python(path)]
    print(
        f"{what}: board after {board - begun:.2f} s and {_bytes(before)}; values after "
        f"{values - begun:.2f} s and {_bytes([path for _, path in Host.sent])}",
        flush=True,
    )


def is_python(path: Path) -> bool:
    """Whether a file is of Python, or of the package for it."""
    return path.suffix == ".zip" or path.parent.name.startswith("pyodide-")


def _bytes(paths: list[Path]) -> str:
    contents = [path.read_bytes() for path in paths if path.is_file()]
    packed = sum(len(gzip.compress(content, 6)) for content in contents)
    return f"{sum(map(len, contents)):,} bytes ({packed:,} by gzip)"


def main() -> int:
    """Compare, and visit."""
    parser = parser_of(__doc__)
    parser.add_argument("site", type=Path, help="the folder of scripts/make_static_page.py")
    parser.add_argument("--free", default="28,30,32", help="free fields of the positions")
    parser.add_argument("--count", type=int, default=10, help="positions for each number of them")
    parser.add_argument("--all", action="store_true", help="every field's margin, too")
    parser.add_argument("--workers", action="store_true", help="one worker beside two instead")
    options = parser.parse_args()
    numbers = [int(free) for free in options.free.split(",")]
    with (
        hosted(options.site) as address,
        sync_playwright() as playwright,
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
    ):
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        if options.workers:
            pages = [context.new_page(), context.new_page()]
            for cores, page in enumerate(pages, 1):
                page.add_init_script(MACHINE.replace("CORES", str(cores)))
                page.goto(f"{address}#layout=AAB/AAC&moves=")
                page.evaluate("kulamiReady")
            one, two = pages
            equal = [compare_workers(one, two, free, options.count) for free in numbers]
            context.close()
            return 0 if all(equal) else 1
        page = context.new_page()
        position = quote(next(positions(26)).kfn())
        visit(page, address, position, "first visit")
        page.evaluate("navigator.serviceWorker.ready.then(() => 1)")
        page.wait_for_timeout(5000)
        page.goto("about:blank")
        visit(page, address, position, "later visit")
        equal = [compare(page, free, options.count, options.all) for free in numbers]
        context.close()
    return 0 if all(equal) else 1


if __name__ == "__main__":
    sys.exit(main())
