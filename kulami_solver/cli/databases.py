"""The shared parts of the commands about databases, for all games."""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import kulami_solver as ks
from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, Parser, add_command
from kulami_solver.cli.output import EXIT_FAILED, EXIT_OK, CommandError, CommandInterrupted
from kulami_solver.core.locks import beside
from kulami_solver.core.notation import so_many
from kulami_solver.core.progress import ProgressLine
from kulami_solver.errors import reason

if TYPE_CHECKING:
    from kulami_solver.storage.database import Verified


def add_database_command(commands: Commands, name: str, run: Any, summary: str) -> Parser:
    """Add a command whose first word is the name of a database."""
    parser = add_command(commands, name, run, summary)
    parser.file("database", "the file", "DB")
    return parser


def sound_source(
    stack: contextlib.ExitStack, path: str, kind: str = "database", game: str | None = None
) -> Any:
    """Open a database or a proof until `stack` ends, as a `Spare` source.

    One that is damaged, or is found damaged later, is left aside, and a warning says so.

    Args:
        stack: closes it.
        path: the file.
        kind: "database" or "proof".
        game: whose it has to be; None for any.

    Returns:
        None for one that is damaged.

    Raises:
        DatabaseError: if the file is no such thing, or of another game.
        OSError: if it cannot be read.
    """
    from kulami_solver.storage.container import MAGIC, PROOF_MAGIC, OtherGameError, begins_with
    from kulami_solver.storage.database import open_source

    try:
        return ks.game.Spare(stack.enter_context(open_source(path, game, kind)), _left_aside)
    except ks.DatabaseError as error:
        magic = {"database": MAGIC, "proof": PROOF_MAGIC}[kind]
        if isinstance(error, OtherGameError) or not begins_with(path, magic):
            raise
        return _left_aside(error)


def _left_aside(fault: Exception) -> None:
    output.warn([f"left aside: {fault}"])


@contextlib.contextmanager
def building(
    unit: str, file: str | os.PathLike[str], ending: str = ".building"
) -> Iterator[ProgressLine]:
    """Return the progress line of work on a file; Ctrl-C and a full disk say what is left of it.

    Args:
        unit: the unit that the progress line counts, with a blank before it.
        file: the file that is made.
        ending: unfinished work lies in the folder with this after the name of the file.
    """
    work = beside(file, ending)
    with ProgressLine(unit) as line:
        try:
            yield line
        except KeyboardInterrupt:
            raise CommandInterrupted(_left_of(work)) from None
        except OSError as error:
            if error.errno not in output.DISK_FULL or not os.path.exists(work):
                raise
            raise CommandError(f"{file}: {reason(error)}; make room: {_left_of(work)}") from None


def _left_of(work: str) -> str:
    """What is left of unfinished work, in words."""
    if not os.path.exists(work):
        return "nothing was kept"
    return f"the work so far is in {work}; the same command goes on with it"


def build_options(args: argparse.Namespace) -> dict[str, Any]:
    """The options for the resources of a build."""
    names = ("threads", "memory", "force")
    return {name: getattr(args, name) for name in names} | {"overwrite": args.force}


def tell_made(
    args: argparse.Namespace, made: Any, positions: int, told: Mapping[str, Any], value: str
) -> int:
    """Describe a file that was made: in JSON as `told`, in words by its positions and value."""
    return output.answer(
        args,
        told,
        f"{made.path}: {so_many(positions, 'position')} in {made.bytes:,} bytes "
        f"({made.bytes / positions:.2f} a position), {made.seconds:.1f} s; {value}",
    )


def report_check(
    args: argparse.Namespace, check: Callable[[Callable[[int, int], None]], Verified]
) -> int:
    """Check a database of any game, with a progress line, and print the result.

    Args:
        args: the arguments of the command.
        check: does the check, and calls a function with its progress.

    Raises:
        DatabaseError: what is named is no file, or one of another game.
    """
    from kulami_solver.storage.container import OtherGameError, check_regular

    check_regular(args.database, args.database)
    try:
        with ProgressLine(" positions") as line:
            result = check(line.show)
        problems: list[object] = list(result.problems)
        counts = [result.positions, result.bytes, result.searched]
    except OtherGameError:
        raise
    except ks.DatabaseError as error:
        problems, counts = [error], [0, 0, 0]
    if args.json or not problems:
        told = {
            "ok": not problems,
            **dict(zip(("positions", "bytes", "searched"), counts, strict=True)),
            "problems": [str(problem) for problem in problems],
        }
        searched = f", {so_many(counts[2], 'position')} searched" if counts[2] else ""
        values = f"{counts[0]:,} values computed again, " if counts[0] else ""
        output.answer(
            args,
            told,
            f"{args.database}: ok; {values}{counts[1]:,} bytes "
            f"compared with their checksums{searched}",
        )
    for problem in problems:
        output.message("error", problem)
    return EXIT_FAILED if problems else EXIT_OK
