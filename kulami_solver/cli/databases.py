"""The shared parts of the commands about databases, for all games."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, Parser, add_command
from kulami_solver.cli.ending import EXIT_FAILED, EXIT_OK
from kulami_solver.cli.language import of_messages
from kulami_solver.core.progress import ProgressLine

if TYPE_CHECKING:
    from kulami_solver.storage.verified import Verified


def add_database_command(
    commands: Commands, name: str, run: Any, summary: str, details: str = ""
) -> Parser:
    """Add a command whose first word is the name of a database."""
    parser = add_command(commands, name, run, summary, details)
    parser.file("database", "the file", "DB")
    return parser


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


def report_check(
    args: argparse.Namespace,
    check: Callable[[Callable[[int, int], None]], Verified],
    done: str = "computed again",
    more: Mapping[str, float] | None = None,
) -> int:
    """Check a database of any game, with a progress line, and print the result.

    Args:
        args: the arguments of the command.
        check: does the check, and calls a function with its progress.
        done: the words for what the check does with values.
        more: further keys in JSON.
    """
    from kulami_solver.storage.container import DatabaseError

    try:
        with ProgressLine(" positions") as line:
            result = check(line.show)
        problems: list[object] = list(result.problems)
        counts = [result.positions, result.bytes, result.searched]
    except DatabaseError as error:
        problems, counts = [error], [0, 0, 0]
    if args.json:
        output.json_line(
            {
                "ok": not problems,
                "positions": counts[0],
                "bytes": counts[1],
                "searched": counts[2],
                "problems": [str(problem) for problem in problems],
                **(more or {}),
            }
        )
    elif not problems:
        searched = f", {counts[2]} positions searched" if counts[2] else ""
        values = f"{counts[0]:,} values {done}, " if counts[0] else ""
        output.line(
            f"{args.database}: ok; {values}{counts[1]:,} bytes "
            f"compared with their checksums{searched}"
        )
    for problem in problems:
        output.error(problem, of_messages(args.json))
    return EXIT_FAILED if problems else EXIT_OK
