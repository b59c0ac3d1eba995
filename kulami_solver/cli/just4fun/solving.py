"""`kulami just4fun solve` and `expect`: the winner, and the expected score with random draws."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, Parser, add_command
from kulami_solver.cli.asking import answered
from kulami_solver.cli.just4fun.positions import add_position_options, drawn, positions
from kulami_solver.cli.reading import answer_each

if TYPE_CHECKING:
    from kulami_solver.core.progress import ProgressLine
    from kulami_solver.just4fun import Expectation, Position, Solution

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
    """Add the options for the limits and the goal of a search."""
    which = command.one_of()
    which.switch("--all", f"print the {value} of every move")
    which.switch("--value-only", "leave the moves out of the JSON, which is faster")
    command.seconds("--time", "stop after this long")
    command.number("--nodes", 1, 10**18, "stop after so many positions")


def run_solve(args: argparse.Namespace) -> int:
    """Solve each position."""
    from kulami_solver.just4fun import solve

    def ask(position: Position, line: ProgressLine) -> Solution:
        return solve(
            position,
            time=args.time,
            nodes=args.nodes,
            memory=args.memory,
            every_move=every_move(args),
            progress=lambda now: line.show(now.nodes, None, now.words()),
        )

    return _answer_each(args, ask)


def run_expect(args: argparse.Namespace) -> int:
    """Find the expected score of each position."""
    from dataclasses import replace

    from kulami_solver.just4fun import expect

    def ask(position: Position, line: ProgressLine) -> Expectation:
        return expect(
            # Draws are random here, so the order of the stock after a deal is dropped.
            position if args.deal is None else replace(position, ordered=False),
            time=args.time,
            nodes=args.nodes,
            every_move=every_move(args),
            progress=lambda now: line.show(now.nodes, None, now.words()),
        )

    return _answer_each(args, ask)


def every_move(args: argparse.Namespace) -> bool:
    """Whether every move is to be valued."""
    in_json = args.json or args.input is not None
    return args.all or (in_json and not args.value_only)


def _answer_each(
    args: argparse.Namespace, ask: Callable[[Position, ProgressLine], Solution | Expectation]
) -> int:
    def solved(position: Position) -> int:
        return answered(" positions", partial(ask, position), partial(_answer, args))

    return answer_each(args, positions(args), solved)


def _answer(args: argparse.Namespace, found: Solution | Expectation) -> None:
    if args.json or args.input is not None:
        output.json_line(found.to_json())
    else:
        output.line("\n".join(_report(found)))


def _report(found: Solution | Expectation) -> Iterator[str]:
    """Yield the lines about a result; with the moves if all of them were asked for."""
    from kulami_solver.just4fun import Expectation

    yield from (drawn(found.position), "", f"value     {found.words()}")
    if isinstance(found, Expectation) and found.win is not None:
        yield f"chances   win {found.win}, draw {found.draw}, loss {found.loss}"
    if found.best is not None:
        yield f"best      {found.best}"
    if found.line:
        yield f"line      {' '.join(map(str, found.line))}"
    yield from output.listed("moves", ((move.move, found.words(move)) for move in found.moves))
    yield f"searched  {found.nodes:,} positions in {found.seconds:.2f} s"
