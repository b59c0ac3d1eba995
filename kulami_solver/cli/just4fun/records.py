"""`kulami just4fun replay`: do recorded games agree with the rules?"""

from __future__ import annotations

import argparse

from kulami_solver.cli.arguments import Commands, add_command, file_name
from kulami_solver.cli.records import check_records

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

    return check_records(args, replay)
