"""Values and solutions of positions: outcome and plies to the end.

Plies count the fastest forced win or the slowest loss; a game that need not end is a draw. A
depth-limited search may know less: that nobody wins within a number of plies.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from ..core.notation import other_side
from ..game import WORTH, Answer, Bounded, MoveAnswer
from .board import Turn
from .position import Position

Outcome = Literal["win", "draw", "loss"]

# The value of a slot, in the 16 bits that `core/dense.pxd` shows and databases keep.
DECIDED: Final = 0x8000
LOSS: Final = 0x4000
PLIES: Final = 0x3FFF

_COUNTED: Final = {"win": "wins", "draw": "draws", "loss": "losses"}
_SEEN_BY_THE_OTHER: Final[dict[Outcome, Outcome]] = {"win": "loss", "draw": "draw", "loss": "win"}


@dataclass(frozen=True)
class Value:
    """The value of a position for one of the sides.

    Attributes:
        outcome: "win", "draw" or "loss"; None if it is not known.
        plies: turns of both sides to the end of the game; None for a draw or if not known.
        within: if the outcome is not known, plies within which there is neither a win nor a loss.

    Examples:
        >>> Value("loss", 4).before_turn()
        Value(outcome='win', plies=5, within=None)
        >>> Value("loss", 4).words("red"), Value(None, within=8).words("red")
        ('black wins in 4 plies', 'no win and no loss within 8 plies')
    """

    outcome: Outcome | None
    plies: int | None = None
    within: int | None = None

    def before_turn(self) -> Value:
        """Return the value of a turn that leads here, for the side that makes it."""
        plies, within = (None if n is None else n + 1 for n in (self.plies, self.within))
        return Value(self.outcome and _SEEN_BY_THE_OTHER[self.outcome], plies, within)

    @property
    def rank(self) -> tuple[int, int]:
        """The sort key, the best for this side first: fast wins, draws, rest, slow losses."""
        if self.outcome == "win":
            return 0, self.plies or 0
        if self.outcome == "loss":
            return 2, -(self.plies or 0)
        return 1, -(self.within or 0)

    @property
    def bounds(self) -> tuple[int, int]:
        """Bounds of the value: -1, 0 and 1 for loss, draw and win."""
        worth = WORTH.get(self.outcome)
        return (-1, 1) if worth is None else (worth, worth)

    def words(self, side: str) -> str:
        """Return the value in words, `side` being whose value it is."""
        if self.outcome == "draw":
            return "draw"
        if self.outcome is None:
            return f"no win and no loss within {_in_plies(self.within or 0)}"
        winner = side if self.outcome == "win" else other_side(side)
        if not self.plies:
            return f"{winner} has won"
        return f"{winner} wins in {_in_plies(self.plies)}"

    def to_json(self) -> dict[str, Any]:
        """Return the value as the command line prints it."""
        return {"outcome": self.outcome, "plies": self.plies, "within": self.within}


def _in_plies(count: int) -> str:
    return f"{count} {'ply' if count == 1 else 'plies'}"


def outcome_of(value: int) -> Outcome:
    """Win, draw or loss for the side to move, in a word.

    Examples:
        >>> outcome_of(0), outcome_of(DECIDED | 7), outcome_of(DECIDED | LOSS | 4)
        ('draw', 'win', 'loss')
    """
    if not value & DECIDED:
        return "draw"
    return "loss" if value & LOSS else "win"


def plies_of(value: int) -> int | None:
    """Plies to the end, None for a draw.

    Examples:
        >>> plies_of(DECIDED | LOSS | 4)
        4
    """
    return value & PLIES if value & DECIDED else None


def figures_of(counts: Iterable[Sequence[int]]) -> dict[str, int]:
    """Sum up how many positions have each value, as a database's header has it.

    Examples:
        >>> figures_of([(0, 5), (DECIDED | 3, 2), (DECIDED | LOSS | 4, 1)])
        {'positions': 8, 'wins': 2, 'draws': 5, 'losses': 1, 'longest': 4}
    """
    figures = dict.fromkeys(("positions", "wins", "draws", "losses", "longest"), 0)
    for number, count in counts:
        figures["positions"] += count
        figures[_COUNTED[outcome_of(number)]] += count
        figures["longest"] = max(figures["longest"], plies_of(number) or 0)
    return figures


def value_of(number: int) -> Value:
    """A value of the analysis as a value of the game.

    Examples:
        >>> value_of(0x8003)
        Value(outcome='win', plies=3, within=None)
    """
    return Value(outcome_of(number), plies_of(number))


def value_in(found: Bounded) -> Value:
    """Return the value that an answer, or one of its moves, tells."""
    outcome: Any = found.outcome
    return Value(outcome, getattr(found, "plies", None), getattr(found, "within", None))


def turn_value(turn: Turn, value: Value) -> MoveAnswer:
    """Return the value of a legal turn for the side that makes it, plies counted from before it."""
    return MoveAnswer(turn, *value.bounds, value.plies, value.within)


@dataclass(frozen=True)
class Solution(Answer):
    """The solution of a position. Values are for the side to move.

    Attributes:
        position: the position.
        lower, upper: -1, 0 and 1 for loss, draw and win; both if that is not known.
        best: a turn that keeps the value, None if the game is over or none is known.
        line: best play from here; to the end if somebody wins.
        moves: every legal turn, best first, if they were asked for.
        source: "database" or "search".
        nodes: positions searched.
        seconds: time taken.
        plies, within: as those of `value`.
    """

    position: Position
    best: Turn | None = None

    move_word = "turn"

    @classmethod
    def of(cls, position: Position, value: Value, **more: Any) -> Solution:
        """Return the solution with this value."""
        lower, upper = value.bounds
        return cls(position, lower, upper, plies=value.plies, within=value.within, **more)

    @property
    def value(self) -> Value:
        """The value of the position."""
        return value_in(self)

    @property
    def turns(self) -> tuple[MoveAnswer, ...]:
        """Every legal turn, best first, if they were asked for."""
        return self.moves

    def words(self, move: MoveAnswer | None = None) -> str:
        """Return the value in words; that of a turn if it is given."""
        return value_in(move or self).words(self.position.turn)

    def to_json(self) -> dict[str, Any]:
        """Return the solution as the command line prints it.

        Examples:
            >>> from kulami_solver.malawi import Board, Position, search
            >>> answer = search(Position.start(Board(2, 3))).to_json()
            >>> answer["outcome"], answer["plies"], answer["best"] in answer["line"]
            ('loss', 4, True)
        """
        return {
            "mfn": self.position.mfn(),
            **self.value.to_json(),
            "best": None if self.best is None else str(self.best),
            "line": [str(turn) for turn in self.line],
            "turns": [{"turn": str(one.move), **value_in(one).to_json()} for one in self.moves],
            "source": self.source,
            "nodes": self.nodes,
            "seconds": round(self.seconds, 6),
        }
