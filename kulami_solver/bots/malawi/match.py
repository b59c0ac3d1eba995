"""Matches of Malawi: openings of random turns."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from ...malawi import Board
from ...malawi.game import MalawiGame
from ..arena import Opening
from ..match import Terms, random_opening
from ..protocol import Clock


def draw_opening(seed: int, board: Board, plies: int = 4) -> Opening:
    """Return an opening, the same for a seed on every machine.

    Args:
        seed: 0 or more.
        board: which.
        plies: turns at random; fewer if the game would be over.

    Examples:
        >>> opening = draw_opening(7, Board(3, 4))
        >>> len(opening.moves), opening == draw_opening(7, Board(3, 4))
        (4, True)
    """
    return random_opening(MalawiGame(board).start(), plies, random.Random(seed))


@dataclass(frozen=True)
class MalawiTerms(Terms):
    """What a match of Malawi is played on.

    Attributes:
        board: which.
        plies, clock, seed: as in `Terms`.

    Examples:
        >>> from kulami_solver.bots.match import play_pair
        >>> terms = MalawiTerms(Board(2, 3), plies=0)
        >>> greedy, perfect = (terms.player(name, 0) for name in ("greedy", "perfect"))
        >>> [terms.record(game)["winner"] for game in play_pair(greedy, perfect, 0, terms)]
        ['black', 'black']
    """

    board: Board
    plies: int = 4
    clock: Clock = field(default_factory=Clock)
    seed: int = 0

    @property
    def game(self) -> MalawiGame:
        """Malawi on the board."""
        return MalawiGame(self.board)

    def rules(self) -> dict[str, Any]:
        """Return board and beads."""
        return {"board": str(self.board), "beads": self.board.beads}
