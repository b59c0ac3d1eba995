"""`replay`: do recorded games agree with the rules? Of any game that has records."""

from __future__ import annotations

import argparse
import functools

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command
from kulami_solver.cli.ending import EXIT_FAILED, EXIT_OK, CommandError
from kulami_solver.cli.game import GameCommands
from kulami_solver.cli.reading import RECORD_LIMIT, named, text_lines
from kulami_solver.core.wording import so_many
from kulami_solver.errors import KulamiError


def add_replay(commands: Commands, game: GameCommands) -> None:
    """Add `replay`."""
    parser = add_command(
        commands,
        "replay",
        functools.partial(run_replay, game),
        "check recorded games against the rules",
        game.page("replay"),
    )
    parser.file("file", "one record a line (- for standard input)")


def run_replay(game: GameCommands, args: argparse.Namespace) -> int:
    """Check every record of a file, name those that disagree, and return the exit code."""
    games = 0
    disagreements: list[dict[str, object]] = []
    try:
        for verdict in game.replay(text_lines("FILE", args.file, RECORD_LIMIT)):
            games += 1
            if verdict.agrees:
                continue
            keys, words = game.where(verdict)
            disagreements.append({"record": verdict.number, **keys, "reason": verdict.reason})
            if not args.json:
                output.line(f"record {verdict.number}{words}: {verdict.reason}")
    except KulamiError as error:
        raise CommandError(error.at("named_place", name=named(args.file))) from None
    if not games:
        output.warn([f"{named(args.file)} holds no game record"])
    if args.json:
        output.json_line(
            {"games": games, "disagree": len(disagreements), "disagreements": disagreements}
        )
    else:
        output.line(f"{so_many(games, 'game')}, {len(disagreements)} disagree")
    return EXIT_FAILED if disagreements else EXIT_OK
