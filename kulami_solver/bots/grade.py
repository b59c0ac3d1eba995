"""What each move of a game of Kulami cost, from the ply on where the game can be solved.

The game, or what was played of it, is solved from its end backwards, until a position takes more
than the budget; from there on every move is graded by the exact values of all fields.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..errors import KulamiError
from ..kulami.position import Position
from ..kulami.scoring import Scoring
from ..kulami.solve import solve
from .case import outcome
from .suite import Case

__all__ = ["Grade", "GradedMove", "grade"]


@dataclass(frozen=True)
class GradedMove:
    """A move and what it cost.

    Attributes:
        ply: its number in the game, from 1.
        played: the field.
        case: the position before it, with every field's value.
    """

    ply: int
    played: str
    case: Case

    @property
    def colour(self) -> str:
        """Who moved."""
        return self.case.position.turn

    @property
    def value(self) -> int:
        """The margin it leaves, for the side that moved."""
        return self.case.values[self.played]

    @property
    def cost(self) -> int:
        """What it cost, in margin."""
        return self.case.best - self.value

    @property
    def turning_point(self) -> bool:
        """Whether it changed who wins."""
        return outcome(self.case.best) != outcome(self.value)

    def to_json(self) -> dict[str, Any]:
        """Return the move as the command line prints it."""
        return {
            "ply": self.ply,
            "colour": self.colour,
            "field": self.played,
            "margin": self.value,
            "best": list(self.case.best_fields),
            "best_margin": self.case.best,
            "cost": self.cost,
            "outcome": [outcome(self.case.best), outcome(self.value)],
        }


@dataclass(frozen=True)
class Grade:
    """A graded game.

    Attributes:
        start: the empty board.
        scoring: what counts.
        played: all fields.
        moves: the graded moves, the last ones of the game.
    """

    start: Position
    scoring: Scoring
    played: tuple[str, ...]
    moves: tuple[GradedMove, ...]

    @property
    def first_ply(self) -> int:
        """The first graded ply, from 1; one beyond the game if none is graded."""
        return len(self.played) - len(self.moves) + 1

    @property
    def end(self) -> Position:
        """The position after the last move."""
        return self.start.play_all(self.played)

    @property
    def turning_points(self) -> tuple[GradedMove, ...]:
        """The moves that changed who wins."""
        return tuple(move for move in self.moves if move.turning_point)

    def of(self, colour: str) -> dict[str, Any]:
        """Return a player's accuracy: moves, optimal, accuracy, lost and worst.

        Moves without a choice are not counted; accuracy is None if there was never one.
        """
        own = [m for m in self.moves if m.colour == colour and len(m.case.values) > 1]
        right = sum(move.cost == 0 for move in own)
        return {
            "moves": len(own),
            "optimal": right,
            "accuracy": right / len(own) if own else None,
            "lost": sum(move.cost for move in own),
            "worst": max((move.cost for move in own), default=0),
        }

    def to_json(self) -> dict[str, Any]:
        """Return the grade as the command line prints it."""
        return {
            "scoring": self.scoring.value,
            "plies": len(self.played),
            "finished": self.end.is_over,
            "from_ply": self.first_ply,
            "moves": [move.to_json() for move in self.moves],
            "turning_points": [move.ply for move in self.turning_points],
            "red": self.of("red"),
            "black": self.of("black"),
        }

    def text(self) -> str:
        """Return the grade as text."""
        end = self.end
        score = end.score(self.scoring)
        lines = [f"{len(self.played)} moves, red {score.red}, black {score.black}"]
        if not end.is_over:
            lines[0] += ", not played to its end"
        if not self.played:
            return f"{lines[0]}; there is no move to judge"
        if not self.moves:
            return f"{lines[0]}; no position could be solved in the time: give more with --time"
        lines += [
            f"solved from move {self.first_ply} on",
            "",
            "ply         field  margin  cost  best",
        ]
        for move in self.moves:
            note = ""
            if move.turning_point:
                note = f"  a {outcome(move.case.best)} becomes a {outcome(move.value)}"
            best = " ".join(move.case.best_fields) if move.cost else ""
            cost = str(move.cost) if move.cost else "-"
            lines.append(
                f"{move.ply:>3}  {move.colour:<6} {move.played:<5}{move.value:>+8}{cost:>6}"
                f"  {best}{note}".rstrip()
            )
        lines.append("")
        for colour in ("red", "black"):
            found = self.of(colour)
            share = "-" if found["accuracy"] is None else f"{found['accuracy'] * 100:.0f} %"
            lines.append(
                f"{colour:<6} {share:>5} optimal ({found['optimal']} of {found['moves']} choices), "
                f"lost {found['lost']}"
            )
        return "\n".join(lines)


def grade(
    start: Position,
    played: tuple[str, ...],
    scoring: Scoring = Scoring.LEVEL0,
    *,
    time: float | None = 10.0,
    nodes: int | None = None,
    progress: Callable[[GradedMove], None] | None = None,
) -> Grade:
    """Grade the moves of a game.

    Args:
        start: the board the game began on.
        played: the fields, in order.
        scoring: what counts.
        time, nodes: what the search may take for one position.
        progress: called with each graded move, the last one of the game first.

    Raises:
        KulamiError: if a move is not legal.

    Examples:
        >>> from kulami_solver import Layout
        >>> found = grade(Position(Layout.parse("AAB/AAC")), ("a1", "c1", "c2", "a2"))
        >>> [move.cost for move in found.moves], found.first_ply
        ([0, 0, 0, 0], 1)
    """
    positions = [start]
    for number, field in enumerate(played, 1):
        try:
            positions.append(positions[-1].play(field))
        except KulamiError as error:
            raise type(error)(f"move {number}: {error}") from None
    graded: list[GradedMove] = []
    for ply in range(len(played), 0, -1):
        position = positions[ply - 1]
        solution = solve(position, scoring, time=time, nodes=nodes, every_move=True)
        if any(move.margin is None for move in solution.moves):
            break
        values = {move.field: move.lower for move in solution.moves}
        move = GradedMove(ply, played[ply - 1], Case(position, scoring, values))
        graded.append(move)
        if progress is not None:
            progress(move)
    return Grade(start, scoring, played, tuple(reversed(graded)))
