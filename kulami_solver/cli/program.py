"""Commands about the program itself: `kulami completion` and `about`.

`completion` prints scripts by which a shell completes the words after `kulami`. shtab makes them
from the parser, with its commands, options and choices. This module adds the files that an option
takes, and words that it takes among others.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
from collections.abc import Iterator
from typing import Any, Final

from kulami_solver.cli import output
from kulami_solver.cli.arguments import (
    Commands,
    Output,
    Parser,
    Readable,
    add_command,
    file_name,
)
from kulami_solver.cli.output import CommandError
from kulami_solver.errors import KulamiError
from kulami_solver.registry import GAMES

SHELLS: Final = ("bash", "zsh", "fish")

# The endings of the files that arguments take, by argument; other arguments take any file.
_ENDINGS: Final = {
    "csv": "csv",
    "database": "kdb",
    "html": "html",
    "plot": "png",
    "png": "png",
    "results": "jsonl",
    "save": "jsonl",
    "svg": "svg",
}

# The arguments that are bots.
_BOTS: Final = ("bot", "one", "two", "more")


def add_commands(commands: Commands) -> None:
    """Add `completion` and `about`."""
    parser = add_command(
        commands, "completion", run_completion, "print a script for the shell's TAB"
    )
    parser.choice("shell", SHELLS, "the shell that is to read it")
    add_command(commands, "about", run_about, "say what is installed, for bug reports")


def run_completion(args: argparse.Namespace) -> int:
    """Print the script of a shell."""
    script = completion_script(args.shell)
    return output.answer(args, {"shell": args.shell, "script": script}, script.rstrip("\n"))


def completion_script(shell: str) -> str:
    """Return the script by which a shell completes the words of the `kulami` command.

    Args:
        shell: one of `SHELLS`.

    Raises:
        CommandError: if shtab is not installed.
    """
    if importlib.util.find_spec("shtab") is None:
        raise CommandError(
            "completion needs shtab, of the completion extra: run  pip install "
            "'kulami_solver[completion]'"
        )
    import shtab

    from kulami_solver.cli import build_parser

    parser = build_parser()
    for game, action in _arguments(parser, next(iter(GAMES))):
        _say_what_completes(game, action)
    script: str = shtab.complete(parser, shell=shell)
    return script


def _arguments(parser: Parser, game: str) -> Iterator[tuple[str, argparse.Action]]:
    """The arguments of a command and its subcommands, each with its game."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                yield from _arguments(command, name if name in GAMES else game)
        elif action.nargs != 0:
            yield game, action


def _say_what_completes(game: str, action: Any) -> None:
    """Tell shtab about an argument, by the two attributes that it reads: `complete`, `choices`.

    After that the parser cannot parse any more, because the choices are incomplete.
    """
    import shtab

    from kulami_solver.bots.naming import bots_of

    if action.type is file_name or isinstance(action.type, Output):
        action.complete = shtab.FILE
        if action.dest in _ENDINGS:
            # shtab gives Zsh '(*.kdb)', which Zsh takes for a condition and not for a pattern.
            pattern = f"*.{_ENDINGS[action.dest]}"
            action.complete = {**shtab.glob(pattern), "zsh": f"_files -g '{pattern}'"}
    elif isinstance(action.type, Readable):
        action.choices = list(action.type.words)
    elif action.dest in _BOTS:
        with contextlib.suppress(KulamiError):  # a game without named bots
            action.choices = bots_of(game).shown


def run_about(args: argparse.Namespace) -> int:
    """Print versions, build flags and machine."""
    from kulami_solver.about import facts, shown

    found = facts()
    return output.answer(args, found, shown(found))
