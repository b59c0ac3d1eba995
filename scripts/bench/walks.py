#!/usr/bin/env python3
"""Count the functions that a question walks through before the work begins.

    python scripts/bench/walks.py               one line for each way in
    python scripts/bench/walks.py --names       the functions, too, in the order they are entered
    PYTHONPATH=TREE python scripts/bench/walks.py     those of another tree

How it counts: sys.setprofile tells each Python function that is entered, in all threads. Those of
the package count; class bodies and comprehensions do not, nor do compiled functions. Each way is
walked once before it is counted, so that nothing is imported or opened then that stays. The cold
way is the first one of its process, all imports among it. The positions are late ones of random
games: 16 fields are free, 10 for databases. A walk begins with the call that is named, and ends
where the work begins:

    kulami solve, solve, page      at the compiled search, before its first node
    kulami build, build            when the first records have been made
    probe                          when the value of the position has been read

`page` is POST /api/analyse. Its walk and that of `kulami ...` begin with reading what is asked for.

`functions` counts each once, `calls` each time it is entered, `files` those that they stand in, and
`deep` the functions that are still open at the end, each waiting for the next.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import importlib
import importlib.util
import inspect
import io
import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

# The package is imported where it is used: a cold way begins without it.
(PACKAGE,) = getattr(importlib.util.find_spec("kulami_solver"), "submodule_search_locations", [""])
COLD = ["solve", "--layout", "ABBCD/ABBCD/ABBEE/FFFEE", "--moves", "b1"]


class Walk:
    """The functions of the package that are entered until `arrive` is called."""

    def __init__(self, end: tuple[str, str] = ("call", "work"), within: str = "solve") -> None:
        self.entered: dict[CodeType, str] = {}
        self.calls = 0
        self.deep = 0
        self.counting = False
        self._end = end
        self._within = f"/{within}/"  # the folder of this function

    def hook(self, frame: FrameType, event: str, _: object) -> None:
        """What sys.setprofile is given."""
        code = frame.f_code
        if not self.counting or not code.co_filename.startswith(PACKAGE):
            return
        if self._end == (event, code.co_name) and self._within in code.co_filename:
            self.arrive(frame)
        elif (
            event == "call"
            and not code.co_name.startswith("<")
            and code.co_flags & inspect.CO_OPTIMIZED  # a class body is not
        ):
            self.calls += 1
            place = Path(code.co_filename).relative_to(PACKAGE)
            self.entered.setdefault(code, f"{place}:{code.co_firstlineno} {code.co_name}")

    def arrive(self, frame: FrameType | None) -> None:
        """The work begins."""
        if not self.counting:
            return
        self.counting = False
        while frame is not None:
            self.deep += frame.f_code in self.entered
            frame = frame.f_back

    @property
    def counts(self) -> list[int]:
        """Functions, calls, files, deep."""
        files = {code.co_filename for code in self.entered}
        return [len(self.entered), self.calls, len(files), self.deep]


def counted(walk: Walk, way: Callable[[], object], *, cold: bool = False) -> Walk:
    """Go the way twice and count the second time, or the only time if it is cold."""
    threading.setprofile(walk.hook)
    sys.setprofile(walk.hook)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            if not cold:
                way()
            walk.counting = True
            way()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    assert not walk.counting, "the work has not begun"
    return walk


async def asked(app: Any, path: str, body: dict[str, Any]) -> None:
    """Ask the page's application one question, and read the answer to its end."""
    unread = [{"type": "http.request", "body": json.dumps(body).encode(), "more_body": False}]
    done = asyncio.Event()

    async def receive() -> dict[str, Any]:
        if not unread:
            await done.wait()
            return {"type": "http.disconnect"}
        return unread.pop()

    async def send(message: dict[str, Any]) -> None:
        assert message.get("status", 200) == 200, message
        if message["type"] == "http.response.body" and not message.get("more_body"):
            done.set()

    headers = [(b"host", b"127.0.0.1:8765"), (b"content-type", b"application/json")]
    scope: dict[str, Any] = {"type": "http", "asgi": {"version": "3.0"}, "method": "POST"}
    scope |= {"http_version": "1.1", "scheme": "http", "path": path, "raw_path": path.encode()}
    scope |= {"headers": headers, "query_string": b"", "root_path": "", "client": ("127.0.0.1", 1)}
    await app({**scope, "server": ("127.0.0.1", 8765)}, receive, send)


def cold() -> Walk:
    """The way of the command, walked by a process that has imported nothing of the package yet."""
    walk = Walk()

    def way() -> None:
        importlib.import_module("kulami_solver.__main__").main()

    sys.argv[:] = ["kulami", *COLD]
    return counted(walk, way, cold=True)


def walks(folder: str) -> dict[str, Walk]:
    """All ways in, walked."""
    from random_play import positions

    import kulami_solver as ks
    from kulami_solver import cli
    from kulami_solver.web.app import Page
    from kulami_solver.web.guard import Guard
    from kulami_solver.web.searches import Limits

    start, root = next(positions(16)), next(positions(10))
    file = f"{folder}/walks.kdb"
    app = Guard(Page(Limits()).asgi())
    question = {"kfn": start.kfn(), "scoring": "0"}
    solve = ["solve", "--kfn", start.kfn()]
    build = ["build", file, "--kfn", root.kfn(), "--threads", "1", "--force"]
    written = ("call", "_write_arrays")
    found = {
        "kulami solve": counted(Walk(), lambda: cli.main(solve)),
        "solve": counted(Walk(), lambda: ks.solve(start)),
        "kulami build": counted(Walk(written, "database"), lambda: cli.main(build)),
        "build": counted(Walk(written, "database"), lambda: ks.build(file, root, threads=1)),
        "page": counted(Walk(), lambda: asyncio.run(asked(app, "/api/analyse", question))),
    }
    with ks.open_database(file) as database:
        found["probe"] = counted(
            Walk(("return", "_margin"), "database"), lambda: database.probe(root)
        )
    return found


def main() -> int:
    """Count and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--names", action="store_true", help="print the functions, too")
    parser.add_argument("--cold", action="store_true", help="the cold way alone")
    options = parser.parse_args()
    if options.cold:
        found = {"kulami solve, cold": cold()}
    else:
        print(f"{'way':<18} functions calls files  deep", flush=True)
        subprocess.run([sys.executable, __file__, "--cold", *sys.argv[1:]], check=True)
        with tempfile.TemporaryDirectory() as folder:
            found = walks(folder)
    for way, walk in found.items():
        functions, calls, files, deep = walk.counts
        print(f"{way:<18} {functions:>9} {calls:>5} {files:>5} {deep:>5}")
        for name in walk.entered.values() if options.names else ():
            print(f"    {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
