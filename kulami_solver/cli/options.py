"""Options that several commands have, and what they stand for.

--threads, --memory, --force   what a build or a proof may use
--movetime, --nodes, --depth   limits of a bot's thinking: a `Clock`
--seed                         of whatever is left to chance
--workers                      the machines of a cluster: `workers_asked_for`
--svg, --png                   pictures of one position: `write_pictures`
"""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Options, Parser, seconds, whole_number
from kulami_solver.cli.ending import CommandError, refused_at
from kulami_solver.core.notation import so_many
from kulami_solver.errors import KulamiError

if TYPE_CHECKING:
    from kulami_solver.bots.protocol import Clock
    from kulami_solver.cluster import Cluster

#: How the option's value is shown in help.
ADDRESS: Final = "tcp://HOST:PORT"


def add_build_options(
    parser: Parser,
    threads: str = "threads to use",
    force: str = (
        "build whatever the estimate says, throw away another build's work, and replace a file "
        "that is there"
    ),
) -> None:
    """Add the options for the resources of a build; two of them with the given help."""
    parser.number("--threads", 1, 256, threads)
    parser.memory("what may be used: 4G, 500M; a plain number is MiB")
    parser.switch("--force", force)


def add_clock_options(parser: Parser) -> None:
    """Add the limits of a bot's thinking."""
    group = parser.group("limits for each move")
    group.seconds("--movetime", "time")
    group.number("--nodes", 1, 10**15, "positions")
    group.number("--depth", 1, 64, "plies")


def game_clock(text: str) -> tuple[float, float]:
    """A time for a game and the increment for each move, in seconds, for argparse.

    >>> game_clock("60"), game_clock("10+0.1")
    ((60.0, 0.0), (10.0, 0.1))
    """
    whole, plus, more = text.partition("+")
    return seconds(whole), seconds(more) if plus else 0.0


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


def add_seed_option(parser: Options) -> None:
    """Add --seed."""
    parser.number("--seed", 0, 2**31, "of whatever is left to chance (0)", 0)


def add_workers_option(parser: Parser, what: str) -> None:
    """Add --workers with the address of a scheduler.

    Args:
        parser: the parser that gets the option.
        what: the work of the scheduler's workers, for the help.
    """
    parser.value(
        "--workers",
        ADDRESS,
        f"a dask scheduler whose workers {what} (see docs/cluster.md)",
        address,
    )


def address(text: str) -> str:
    """The address of a scheduler; `connect` checks that a scheduler is there.

    >>> address("tcp://127.0.0.1:8786")
    'tcp://127.0.0.1:8786'
    """
    if "://" not in text:
        raise KulamiError("usage_address", address=ADDRESS, given=text)
    return text


def workers_or_address(low: int, high: int) -> Callable[[str], int | str]:
    """A reader of a number of processes, or of the address of a scheduler.

    >>> read = workers_or_address(1, 256)
    >>> read("2"), read("tcp://127.0.0.1:8786")
    (2, 'tcp://127.0.0.1:8786')
    """
    number = whole_number(low, high)

    def read(text: str) -> int | str:
        return address(text) if "://" in text else number(text)

    return read


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


def add_picture_options(parser: Parser, shows: str = "") -> None:
    """Add --svg and --png; `shows` describes the pictures."""
    parser.output("--svg", f"write a drawing{shows}", ".svg")
    parser.output("--png", f"write a picture{shows}", ".png")


def wants_picture(args: argparse.Namespace) -> bool:
    """Whether a picture was asked for."""
    return bool(args.svg or args.png)


def check_picture_options(args: argparse.Namespace) -> None:
    """Refuse pictures of many positions, and on standard output."""
    if getattr(args, "input", None) is not None and wants_picture(args):
        option = "--svg" if args.svg else "--png"
        raise CommandError("picture_of_one", option=option)
    for option, name in (("--svg", args.svg), ("--png", args.png)):
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
