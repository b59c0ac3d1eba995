"""The solution of a position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import checked_kind
from ...game import Answer, Bounded, MoveAnswer, Question, checked_question
from ...game import Goal as Goal
from ..position.position import Position
from ..position.scoring import Scoring, range_words


@dataclass(frozen=True)
class MoveValue(MoveAnswer):
    """The value of one legal field, for the side that moves there.

    Attributes:
        lower, upper: proved bounds of the margin after best play.
    """

    lower: int
    upper: int

    @property
    def field(self) -> str:
        """The field's name."""
        name: str = self.move
        return name

    @property
    def margin(self) -> int | None:
        """The margin, None if the bounds do not meet."""
        return self.lower if self.lower == self.upper else None


@dataclass(frozen=True)
class Solution(Answer):
    """What a search found out about a position. Margins are for the side to move.

    Attributes:
        position: the position solved.
        scoring: what counts.
        goal: "margin", or "outcome" if win, draw or loss was enough.
        lower, upper: proved bounds of the margin, whether exact or not.
        best: a field that keeps the value; without an exact value, one that guarantees `lower`
            if the search found one. None if the game is over.
        line: fields of best play from here, to the end of the game if the value is exact.
        moves: every legal field, `best` first, if they were asked for.
        nodes: positions searched, without those of a first attempt of a few milliseconds in the
            calling thread that did not finish.
        seconds: time taken.
        hits: positions that a database answered.
        source: "database" if nothing had to be searched, "proof", or "search".
    """

    position: Position
    lower: int
    upper: int
    best: str | None = None
    line: tuple[str, ...] = ()
    moves: tuple[MoveValue, ...] = ()
    scoring: Scoring = Scoring.LEVEL0
    goal: Goal = "margin"
    hits: int = 0

    move_word = "field"

    @classmethod
    def of(
        cls,
        question: Question,
        bounds: tuple[int, int],
        values: Mapping[str, tuple[int, int]],
        best: str | None,
        line: Sequence[str],
        **counts: Any,
    ) -> Solution:
        """Return the solution by what a search has proved of a position and of its fields.

        Args:
            question: what was asked.
            bounds: of the position.
            values: bounds of the fields, none of which is worth more than the position.
            best: the field to name first.
            line: the line.
            counts: nodes, seconds and hits.
        """
        lower, upper = bounds
        moves = [MoveValue(field, low, min(high, upper)) for field, (low, high) in values.items()]
        moves.sort(key=lambda move: (move.field != best, -move.lower, -move.upper))
        return cls(
            question.state.position,
            lower,
            upper,
            best,
            tuple(line),
            tuple(moves),
            scoring=question.state.game.scoring,
            goal=question.goal,
            source="database" if counts.get("hits") and not counts["nodes"] else "search",
            **counts,
        )

    @property
    def exact(self) -> bool:
        """Whether the goal was reached; if not, a budget ended the search.

        A budget that ends later, while fields are valued, leaves only fields open.
        """
        return (self.margin if self.goal == "margin" else self.outcome) is not None

    @property
    def margin(self) -> int | None:
        """The margin under best play, None if the bounds do not meet."""
        return self.lower if self.lower == self.upper else None

    def settles(self, question: Question) -> bool:
        """Whether the goal that is asked for, or a further one, was reached."""
        return self.exact and self.goal in ("margin", checked_question(question).goal)

    def words(self, move: MoveAnswer | None = None) -> str:
        """Return the value in words, with the points if the margin is the goal."""
        found = self if move is None else checked_kind(move, MoveAnswer, "a move is a MoveAnswer")
        by = self.goal == "margin"
        return range_words(int(found.lower), int(found.upper), self.position.turn, by=by)

    @property
    def values(self) -> dict[str, tuple[int, int]]:
        """The proved bounds by field; without `moves`, those of `best` if its value is known."""
        if not self.moves and self.best is not None and self.margin is not None:
            return {self.best: (self.margin, self.margin)}
        return {move.field: (move.lower, move.upper) for move in self.moves}

    def svg(self) -> str:
        """Return the position as an SVG picture, with the values on its fields."""
        from ...drawing.svg import picture_svg
        from ..drawing.render import picture_of

        return picture_svg(picture_of(self.position, values=self.values))

    def png(self, *, square: int = 80) -> bytes:
        """Return the position as a PNG picture, with the values on its fields.

        Args:
            square: the width of a square in pixels, 16 to 256.

        Raises:
            KulamiError: if Pillow is not installed, or `square` is out of range.
        """
        from ...drawing.png import picture_png
        from ..drawing.render import picture_of

        return picture_png(picture_of(self.position, values=self.values), square=square)

    def _repr_svg_(self) -> str:
        return self.svg()

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


def standing(now: Bounded) -> str:
    """Return what a progress line says of a search.

    Examples:
        >>> standing(MoveValue("a1", -2, 3))
        'margin -2 to +3'
    """
    return f"margin {now.lower:+d} to {now.upper:+d}"
