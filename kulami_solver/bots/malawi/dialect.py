"""Malawi in UGI: positions as MFN, without options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from ...malawi import Board, Position
from ...malawi.game import GAME, MalawiGame, MalawiState, state_of
from ..dialect import Dialect

_TO_COME: Final = 40  # assumed number of turns to come, which is unknown


class MalawiDialect(Dialect):
    """The dialect of Malawi.

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
        position = Position.from_mfn(notation)
        # The notation lacks the number of beads at the start; nothing depends on it.
        return state_of(position)

    def text(self, position: Position, told: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
        return position.mfn(), {}

    def plies_left(self, position: Position) -> int:
        return _TO_COME


DIALECT: Final = MalawiDialect()
"""The dialect of Malawi."""
