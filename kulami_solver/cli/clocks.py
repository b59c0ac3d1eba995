"""The time that bots may think: the options, and the clock made from them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from kulami_solver.cli.arguments import Parser, seconds
from kulami_solver.cli.ending import CommandError

if TYPE_CHECKING:
    from kulami_solver.bots.protocol import Clock


def add_clock_options(parser: Parser) -> None:
    """Add the limits of a bot's thinking."""
    group = parser.group("limits for each move")
    group.seconds("--movetime", "time")
    group.number("--nodes", 1, 10**15, "positions")
    group.number("--depth", 1, 64, "plies")


def game_clock(text: str) -> tuple[float, float]:
    """A time for a game and the increment for each move, in seconds, for argparse.

    >>> game_clock("60"), game_clock("10+0.1")
    ((60.0, 0.0), (10.0, 0.1))
    """
    whole, plus, more = text.partition("+")
    return seconds(whole), seconds(more) if plus else 0.0


def clock_of(args: argparse.Namespace) -> Clock:
    """The limits given, of a move or, in a match, of a game.

    Raises:
        CommandError: if both are given.
    """
    from kulami_solver.bots.protocol import Clock

    game, increment = getattr(args, "clock", None) or (None, 0.0)
    if game is not None and args.movetime is not None:
        raise CommandError("clock_and_movetime")
    return Clock(args.movetime, args.nodes, args.depth, game=game, increment=increment)
