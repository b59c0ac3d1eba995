"""Malawi's own part of the bots: their names, its dialect of UGI, and its words for cases.

random  greedy  perfect      built in
perfect:FILE          likewise; it looks positions up in a solved database before it searches
module:name, exec ./bot --fast     as for every game, see `bots.naming`
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from ...game import NOBODY
from ...malawi import Board, Position
from ...malawi.game import GAME, MalawiGame, MalawiState, state_of
from ..builtin import RandomMover, StatePlayer, file_of_bot
from ..case import Case as AnyCase
from ..dialect import Dialect
from ..naming import BotNames
from .builtin import Greedy, Perfect

_TO_COME: Final = 40  # assumed number of turns to come, which is unknown

BOTS = BotNames(
    game="malawi",
    called="bot of Malawi",
    shown=("random", "greedy", "perfect"),
    plain={
        "random": lambda seed: StatePlayer(RandomMover(seed)),
        "greedy": Greedy,
        "perfect": lambda seed: Perfect(seed=seed),
    },
    more={"perfect": lambda name, path, seed: Perfect((file_of_bot(name, path, "malawi"),), seed)},
)
"""The names of the bots."""


class MalawiDialect(Dialect):
    """The dialect of Malawi: positions as MFN, without options.

    Examples:
        >>> DIALECT.state("b2b2/../r2r2 r", {}).moves[:2]
        ('a3xa1', 'a3:b3')
        >>> DIALECT.state(None, {}).game.board
        Board(columns=6, rows=6, beads=2)
    """

    game: ClassVar = GAME
    title: ClassVar = "kulami malawi"

    def state(self, notation: str | None, options: Mapping[str, str]) -> MalawiState:
        """Return the position of an MFN, or the start of a game on 6x6."""
        if notation is None:
            return MalawiGame(Board(6, 6)).start()
        # The notation lacks the number of beads at the start; nothing depends on it.
        return state_of(Position.from_mfn(notation))

    def text(self, position: Position, told: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
        return position.mfn(), {}

    def plies_left(self, position: Position) -> int:
        return _TO_COME


DIALECT: Final = MalawiDialect()
"""The dialect of Malawi."""


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
