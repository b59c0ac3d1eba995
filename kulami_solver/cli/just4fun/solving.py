"""`kulami just4fun solve` and `expect`: who wins, and what is scored where draws are chance."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, Parser, add_command
from kulami_solver.cli.asking import answered
from kulami_solver.cli.ending import EXIT_OK
from kulami_solver.cli.just4fun.positions import add_position_options, drawn, positions
from kulami_solver.errors import catalogue

if TYPE_CHECKING:
    from kulami_solver.core.progress import ProgressLine
    from kulami_solver.just4fun import Expectation, MoveExpectation, MoveOutcome, Position, Solution

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

EXPECT = """\
Hands are open, and every draw is as likely as every other. Two players. When a
card has to be drawn and none is left, the discards are the new stock, those
just played among them. The expected score is that of the side to move under
best play of both: 1 for a win, 1/2 for a draw. It is an exact fraction, or
lies between two true bounds, where a budget or Ctrl-C ends the search and
where hands without a play could be put away for ever. In JSON every move is
valued unless --value-only asks for less.

example
  kulami just4fun expect --line 3 --hand 2 --all \\
      --position "3x3 2:b1,5:r1,6:r1 r1b2 b r3.3,b4.5 {1.1.2.2} -"
"""


def add_commands(group: Commands) -> None:
    """Add `solve` and `expect`."""
    command = add_command(group, "solve", run_solve, "find who wins, all cards being known", SOLVE)
    add_position_options(command, many=True)
    add_search_options(command, "outcome")
    command.memory("of the table: 64M, 1G; a plain number is MiB")

    command = add_command(
        group, "expect", run_expect, "find the expected score, draws being chance", EXPECT
    )
    add_position_options(command, many=True)
    add_search_options(command, "expected score")


def add_search_options(command: Parser, value: str) -> None:
    """Add what a search may cost, and what it has to find out."""
    which = command.one_of()
    which.switch("--all", f"print the {value} of every move")
    which.switch("--value-only", "leave the moves out of the JSON, which is faster")
    command.seconds("--time", "stop after this long")
    command.number("--nodes", 1, 10**18, "stop after so many positions")


def run_solve(args: argparse.Namespace) -> int:
    """Solve each position."""
    from kulami_solver.just4fun import SearchInterrupted, solve

    for position in positions(args):

        def ask(line: ProgressLine, position: Position = position) -> Solution:
            return solve(
                position,
                time=args.time,
                nodes=args.nodes,
                memory=args.memory,
                every_move=every_move(args),
                progress=lambda now: line.show(now.nodes, None, f"{now.lower} to {now.upper}"),
            )

        ended = answered(" positions", ask, SearchInterrupted, partial(_answer, args))
        if ended != EXIT_OK:
            return ended
    return EXIT_OK


def run_expect(args: argparse.Namespace) -> int:
    """Find the expected score of each position."""
    from dataclasses import replace

    from kulami_solver.just4fun import ExpectationInterrupted, expect

    for given in positions(args):
        # Draws are chance here: in what order a deal has put its stock is forgotten.
        position = given if args.deal is None else replace(given, ordered=False)

        def ask(line: ProgressLine, position: Position = position) -> Expectation:
            return expect(
                position,
                time=args.time,
                nodes=args.nodes,
                every_move=every_move(args),
                progress=lambda now: line.show(now.nodes, None, f"{now.done} of {now.moves} moves"),
            )

        ended = answered(" positions", ask, ExpectationInterrupted, partial(_answer_expected, args))
        if ended != EXIT_OK:
            return ended
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


def _answer_expected(args: argparse.Namespace, found: Expectation) -> None:
    if args.json or args.input is not None:
        output.json_line(found.to_json())
        return
    lines = [drawn(found.position), "", f"value     {found.words()}"]
    if found.win is not None:
        chances = (("win", found.win), ("draw", found.draw), ("loss", found.loss))
        lines.append("chances   " + ", ".join(f"{name} {chance}" for name, chance in chances))
    if found.best is not None:
        lines.append(f"best      {found.best}")
    if args.all:
        lines += move_lines([(str(move.move), expected_words(move)) for move in found.moves])
    lines.append(f"searched  {found.nodes:,} positions in {found.seconds:.2f} s")
    output.line("\n".join(lines))


def expected_words(move: MoveExpectation) -> str:
    """What a move is expected to score for the side that makes it."""
    if move.expected is None:
        return f"{move.lower} to {move.upper}"
    return f"{move.expected}  ({float(move.expected):.3f})"


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


def move_lines(moves: list[tuple[str, str]], language: str = "en") -> list[str]:
    """Every move with what it is worth, below each other."""
    wide = max((len(move) for move, _ in moves), default=0)
    head = catalogue(language).get("moves", "moves")
    return [
        f"{'' if number else head:<10}{move:<{wide}}  {worth}"
        for number, (move, worth) in enumerate(moves)
    ]
