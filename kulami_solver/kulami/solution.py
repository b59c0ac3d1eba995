"""The solution of a position, and the progress of its search."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal

from ..core.interruption import Interrupted
from ..drawing.notebook import beside, table, with_value
from ..errors import KulamiError
from .position import Position
from .scoring import Scoring
from .words import range_words

Goal = Literal["margin", "outcome"]


@dataclass(frozen=True)
class MoveValue:
    """The value of one legal field, for the side that moves there.

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


class Analysis(tuple[MoveValue, ...]):
    """The values of a position's legal fields, best first: a tuple that shows itself in notebooks.

    Args:
        moves: the values.
        position: whose fields they are.

    Attributes:
        position: whose fields they are; None in a slice, which is a plain tuple.

    Examples:
        >>> from kulami_solver import Layout, analyse
        >>> found = analyse(Position(Layout.parse("AAB/CCB")).play("a1"))
        >>> found == (found[0], found[1]), found.position.last, found._repr_svg_()[:4]
        (True, ('a1',), '<svg')
    """

    position: Position

    def __new__(cls, moves: Iterable[MoveValue], position: Position) -> Analysis:
        made = super().__new__(cls, moves)
        made.position = position
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self), self.position

    @property
    def values(self) -> dict[str, tuple[int, int]]:
        """The proved bounds by field."""
        return {move.field: (move.lower, move.upper) for move in self}

    def svg(self) -> str:
        """Return the position as an SVG picture, with the values on its fields."""
        from ..drawing.svg import picture_svg
        from .picture import picture_of

        return picture_svg(picture_of(self.position, values=self.values))

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_html_(self) -> str:
        moves = _in_words(self, self.position.turn)
        return beside(self.svg(), [table(moves, ("field", "value"))])


@dataclass(frozen=True)
class Solution:
    """What a search found out about a position. Margins are for the side to move.

    Attributes:
        position: the position solved.
        scoring: what counts.
        goal: "margin", or "outcome" if win, draw or loss was enough.
        exact: whether the goal was reached; if not, a budget ended the search. A budget that
            ends later, while fields are valued, leaves only fields open.
        lower, upper: proved bounds of the margin, whether exact or not.
        margin: the margin under best play, None if the bounds do not meet.
        outcome: "win", "draw" or "loss", None if the bounds do not tell.
        best: a field that keeps the value; without an exact value, one that guarantees `lower`
            if the search found one. None if the game is over.
        line: fields of best play from here, to the end of the game if the value is exact.
        moves: every legal field, `best` first, if they were asked for.
        nodes: positions searched, without those of a first attempt of a few milliseconds in the
            calling thread that did not finish.
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

    @property
    def values(self) -> dict[str, tuple[int, int]]:
        """The proved bounds by field; without `moves`, those of `best` if its value is known."""
        if not self.moves and self.best is not None and self.margin is not None:
            return {self.best: (self.margin, self.margin)}
        return {move.field: (move.lower, move.upper) for move in self.moves}

    def text(self, *, ascii_only: bool = False) -> str:
        """Return the board as text, with the values on its fields.

        Examples:
            >>> from kulami_solver import Layout, solve
            >>> start = Position(Layout.parse("AAB/CCB")).play("a1")
            >>> print(solve(start, every_move=True).text(ascii_only=True))
                 a   b   c
               +-------+---+
             1 |(r)  . | 0 |
               +-------+   |
             2 |-2   . | . |
               +-------+---+
            black to move, 2 legal fields; last a1
        """
        from .render import board_text

        return board_text(self.position, ascii_only=ascii_only, values=self.values)

    def ansi(self) -> str:
        """Return the board as text with colours for a terminal, with the values on its fields."""
        from .render import board_ansi

        return board_ansi(self.position, values=self.values)

    def svg(self) -> str:
        """Return the position as an SVG picture, with the values on its fields."""
        from ..drawing.svg import picture_svg
        from .picture import picture_of

        return picture_svg(picture_of(self.position, values=self.values))

    def png(self, *, square: int = 80) -> bytes:
        """Return the position as a PNG picture, with the values on its fields.

        Args:
            square: the width of a square in pixels, 16 to 256.

        Raises:
            KulamiError: if Pillow is not installed, or `square` is out of range.
        """
        from ..drawing.png import picture_png
        from .picture import picture_of

        return picture_png(picture_of(self.position, values=self.values), square=square)

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_html_(self) -> str:
        turn = self.position.turn
        value = range_words(self.lower, self.upper, turn, by=self.goal == "margin")
        moves = _in_words(self.moves, turn)
        return with_value(self.svg(), value, self.best, self.line, moves, "field")

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


class SolveInterrupted(Interrupted[Solution]):
    """Ctrl-C ended a search.

    Attributes:
        later: from `solve_many`, the solutions so far of the positions after this one.
    """

    def __init__(self, solution: Solution, later: tuple[Solution, ...] = ()) -> None:
        super().__init__(solution)
        self.later: Final = later

    @property
    def solution(self) -> Solution:
        """The solution as far as it was proved."""
        return self.found

    def __reduce__(self) -> tuple[type[SolveInterrupted], tuple[Any, ...]]:
        # Pickled exceptions from other processes are rebuilt from the message alone by default.
        return SolveInterrupted, (self.solution, self.later)


@dataclass(frozen=True)
class Progress:
    """Progress of a running search.

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
    raise KulamiError("no_goal", goal=goal)


def _in_words(moves: Iterable[MoveValue], turn: str) -> list[tuple[str, str]]:
    return [(move.field, range_words(move.lower, move.upper, turn)) for move in moves]
