"""One position to be solved: the question and what is known so far."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from ...game import Budget
from ..position.position import Position
from ..position.scoring import Scoring
from .best_play import Inquiry, find
from .oracle import Contradiction, Oracle
from .solution import Goal, MoveValue, Progress, Solution
from .solver import Bounds, Solver

# Most nodes for proving again what a stopped search has proved of a field; as a rule the table has
# it at once.
_RECALL_NODES: Final = 20


class OpenDatabase(Protocol):
    """The part of `Database` that a search uses; this saves the import of `Database` and NumPy."""

    @property
    def path(self) -> str:
        """Its file."""

    @property
    def place(self) -> str:
        """The absolute path of the file."""

    def oracle(self, position: Position, scoring: Scoring) -> Oracle | None:
        """Return an oracle that answers positions of the file within a search."""


@dataclass(frozen=True)
class Wanted:
    """The question about a position; the attributes are arguments of `solve`."""

    scoring: Scoring
    goal: Goal
    every_move: bool
    database: OpenDatabase | None


@dataclass(frozen=True)
class Share(Budget):
    """The budget of a search that may have to share the machine with others.

    Attributes:
        searches: how many searches share the available memory, if `memory` is None.
    """

    searches: int = 1


class Job(Inquiry):
    """One position to be solved, and what is found out about it.

    `solution` may be called at any time, also by another thread than the one that runs the job, and
    after Ctrl-C in the midst of the run.
    """

    def __init__(self, solver: Solver, position: Position, wanted: Wanted) -> None:
        moves, line = wanted.every_move, not wanted.every_move
        super().__init__(*solver.terms(position, wanted.goal, moves=moves, line=line))
        solver.check_oracle()
        self.solver: Final = solver
        self.position: Final = position
        self.wanted: Final = wanted
        self.done = False
        self._best_line: list[str] = []
        self._best_field: str | None = None
        self._shown: dict[str, int] = {}  # lower bounds of fields that `moves` lacks

    def run(self) -> None:
        """Find out all that is wanted, unless the search is stopped before."""
        find([self])
        self.conclude()

    def conclude(self) -> None:
        """Note, after `find`, the line and the field that gave the position its lower bound."""
        self.solver.check_oracle()
        self.check()
        names = self.solver.layout.fields
        self._best_line = [names[field] for field in self.line]
        self._best_field = None if self.preferred is None else names[self.preferred]
        self.done = self.whole
        if self.proving is not None:
            self._shown[names[self.proving]] = self.lower
        if self.valued:
            values = self._values()
            bounds = self._bounds(values)
            if bounds.lower > bounds.upper:
                raise Contradiction(f"a margin of {bounds.lower} at least, {bounds.upper} at most")
            self._follow(bounds, values)
        if not self.done and self.proving is None:
            self._recall()

    def _follow(self, bounds: Bounds, values: dict[str, Bounds]) -> None:
        """Find the line where all fields are valued."""
        if self.position.is_over:
            self.done = True
            return
        best = self._best(bounds, values)
        if best is None:
            best = max(values, key=lambda field: values[field].lower)
        value = values[best]
        found = self.solver.inquire(
            self.position.play(best), self.wanted.goal, (-value.upper, -value.lower), line=True
        )
        self._best_line = [best, *(self.solver.layout.fields[field] for field in found.line)]
        self.done = found.whole

    def _recall(self) -> None:
        """Find the field that gave the position its lower bound, and note that bound for it.

        The search has proved it, but only the table knows. So the fields are searched in turn until
        it is found, with a few nodes for each, even if the search was stopped.
        """
        lower = self.lower
        fields = sorted(self.position.legal_fields, key=lambda field: field != self._best_field)
        for field in fields:
            self.solver.allow(_RECALL_NODES)
            if -self.solver.inquire(self.position.play(field), 1 - lower).upper >= lower:
                self._best_field = field
                self._shown[field] = lower
                return

    def _values(self) -> dict[str, Bounds]:
        """Bounds of the fields; none is worth more than the position."""
        names, upper = self.solver.layout.fields, self.upper
        return {
            names[field]: Bounds(max(low, self._shown.get(names[field], low)), min(high, upper))
            for field, (low, high) in self.moves.items()
        }

    def _bounds(self, values: dict[str, Bounds]) -> Bounds:
        """Bounds of the position, from its own search and from the values of its fields."""
        lower, upper = self.lower, self.upper
        if values:
            lower = max(lower, *(known.lower for known in values.values()))
            upper = min(upper, max(known.upper for known in values.values()))
        return Bounds(lower, upper)

    def _best(self, bounds: Bounds, values: dict[str, Bounds]) -> str | None:
        """The field to name: that of best play, else one known to guarantee the lower bound."""
        if self._best_line:
            return self._best_line[0]
        proving = [field for field, known in values.items() if known.lower == bounds.lower]
        if not proving and self.wanted.goal == "outcome" and bounds.lower > 0:
            # Where the outcome alone is asked for, the lower bound of the position may be above
            # those of all fields.
            proving = [field for field, known in values.items() if known.lower > 0]
        if proving and self._best_field not in proving:
            return max(proving, key=lambda field: values[field].upper)
        return self._best_field

    def tell(self, report: Callable[[Progress], object], seconds: float) -> None:
        """Call `report` with what is known now."""
        known = self.solution(seconds)
        report(Progress(self.lower, self.upper, known.nodes, seconds, known))

    def solution(self, seconds: float) -> Solution:
        """The solution, as far as it is known now."""
        values = self._values()
        bounds = self._bounds(values)
        best = self._best(bounds, values)
        moves = []
        for field, value in values.items():
            value.upper = min(value.upper, bounds.upper)
            moves.append(MoveValue(field, value.lower, value.upper))
        moves.sort(key=lambda move: (move.field != best, -move.lower, -move.upper))
        nodes, hits = self.solver.nodes, self.solver.hits
        return Solution(
            position=self.position,
            scoring=self.wanted.scoring,
            goal=self.wanted.goal,
            lower=bounds.lower,
            upper=bounds.upper,
            best=best,
            line=tuple(self._best_line),
            moves=tuple(moves),
            nodes=nodes,
            seconds=seconds,
            hits=hits,
            source="database" if hits and not nodes else "search",
        )
