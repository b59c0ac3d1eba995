"""`kulami puzzles`: positions in which one field alone is best."""

from __future__ import annotations

import argparse
import contextlib
import os
from collections import Counter
from typing import TYPE_CHECKING

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command
from kulami_solver.cli.kulami.positions import (
    add_layouts_options,
    add_scoring_option,
    layouts_or_random,
)
from kulami_solver.cli.output import EXIT_OK, CommandError
from kulami_solver.core.notation import so_many
from kulami_solver.core.progress import ProgressLine
from kulami_solver.errors import KulamiError

if TYPE_CHECKING:
    from kulami_solver.bots.kulami.puzzles import Puzzle


def add_commands(commands: Commands) -> None:
    """Add `puzzles`."""
    words = "write positions in which one field alone is best"
    parser = add_command(commands, "puzzles", run, words)
    parser.output("file", "lines of JSON", ".jsonl")
    parser.number("--count", 1, 10**6, "how many (100)", 100)
    parser.seed()
    add_scoring_option(parser, "what counts (all in turn)")
    add_layouts_options(parser, "board of a game (the rulebook's and random ones)")


def run(args: argparse.Namespace) -> int:
    """Write puzzles; Ctrl-C keeps those found, unless they would replace a complete file."""
    from kulami_solver.bots.kulami.puzzles import THEMES, draw_puzzles
    from kulami_solver.bots.kulami.suite import SCORINGS

    boards = layouts_or_random(args)
    replaced = _holds_puzzles(args.file)
    scorings = SCORINGS if args.scoring is None else (args.scoring,)
    found: list[Puzzle] = []
    complete = False
    with contextlib.suppress(KeyboardInterrupt), ProgressLine(" puzzles") as line:
        line.show(0, args.count, "solving")
        for puzzle in draw_puzzles(args.seed, args.count, scorings, boards):
            found.append(puzzle)
            line.show(len(found), args.count)
        complete = True
    count = so_many(len(found), "puzzle")
    if not complete and (replaced or not found):
        left = f"{args.file} stays as it was; " if replaced else ""
        return output.interrupted(f"{left}{count} had been found")
    text = "".join(f"{puzzle.json_line}\n" for puzzle in found)
    output.write_file("FILE", args.file, text.encode())
    drawn = Counter(puzzle.theme for puzzle in found)
    themes = {theme: drawn[theme] for theme in THEMES}
    said = ", ".join(f"{number} {theme}" for theme, number in themes.items() if number)
    told = {"file": args.file, "puzzles": len(found), "themes": themes}
    output.answer(args, told, f"{args.file}: {count} ({said})")
    return EXIT_OK if complete else output.interrupted(f"{count} had been found")


def _holds_puzzles(path: str) -> bool:
    """Whether a file holds puzzles; one that is missing or empty does not.

    Raises:
        CommandError: it holds something else, such as recorded games, which have the same ending.
    """
    from kulami_solver.bots.kulami.puzzles import read_puzzles

    if not os.path.isfile(path) or not os.path.getsize(path):
        return False
    try:
        read_puzzles(path)
    except KulamiError:
        raise CommandError(
            f"{path}: a file that holds no puzzles is in the way; name another"
        ) from None
    except OSError:
        return False  # it may only be written
    return True
