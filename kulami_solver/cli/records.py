"""`kulami replay`: do recorded games agree with the rules?"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command, file_name
from kulami_solver.cli.ending import EXIT_FAILED, EXIT_OK, CommandError
from kulami_solver.cli.reading import named, text_lines
from kulami_solver.errors import KulamiError

#: Longest record read, in bytes; a whole game takes less than 2,000.
RECORD_LIMIT = 1 << 20

DETAILS = """\
A record is an object of JSON on one line:
  {"board": ["AAB", "AAC"], "level": 0, "first": "red",
   "moves": ["a1", "c1", "c2", "a2"], "score": {"red": 1, "black": 1}}
Blank lines and lines that start with # are skipped, but count as lines: a
record goes by the number of its line, and, where that is another, by that of
its game as well, which is the N of 'kulami grade --game N'.
board is rows or a layout's text; level is 0, 1, 2 or "chains"; marbles (28)
and short_end (false) may be added, and start, a KFN line, for a game that does
not begin with the empty board. The exit code is 1 if a record disagrees.
FILE may also hold games as text, which are right or refused:
  [Layout "AAB/AAC"]
  [Scoring "0"]
  1. a1 c1 2. c2 a2 {a comment} 1-1
"""


def add_commands(commands: Commands) -> None:
    """Add `replay`."""
    parser = add_command(commands, "replay", run, "check recorded games against the rules", DETAILS)
    parser.add_argument(
        "file", metavar="FILE", type=file_name, help="one record a line (- for standard input)"
    )


def run(args: argparse.Namespace) -> int:
    """Check every record of a file."""
    from kulami_solver.kulami.game_record import json_lines
    from kulami_solver.kulami.replay import Verdict, replay

    def where(verdict: Verdict) -> tuple[dict[str, object], str]:
        game = "" if verdict.game == verdict.number else f" (game {verdict.game})"
        return {"line": verdict.number, "game": verdict.game}, game

    return check_records(args, lambda lines: replay(json_lines(lines)), where)


class Checked(Protocol):
    """What comes of a record in any game."""

    @property
    def number(self) -> int: ...
    @property
    def agrees(self) -> bool: ...
    @property
    def reason(self) -> str: ...


AnyChecked = TypeVar("AnyChecked", bound=Checked)


def check_records(
    args: argparse.Namespace,
    replay: Callable[[Iterable[str]], Iterable[AnyChecked]],
    where: Callable[[AnyChecked], tuple[dict[str, object], str]] = lambda _: ({}, ""),
) -> int:
    """Check every record of `args.file`, and say which disagree; the exit code.

    Args:
        args: with `file` and `json`.
        replay: of the game.
        where: what else says which record it is: keys of the JSON, and words after its number.
    """
    games = 0
    disagreements: list[dict[str, object]] = []
    try:
        for verdict in replay(text_lines("FILE", args.file, RECORD_LIMIT)):
            games += 1
            if verdict.agrees:
                continue
            keys, words = where(verdict)
            disagreements.append({"record": verdict.number, **keys, "reason": verdict.reason})
            if not args.json:
                output.line(f"record {verdict.number}{words}: {verdict.reason}")
    except KulamiError as error:
        raise CommandError(f"{named(args.file)}: {error}") from None
    if not games:
        output.warn([f"{named(args.file)} holds no game record"])
    if args.json:
        output.json_line(
            {"games": games, "disagree": len(disagreements), "disagreements": disagreements}
        )
    else:
        output.line(f"{games} games, {len(disagreements)} disagree")
    return EXIT_FAILED if disagreements else EXIT_OK
