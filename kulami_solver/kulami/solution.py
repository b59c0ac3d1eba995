"""What a search finds out about a position: its solution, and how far it has got with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

from ..errors import KulamiError, quoted
from .position import Position
from .scoring import Scoring

__all__ = ["Goal", "MoveValue", "Progress", "Solution", "SolveInterrupted", "checked_goal"]

Goal = Literal["margin", "outcome"]


@dataclass(frozen=True)
class MoveValue:
    """What one legal field is worth, for the side that moves there.

    Attributes:
        field: its name.
        lower, upper: proved bounds of the margin after best play.
        margin: the margin, None if the bounds do not meet.
        outcome: "win", "draw" or "loss", None if the bounds do not tell.
    """

    field: str
    lower: int
    upper: int
    margin: int | None
    outcome: str | None


@dataclass(frozen=True)
class Solution:
    """What a search found out about a position. Margins are for the side to move.

    Attributes:
        position: what was solved.
        scoring: what counts.
        goal: "margin", or "outcome" if win, draw or loss was enough.
        exact: whether the goal was reached; if not, a budget ended the search. A budget that
            ends later, while fields are valued, leaves those open alone.
        lower, upper: proved bounds of the margin, whether exact or not.
        margin: the margin under best play, None if the bounds do not meet.
        outcome: "win", "draw" or "loss", None if the bounds do not tell.
        best: a field that keeps the value; without an exact value, one that guarantees `lower`
            if the search found one. None if the game is over.
        line: fields of best play from here, to the end of the game if the value is exact.
        moves: every legal field, `best` first, if they were asked for.
        nodes: positions searched. Those of a start that was too short, a few milliseconds in the
            thread that asked, are not among them.
        seconds: time taken.
        hits: positions that a database answered.
    """

    position: Position
    scoring: Scoring
    goal: Goal
    exact: bool
    lower: int
    upper: int
    margin: int | None
    outcome: str | None
    best: str | None
    line: tuple[str, ...]
    moves: tuple[MoveValue, ...]
    nodes: int
    seconds: float
    hits: int = 0

    @property
    def source(self) -> str:
        """Where the value comes from: "database" if nothing had to be searched, else "search"."""
        return "database" if self.hits and not self.nodes else "search"

    def to_json(self) -> dict[str, Any]:
        """Return the solution as the command line prints it.

        Examples:
            >>> from kulami_solver import Layout, Position, solve
            >>> answer = solve(Position(Layout.parse("AAB/CCB"))).to_json()
            >>> answer["margin"], answer["outcome"], answer["exact"]
            (0, 'draw', True)
        """
        return {
            "kfn": self.position.kfn(),
            "scoring": self.scoring.value,
            "goal": self.goal,
            "exact": self.exact,
            "margin": self.margin,
            "outcome": self.outcome,
            "lower": self.lower,
            "upper": self.upper,
            "best": self.best,
            "line": list(self.line),
            "moves": [
                {
                    "field": move.field,
                    "margin": move.margin,
                    "outcome": move.outcome,
                    "lower": move.lower,
                    "upper": move.upper,
                }
                for move in self.moves
            ],
            "nodes": self.nodes,
            "seconds": round(self.seconds, 6),
            "hits": self.hits,
            "source": self.source,
        }


class SolveInterrupted(KeyboardInterrupt):
    """Ctrl-C ended a search.

    Attributes:
        solution: what was proved of the position by then.
        later: from `solve_many`, what was found out about the positions that follow it.
    """

    def __init__(self, solution: Solution, later: tuple[Solution, ...] = ()) -> None:
        super().__init__("interrupted")
        self.solution: Final = solution
        self.later: Final = later

    def __reduce__(self) -> tuple[type[SolveInterrupted], tuple[Any, ...]]:
        # Other processes send theirs, and an exception is rebuilt from its message by default.
        return SolveInterrupted, (self.solution, self.later)


@dataclass(frozen=True)
class Progress:
    """How far a running search is.

    Attributes:
        lower, upper: bounds proved so far.
        nodes: positions searched.
        seconds: since it began.
        solution: all that is known now, with the bounds of the fields if they were asked for.
    """

    lower: int
    upper: int
    nodes: int
    seconds: float
    solution: Solution | None = None


def checked_goal(goal: str) -> Goal:
    """Return `goal` if it is one; raise a `KulamiError` otherwise."""
    if goal == "margin" or goal == "outcome":
        return goal  # type: ignore[return-value]
    raise KulamiError(f"{quoted(goal)} is no goal: give margin or outcome")
