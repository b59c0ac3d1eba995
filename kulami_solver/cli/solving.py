"""`kulami solve`: exact values, as JSON or for a person to read."""

from __future__ import annotations

import argparse
import contextlib
import sys
from typing import TYPE_CHECKING, Any

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command, file_name, seconds, whole_number
from kulami_solver.cli.ending import EXIT_INTERRUPTED, EXIT_OK, CommandError
from kulami_solver.cli.positions import (
    add_position_options,
    add_scoring_option,
    arriving_positions,
    positions,
)
from kulami_solver.errors import KulamiError
from kulami_solver.kulami.words import range_words

if TYPE_CHECKING:
    from kulami_solver.kulami.solve import Goal, MoveValue, Solution, SolveInterrupted


DETAILS = f"""\
Without a budget the search goes on until the value is proved: about a minute
with 40 free fields, hours with a few more. When a budget (--time, --nodes) or
Ctrl-C ends it, the bounds proved so far are printed ('red wins by 2 to 52').
Values in JSON are for the side to move.

A --database answers the positions it holds at once, and cuts a search short
where it comes to one. Most of use is one that was built from a position a move
or two later.

Of --input, as many positions are searched at the same time as there are
--threads, each by one of them; the answers keep the order of the file. Budgets
and --memory are for each position.

{output.MARKS}

examples
  kulami solve --kfn "AAB/CCB r b a1" --all
  kulami solve --layout rulebook --moves "d6 d3" --time 60 --memory 1G
"""


def add_commands(commands: Commands) -> None:
    """Add `solve`."""
    parser = add_command(commands, "solve", run, "find a position's exact value", DETAILS)
    add_position_options(parser)
    add_scoring_option(parser)
    parser.add_argument("--all", action="store_true", help="the value of every legal field")
    parser.add_argument(
        "--goal",
        choices=("margin", "outcome"),
        default="margin",
        help="margin: by how much (default); outcome: only who wins",
    )
    parser.add_argument(
        "--threads",
        metavar="N",
        type=whole_number(1, 256),
        default=1,
        help="threads to search with (1); with --input, positions to search at the same time",
    )
    parser.add_argument(
        "--memory", metavar="SIZE", help="of the table: 64M, 1G; a plain number is MiB"
    )
    parser.add_argument("--time", metavar="SECONDS", type=seconds, help="stop after this long")
    parser.add_argument(
        "--nodes", metavar="N", type=whole_number(1, 10**18), help="stop soon after so many nodes"
    )
    parser.add_argument(
        "--database",
        metavar="DB",
        type=file_name,
        help="take from this file what it knows, of positions to solve and of those searched",
    )


def run(args: argparse.Namespace) -> int:
    """Solve each position."""
    from kulami_solver.core.memory import table_size
    from kulami_solver.kulami.solve import SolveInterrupted

    spread = args.input is not None and args.threads > 1
    try:
        table_size(args.memory, 1, tables=args.threads if spread else 1)
    except KulamiError as error:
        raise CommandError(f"--memory: {error}") from None
    options: dict[str, Any] = {
        "scoring": args.scoring,
        "goal": args.goal,
        "memory": args.memory,
        "time": args.time,
        "nodes": args.nodes,
        "every_move": args.all,
        "progress": output.is_terminal(sys.stderr),
    }
    with contextlib.ExitStack() as stack:
        if args.database is not None:
            from kulami_solver.kulami.probe import open_database

            options["database"] = stack.enter_context(open_database(args.database))
        try:
            if spread:
                _solve_side_by_side(args, options)
            else:
                _solve_in_turn(args, options)
        except SolveInterrupted as stopped:
            return _stopped(args, stopped)
    return EXIT_OK


def _solve_in_turn(args: argparse.Namespace, options: dict[str, Any]) -> None:
    from kulami_solver.kulami.solve import solve

    for position in positions(args):
        _answer(args, solve(position, threads=args.threads, **options))


def _solve_side_by_side(args: argparse.Namespace, options: dict[str, Any]) -> None:
    from kulami_solver.kulami.batch import solve_many

    solutions = solve_many(arriving_positions(args), workers=args.threads, **options)
    with contextlib.closing(solutions):
        for solution in solutions:
            _answer(args, solution)


def _stopped(args: argparse.Namespace, stopped: SolveInterrupted) -> int:
    """Print what is known of the positions that Ctrl-C has met."""
    for solution in (stopped.solution, *stopped.later):
        _answer(args, solution)
    output.message("interrupted", "Ctrl-C; these are the bounds so far")
    return EXIT_INTERRUPTED


def _answer(args: argparse.Namespace, solution: Solution) -> None:
    if args.json or args.input is not None:
        output.json_line(solution.to_json())
    else:
        output.line(report(solution, args.all))


def report(solution: Solution, every_move: bool) -> str:
    """A solution in words."""
    position = solution.position
    turn = position.turn
    counted = solution.scoring.value
    counted = f"level {counted}" if counted.isdigit() else f"panels and {counted}"
    lines = [output.board(position), "", f"scoring   {counted}"]
    if position.is_over:
        lines.append(f"value     the game is over: {value_words(solution, turn, solution.goal)}")
        return "\n".join(lines)
    lines.append(f"value     {value_words(solution, turn, solution.goal)}")
    if solution.best is not None:
        lines.append(f"best      {solution.best}")
    if solution.line:
        lines.append(f"line      {' '.join(solution.line)}")
    if every_move:
        moves = [
            f"{move.field:<4}{value_words(move, turn, solution.goal)}" for move in solution.moves
        ]
        lines += [("moves     " if n == 0 else "          ") + m for n, m in enumerate(moves)]
    if solution.source == "database":
        lines.append("source    the database")
        return "\n".join(lines)
    searched = f"searched  {solution.nodes:,} nodes in {solution.seconds:.2f} s"
    if solution.hits:
        searched += f", {solution.hits:,} positions from the database"
    if solution.seconds >= 0.1:
        searched += f" ({solution.nodes / solution.seconds / 1e6:.1f} M/s)"
    lines.append(searched)
    return "\n".join(lines)


def value_words(value: Solution | MoveValue, turn: str, goal: Goal = "margin") -> str:
    """What a value for the side to move, `turn`, means; by how much where that is the goal."""
    return range_words(value.lower, value.upper, turn, by=goal == "margin")
