"""`kulami just4fun advise`: the estimated scores of moves where cards are hidden."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, Parser, add_command
from kulami_solver.cli.asking import answered
from kulami_solver.cli.just4fun.positions import add_position_options, drawn, position_of
from kulami_solver.errors import Phrase, catalogue

if TYPE_CHECKING:
    from kulami_solver.core.progress import ProgressLine
    from kulami_solver.just4fun import Advice, MoveAdvice

#: The time for advice where neither --time nor --deals limits it, in seconds.
USUAL_SECONDS = 5.0
#: The methods, as `just4fun.advising` has them.
METHODS = ("double-dummy", "expectation", "playouts")

_METHOD_CODES = {
    "double-dummy": "method_double_dummy",
    "expectation": "method_expectation",
    "playouts": "method_playouts",
}

DETAILS = """\
An estimate, not a solution: deals are drawn that fit what is known, every move
is valued in each of them, and printed is its mean, 1 for a win and 1/2 for a
draw, with the 95 % interval of the mean. The interval says how much the deals
may mislead, and nothing of this: in a deal everyone is taken to see all cards
(double-dummy), all hands (expectation), or to play by a simple rule
(playouts). The last stones of two players are worked out with all draws, some
more are solved double-dummy, and all earlier positions are played out.

examples
  kulami just4fun advise --deal 7 --time 2
  kulami just4fun advise --position "2006 - r9b9 r r1.4.7.12,b? - -" --deals 50
"""


def add_commands(group: Commands) -> None:
    """Add `advise`."""
    command = add_command(
        group, "advise", run, "estimate what every move scores, hands being hidden", DETAILS
    )
    add_position_options(command)
    command.switch(
        "--open", "use all that the position says; else other hands and the stock are hidden"
    )
    add_advice_options(command)


def add_advice_options(command: Parser, usual: float = USUAL_SECONDS) -> None:
    """Add the options for the number of deals and the method that values them."""
    command.seconds("--time", f"draw no deal after this long ({usual:g})")
    command.number("--deals", 1, 10**9, "draw so many (any number)")
    command.choice("--method", METHODS, "value deals by this (what suits the position)")
    command.number("--seed", 0, 10**18, "of the deals (0)", 0)


def run(args: argparse.Namespace) -> int:
    """Draw deals and print the estimate of every move."""
    from kulami_solver.just4fun import advise, known_to

    position = position_of(args)
    if not args.open:
        position = known_to(position, position.turn)
    time = USUAL_SECONDS if args.time is None and args.deals is None else args.time

    def ask(line: ProgressLine) -> Advice:
        return advise(
            position,
            deals=args.deals,
            time=time,
            seed=args.seed,
            method=args.method,
            progress=lambda now: line.show(now.deals, args.deals, now.method),
        )

    said = "this is what the deals say so far"
    return answered(" deals", ask, partial(_answer, args), said)


def _answer(args: argparse.Namespace, advice: Advice) -> None:
    if args.json:
        output.json_line(advice.to_json())
    else:
        output.line("\n".join([drawn(advice.position), "", *advice_lines(advice)]))


def advice_lines(advice: Advice, language: str = "en") -> list[str]:
    """Advice in words."""
    if not advice.moves:
        return [advice.position.standing().said(language)]
    moves = [(str(one.move), _mean_words(one).said(language)) for one in advice.moves]
    count = advice.undecided
    found = Phrase(
        "from_deals",
        deals=advice.deals,
        method=Phrase(_METHOD_CODES[advice.method]),
        undecided=Phrase("not_all_to_end", count=count) if count else "",
        seconds=f"{advice.seconds:.1f}",
    )
    estimate, best = (Phrase(one).said(language) for one in ("heading_estimate", "column_best"))
    return [
        f"{estimate:<10}{found.said(language)}",
        f"{best:<10}{advice.best}",
        *output.listed(catalogue(language).get("moves", "moves"), moves),
    ]


def _mean_words(move: MoveAdvice) -> Phrase:
    mean, low, high = (f"{number:.3f}" for number in (move.mean, move.low, move.high))
    return Phrase("mean_between", mean=mean, low=low, high=high)
