"""`kulami puzzles`: positions in which one field alone is best, graded."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import TYPE_CHECKING

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command
from kulami_solver.cli.bots import add_seed_option
from kulami_solver.cli.ending import EXIT_INTERRUPTED, EXIT_OK
from kulami_solver.cli.kulami.positions import scoring
from kulami_solver.core.progress import ProgressLine

if TYPE_CHECKING:
    from kulami_solver.bots.kulami.puzzles import Puzzle

PUZZLES = """\
FILE gets a line of JSON for each puzzle. Positions come from games that bots
of different strength play on the square, the rulebook's, random and irregular
boards; 12 to 26 fields are free. They are solved exactly: every field but best
is worth less. Scorings and themes come in turn, and a short search evens out
the difficulties. The same seed writes the same file on every machine. A file
that is there is replaced; Ctrl-C keeps the puzzles found so far.

keys
  kfn scoring   the position, and what counts
  best value    its best field, and the exact margin for the side to move
  line          best play of both, to the end of the game
  theme         the first of these that holds
    forced      the other side's first two replies are its only legal fields
    greed       what scores most at once loses, and the best field does not
    turn        every other field changes who wins
    quiet       the best field scores nothing at once
    points      none of these
  difficulty    0 to 100: up to 80 for the share of bots that miss the field
                (a random choice, greedy, alphabeta of depth 1, 2, 4 and 6,
                mcts:50, mcts:200 and mcts:1000), and up to 20 for the
                plies of best play after the best wrong field until the score
                stands still, 16 for all of it

example
  kulami puzzles puzzles.jsonl --count 100 --seed 1
  kulami play --puzzles puzzles.jsonl
"""


def add_commands(commands: Commands) -> None:
    """Add `puzzles`."""
    parser = add_command(
        commands, "puzzles", run, "write positions in which one field alone is best", PUZZLES
    )
    parser.output("file", "lines of JSON")
    parser.number("--count", 1, 10**6, "how many (100)", 100)
    add_seed_option(parser)
    parser.value("--scoring", "0|1|2|chains", "what counts (all in turn)", scoring)


def run(args: argparse.Namespace) -> int:
    """Write puzzles."""
    from kulami_solver.bots.kulami.puzzles import THEMES, draw_puzzles
    from kulami_solver.bots.kulami.suite import SCORINGS

    scorings = SCORINGS if args.scoring is None else (args.scoring,)
    found: list[Puzzle] = []
    complete = True
    try:
        with ProgressLine(" puzzles") as line:
            line.show(0, args.count, "solving")
            for puzzle in draw_puzzles(args.seed, args.count, scorings):
                found.append(puzzle)
                line.show(len(found), args.count)
    except KeyboardInterrupt:
        complete = False
    if found:
        text = "".join(f"{puzzle.json_line}\n" for puzzle in found)
        output.write_file("FILE", args.file, text.encode())
    drawn = Counter(puzzle.theme for puzzle in found)
    themes = {theme: drawn[theme] for theme in THEMES}
    if args.json:
        output.json_line({"file": args.file, "puzzles": len(found), "themes": themes})
    else:
        said = ", ".join(f"{number} {theme}" for theme, number in themes.items() if number)
        output.line(f"{args.file}: {len(found):,} puzzles ({said})")
    if not complete:
        output.message("interrupted", f"Ctrl-C; {len(found):,} puzzles were found")
        return EXIT_INTERRUPTED
    return EXIT_OK
