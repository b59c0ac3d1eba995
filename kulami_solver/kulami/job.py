"""One position to be solved: the questions that lead to all that is asked, and what is known.

run             question by question, what is known kept up after each
run_at_once     of several positions in one compiled call, where that takes milliseconds
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from .position import Position
from .scoring import Scoring
from .solution import Goal, MoveValue, Progress, Solution
from .solver import Bounds, SearchStopped, Settled, Solver, check_bounds, settle_together

__all__ = ["Job", "run_at_once"]

# Nodes that a field may take to show again what a stopped search has proved of it; as a rule the
# table shows it at once.
_RECALL_NODES: Final = 20


class Job:
    """One position to be solved, and what is found out about it step by step.

    `bounds` and `moves` may be read at any time, also by another thread than the one that runs it
    and after Ctrl-C in the midst of it, since each step leaves them true.
    """

    def __init__(self, solver: Solver, position: Position, goal: Goal, every_move: bool) -> None:
        self.solver = solver
        self.position = position
        self.goal: Goal = goal
        self.bounds = solver.bounds(position)
        self.line: list[str] = []
        self.moves: dict[str, Bounds] = {}
        self.preferred: str | None = None
        self.reached = False
        self.done = False
        self._every_move = every_move

    def note(self, found: Settled) -> None:
        """Note what the solver has found out."""
        self.bounds.lower, self.bounds.upper = found.bounds.lower, found.bounds.upper
        self.reached = found.reached
        self.preferred = found.proving
        self.line = found.line
        self.done = found.whole
        if not found.reached and found.proving is None:
            self.preferred = self.solver.preferred_field(self.position)
            self._note_proving_field(self._preferred_first(), _RECALL_NODES)

    def run(self) -> None:
        try:
            self._run()
            check_bounds(self._joined_bounds())
            self.done = True
        except SearchStopped:
            self._note_proving_field(self._preferred_first(), _RECALL_NODES)

    def _run(self) -> None:
        if self._every_move:
            moves = {}
            for field in self.position.legal_fields:
                child = self.solver.bounds(self.position.play(field))
                moves[field] = Bounds(-child.upper, -child.lower)
            self.moves = moves
        try:
            self._settle(self.position, self.bounds)
            self.reached = True
        finally:
            self.preferred = self.solver.preferred_field(self.position)
        position, bounds = self.position, self.bounds
        if self.moves:
            self._settle_moves()
            best = self._best(self._joined_bounds()) or max(
                self.moves, key=lambda field: self.moves[field].lower
            )
            self.line.append(best)
            position, bounds = position.play(best), _Mirrored(self.moves[best])
        for field in self.solver.line(position, bounds):
            self.line.append(field)

    def _settle(self, position: Position, bounds: Bounds) -> None:
        if self.goal == "margin":
            self.solver.settle_margin(position, bounds)
        else:
            self.solver.settle_outcome(position, bounds)

    def _settle_moves(self) -> None:
        for known in self.moves.values():
            # No field is better than the position, so the guess starts where most of them are.
            known.upper = min(known.upper, self.bounds.upper)
        self._note_proving_field(self._preferred_first()[:1])
        for field, known in self.moves.items():
            self._settle(self.position.play(field), _Mirrored(known))

    def _preferred_first(self) -> list[str]:
        """The legal fields, the one that the table holds for best before the others."""
        return sorted(self.position.legal_fields, key=lambda field: field != self.preferred)

    def _note_proving_field(self, fields: list[str], nodes: int | None = None) -> None:
        """Note of the field that gave the position its lower bound that it is worth as much.

        The search of the position has proved it, but has told nobody but the table. The `fields`
        are asked about until it is found: with so many `nodes` for each, however the search ended.
        """
        lower = self.bounds.lower
        for field in fields:
            child = self.position.play(field)
            known = self.moves.get(field)
            bounds = self.solver.bounds(child) if known is None else _Mirrored(known)
            if nodes is not None:
                self.solver.allow(nodes)
            try:
                self.solver.settle_window(child, 1 - lower, bounds)
            except SearchStopped:
                if nodes is None:
                    raise
            if -bounds.upper >= lower:
                self.preferred = field
                return

    def reporter(self, report: Callable[[Progress], None] | None) -> Callable[[float], None] | None:
        """Return what tells `report` how far it is."""
        if report is None:
            return None
        return lambda seconds: self.tell(report, seconds)

    def tell(self, report: Callable[[Progress], object], seconds: float) -> None:
        """Tell `report` how far it is now."""
        known = self.solution(self.solver.scoring, seconds)
        report(Progress(self.bounds.lower, self.bounds.upper, known.nodes, seconds, known))

    def solution(self, scoring: Scoring, seconds: float) -> Solution:
        """What is known now."""
        bounds = self._joined_bounds()
        best = self._best(bounds)
        moves = []
        for field, known in self.moves.items():
            # No field is worth more than the position.
            value = Bounds(known.lower, min(known.upper, bounds.upper))
            margin = value.lower if value.exact else None
            moves.append(MoveValue(field, value.lower, value.upper, margin, value.outcome))
        moves.sort(key=lambda move: (move.field != best, -move.lower, -move.upper))
        return Solution(
            position=self.position,
            scoring=scoring,
            goal=self.goal,
            exact=self.reached or self._is_goal(bounds),
            lower=bounds.lower,
            upper=bounds.upper,
            margin=bounds.lower if bounds.exact else None,
            outcome=bounds.outcome,
            best=best,
            line=tuple(self.line),
            moves=tuple(moves),
            nodes=self.solver.nodes,
            seconds=seconds,
            hits=self.solver.hits,
        )

    def _joined_bounds(self) -> Bounds:
        """What is known of the position by its own search and by the values of its fields."""
        lower, upper = self.bounds.lower, self.bounds.upper
        if self.moves:
            lower = max(lower, *(known.lower for known in self.moves.values()))
            upper = min(upper, max(known.upper for known in self.moves.values()))
        return Bounds(lower, upper)

    def _is_goal(self, bounds: Bounds) -> bool:
        return bounds.exact if self.goal == "margin" else bounds.outcome is not None

    def _best(self, bounds: Bounds) -> str | None:
        """The field to name: of best play, else one that guarantees the lower bound if known."""
        if self.line:
            return self.line[0]
        proving = [field for field, known in self.moves.items() if known.lower == bounds.lower]
        if not proving and self.goal == "outcome" and bounds.lower > 0:
            # Where the outcome alone is asked for, the position may be shown to win by more than
            # any field is.
            proving = [field for field, known in self.moves.items() if known.lower > 0]
        if proving and self.preferred not in proving:
            return max(proving, key=lambda field: self.moves[field].upper)
        return self.preferred


class _Mirrored(Bounds):
    """The bounds of a field's value, seen from the position after it: signs and sides swapped."""

    __slots__ = ("_move",)

    def __init__(self, move: Bounds) -> None:
        self._move = move

    @property
    def lower(self) -> int:
        return -self._move.upper

    @lower.setter
    def lower(self, value: int) -> None:
        self._move.upper = -value

    @property
    def upper(self) -> int:
        return -self._move.lower

    @upper.setter
    def upper(self, value: int) -> None:
        self._move.lower = -value


def run_at_once(jobs: list[Job]) -> None:
    """`run` of each in one go, where it is over in milliseconds, and no fields are asked about.

    `bounds` are as they were before until all of them are done.
    """
    solvers = [job.solver for job in jobs]
    positions = [job.position for job in jobs]
    for job, found in zip(jobs, settle_together(solvers, positions, jobs[0].goal), strict=True):
        job.note(found)
