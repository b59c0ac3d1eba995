"""A game of Just 4 Fun against opponents who play by advice.

Everyone sees the own hand alone: an opponent asks for advice about the position as it knows it.
Cards are drawn at random from a seed, and the discards are shuffled when the stock is used up.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

from .advising import Advice
from .dealing import Turn, drawn_at_random
from .moves import Move
from .position import Position
from .replay import record_of
from .unseen import known_to

__all__ = ["Game"]


class Game:
    """A game as it goes on: moves can be played, taken back, answered and advised on.

    Args:
        start: the first position, with open hands.
        advise: estimates the moves of a position as the player to move knows it.
        seed: of the cards drawn where the order of the stock is not known.

    Examples:
        >>> from kulami_solver.just4fun import Board, advise, deal
        >>> start = deal(Board.parse("3x3"), 3, stones=2, line=3, hand=2)
        >>> game = Game(start, lambda position: advise(position, deals=4))
        >>> game.play(str(game.position.legal_moves[0])).move == start.legal_moves[0]
        True
        >>> turn = game.answer()
        >>> len(game.turns), game.position.turn
        (2, 'red')
        >>> game.take_back(2)
        >>> game.position == start
        True
    """

    def __init__(
        self, start: Position, advise: Callable[[Position], Advice], seed: int = 0
    ) -> None:
        self.positions: Final = [start]
        self.turns: Final[list[Turn]] = []
        self._advise = advise
        self._draw = Random(seed)
        self._known: dict[Position, Advice] = {}

    @property
    def position(self) -> Position:
        """The position the game has come to, with all that is hidden from players."""
        return self.positions[-1]

    def seen_by(self, player: str) -> Position:
        """Return the position as a player knows it."""
        return known_to(self.position, player)

    def play(self, move: Move | str) -> Turn:
        """Play a move, draw cards, and return both.

        Raises:
            NotationError: if the text is no move.
            IllegalMoveError: if it is not legal.
        """
        made = move if isinstance(move, Move) else Move.parse(move)
        drawn = drawn_at_random(self.position, made, self._draw)
        self.positions.append(self.position.play(made, drawn))
        self.turns.append(Turn(made, drawn))
        return self.turns[-1]

    def take_back(self, moves: int) -> None:
        """Take back the last moves, as many as there are if there are fewer."""
        for _ in range(min(moves, len(self.turns))):
            self.positions.pop()
            self.turns.pop()

    def advice(self) -> Advice:
        """Return what the moves of the player to move are estimated to score."""
        known = self.seen_by(self.position.turn)
        if known not in self._known:
            self._known[known] = self._advise(known)
        return self._known[known]

    def answer(self) -> Turn:
        """Play the move with the best estimate, and return it. The game must not be over."""
        best = self.advice().best
        assert best is not None
        return self.play(best)

    def record(self) -> dict[str, Any]:
        """Return the game so far as `replay` reads it."""
        return record_of(self.positions[0], self.turns, self.position)
