"""`kulami serve`: the page, in the browser of this machine."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import threading
from typing import Any

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command, file_name
from kulami_solver.cli.databases import sound_source
from kulami_solver.cli.output import EXIT_OK
from kulami_solver.core.notation import joined
from kulami_solver.errors import KulamiError

#: The packages of the web extra.
_NEEDED = ("starlette", "uvicorn")


def add_commands(commands: Commands) -> None:
    """Add `serve`."""
    parser = add_command(commands, "serve", run, "play and analyse in the browser")
    parser.value("--host", "HOST", "where to listen (127.0.0.1)", default="127.0.0.1")
    parser.number("--port", 0, 65535, "its port; 0 for a free one (8765)", 8765, metavar="PORT")
    words = "answer requests to this name or address, too"
    parser.value("--allow-host", "NAME", words, default=[], action="append")
    parser.switch("--open", "open it in the browser")
    several: dict[str, Any] = {"metavar": "FILE", "nargs": "+", "action": "extend", "default": []}
    for name, words in (
        ("--database", "take from these files what they know"),
        ("--proof", "likewise from these proofs"),
    ):
        parser.add_argument(name, type=file_name, help=words, **several)
    parser.number("--threads", 1, 256, "threads that one search may use (1)", 1)
    parser.memory("table that one search may use: 64M, 1G; a plain number is MiB (256M)", "256M")
    parser.seconds("--time", "how long one search may take (60)", 60.0)


def run(args: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C."""
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise KulamiError("extra_missing", package=joined(missing, "and"), extra="web")
    from kulami_solver.core.memory import table_size
    from kulami_solver.web.guard import host_named
    from kulami_solver.web.searches import Limits
    from kulami_solver.web.server import Listener, serve

    allowed = [host_named(name) for name in args.allow_host]
    memory = table_size(args.memory, 1)
    with contextlib.ExitStack() as stack:
        kinds = [(path, kind) for kind in ("database", "proof") for path in getattr(args, kind)]
        opened = [sound_source(stack, path, kind) for path, kind in kinds]
        sources = [source for source in opened if source is not None]
        listener = Listener(args.host, args.port)
        stack.callback(listener.socket.close)
        if not listener.is_loopback:
            at = f" at {listener.url(listener.reached)}" if listener.reached else ""
            output.warn(
                [
                    f"--host {args.host}: others than the users of this machine can reach the "
                    f"page{at} and have positions searched; --allow-host names further hosts; "
                    "leave --host out to keep it here"
                ]
            )
        address = listener.url(listener.host)

        def announce() -> None:
            output.answer(args, {"url": address}, address)
            if args.open:
                import webbrowser

                # A browser of the terminal returns when it ends.
                threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

        limits = Limits(args.threads, memory, args.time)
        serve(listener, limits, sources, announce, allowed)
    return EXIT_OK
