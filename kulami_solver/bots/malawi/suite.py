"""Positions of Malawi to judge bots by, each with the exact value of every turn, from a database.

A turn is worth 1 if it wins, 0 if it keeps a draw, and -1 if it loses, however fast.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from ...errors import Phrase
from ...game import NOBODY, Number, State
from ...malawi import Database
from ...malawi.game import MalawiGame, MalawiState
from .. import suite
from ..case import GameCase


@dataclass(frozen=True)
class MalawiCase(GameCase):
    """A position of Malawi, and the value of each legal turn."""

    game_called: ClassVar = "Malawi"
    move_word: ClassVar = "turn"
    named_by: ClassVar = ("mfn",)
    tabled_by: ClassVar = ("outcome",)
    called: ClassVar = {"outcome": "value of the position", "origin": "origin of the position"}

    @classmethod
    def rules_json(cls, state: State) -> dict[str, object]:
        assert isinstance(state, MalawiState)
        return {"board": str(state.game.board), "beads": state.game.board.beads}

    @classmethod
    def standing(cls, state: State) -> Phrase:
        assert isinstance(state, MalawiState)
        if state.to_move == NOBODY:
            winner = state.position.winner
            return Phrase("a_draw") if winner is None else Phrase("has_won", side=winner)
        return Phrase("beads_of_both", **state.position.beads)

    @property
    def about(self) -> tuple[str, ...]:
        return (f"{self.position.columns}x{self.position.rows}",)


def case_of(state: State, values: Mapping[str, Number], origin: str = "") -> MalawiCase:
    """Return a state of Malawi as a case."""
    assert isinstance(state, MalawiState)
    return MalawiCase(state.game, state.position, values, origin)


def draw_cases(database: Database, seed: int, count: int) -> Iterator[MalawiCase]:
    """Yield positions of random games as `bots.suite.draw_cases` does.

    Args:
        database: of the board, with the values.
        seed, count: as there.

    Raises:
        KulamiError: if there are fewer than `count`, or the database is damaged.
    """
    return suite.draw_cases(MalawiGame(database.board), seed, count, (database,))
