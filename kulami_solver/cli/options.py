"""What options that several commands have stand for; `arguments` adds them.

--movetime, --nodes, --depth   limits of a bot's thinking: a `Clock`
--workers                      the machines of a cluster: `workers_asked_for`
--svg, --png                   pictures of one position: `write_pictures`
"""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from kulami_solver.cli import output
from kulami_solver.cli.ending import CommandError, refused_at
from kulami_solver.core.notation import so_many

if TYPE_CHECKING:
    from kulami_solver.bots.protocol import Clock
    from kulami_solver.cluster import Cluster


def clock_of(args: argparse.Namespace) -> Clock:
    """The limits given, of a move or, in a match, of a game.

    Raises:
        CommandError: if both are given.
    """
    from kulami_solver.bots.protocol import Clock

    game, increment = getattr(args, "clock", None) or (None, 0.0)
    if game is not None and args.movetime is not None:
        raise CommandError("clock_and_movetime")
    return Clock(args.movetime, args.nodes, args.depth, game=game, increment=increment)


def _answers(page: str) -> bool:
    """Whether a page answers: a scheduler without a dashboard names an address, too."""
    from urllib.request import ProxyHandler, build_opener

    try:
        with build_opener(ProxyHandler({})).open(page, timeout=2):
            return True
    except OSError:
        return False


@contextlib.contextmanager
def workers_asked_for(args: argparse.Namespace) -> Iterator[Cluster | None]:
    """The cluster that --workers names, None if it names none; waits for its first worker.

    Raises:
        CommandError: --threads is given as well.
        ClusterError: there is no such cluster.
    """
    if not isinstance(args.workers, str):
        yield None
        return
    if getattr(args, "threads", None) not in (None, 1):
        raise CommandError("threads_and_workers")
    from kulami_solver.cluster import connect

    with contextlib.ExitStack() as stack:
        waiting = f"for workers at {args.workers}: start some, and the work begins (Ctrl-C ends it)"
        with output.told_if_late(waiting):
            cluster = stack.enter_context(connect(args.workers, patience=None))
            workers = cluster.workers()
        threads = so_many(sum(workers.values()), "thread")
        said = f"{so_many(len(workers), 'worker')} with {threads} at {cluster.address}"
        dashboard = cluster.dashboard
        if dashboard and _answers(dashboard):
            said += f"; dashboard {dashboard}"
        output.message("note", said)
        with cluster.watched(lambda said: output.message("waiting", said)):
            yield cluster


def wants_picture(args: argparse.Namespace) -> bool:
    """Whether a picture was asked for."""
    return bool(args.svg or args.png)


def check_picture_options(args: argparse.Namespace) -> None:
    """Refuse pictures of many positions, and on standard output."""
    for option, name in (("--svg", args.svg), ("--png", args.png)):
        if name and getattr(args, "input", None) is not None:
            raise CommandError("picture_of_one", option=option)
        if name == "-":
            raise CommandError("picture_to_stdout", option=option)


def write_pictures(args: argparse.Namespace, drawn: Any) -> dict[str, object]:
    """Write the pictures asked for; return their file names by kind.

    Args:
        args: of the command.
        drawn: a position, or a solution with values: it has `svg` and `png`.

    Raises:
        CommandError: a picture cannot be drawn or written.
    """
    written: dict[str, object] = {}
    if args.svg:
        output.write_file("--svg", args.svg, drawn.svg().encode())
        written["svg"] = args.svg
    if args.png:
        with refused_at("--png"):
            picture = drawn.png()
        output.write_file("--png", args.png, picture)
        written["png"] = args.png
    return written
