"""The `kulami` command.

    arguments   the parser, its one-line errors, kinds of options, and those of several commands
    output      answers on stdout, warnings and errors on stderr, files written whole, exit codes
    results     lines of files and pipes, and files to which commands add answers or games
    game        the parts of a game that commands need; a game's folder overrides them; show, moves,
                score
    solving     solve, and what expect and probe share with it
    databases   shared by the commands about databases
    play        play                     games     match
    bots        engine, check            records   replay, grade
    serving     serve

Each game has a folder. The commands of kulami need no game's name before them; the others do.

A command is a function `run(args) -> exit code`. It prints answers as it has them and raises
`CommandError` or a `KulamiError` for input it cannot use. Exit codes are 0, 1 (a check failed),
2 (bad input, one line on stderr), 129 (SIGHUP), 130 (Ctrl-C) and 143 (SIGTERM).
"""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any, Final

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Parser, add_group
from kulami_solver.cli.output import (
    EXIT_BAD_INPUT,
    EXIT_INTERRUPTED,
    EXIT_OK,
    CommandError,
    CommandInterrupted,
)
from kulami_solver.core.interruption import ended_as_interrupted, told_to_end
from kulami_solver.core.notation import so_many
from kulami_solver.errors import KulamiError, reason
from kulami_solver.registry import GAMES, installed, part

DESCRIPTION = "Exact answers about Kulami positions."

_EXIT_TOLD: Final = 128
"""Less than the exit code by the signal's number, as shells report it."""


class _Version(argparse.Action):
    """Print what a report of a fault has to name; it is looked up only when asked for."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        import platform

        from kulami_solver.core import processor
        from kulami_solver.core.version import installed_version

        output.line(f"kulami {installed_version()}")
        output.line(f"Python {sys.version.partition(' (')[0]}")
        output.line(f"compiler {processor.COMPILER}")
        output.line(f"processor {processor.name() or platform.processor() or platform.machine()}")
        parser.exit()


def _list_under(parser: Parser, commands: Any, heads: Iterable[tuple[str, Iterable[str]]]) -> None:
    """Let the help page of a parser list its commands under heads, and its options at the end."""
    parser._positionals._group_actions.remove(commands)
    options = parser._action_groups.pop()
    listed = {command.dest: command for command in commands._choices_actions}
    for head, names in heads:
        parser.group(head)._group_actions += [listed.pop(name) for name in names if name in listed]
    parser._action_groups.append(options)


def _add_game(name: str, commands: Any, whole: bool = True) -> None:
    from kulami_solver.cli import bots, games, play, records, solving
    from kulami_solver.cli.game import GameCommands, add_moves, add_score, add_show

    shared: Final[dict[str, Callable[..., object]]] = {
        "show": add_show,
        "moves": add_moves,
        "solve": solving.add_solve,
        "score": add_score,
        "replay": records.add_replay,
        "play": play.add_play,
        "match": games.add_match,
        "check": bots.add_check,
        "grade": records.add_grade,
        "engine": bots.add_engine,
    }
    own = part(name, "cli")
    game: GameCommands = GameCommands(name) if own is None else own.GAME
    group = add_group(commands, name, game.title, game.summary)
    if whole:
        for module in filter(None, map(game.module, ("solving", "databases"))):
            module.add_commands(group)
        for command in game.shared:
            if command not in group.choices:  # else the game has it in its own way
                shared[command](group, game)


def build_parser(command: str | None = None) -> Parser:
    """The parser of the whole command line, or of one command.

    Args:
        command: the first word after `kulami`. If it is a command, only its module is imported,
            and only the commands of that module are added: the others would take longer than most
            answers. If it is no command, such as --help, games are added without their commands.
    """
    parser = Parser(prog="kulami", description=DESCRIPTION)
    parser.add_argument(
        "--version",
        action=_Version,
        nargs=0,
        default=argparse.SUPPRESS,
        help="print version, Python, compiler and processor, for bug reports",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    # The commands of the first game need no name before them; other games have a group each.
    first, *games = GAMES
    own = import_module(f"{__name__}.{first}")
    modules = {name: module for its in own.COMMANDS.values() for name, module in its.items()}
    if command in modules:
        import_module(modules[command], own.__name__).add_commands(commands)
        return parser
    if command in games:
        _add_game(command, commands)
        return parser
    for module in dict.fromkeys(modules.values()):
        import_module(module, own.__name__).add_commands(commands)
    for game in games:
        _add_game(game, commands, whole=command is None)
    for name in sorted(installed().keys() - GAMES.keys()):
        _add_installed(name, commands, command)
    others = [name for name in commands.choices if name not in modules]
    _list_under(parser, commands, [*own.COMMANDS.items(), ("other games", others)])
    return parser


def _add_installed(name: str, commands: Any, command: str | None) -> None:
    """Add the group of another package's game; a faulty game breaks only its own commands."""
    try:
        _add_game(name, commands, whole=command in (None, name))
    except Exception:
        if command == name:
            raise


