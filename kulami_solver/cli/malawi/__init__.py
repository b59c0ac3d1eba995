"""`kulami malawi ...`: Malawi's part of the commands of all games.

solving     solve, probe, build, info, verify, and boards that are solved for a check or a grade
play        a game at the terminal
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import kulami_solver as ks
from kulami_solver.cli import output
from kulami_solver.cli.game import GameCommands
from kulami_solver.cli.output import CommandError

if TYPE_CHECKING:
    from kulami_solver.bots.case import Case
    from kulami_solver.cli.game import ReadGame

#: A position as text.
board_text = partial(output.board_text, "kulami_solver.malawi.render")


class MalawiCommands(GameCommands):
    """The parts of Malawi that the commands need."""

    moves_word: ClassVar = "turns"
    move_code: ClassVar = "played_turn"
    notation_word: ClassVar = "mfn"
    opening: ClassVar = 4
    board_text: ClassVar = staticmethod(board_text)

    def as_typed(self, text: str) -> str:
        return text.lower()

    def told(self, state: Any) -> dict[str, Any]:
        position = state.position
        return {"beads": position.beads, "over": position.is_over, "winner": position.winner}

    def cases(self, args: argparse.Namespace) -> tuple[type[Case], Sequence[Case]]:
        from kulami_solver.cli.malawi.solving import LONGEST_TO_CHECK, why_not_from_the_ends

        why = why_not_from_the_ends(self.game(args).board, LONGEST_TO_CHECK)
        if args.database is None and why is not None:
            raise CommandError(f"{why}; name a --database, or take a smaller --board")
        return super().cases(args)

    def sources(
        self, args: argparse.Namespace, stack: ExitStack
    ) -> Callable[[Any], Sequence[ks.game.Source]]:
        from kulami_solver.cli.malawi.solving import SolvedBoards

        solved = SolvedBoards(args.database, stack)
        return lambda start: () if solved.database(start.game.board) is None else (solved,)

    def read_record(self, record: object, number: int, place: int) -> ReadGame:
        from kulami_solver.malawi.replay import read_game

        return read_game(record, number, place)[:2]


GAME = MalawiCommands("malawi", "Malawi", "the sibling game: solve, play ...")
