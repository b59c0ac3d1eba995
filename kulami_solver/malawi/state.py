"""States of Malawi for `kulami_solver.game`: seat 0 is red, seat 1 is black.

A win is worth 1, a loss -1, and plies are the distance to the end. A line of play that never ends
is a draw, so a state knows its earlier positions: when a position comes up for the third time, the
game is over and drawn. This does not change the value of a position: a side that can force a win
can do so without repeating a position.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..core.notation import BLACK, RED
from ..errors import BoardError, PositionError
from ..game import NOBODY, OpenState
from .board import Board, Turn
from .position import Position

SEATS = (RED, BLACK)
# The occurrence of a position that ends the game as a draw.
_REPETITIONS = 3


@dataclass(frozen=True)
class MalawiGame:
    """Malawi on a board: a `kulami_solver.game.Game`.

    Examples:
        >>> game = MalawiGame(Board(2, 3))
        >>> game.start().moves[:2]
        ('a3xa1', 'a3:b3')
    """

    board: Board

    name = "malawi"
    seats = SEATS
    has_chance = False
    has_hidden = False
    may_repeat = True

    @property
    def beads(self) -> int:
        """The number of beads on each figure at the start."""
        return self.board.beads

    def start(self) -> MalawiState:
        return self.state(Position.start(self.board))

    def state(self, position: Position) -> MalawiState:
        """Return the state of a position, without a history."""
        return MalawiState(self, position)

    def read(self, notation: str) -> MalawiState:
        """Return the position of an MFN, without a history."""
        position = Position.from_mfn(notation)
        if (position.columns, position.rows) != (self.board.columns, self.board.rows):
            raise BoardError(
                f"a position on a board of {position.columns}x{position.rows}: this game is played "
                f"on {self.board}"
            )
        return self.state(position)


@dataclass(frozen=True)
class MalawiState(OpenState):
    """A position of Malawi, and the earlier positions of the game, the latest last.

    It is a `kulami_solver.game.State`.
    """

    game: MalawiGame
    position: Position
    before: tuple[Position, ...] = ()

    @property
    def _is_drawn(self) -> bool:
        return self.before.count(self.position) >= _REPETITIONS - 1

    @property
    def to_move(self) -> int:
        """0 if red is to move, 1 if black is, `NOBODY` once the game is over."""
        if self.position.is_over or self._is_drawn:
            return NOBODY
        return SEATS.index(self.position.turn)

    @property
    def moves(self) -> tuple[str, ...]:
        if self.to_move == NOBODY:
            return ()
        return tuple(str(turn) for turn in self.position.legal_turns)

    def play(self, move: Turn | str) -> MalawiState:
        if self._is_drawn:
            raise PositionError("repeated", position=self.notation())
        return MalawiState(self.game, self.position.play(move), (*self.before, self.position))

    def returns(self) -> tuple[int, int]:
        """Return 1 for the winner and -1 for the other, 0 for a draw."""
        if self.to_move != NOBODY:
            raise PositionError("not_over", side=self.position.turn)
        winner = self.position.winner
        red = 0 if winner is None else 1 if winner == RED else -1
        return red, -red

    def scores(self) -> tuple[int, ...]:
        """Return the beads of each side."""
        return tuple(self.position.beads.values())

    def notation(self) -> str:
        """Return the MFN, without the history."""
        return self.position.mfn()

    def move_of(self, answer: object) -> str:
        """Return the turn of an answer, which may be a `Turn` or its text."""
        if not isinstance(answer, (Turn, str)):
            raise TypeError("no turn")
        turn = answer if isinstance(answer, Turn) else Turn.parse(answer)
        self.play(turn)
        return str(turn)


def state_of(position: Position) -> MalawiState:
    """Return a position as a state, without a history.

    Examples:
        >>> state_of(Position.start(Board(2, 3))).moves[:2]
        ('a3xa1', 'a3:b3')
    """
    return MalawiGame(Board(position.columns, position.rows)).state(position)