def main(argv: Sequence[str] | None = None) -> int:
    """Run one `kulami` command and return its exit code.

    Args:
        argv: the words after `kulami`; those of the process when None.

    Returns:
        0, 1 when a check failed, 2 for bad input, 130 after Ctrl-C, 143 after SIGTERM, 129 after
        SIGHUP.

    Example:
        >>> main(["moves", "--layout", "AAB/CCB", "--moves", "a1"])
        c1 a2
        0
    """
    wrong: object = None
    with ended_as_interrupted():
        try:
            output.prepare()
            code = _run(sys.argv[1:] if argv is None else argv)
            output.finish()
        except BrokenPipeError:
            # The reader has closed the pipe. Python flushes stdout once more when it ends: that
            # output is discarded.
            output.discard()
            code = EXIT_OK
        except KeyboardInterrupt as stopped:
            left = str(stopped) if isinstance(stopped, CommandInterrupted) else ""
            code = output.interrupted(left)
        except (CommandError, KulamiError) as error:
            wrong = error
        except MemoryError:
            wrong = "not enough memory; give a smaller --memory"
        except OSError as error:
            wrong = _why_refused(error)
        if wrong is not None:
            output.message("error", wrong)
            return EXIT_BAD_INPUT
        told = told_to_end()
        return code if told is None or code != EXIT_INTERRUPTED else _EXIT_TOLD + told


def _run(words: Sequence[str]) -> int:
    try:
        parser = build_parser(words[0] if words else None)
        args = parser.parse_args(words)
        if args.command is None:
            parser.error("no command given")
    except SystemExit as leaving:  # --help and --version
        return leaving.code if isinstance(leaving.code, int) else EXIT_OK
    try:
        code: int = args.run(args)
    except OSError as error:
        kept = _file_given(args, "save", "results")
        if error.filename is None and error.errno in (*output.DISK_FULL, errno.EFBIG):
            # The error of a full disk comes from the system, and names no file.
            error.filename = kept or _file_given(args, "table", "keep", "database")
        if error.errno in output.DISK_FULL and kept is not None and error.filename == kept:
            goes_on = "make room; what the file holds stays, and the next run goes on with it"
            raise CommandError(f"{kept}: {reason(error)}; {goes_on}") from None
        raise
    first, count = getattr(args, "refused", (None, 0))
    if first is not None and code != EXIT_INTERRUPTED:
        raise CommandError(f"{first} ({so_many(count, 'line')} refused, all others answered)")
    return code


def _file_given(args: argparse.Namespace, *options: str) -> str | None:
    """The file that the first of these options names; None if none of them was given."""
    names: Iterator[str | None] = (getattr(args, option, None) for option in options)
    return next((name for name in names if name is not None), None)


def _why_refused(error: OSError) -> str:
    """What the system refuses, and why; what to do, where that is known."""
    why, file = reason(error), error.filename
    if file is None:
        return f"the system refuses: {why}"
    if error.errno == errno.EROFS or (error.errno == errno.EACCES and _cannot_make(file)):
        return f"{file}: {why}; name a file in a folder that you may write to"
    return f"{file}: {why}"


def _cannot_make(file: str) -> bool:
    """Whether a file is missing, and may not be made: then nobody wanted to read it."""
    folder = os.path.dirname(os.path.abspath(file))
    return os.access(folder, os.X_OK) and not os.path.lexists(file)
