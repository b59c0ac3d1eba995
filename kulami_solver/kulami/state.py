"""States of Kulami: a position and what counts, for `kulami_solver.game`.

Seat 0 is red, 1 is black; values are margins.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..core.notation import BLACK, RED
from ..core.whole_numbers import whole
from ..errors import PositionError
from ..game import NOBODY, OpenState
from .position.edition import USUAL, Edition, OfEdition
from .position.layout import Layout
from .position.position import Position, checked_position
from .position.scoring import Scoring

SEATS = (RED, BLACK)


@dataclass(frozen=True)
class KulamiGame(OfEdition):
    """Kulami on a layout, by a scoring: a `kulami_solver.game.Game`.

    Examples:
        >>> game = KulamiGame(Layout.parse("AAB/CCB"), Scoring.LEVEL1)
        >>> game.start().notation()
        'AAB/CCB - r -'
        >>> game.read("AAB/CCB r/3 b a1").returns()
        Traceback (most recent call last):
        ...
        kulami_solver.errors.PositionError: the game is not over: black is to move
    """

    layout: Layout
    scoring: Scoring = Scoring.LEVEL0
    first: str = RED
    edition: Edition = USUAL

    name = "kulami"
    seats = SEATS
    has_chance = False
    has_hidden = False
    may_repeat = False

    def start(self) -> KulamiState:
        position = Position(self.layout, self.first, **self.edition)
        return KulamiState(self, position)

    def read(self, notation: str) -> KulamiState:
        position = Position.from_kfn(notation, **self.edition)
        if position.layout != self.layout:
            raise PositionError(
                f"a position on another layout: this game is played on {self.layout}"
            )
        return KulamiState(self, position)


@dataclass(frozen=True)
class KulamiState(OpenState):
    """A position of Kulami, and what counts, as a `kulami_solver.game.State`."""

    game: KulamiGame
    position: Position

    @property
    def to_move(self) -> int:
        """0 if red is to move, 1 if black is, `NOBODY` once the game is over."""
        return NOBODY if self.position.is_over else SEATS.index(self.position.turn)

    @property
    def moves(self) -> tuple[str, ...]:
        return self.position.legal_fields

    def play(self, move: str) -> KulamiState:
        return KulamiState(self.game, self.position.play(move))

    def returns(self) -> tuple[int, int]:
        """Return the margin as red and as black see it."""
        if not self.position.is_over:
            raise PositionError("not_over", side=self.position.turn)
        margin = self.position.score(self.game.scoring).margin
        return margin, -margin

    def scores(self) -> tuple[int, ...]:
        """Return the points of each side."""
        score = self.position.score(self.game.scoring)
        return score.red, score.black

    def notation(self) -> str:
        return self.position.kfn()

    def for_bots(self) -> tuple[Position, dict[str, Scoring]]:
        """Return the position, and the scoring for bots that ask for it."""
        return self.position, {"scoring": self.game.scoring}

    def move_of(self, answer: object) -> str:
        """Return the field of an answer, which may be its name or its number."""
        if isinstance(answer, str):
            self.position.play(answer)
            return answer
        number = whole(answer)
        if number is None:
            raise TypeError("no field")
        self.position.play(number)
        return self.position.layout.fields[number]


def state_of(position: Position, scoring: Scoring | str | int = Scoring.LEVEL0) -> KulamiState:
    """Return a position as a state, with what counts: a scoring, or as it is written.

    Examples:
        >>> state = state_of(Position(Layout.parse("AAB/CCB")), Scoring.CHAINS)
        >>> state.moves[0], state.game.scoring
        ('a1', <Scoring.CHAINS: 'chains'>)
    """
    position, counted = checked_position(position), Scoring.parse(scoring)
    game = KulamiGame(position.layout, counted, position.first, position.edition)
    return KulamiState(game, position)
