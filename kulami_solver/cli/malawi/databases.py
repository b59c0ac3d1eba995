"""`kulami malawi build`, `probe`, `info` and `verify`: solved boards in files."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands
from kulami_solver.cli.asking import building
from kulami_solver.cli.databases import (
    add_build_options,
    add_database_command,
    report_check,
)
from kulami_solver.cli.ending import EXIT_FAILED, EXIT_OK
from kulami_solver.cli.language import spoken
from kulami_solver.cli.malawi.positions import (
    add_beads_option,
    add_position_options,
    board_of,
    drawn,
    position_of,
)
from kulami_solver.cli.malawi.solving import REPORTED, figures, report, shown
from kulami_solver.cli.malawi.words import MARKS

if TYPE_CHECKING:
    from kulami_solver.storage.verified import Verified


BUILD_DETAILS = """\
Before it starts, a build says no if memory or disk will not do by its estimate
(--force builds all the same), or if DB is a file of another kind or a database
of other positions (--force replaces it). Its work lies in DB.building; after
Ctrl-C, or any other end, the same command goes on from the last layer that was
complete.

examples
  kulami malawi build small.kdb --board 3x4
  kulami malawi probe small.kdb --board 3x4 --turns "a4-a2" --all
"""


PROBE_DETAILS = f"""\
The exit code is 1 if the position is not in the database.

{REPORTED}
"""

INFO_DETAILS = f"""\
{MARKS}
below that
  value      of the start of a game, which the board shows
columns
  plies      turns of both sides to the end of the game
  won, lost  positions from which the side to move wins, or loses, in so many
  drawn      in the last row, positions that are a draw
"""


def add_commands(group: Commands) -> None:
    """Add the commands."""
    command = add_database_command(
        group, "build", run_build, "solve a board, into a file", BUILD_DETAILS
    )
    command.add_argument("--board", metavar="3x4", help="columns x rows", required=True)
    add_beads_option(command)
    add_build_options(command)

    command = add_database_command(
        group, "probe", run_probe, "look a position up in a database", PROBE_DETAILS
    )
    add_position_options(command)
    command.switch("--all", "the value of every legal turn")

    add_database_command(
        group, "info", run_info, "what a database holds, by plies to the end", INFO_DETAILS
    )

    command = add_database_command(
        group, "verify", run_verify, "compute every value of a database again"
    )
    command.number("--threads", 1, 256, "threads to use")


def run_build(args: argparse.Namespace) -> int:
    """Build a database."""
    from kulami_solver.malawi import Value, build
    from kulami_solver.storage.build_folder import target_of

    board = board_of(args)
    with building(" positions", target_of(args.database)) as line:
        built = build(
            args.database,
            board,
            threads=args.threads,
            memory=args.memory,
            force=args.force,
            overwrite=args.force,
            progress=shown(line),
        )
    if args.json:
        output.json_line({"database": built.path, **figures(built), "bytes": built.bytes})
    else:
        output.line(
            f"{built.path}: {built.reachable:,} positions in {built.bytes:,} bytes "
            f"({built.bytes / built.reachable:.2f} a position), {built.seconds:.1f} s; "
            f"{Value(built.outcome, built.plies).words('red')}"
        )
    return EXIT_OK


def run_probe(args: argparse.Namespace) -> int:
    """Look up a position."""
    from kulami_solver.malawi import Solution, Value, open_database
    from kulami_solver.storage.container import NotInDatabaseError

    position = position_of(args)
    with open_database(args.database) as database:
        try:
            solution = database.probe(position, every_move=args.all)
        except NotInDatabaseError as error:
            if args.json:
                nothing = Solution.of(position, Value(None), source="database")
                output.json_line({**nothing.to_json(), "source": None})
            else:
                output.error(error, spoken())
            return EXIT_FAILED
    if args.json:
        output.json_line(solution.to_json())
    else:
        output.line(report(solution, args.all))
    return EXIT_OK


def run_info(args: argparse.Namespace) -> int:
    """Describe a database."""
    from kulami_solver.malawi import Position, Value, open_database

    with open_database(args.database) as database:
        database.check_sections()
        counted = database.counts()
        start = Position.start(database.board)
        about = {
            "database": database.path,
            "board": str(database.board),
            "beads": database.board.beads,
            "outcome": database.value.outcome,
            "plies": database.value.plies,
            "positions": database.positions,
            "bytes": database.bytes,
            "bytes_per_position": round(database.bytes / database.positions, 3),
            "ok": True,
        }
        if args.json:
            about["values"] = [
                {"outcome": value.outcome, "plies": value.plies, "positions": positions}
                for value, positions in counted.items()
            ]
            output.json_line(about)
            return EXIT_OK
        output.line(drawn(start))
        output.line()
        output.line(f"{'value':<11}{database.value.words('red')}")
        for name in ("positions", "bytes"):
            output.line(f"{name:<11}{about[name]:,}")
        output.line(f"{'':<11}{about['bytes_per_position']} bytes a position")
        output.line(f"\n{'plies':>7}{'won':>16}{'lost':>16}   for the side to move")
        longest = max(value.plies or 0 for value in counted)
        for plies in range(longest + 1):
            won, lost = (counted.get(Value(outcome, plies), 0) for outcome in ("win", "loss"))
            output.line(f"{plies:>7}{won:>16,}{lost:>16,}")
        output.line(f"{'drawn':>7}{counted.get(Value('draw'), 0):>16,}")
    return EXIT_OK


def run_verify(args: argparse.Namespace) -> int:
    """Check a database thoroughly."""
    from kulami_solver.malawi import open_database, verify

    def check(show: Callable[[int, int], None]) -> Verified:
        with open_database(args.database) as database:
            return verify(database, threads=args.threads, progress=show)

    return report_check(args, check)
