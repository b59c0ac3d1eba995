"""What a position of Just 4 Fun is worth, and its moves.

solve       the winner, all cards being known
expect      the expected score, draws being chance
advise      estimates of the moves, hands being hidden
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import kulami_solver as ks
from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, Parser, add_command
from kulami_solver.cli.just4fun import GAME, board_text
from kulami_solver.cli.results import answer_each
from kulami_solver.cli.solving import answered, asked, report

if TYPE_CHECKING:
    from kulami_solver.core.progress import ProgressLine


#: The time for advice where neither --time nor --deals limits it, in seconds.
USUAL_SECONDS = 5.0
#: The methods, as `just4fun.advising` has them.
METHODS = ("double-dummy", "expectation", "playouts")


def add_commands(group: Commands) -> None:
    """Add `solve`, `expect` and `advise`."""
    for name, run, summary, value in (
        ("solve", run_solve, "find who wins, all cards being known", "outcome"),
        ("expect", run_expect, "find the expected score, draws being chance", "expected score"),
    ):
        command = add_command(group, name, run, summary)
        GAME.add_position_options(command, many=True, required=run is run_expect)
        which = command.one_of()
        which.switch("--all", f"print the {value} of every move")
        which.switch("--value-only", "leave the moves out of the JSON, which is faster")
        command.seconds("--time", "stop after this long")
        command.number("--nodes", 1, 10**18, "stop after so many positions")
        if run is run_solve:
            command.memory("of the table: 64M, 1G; a plain number is MiB")
    words = "estimate what every move scores, hands being hidden"
    command = add_command(group, "advise", run_advise, words)
    GAME.add_position_options(command)
    command.switch("--open", "use all that the position says, hidden hands and the stock too")
    add_advice_options(command)


def run_solve(args: argparse.Namespace) -> int:
    """Solve each position."""
    GAME.take_small(args, "deal", "input")
    return _answer_each(args, dummy=True, memory=args.memory)


def run_expect(args: argparse.Namespace) -> int:
    """Find the expected score of each position."""
    return _answer_each(args, dummy=False)


def _answer_each(args: argparse.Namespace, *, dummy: bool, memory: str | None = None) -> int:
    from dataclasses import replace

    from kulami_solver.just4fun.game import state_of

    every_move = args.all or (output.in_json(args) and not args.value_only)
    budget = ks.game.Budget(args.time, args.nodes, memory=memory)

    def tell(found: ks.just4fun.Solution | ks.just4fun.Expectation) -> None:
        output.answer(args, found.to_json(), in_words(found))

    def answer(position: ks.just4fun.Position) -> int:
        if args.deal is not None and not dummy:
            # Draws are random here, so the order of the stock after a deal is dropped.
            position = replace(position, ordered=False)
        return asked(ks.game.Question(state_of(position, dummy), every_move, budget=budget), tell)

    return answer_each(args, GAME.positions(args), answer)


def in_words(found: ks.just4fun.Solution | ks.just4fun.Expectation) -> str:
    """Return a result in words; with the moves if all of them were asked for."""
    more = []
    if isinstance(found, ks.just4fun.Expectation) and found.win is not None:
        more = [f"chances   win {found.win}, draw {found.draw}, loss {found.loss}"]
    moves = output.listed("moves", ((move.move, found.words(move)) for move in found.moves))
    return report(found, board_text(found.position), more=more, moves=moves)


def add_advice_options(command: Parser, usual: float = USUAL_SECONDS) -> None:
    """Add the options for the number of deals and the method that values them."""
    command.seconds("--time", f"draw no deal after this long ({usual:g})")
    command.number("--deals", 1, 10**9, "draw so many (any number)")
    command.choice("--method", METHODS, "value deals by this (what suits the position)")
    command.number("--seed", 0, 10**18, "of the deals (0)", 0)


def run_advise(args: argparse.Namespace) -> int:
    """Draw deals and print the estimate of every move."""
    position = GAME.position(args)
    if not args.open:
        position = ks.just4fun.known_to(position, position.turn)
    advise = adviser(args)

    def ask(line: ProgressLine) -> ks.just4fun.Advice:
        return advise(position, progress=lambda now: line.show(now.deals, args.deals, now.method))

    def tell(advice: ks.just4fun.Advice) -> None:
        words = "\n".join([board_text(advice.position), "", *advice_lines(advice)])
        output.answer(args, advice.to_json(), words)

    return answered(" deals", ask, tell, "this is what the deals say so far")


def adviser(
    args: argparse.Namespace, usual: float = USUAL_SECONDS
) -> Callable[..., ks.just4fun.Advice]:
    """Return the function that advises in a position, by the options."""
    from kulami_solver.just4fun import advise

    time = usual if args.time is None and args.deals is None else args.time
    return partial(advise, deals=args.deals, time=time, seed=args.seed, method=args.method)


def advice_lines(advice: ks.just4fun.Advice) -> list[str]:
    """Advice in words."""
    if not advice.moves:
        return [advice.position.standing()]
    moves = [(str(one.move), _mean_words(one)) for one in advice.moves]
    count = advice.undecided
    unfinished = f", {count} of them not to the end" if count else ""
    return [
        f"estimate  from {advice.deals:,} deals ({advice.method}{unfinished}) "
        f"in {advice.seconds:.1f} s",
        f"best      {advice.best}",
        *output.listed("moves", moves),
    ]


def _mean_words(move: ks.just4fun.MoveAdvice) -> str:
    return f"{move.mean:.3f}  ({move.low:.3f} to {move.high:.3f})"
