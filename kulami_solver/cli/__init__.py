"""The `kulami` command.

    arguments   the parser, its one-line errors, and the types of numbers
    positions   the options that say which position is meant, and reading many from a file
    output      answers on stdout, warnings and errors on stderr, files written whole
    solving     solve
    batches     solve with --input and --results
    clusters    the option that names a cluster's workers
    estimating  estimate
    rules       score, moves, perft
    records     replay
    databases   build, probe, info, verify, export
    boards      layout, show
    bots        engine, check
    games       match, grade
    labelling   labels
    play        play
    playing     what a game at the terminal is, whatever the game
    typed       fields and positions as people type them
    pictures    the options that write pictures
    hagen       hagen
    serving     serve
    completion  completion
    about       about
    malawi      malawi, with commands of its own
    just4fun    just4fun, with commands of its own

A command is a function `run(args) -> exit code`. It prints answers as it has them and raises
`CommandError` or a `KulamiError` for input it cannot use. Exit codes are 0, 1 (a check failed),
2 (bad input, one line on stderr) and 130 (Ctrl-C).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Final

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Parser
from kulami_solver.cli.ending import EXIT_BAD_INPUT, EXIT_INTERRUPTED, EXIT_OK, CommandError
from kulami_solver.errors import KulamiError

__all__ = ["main"]


DESCRIPTION = "Exact answers about Kulami positions."
EPILOG = """\
a position is one of
  --kfn "LAYOUT MARBLES TURN LAST"
  --layout square --moves "d4 d7" [--first red|black]
  --input FILE       one KFN a line (- for standard input), one JSON line each
examples
  kulami layout square
  kulami moves --layout rulebook --moves "d6 d3"
  kulami solve --layout AAB/CCB --all
  kulami solve --input positions.kfn --scoring 2 --all --json
"""


class _Version(argparse.Action):
    """Print the version; it is looked up only when asked for."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        from kulami_solver.core.version import __version__

        output.line(f"kulami {__version__}")
        parser.exit()


# The modules that add commands, in the order of `kulami --help`, and the commands of each.
_MODULES: Final = {
    "kulami.solving": ("solve",),
    "kulami.rules": ("score", "moves", "perft"),
    "records": ("replay",),
    "kulami.databases": ("build", "probe", "info", "verify", "export"),
    "kulami.estimating": ("estimate",),
    "kulami.boards": ("layout", "show"),
    "bots": ("engine", "check"),
    "games": ("match", "grade"),
    "kulami.labelling": ("labels",),
    "kulami.play": ("play",),
    "kulami.hagen": ("hagen",),
    "serving": ("serve",),
    "completion": ("completion",),
    "about": ("about",),
    "malawi": ("malawi",),
    "just4fun": ("just4fun",),
}


def build_parser(command: str | None = None) -> Parser:
    """The parser of the whole command line, or of what begins with one command.

    Args:
        command: the first word after `kulami`. If it is a command, only the module that has it
            is imported, and only its commands are added: the others would take longer than most
            answers.
    """
    parser = Parser(
        prog="kulami",
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    parser.add_argument(
        "--version",
        action=_Version,
        nargs=0,
        default=argparse.SUPPRESS,
        help="print the version and exit",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    wanted = [name for name, its in _MODULES.items() if command in its]
    for name in wanted or _MODULES:
        import_module(f"{__name__}.{name}").add_commands(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one `kulami` command and return its exit code.

    Args:
        argv: the words after `kulami`; those of the process when None.

    Returns:
        0, 1 when a check failed, 2 for bad input, 130 after Ctrl-C.

    Example:
        >>> main(["moves", "--layout", "AAB/CCB", "--moves", "a1"])
        c1 a2
        0
    """
    try:
        output.prepare()
        code = _run(argv)
        output.finish()
        return code
    except BrokenPipeError:
        # The reader has what it wanted. Python flushes stdout once more on its way out: let it
        # do so into nothing.
        output.discard()
        return EXIT_OK
    except KeyboardInterrupt:
        output.message("interrupted", "Ctrl-C")
        return EXIT_INTERRUPTED
    except (CommandError, KulamiError) as error:
        output.error(str(error))
        return EXIT_BAD_INPUT
    except MemoryError:
        output.error("not enough memory; give a smaller --memory")
        return EXIT_BAD_INPUT
    except OSError as error:
        output.error(f"{error.filename or 'a file in use'}: {error.strerror or error}")
        return EXIT_BAD_INPUT


def _run(argv: Sequence[str] | None) -> int:
    try:
        words = sys.argv[1:] if argv is None else argv
        parser = build_parser(words[0] if words else None)
        args = parser.parse_args(words)
        if args.command is None:
            parser.error("no command given")
    except SystemExit as leaving:  # --help and --version
        return leaving.code if isinstance(leaving.code, int) else EXIT_OK
    try:
        code: int = args.run(args)
    except OSError as error:
        if error.filename is None and not isinstance(error, BrokenPipeError):
            # Not Python but the system says that a disk is full, and it does not say of what.
            error.filename = _file_at_work(args)
        raise
    return code


def _file_at_work(args: argparse.Namespace) -> str | None:
    """The file that a command keeps writing to, or reads throughout; None if it has none."""
    for option in ("save", "results", "table", "database"):
        name: str | None = getattr(args, option, None)
        if name is not None:
            return name
    return None
