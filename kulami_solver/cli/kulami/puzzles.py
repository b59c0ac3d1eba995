"""Puzzles, positions in which one field alone is best: written, and solved at the terminal.

`kulami puzzles` writes them. `kulami play --puzzles` poses them one after the other:

a field            the answer; a wrong one is refuted by the line played out
hint               the kind of puzzle; a second hint is the column of the field
show, next         the solution; the next puzzle
board, kfn         draw it again; the position as one line
help, quit
"""

from __future__ import annotations

import argparse
import contextlib
import os
from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar, Final

import kulami_solver as ks
from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command
from kulami_solver.cli.kulami.positions import (
    add_layouts_options,
    add_scoring_option,
    board_text,
    fields_as_typed,
    layouts_or_random,
)
from kulami_solver.cli.output import EXIT_OK, CommandError, refused_at
from kulami_solver.cli.session import Session
from kulami_solver.core.notation import so_many
from kulami_solver.core.progress import ProgressLine
from kulami_solver.errors import KulamiError, Phrase, reason

if TYPE_CHECKING:
    from kulami_solver.bots.kulami.puzzles import Puzzle

_HINTS: Final = {
    "forced": "puzzle_forced",
    "greed": "puzzle_greed",
    "turn": "puzzle_turn",
    "quiet": "puzzle_quiet",
}
_OTHER_HINT: Final = "puzzle_points"


def add_commands(commands: Commands) -> None:
    """Add `puzzles`."""
    parser = add_command(
        commands, "puzzles", run, "write positions in which one field alone is best"
    )
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
        raise CommandError("no_puzzles_in_the_way", path=path) from None
    except OSError:
        return False  # it may only be written
    return True


def solve_puzzles(args: argparse.Namespace) -> int:
    """Pose puzzles until the person leaves or none is left; return the exit code."""
    from kulami_solver.bots.kulami.puzzles import read_puzzles

    try:
        with refused_at("--puzzles"):
            puzzles = read_puzzles(args.puzzles or None)
    except OSError as error:
        raise CommandError("puzzles_unread", path=args.puzzles, why=reason(error)) from None
    if args.start > len(puzzles):
        raise CommandError("puzzles_from", start=args.start, count=len(puzzles))
    session = _Puzzles(args.json, puzzles, args.start)
    with output.in_language_of_messages(args.json):
        ended = session.run()
        if ended == EXIT_OK and not args.json and session.left:
            output.line(Phrase("to_go_on", options=session.remaining()).said())
    return ended


class _Puzzles(Session):
    """The puzzles that somebody solves, with the score.

    Args:
        json: whether to answer in JSON.
        puzzles: all puzzles.
        number: the number of the first puzzle to pose, from 1.
    """

    help_code: ClassVar = "typed_puzzles"

    def __init__(self, json: bool, puzzles: list[Puzzle], number: int) -> None:
        super().__init__(json, puzzles, number - 1)
        self._hints = 0
        self._missed = False
        self.commands |= {
            "board": self._show_board,
            "kfn": self._show_kfn,
            "hint": self._hint,
            "show": self._show_solution,
        }
        self._solved = self._tried = self._streak = self._longest = 0

    @property
    def _number(self) -> int:
        return self.place + 1

    @property
    def _puzzle(self) -> Puzzle:
        puzzle: Puzzle = self.question
        return puzzle

    @property
    def side(self) -> str:
        return self._puzzle.position.turn

    def end(self) -> None:
        told = {
            "solved": self._solved,
            "tried": self._tried,
            "streak": self._streak,
            "longest": self._longest,
        }
        counts = {"solved": self._solved, "tried": self._tried, "longest": self._longest}
        self.say("end", [Phrase("puzzles_ended", **counts)], told)

    def remaining(self) -> str:
        """Return the option with which puzzles go on at the one that was left."""
        return f"--from {self._number}"

    def ask(self) -> None:
        self._hints, self._missed = 0, False
        puzzle = self._puzzle
        told = {
            "number": self._number,
            "kfn": puzzle.position.kfn(),
            "scoring": puzzle.scoring.value,
            "difficulty": puzzle.difficulty,
        }
        chains = puzzle.scoring.value == "chains"
        asked = Phrase(
            "puzzle_asked",
            number=self._number,
            count=len(self.questions),
            scoring=Phrase("scoring_chains") if chains else puzzle.scoring.value,
            difficulty=puzzle.difficulty,
            side=puzzle.position.turn,
        )
        self.say("puzzle", [self._board(puzzle.position), asked], told)

    def _show_board(self) -> None:
        board = board_text(self._puzzle.position)
        self.say("board", [board], {"kfn": self._puzzle.position.kfn()})

    def _show_kfn(self) -> None:
        kfn = self._puzzle.position.kfn()
        self.say("kfn", [kfn], {"kfn": kfn})

    def _show_solution(self) -> None:
        puzzle = self._puzzle
        self._count(False)
        shown = Phrase("puzzle_shown", field=puzzle.best, line=_played_out(puzzle.line))
        self.say("show", [shown], _line(puzzle))

    def go_on(self) -> None:
        self._count(False)
        super().go_on()

    def _hint(self) -> None:
        self._hints += 1
        words = Phrase(_HINTS.get(self._puzzle.theme, _OTHER_HINT))
        if self._hints > 1:
            words = Phrase("puzzle_column", column=self._puzzle.best[0])
        self.say("hint", [words], {"hint": words})

    def answered(self, text: str) -> None:
        from kulami_solver.kulami.position.scoring import margin_words

        puzzle, field = self._puzzle, fields_as_typed(text)
        try:
            position = puzzle.position.play(field)
        except KulamiError as error:
            output.message("error", error)
            return
        if field == puzzle.best:
            self._count(True)
            value = margin_words(puzzle.value, puzzle.position.turn)
            words = Phrase("puzzle_right", value=value, streak=self._streak)
            self.say("you", [words], {"field": field, "right": True, **_line(puzzle)})
            self.go_on()
            return
        self._count(False)
        found = ks.solve(position, puzzle.scoring)
        assert found.margin is not None
        line = (field, *found.line)
        turn = puzzle.position.turn
        end = puzzle.position.play_all(line)
        value, best = margin_words(-found.margin, turn), margin_words(puzzle.value, turn)
        wrong = Phrase("puzzle_wrong", value=value, best=best)
        lines = [wrong, _played_out(line), self._board(end), Phrase("puzzle_again")]
        told: dict[str, Any] = {"margin": -found.margin, "line": list(line)}
        self.say("you", lines, {"field": field, "right": False, **told})

    def _count(self, right: bool) -> None:
        """Count the first answer to each puzzle."""
        if not self._missed:
            self._missed = True
            self._tried += 1
            self._solved += right
            self._streak = self._streak + 1 if right else 0
            self._longest = max(self._longest, self._streak)

    def _board(self, position: ks.Position) -> str:
        return board_text(position, output.wants_color("auto"))


def _line(puzzle: Puzzle) -> dict[str, Any]:
    return {"margin": puzzle.value, "line": list(puzzle.line)}


def _played_out(line: tuple[str, ...]) -> str:
    """A line with the numbers of its moves.

    >>> _played_out(("a1", "c1"))
    '1. a1 2. c1'
    """
    return " ".join(f"{number}. {field}" for number, field in enumerate(line, 1))
