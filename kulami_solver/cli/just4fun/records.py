"""`kulami just4fun replay`: do recorded games agree with the rules?"""

from __future__ import annotations

import argparse

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command, file_name
from kulami_solver.cli.ending import EXIT_FAILED, EXIT_OK, CommandError
from kulami_solver.cli.positions import named, text_lines
from kulami_solver.cli.records import RECORD_LIMIT
from kulami_solver.errors import KulamiError

DETAILS = """\
A record is an object of JSON on one line:
  {"start": "3x3 - r1b1 r r1.2,b2.3 {4.4} -", "line": 3, "hand": 2,
   "moves": ["3=1+2", "2=2"], "draws": [[4, 4], []], "winner": "red"}
draws has the cards drawn after each move; winner is null for a draw; line and
hand are 4 if they are missing. Blank lines and lines that start with # are
skipped, but count as lines. The exit code is 1 if a record disagrees.
"""


def add_commands(group: Commands) -> None:
    """Add `replay`."""
    parser = add_command(group, "replay", run, "check recorded games against the rules", DETAILS)
    parser.add_argument(
        "file", metavar="FILE", type=file_name, help="one record a line (- for standard input)"
    )


def run(args: argparse.Namespace) -> int:
    """Check every record of a file."""
    from kulami_solver.just4fun import replay

    games = 0
    disagreements: list[dict[str, object]] = []
    try:
        for verdict in replay(text_lines("FILE", args.file, RECORD_LIMIT)):
            games += 1
            if verdict.agrees:
                continue
            disagreements.append({"record": verdict.number, "reason": verdict.reason})
            if not args.json:
                output.line(f"record {verdict.number}: {verdict.reason}")
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
