"""`kulami just4fun solve`: who wins when all cards are known."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from kulami_solver.cli import output
from kulami_solver.cli.arguments import (
    Commands,
    Parser,
    add_command,
    memory_size,
    seconds,
    whole_number,
)
from kulami_solver.cli.ending import EXIT_INTERRUPTED, EXIT_OK
from kulami_solver.cli.just4fun.positions import add_position_options, drawn, positions
from kulami_solver.core.progress import ProgressLine

if TYPE_CHECKING:
    from kulami_solver.just4fun import MoveOutcome, Solution
    from kulami_solver.just4fun.solving import SearchProgress

SOLVE = """\
Double-dummy: all hands and the order of the stock are known, as bridge solvers
have it. Two players. The stock is drawn as it is written; when it is used up
nobody draws. The outcome is for the side to move. In JSON every move is valued
unless --value-only asks for less. A search that --time, --nodes or Ctrl-C ends
says between which outcomes the value lies.

examples
  kulami just4fun solve --deal 7 --board 3x3 --stones 4 --line 3 --hand 3
  kulami just4fun solve --position "3x3 5:b1 r2b1 r r1.2,b2.3 4.1 -" \\
      --line 3 --hand 2 --all
"""


def add_commands(group: Commands) -> None:
    """Add `solve`."""
    command = add_command(group, "solve", run_solve, "find who wins, all cards being known", SOLVE)
    add_position_options(command, many=True)
    add_search_options(command, "outcome")


def add_search_options(command: Parser, value: str) -> None:
    """Add what a search may cost, and what it has to find out."""
    which = command.add_mutually_exclusive_group()
    which.add_argument("--all", action="store_true", help=f"print the {value} of every move")
    which.add_argument(
        "--value-only", action="store_true", help="leave the moves out of the JSON, which is faster"
    )
    command.add_argument("--time", metavar="SECONDS", type=seconds, help="stop after this long")
    command.add_argument(
        "--nodes", metavar="N", type=whole_number(1, 10**18), help="stop after so many positions"
    )
    command.add_argument(
        "--memory",
        metavar="SIZE",
        type=memory_size,
        help="of the table: 64M, 1G; a plain number is MiB",
    )


def run_solve(args: argparse.Namespace) -> int:
    """Solve each position."""
    from kulami_solver.just4fun import SearchInterrupted, solve

    for position in positions(args):
        line = ProgressLine(" positions")

        def progress(state: SearchProgress, line: ProgressLine = line) -> None:
            line.show(state.nodes, None, f"{state.lower} to {state.upper}")

        try:
            solution = solve(
                position,
                time=args.time,
                nodes=args.nodes,
                memory=args.memory,
                every_move=every_move(args),
                progress=progress,
            )
        except SearchInterrupted as stopped:
            line.close()
            _answer(args, stopped.solution)
            output.message("interrupted", "Ctrl-C; this is what was proved by then")
            return EXIT_INTERRUPTED
        finally:
            line.close()
        _answer(args, solution)
    return EXIT_OK


def every_move(args: argparse.Namespace) -> bool:
    """Whether every move is to be valued."""
    in_json = args.json or args.input is not None
    return args.all or (in_json and not args.value_only)


def _answer(args: argparse.Namespace, solution: Solution) -> None:
    if args.json or args.input is not None:
        output.json_line(solution.to_json())
    else:
        output.line(report(solution, args.all))


def report(solution: Solution, every_move: bool) -> str:
    """A solution in words."""
    lines = [drawn(solution.position), "", f"value     {solution.words()}"]
    if solution.best is not None:
        lines.append(f"best      {solution.best}")
    if solution.line:
        lines.append(f"line      {' '.join(str(move) for move in solution.line)}")
    if every_move:
        lines += move_lines([(str(move.move), outcome_words(move)) for move in solution.moves])
    lines.append(f"searched  {solution.nodes:,} positions in {solution.seconds:.2f} s")
    return "\n".join(lines)


def outcome_words(move: MoveOutcome) -> str:
    """What a move is worth to the side that makes it."""
    return move.outcome or f"{move.lower} to {move.upper}"


def move_lines(moves: list[tuple[str, str]]) -> list[str]:
    """Every move with what it is worth, below each other."""
    wide = max((len(move) for move, _ in moves), default=0)
    return [
        f"{'moves' if number == 0 else '':<10}{move:<{wide}}  {worth}"
        for number, (move, worth) in enumerate(moves)
    ]
