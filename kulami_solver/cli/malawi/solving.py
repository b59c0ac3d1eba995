"""`kulami malawi solve`: from the ends where that is possible, else by search."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

import kulami_solver as ks
from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command
from kulami_solver.cli.databases import (
    add_database_command,
    build_options,
    building,
    report_check,
    sound_source,
    tell_made,
)
from kulami_solver.cli.malawi import GAME, board_text
from kulami_solver.cli.output import EXIT_OK, CommandError
from kulami_solver.cli.solving import asked, looked_up, report
from kulami_solver.core.progress import ProgressLine
from kulami_solver.errors import KulamiError

if TYPE_CHECKING:
    from kulami_solver.core.retrograde_driver import Progress
    from kulami_solver.malawi.game import MalawiState
if TYPE_CHECKING:
    from kulami_solver.storage.database import Verified


#: The most time of a search without a given budget, in seconds ...
SEARCH_SECONDS = 30.0
#: ... and the most estimated time for solving a board from its ends without --force.
LONGEST = 300.0


def add_commands(group: Commands) -> None:
    """Add the commands."""
    command = add_command(group, "solve", run, "find what a position is worth")
    GAME.add_position_options(command)
    command.switch("--all", "the value of every legal turn")
    command.number("--depth", 1, 1000, "search, and no more than N plies deep")
    command.seconds("--time", "search, and stop after this long")
    command.number("--nodes", 1, 10**18, "search, and stop after so many positions")
    command.build(
        threads="to solve from the ends with; a search has one",
        force="solve from the ends whatever the estimate says",
    )
    command = add_database_command(group, "build", run_build, "solve a board, into a file")
    command.of_game(*GAME.options)
    command.build()

    command = add_database_command(group, "probe", run_probe, "look a position up in a database")
    GAME.add_position_options(command)
    command.switch("--all", "the value of every legal turn")

    add_database_command(group, "info", run_info, "what a database holds, by plies to the end")

    command = add_database_command(
        group, "verify", run_verify, "compute every value of a database again"
    )
    command.number("--threads", 1, 256, "threads to use")


def run(args: argparse.Namespace) -> int:
    """Solve a position by the method that suits it."""
    GAME.take_small(args)
    state = GAME.state(args)
    budgeted = (args.depth, args.time, args.nodes) != (None, None, None)
    if args.mfn is None and not args.turns and not budgeted and not args.all:
        board = state.game.board
        why_not = why_not_from_the_ends(board, LONGEST, args)
        if why_not is None:
            return _retrograde(args, state.position, board)
        output.message("note", f"{why_not}; searching forwards instead")
    elif args.force or args.threads is not None:
        output.warn(["a search has no use for --threads and --force: they solve from the ends"])
    return _search(args, state)


def why_not_from_the_ends(
    board: ks.malawi.Board, longest: float, args: argparse.Namespace | None = None
) -> str | None:
    """Return the reason why a board is not solved from its ends; None if it is.

    Args:
        board: the board.
        longest: most seconds that this may take.
        args: of a command with --threads, --memory and --force.
    """
    from kulami_solver.core.budgets import workers_of
    from kulami_solver.malawi.solving import check_budget, estimate
    from kulami_solver.storage.resources import duration

    threads = 1 if args is None else workers_of(args.threads, name="threads")
    memory, force = (None, False) if args is None else (args.memory, args.force)
    try:
        expected = estimate(board, threads)
        check_budget(board, None, threads, memory, force)
    except KulamiError as error:
        return str(error)
    if expected.seconds > longest and not force:
        hint = "" if args is None else " (--force)"
        return f"solving {board} from its ends may take {duration(expected.seconds)}{hint}"
    return None


def _retrograde(
    args: argparse.Namespace, position: ks.malawi.Position, board: ks.malawi.Board
) -> int:

    with ProgressLine(" positions") as line:
        solved = ks.malawi.solve_board(
            board,
            threads=args.threads,
            memory=args.memory,
            force=args.force,
            progress=partial(show, line),
        )
    told = {"mfn": position.mfn(), **figures(solved), "method": "retrograde"}
    value = ks.malawi.Value(solved.outcome, solved.plies).words(position.turn)
    return output.answer(
        args,
        _in_order({**told, "line": [], "turns": []}),
        f"{board_text(position)}\n\nvalue     {value}\n"
        f"solved    {solved.reachable:,} positions from the ends of the game backwards "
        f"in {solved.seconds:.2f} s\n"
        f"          {solved.wins:,} won, {solved.draws:,} drawn, {solved.losses:,} lost "
        f"for the side to move; longest {solved.longest} plies",
    )


def _search(args: argparse.Namespace, state: MalawiState) -> int:
    position = state.position
    budgeted = (args.depth, args.time, args.nodes) != (None, None, None)
    seconds = args.time if budgeted else SEARCH_SECONDS
    budget = ks.game.Budget(seconds, args.nodes, memory=args.memory, depth=args.depth)

    def tell(solution: ks.malawi.Solution) -> None:
        told = {
            "board": f"{position.columns}x{position.rows}",
            "beads": state.game.beads if args.mfn is None else None,
            **solution.to_json(),
            "method": "search",
        }
        output.answer(args, _in_order(told), in_words(solution))

    return asked(ks.game.Question(state, args.all, budget=budget), tell)


def _in_order(known: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of an answer by any method, with null for unknown values."""
    of_board = "mfn board beads reachable outcome plies draws wins losses longest"
    of_search = "within best line turns nodes seconds method"
    return {key: known.get(key) for key in f"{of_board} {of_search}".split()}


