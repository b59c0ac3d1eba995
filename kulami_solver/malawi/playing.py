"""A game of Malawi against perfect play, as far as that is known.

What a turn is worth comes from a database of the board, or from a depth-limited search. The
opponent never gives away a win it knows of and never walks into a loss it sees; between turns that
are as good as each other it prefers those that leave it more beads than the other side.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from .position import Position
from .turns import Turn
from .values import Solution

__all__ = ["Game"]


class Game:
    """A game as it goes on: turns can be played, taken back, answered and valued.

    Args:
        start: the first position.
        solve: finds out what every legal turn of a position is worth.
        seed: of the choice between turns that are equally good.

    Examples:
        >>> from kulami_solver.malawi import Board, Position, search
        >>> game = Game(
        ...     Position.start(Board(2, 3)), lambda position: search(position, every_move=True)
        ... )
        >>> game.play("a3-a1")
        Traceback (most recent call last):
        ...
        kulami_solver.errors.IllegalMoveError: red cannot play a3-a1: a1 is not empty
        >>> game.play("a3:b3")
        >>> str(game.answer()), game.position.turn
        ('b1xb3', 'red')
        >>> game.take_back(2)
        >>> game.position.mfn()
        'b2b2/../r2r2 r'
    """

    def __init__(
        self, start: Position, solve: Callable[[Position], Solution], seed: int = 0
    ) -> None:
        self.positions: Final = [start]
        self.turns: Final[list[Turn]] = []
        self._solve = solve
        self._draw = random.Random(seed)
        self._known: dict[Position, Solution] = {}

    @property
    def position(self) -> Position:
        """The position the game has come to."""
        return self.positions[-1]

    @property
    def repetitions(self) -> int:
        """How often this position has come up, this time included."""
        return self.positions.count(self.position)

    def play(self, turn: Turn | str) -> None:
        """Play a turn.

        Raises:
            NotationError: if the text is no turn.
            IllegalMoveError: if it is not legal.
        """
        made = turn if isinstance(turn, Turn) else Turn.parse(turn)
        self.positions.append(self.position.play(made))
        self.turns.append(made)

    def take_back(self, plies: int) -> None:
        """Take back the last turns, as many as there are if there are fewer."""
        for _ in range(min(plies, len(self.turns))):
            self.positions.pop()
            self.turns.pop()

    def solution(self) -> Solution:
        """Return what every legal turn is worth now."""
        if self.position not in self._known:
            self._known[self.position] = self._solve(self.position)
        return self._known[self.position]

    def answer(self) -> Turn:
        """Play one of the best turns, and return it. The game must not be over."""
        turns = self.solution().turns
        best = [found.turn for found in turns if found.value.rank == turns[0].value.rank]
        ahead = {turn: self._beads_ahead(turn) for turn in best}
        turn = self._draw.choice([turn for turn in best if ahead[turn] == max(ahead.values())])
        self.play(turn)
        return turn

    def _beads_ahead(self, turn: Turn) -> int:
        beads = self.position.play(turn).beads
        ahead = beads["red"] - beads["black"]
        return ahead if self.position.turn == "red" else -ahead
