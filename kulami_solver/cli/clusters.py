"""More than one machine: the option that names a cluster, and the connection to its workers."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Parser, whole_number
from kulami_solver.cli.ending import CommandError
from kulami_solver.core.notation import so_many
from kulami_solver.errors import KulamiError

if TYPE_CHECKING:
    from kulami_solver.cluster import Cluster

#: How the option's value is shown in help.
ADDRESS: Final = "tcp://HOST:PORT"


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