def figures(solved: ks.malawi.Solved) -> dict[str, Any]:
    """The facts found about a board, for JSON."""
    names = ("reachable", "outcome", "plies", "draws", "wins", "losses", "longest")
    counted = {name: getattr(solved, name) for name in names}
    board, seconds = solved.board, round(solved.seconds, 3)
    return {"board": str(board), "beads": board.beads, **counted, "seconds": seconds}


def show(line: ProgressLine, state: Progress) -> None:
    """Draw the progress of an analysis."""
    line.show(state.done, state.total, f"layer {state.layer}: {state.step}")


def in_words(solution: ks.malawi.Solution) -> str:
    """Return a solution in words, with the turns that it values."""
    moves = turn_lines(solution) if solution.moves else ()
    return report(solution, board_text(solution.position), moves=moves)


def turn_lines(solution: ks.malawi.Solution) -> list[str]:
    """Return every turn with its value in words."""
    head = "turns"
    return output.listed(head, ((one.move, solution.words(one)) for one in solution.moves))


#: The most estimated time for solving a board for a check or a grade, in seconds.
LONGEST_TO_CHECK = 60.0


def run_build(args: argparse.Namespace) -> int:
    """Build a database."""
    from kulami_solver.storage.kept_work import target_of

    board = GAME.game(args).board
    with building(" positions", target_of(args.database)) as line:
        built = ks.malawi.build(
            args.database, board, progress=partial(show, line), **build_options(args)
        )
    told = {"database": built.path, **figures(built), "bytes": built.bytes}
    value = ks.malawi.Value(built.outcome, built.plies).words("red")
    return tell_made(args, built, built.reachable, told, value)


def run_probe(args: argparse.Namespace) -> int:
    """Look up a position."""
    position = GAME.state(args).position
    nothing = ks.malawi.Solution.of(
        position, ks.malawi.Value(None), source="database"
    ).to_json() | {"source": None}
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

        if why_not_from_the_ends(board, LONGEST_TO_CHECK) is not None:
            return None
        path = f"{self._stack.enter_context(TemporaryDirectory())}/{board}.kdb"
        ks.malawi.build(path, board)
        return self._stack.enter_context(ks.malawi.Database(path))
