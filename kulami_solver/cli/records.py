"""`replay`: do recorded games agree with the rules? For any game that has records."""

from __future__ import annotations

import argparse
import functools
from collections.abc import Callable, Iterable

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command
from kulami_solver.cli.ending import EXIT_BAD_INPUT, EXIT_FAILED, EXIT_OK, CommandError
from kulami_solver.cli.game import GameCommands
from kulami_solver.cli.reading import RECORD_LIMIT, named, text_lines
from kulami_solver.core.notation import so_many
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
    name = named(args.file)

    def check(number: int, place: int, record: object) -> None:
        nonlocal games
        verdict = game.checked(record, number, place)
        games += 1
        if verdict.agrees:
            return
        keys, words = game.where(verdict)
        disagreements.append({"record": verdict.number, **keys, "reason": verdict.reason})
        if not args.json:
            output.line(f"record {verdict.number}{words}: {verdict.reason}")

    refused = each_record(game.records(text_lines("FILE", args.file, RECORD_LIMIT)), check, name)
    if not games:
        output.warn([f"{name} holds no game record"])
    if args.json:
        output.json_line(
            {"games": games, "disagree": len(disagreements), "disagreements": disagreements}
        )
    else:
        output.line(f"{so_many(games, 'game')}, {len(disagreements)} disagree")
    if refused:
        return EXIT_BAD_INPUT
    return EXIT_FAILED if disagreements else EXIT_OK


def each_record(
    records: Iterable[tuple[int, int, object]],
    take: Callable[[int, int, object], None],
    name: str,
    language: str = "en",
) -> int:
    """Take each record of a file; say which cannot be read or taken, and go on.

    Args:
        records: as `GameCommands.records` yields them.
        take: takes the numbers of line and game, and the record; it may raise a `KulamiError`.
        name: of the file.
        language: of the messages.

    Returns:
        The number of games that were refused.

    Raises:
        CommandError: none of them can be read; it says why the first cannot.
    """
    refused: list[KulamiError] = []
    taken = 0
    for number, place, record in records:
        try:
            if isinstance(record, KulamiError):
                raise record
            take(number, place, record)
        except KulamiError as error:
            refused.append(error.at("named_place", name=name))
            if taken:
                output.error(refused[-1], language)
            continue
        if not taken:
            for before in refused:
                output.error(before, language)
        taken += 1
    if refused and not taken:
        raise CommandError(refused[0])
    return len(refused)
