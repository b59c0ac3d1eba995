"""Solved boards of Malawi in files: `build`, `probe`, `info`, `verify`, and what a check asks."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

import kulami_solver as ks
from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands
from kulami_solver.cli.databases import (
    add_database_command,
    build_options,
    building,
    report_check,
    sound_source,
    tell_made,
)
from kulami_solver.cli.malawi import GAME, board_text
from kulami_solver.cli.malawi.solving import figures, in_words, show, why_not_from_the_ends
from kulami_solver.cli.output import EXIT_OK, CommandError
from kulami_solver.cli.solving import looked_up

if TYPE_CHECKING:
    from kulami_solver.storage.database import Verified

#: The most estimated time for solving a board for a check or a grade, in seconds.
LONGEST = 60.0


def add_commands(group: Commands) -> None:
    """Add the commands."""
    command = add_database_command(group, "build", run_build, "solve a board, into a file")
    command.of_game(*GAME.options)
    command.build()

    command = add_database_command(group, "probe", run_probe, "look a position up in a database")
    GAME.add_position_options(command)
    command.switch("--all", "the value of every legal turn")

    add_database_command(group, "info", run_info, "what a database holds, by plies to the end")

    words = "compute every value of a database again"
    command = add_database_command(group, "verify", run_verify, words)
    command.number("--threads", 1, 256, "threads to use")


def run_build(args: argparse.Namespace) -> int:
    """Build a database."""
    from kulami_solver.storage.kept_work import target_of

    board = GAME.game(args).board
    with building(" positions", target_of(args.database)) as line:
        options = build_options(args)
        built = ks.malawi.build(args.database, board, progress=partial(show, line), **options)
    told = {"database": built.path, **figures(built), "bytes": built.bytes}
    value = ks.malawi.Value(built.outcome, built.plies).words("red")
    return tell_made(args, built, built.reachable, told, value)


def run_probe(args: argparse.Namespace) -> int:
    """Look up a position."""
    position = GAME.state(args).position
    unknown = ks.malawi.Solution.of(position, ks.malawi.Value(None), source="database")
    nothing = unknown.to_json() | {"source": None}
    with ks.malawi.Database(args.database) as database:

        def find() -> tuple[dict[str, Any], str]:
            solution = database.probe(position, every_move=args.all)
            return solution.to_json(), in_words(solution)

        return looked_up(args, find, nothing)


def run_info(args: argparse.Namespace) -> int:
    """Describe a database."""
    with ks.malawi.Database(args.database) as database:
        database.check_sections()
        counted = database.counts()
        start = ks.malawi.Position.start(database.board)
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
        output.line(board_text(start))
        output.line()
        output.line(f"{'value':<11}{database.value.words('red')}")
        for name in ("positions", "bytes"):
            output.line(f"{name:<11}{about[name]:,}")
        output.line(f"{'':<11}{about['bytes_per_position']} bytes a position")
        output.line(f"\n{'plies':>7}{'won':>16}{'lost':>16}   for the side to move")
        longest = max(value.plies or 0 for value in counted)
        for plies in range(longest + 1):
            won, lost = (
                counted.get(ks.malawi.Value(outcome, plies), 0) for outcome in ("win", "loss")
            )
            output.line(f"{plies:>7}{won:>16,}{lost:>16,}")
        output.line(f"{'drawn':>7}{counted.get(ks.malawi.Value('draw'), 0):>16,}")
    return EXIT_OK


def run_verify(args: argparse.Namespace) -> int:
    """Check a database thoroughly."""

    def check(show: Callable[[int, int], None]) -> Verified:
        with ks.malawi.Database(args.database) as database:
            return ks.malawi.verify(database, threads=args.threads, progress=show)

    return report_check(args, check)


class SolvedBoards:
    """Databases of boards: a given one, or those of small boards, made when first needed.

    As a source of values it asks the given one while that is sound.

    Args:
        path: the file of the given database; None to make databases.
        stack: closes the databases, and deletes those that were made.
    """

    def __init__(self, path: str | None, stack: ExitStack) -> None:
        self._given = None if path is None else sound_source(stack, path, "database", "malawi")
        self._stack = stack
        self._made: dict[ks.malawi.Board, ks.malawi.Database | None] = {}

    def database(self, board: ks.malawi.Board) -> Any:
        """Return the database of a board; None if it would take too long to make.

        Raises:
            CommandError: if the given database is of another board.
        """
        given = self._given
        if given is None or given.fault is not None:
            if board not in self._made:
                self._made[board] = self._solved(board)
            return self._made[board]
        if given.board != board:
            raise CommandError(
                f"--database: {given.path} is of a board of {given.board} with "
                f"{given.board.beads} beads a figure, not {board} with {board.beads}; name "
                "another one"
            )
        return given

    def answer(self, question: ks.game.Question) -> Any:
        """Return the answer of the database of a state's board; None if it has none."""
        database = self.database(question.state.game.board)
        found = database and database.answer(question)
        # One that is found damaged just now is asked no more.
        return found if getattr(database, "fault", None) is None else self.answer(question)

    def _solved(self, board: ks.malawi.Board) -> ks.malawi.Database | None:
        from tempfile import TemporaryDirectory

        if why_not_from_the_ends(board, LONGEST) is not None:
            return None
        path = f"{self._stack.enter_context(TemporaryDirectory())}/{board}.kdb"
        ks.malawi.build(path, board)
        return self._stack.enter_context(ks.malawi.Database(path))
