"""`kulami about`: versions, build flags and machine, for bug reports."""

from __future__ import annotations

import argparse

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command
from kulami_solver.cli.ending import EXIT_OK

DETAILS = """\
Put what it prints into a bug report. It names versions, the compiler and its
flags, the system, the processor and its memory. Only two things in it are your
own: the folder that the package is in, and variables that begin with KULAMI_.
python -m kulami_solver.about prints the same.

examples
  kulami about
  kulami about --json
"""


def add_commands(commands: Commands) -> None:
    """Add `about`."""
    add_command(commands, "about", run, "say what is installed, for bug reports", DETAILS)


def run(args: argparse.Namespace) -> int:
    """Print versions, build flags and machine."""
    from kulami_solver.about import facts, shown

    if args.json:
        output.json_line(facts())
    else:
        output.line(shown(facts()))
    return EXIT_OK
