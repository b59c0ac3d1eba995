"""Malawi's own part of the bots: their names, and its words for cases.

random  greedy  perfect      built in
perfect:FILE          likewise; it looks positions up in a solved database before it searches
module:name, exec ./bot --fast     as for every game, see `bots.naming`
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ...game import NOBODY
from ..builtin import RandomMover, StatePlayer, sources_of_bot
from ..case import Case as AnyCase
from ..naming import BotNames
from .builtin import Greedy, Perfect

BOTS = BotNames(
    game="malawi",
    called="bot of Malawi",
    shown=("random", "greedy", "perfect"),
    plain={
        "random": lambda seed: StatePlayer(RandomMover(seed)),
        "greedy": Greedy,
        "perfect": lambda seed: Perfect(seed=seed),
    },
    more={"perfect": lambda name, path, seed: Perfect(sources_of_bot(name, path, "malawi"), seed)},
)
"""The names of the bots."""


@dataclass(frozen=True)
class Case(AnyCase):
    """A position of Malawi, and the value of each legal turn.

    A turn is worth 1 if it wins, 0 if it keeps a draw, and -1 if it loses, however fast.
    """

    game_called: ClassVar = "Malawi"
    move_word: ClassVar = "turn"
    unit: ClassVar = "points"
    named_by: ClassVar = ("mfn",)
    grouped_by: ClassVar = ("outcome", "origin")
    tabled_by: ClassVar = ("outcome",)
    called: ClassVar = {"outcome": "value of the position", "origin": "origin of the position"}

    @classmethod
    def rules_json(cls, state: Any) -> dict[str, object]:
        return {"board": str(state.game.board), "beads": state.game.board.beads}

    @classmethod
    def standing(cls, state: Any) -> str:
        if state.to_move == NOBODY:
            winner = state.position.winner
            return "a draw" if winner is None else f"{winner} has won"
        beads = state.position.beads
        return f"beads red {beads['red']}, black {beads['black']}"

    @property
    def about(self) -> tuple[str, ...]:
        return (f"{self.position.columns}x{self.position.rows}",)
