"""`kulami hagen`: a bot on the server of the FernUniversitaet in Hagen."""

from __future__ import annotations

import argparse
import contextlib

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command, clock_of
from kulami_solver.cli.bots import started
from kulami_solver.cli.kulami.positions import (
    add_no_field_option,
    add_scoring_option,
    edition,
    layout,
)
from kulami_solver.cli.output import EXIT_FAILED, EXIT_OK
from kulami_solver.kulami.position.edition import MARBLES, OPTIONS


def add_commands(commands: Commands) -> None:
    """Add `hagen`."""
    parser = add_command(commands, "hagen", run, "play a bot on the Hagen server")
    parser.value("host", "HOST", "the server's name or address")
    parser.number("port", 1, 65535, "its port", metavar="PORT")
    parser.value("--bot", "BOT", "the bot that plays (master)", default="master")
    parser.value("--name", "NAME", "the name of the bot on the server", default="kulami_solver")
    words = "what to propose if the server asks: rows like AAB/CCB, a name, or FILE (square)"
    parser.value("--layout", "TEXT", words, default="square")
    add_no_field_option(parser)
    add_scoring_option(parser)
    parser.clock()
    parser.seed()
    parser.number("--games", 1, 10**6, "how many games to play (1)", 1)
    parser.of_game(*OPTIONS)
    parser.seconds("--wait", "how long the server may be silent (300)", 300.0)
    parser.switch("--verbose", "show every message on stderr")


def run(args: argparse.Namespace) -> int:
    """Play, and tell the result of each game."""
    from kulami_solver.adapters.hagen import Client
    from kulami_solver.bots.description import described
    from kulami_solver.bots.naming import make_player

    options = edition(args)
    if options.marbles != MARBLES:
        output.message(
            "warning", f"the server in Hagen plays with {MARBLES} marbles of each colour"
        )
    failed = False
    with contextlib.ExitStack() as stack:
        (player,) = started(
            stack, [described(args.bot)], lambda bot, _: make_player(bot, args.seed, isolated=True)
        )
        client = Client(
            player,
            layout=layout(args),
            clock=clock_of(args),
            name=args.name,
            scoring=args.scoring,
            games=args.games,
            note=(lambda said: output.message("server", said)) if args.verbose else None,
            **options,
        )
        for finished in client.play(args.host, args.port, args.wait):
            failed = failed or finished.how == "disconnected" or finished.agrees is False
            said = "no points"
            if finished.red is not None:
                said = f"red {finished.red}, black {finished.black}"
            if finished.agrees is False:
                said += "; by the rules here it is otherwise"
            if finished.reason:
                said += f"; the server said last: {output.one_line(finished.reason)}"
            output.answer(
                args,
                finished.record() | {"agrees": finished.agrees},
                f"{finished.how} as {finished.colour} against "
                f"{output.one_line(finished.opponent)}: {said}",
            )
    return EXIT_FAILED if failed else EXIT_OK
