"""`kulami just4fun solve` and `expect`: the winner, and the expected score with random draws."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command
from kulami_solver.cli.just4fun import GAME, board_text
from kulami_solver.cli.reading import answer_each
from kulami_solver.cli.solving import answered, report

if TYPE_CHECKING:
    from kulami_solver.core.progress import ProgressLine
    from kulami_solver.just4fun import Expectation, Position, Solution


def add_commands(group: Commands) -> None:
    """Add `solve` and `expect`."""
    for name, run, summary, value in (
        ("solve", run_solve, "find who wins, all cards being known", "outcome"),
        ("expect", run_expect, "find the expected score, draws being chance", "expected score"),
    ):
        command = add_command(group, name, run, summary)
        GAME.add_position_options(command, many=True)
        which = command.one_of()
        which.switch("--all", f"print the {value} of every move")
        which.switch("--value-only", "leave the moves out of the JSON, which is faster")
        command.seconds("--time", "stop after this long")
        command.number("--nodes", 1, 10**18, "stop after so many positions")
        if run is run_solve:
            command.memory("of the table: 64M, 1G; a plain number is MiB")


def run_solve(args: argparse.Namespace) -> int:
    """Solve each position."""
    from kulami_solver.just4fun import solve

    return _answer_each(args, partial(solve, memory=args.memory))


def run_expect(args: argparse.Namespace) -> int:
    """Find the expected score of each position."""
    from dataclasses import replace

    from kulami_solver.just4fun import expect

    def ask(position: Position, **options: Any) -> Expectation:
        # Draws are random here, so the order of the stock after a deal is dropped.
        return expect(
            position if args.deal is None else replace(position, ordered=False), **options
        )

    return _answer_each(args, ask)


def _answer_each(args: argparse.Namespace, find: Callable[..., Solution | Expectation]) -> int:
    in_json = output.in_json(args)

    def ask(position: Position, line: ProgressLine) -> Solution | Expectation:
        return find(
            position,
            time=args.time,
            nodes=args.nodes,
            every_move=args.all or (in_json and not args.value_only),
            progress=lambda now: line.show(now.nodes, None, now.words()),
        )

    def tell(found: Solution | Expectation) -> None:
        output.answer(args, found.to_json(), in_words(found))

    def solved(position: Position) -> int:
        return answered(" positions", partial(ask, position), tell)

    return answer_each(args, GAME.positions(args), solved)


def in_words(found: Solution | Expectation) -> str:
    """Return a result in words; with the moves if all of them were asked for."""
    from kulami_solver.just4fun import Expectation

    more = []
    if isinstance(found, Expectation) and found.win is not None:
        more = [f"chances   win {found.win}, draw {found.draw}, loss {found.loss}"]
    moves = output.listed("moves", ((move.move, found.words(move)) for move in found.moves))
    return report(found, board_text(found.position), more=more, moves=moves)
