"""Kulami's built-in bots that solve as soon as they can: perfect and master.

    what is left to play      too much               some              few plies
    in its time               a guess       a solve that may end      a solve
                                         early, then a guess among
                                         fields not proved worse

Both guess as `MonteCarlo` does, `Master` by a larger tree, and one that it keeps between moves.

Bots for people, from beginner to master, look some plies ahead over the learned evaluation and err:
the less two fields differ, the more often they take the worse one. How strong the levels are is in
`docs/explanation/figures.md`.
"""

from __future__ import annotations

import math
import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from ...core.budgets import check_budgets
from ...game import Budget, Question, Source
from ...kulami.estimate.effort import expected_seconds
from ...kulami.game import state_of
from ...kulami.position.position import Position
from ...kulami.position.scoring import Scoring
from ...kulami.solve.solution import Goal, Solution
from ...kulami.solve.solver import Solver, solve
from ..builtin import chance
from ..protocol import Clock, Thought
from .builtin import AlphaBeta, MonteCarlo, check_asked

Limit = TypeVar("Limit", int, float)

_NO_CLOCK = Clock()

_SHARE: Final = 0.6  # share of the clock for solving
_CHANCE: Final = 3.0  # a solve expected to take longer than this many times that share is not tried
_BEFORE: Final = 0.1  # largest share of the clock for a guess before a solve that may be stopped
_RESERVE: Final = 0.05  # share of the clock that `Master` leaves unused
_PLAYOUTS: Final = 10_000  # of a guess of `Perfect` where the clock has no limit
_VISITS: Final = 50_000  # of its tree where the clock has no limit
_SMALLEST: Final = 1 << 16  # bytes of a table that is not used


class Solving(ABC):
    """Plays the exact solution, once it can be found; before that, a guesser's choice.

    With a clock of seconds it tries to solve as soon as the number of plies left gives that a
    chance, in three fifths of the time. The rest of the time, and all of it in earlier positions,
    goes into the guess, which leaves out fields that are proved worse than another.
    """

    usual: Final = 32

    solved_at_once = 20
    """The number of plies to come at which solving takes next to no time."""

    sources: Sequence[Source] = ()
    """Asked before anything is searched, in this order: databases, for instance."""

    nodes = 20_000_000
    """The search's budget for each move where the clock has none."""

    thought: Thought | None = None
    """The bot's opinion of its last choice."""

    @abstractmethod
    def _guesser(self, clock: Clock) -> MonteCarlo:
        """Return the guesser for this clock."""

    @property
    def proved(self) -> bool:
        """Whether the field chosen last is proved to be best."""
        return self.thought is not None and bool(self.thought.proved)

    def choose(
        self,
        position: Position,
        *,
        scoring: Scoring = Scoring.LEVEL0,
        clock: Clock = _NO_CLOCK,
        report: Callable[[Solution], None] | None = None,
    ) -> str:
        """Return a field that keeps the exact margin, if it can be found in the time.

        Args:
            position: its game is not over.
            scoring: what counts.
            clock: a `depth` that does not reach the end of the game makes it guess, looking so far
                ahead.
            report: told about every 50 ms how far the search is.
        """
        check_asked(position, scoring, clock)
        begun = time.monotonic()
        self.thought = None
        plies = position.plies_left
        seconds = None if clock.seconds is None else _SHARE * clock.seconds
        question = Question(state_of(position, scoring), budget=Budget(seconds, stop=clock.stop))
        for source in self.sources:
            known = source.answer(question)
            # Once the other side has erred, a proof knows a field that keeps the value, but maybe
            # not the best one: a search finds that, where it is short enough.
            if known and known.best is not None and (known.exact or plies > self.usual):
                self.thought = Thought((known.best,), proved=known.settles(question))
                return str(known.best)
        if clock.depth is not None and clock.depth < plies:
            return self._guess(AlphaBeta(clock.depth), position, scoring, clock)
        if clock.seconds is not None:
            return self._in_time(position, scoring, clock, begun + clock.seconds, report)
        fields = _Fields(position, scoring)
        if plies <= self.usual:
            found = self._solve(fields, "margin", None, clock.nodes or self.nodes, clock, report)
            if found is not None:
                return found
        return self._guess(self._guesser(clock), position, scoring, clock, fields.left)

    def _in_time(
        self,
        position: Position,
        scoring: Scoring,
        clock: Clock,
        deadline: float,
        report: Callable[[Solution], None] | None,
    ) -> str:
        """Choose until the deadline, by `time.monotonic()`."""
        guessing = self._guesser(clock)
        fields = _Fields(position, scoring)
        plies = position.plies_left
        share = _SHARE * (deadline - time.monotonic())
        expected = expected_seconds(plies, scoring)
        if len(fields.left) == 1 and expected > _BEFORE * share:
            self.thought = Thought(fields.left, proved=True)
            return fields.left[0]
        if expected <= _CHANCE * share:
            before = None
            if clock.stop is not None:
                # If the solve is stopped, this move is played at once.
                spent = min(expected, _BEFORE * share / _SHARE)
                before = guessing.choose(
                    position,
                    scoring=scoring,
                    clock=replace(clock, seconds=spent),
                    among=fields.left,
                )
            goal: Goal = "margin" if expected <= share else "outcome"
            found = self._solve(fields, goal, share, clock.nodes, clock, report)
            if found is not None:
                return found
            if clock.stop is not None and clock.stop.is_set() and before in fields.left:
                self.thought = guessing.thought
                return before
        rest = replace(clock, seconds=max(deadline - time.monotonic(), 0.0))
        return self._guess(guessing, position, scoring, rest, fields.left)

    def _solve(
        self,
        fields: _Fields,
        goal: Goal,
        seconds: float | None,
        nodes: int | None,
        clock: Clock,
        report: Callable[[Solution], None] | None,
    ) -> str | None:
        """Return a field that is proved to be best, or to win; None if it finds none.

        In that case `fields` has lost the fields that are proved worse.
        """
        solution = solve(
            fields.position,
            fields.scoring,
            goal,
            time=seconds,
            nodes=nodes,
            progress=report or False,
            stop=clock.stop,
        )
        kept = fields.learn(solution)
        if kept is None or (solution.margin is None and solution.outcome != "win"):
            return None
        self.thought = Thought(
            solution.line or (kept,),
            solution.lower,
            solution.nodes,
            proved=solution.margin is not None,
        )
        return kept

    def _guess(
        self,
        bot: AlphaBeta | MonteCarlo,
        position: Position,
        scoring: Scoring,
        clock: Clock,
        among: Collection[str] | None = None,
    ) -> str:
        """Return another bot's choice; it is proved best if it is the only one."""
        chosen = bot.choose(position, scoring=scoring, clock=clock, among=among)
        thought = bot.thought
        self.thought = None if thought is None else replace(thought, proved=among == (chosen,))
        return chosen


class Perfect(Solving):
    """Plays the exact solution, once it can be found; before that, as `MonteCarlo` does.

    With a clock of seconds it tries to solve as soon as the number of plies left gives that a
    chance, in three fifths of the time. The rest of the time, and all of it in earlier positions,
    goes into a guess, which leaves out fields that are proved worse than another.

    Args:
        sources: asked before anything is searched, in this order: databases, for instance.
        seed: as for `MonteCarlo`.

    Examples:
        >>> from kulami_solver import Layout
        >>> perfect = Perfect()
        >>> perfect.choose(Position(Layout.parse("AAB/CCB")).play("a1"))
        'c1'
        >>> perfect.proved
        True
    """

    name = "perfect"

    def __init__(self, sources: Sequence[Source] = (), seed: int = 0) -> None:
        self.sources = sources
        self.seed = seed

    def _guesser(self, clock: Clock) -> MonteCarlo:
        return MonteCarlo(None if clock.limited else _PLAYOUTS, self.seed)


class Master(Solving):
    """The strongest bot: it plays as `MonteCarlo` does until it can solve, and then exactly.

    A twentieth of a clock of seconds stays unused, so that a busy machine does not make it late.
    With such a clock, and without `nodes`, it keeps its tree, up to 100 MB, from one move to the
    next.

    Args:
        seconds: for each move, at most; None for as many as the clock has.
        nodes: for each move, of the search that solves, and of the tree; None: 2,000,000 and
            50,000 where the clock has no limit.

    Raises:
        BudgetError: if one of the numbers makes no sense.

    Examples:
        >>> from kulami_solver import Layout
        >>> master = Master()
        >>> master.choose(Position(Layout.parse("AAB/CCB")).play("a1"))
        'c1'
        >>> master.proved
        True
    """

    nodes = 2_000_000

    def __init__(self, seconds: float | None = None, nodes: int | None = None) -> None:
        check_budgets(time=seconds, nodes=nodes)
        self.limits: Final = Clock(seconds, nodes)
        limits = [f":{seconds:g}"] if seconds is not None else []
        limits += [f":{nodes}"] if nodes is not None else []
        self.name = "".join(["master", *limits])
        self._tree: Final = MonteCarlo()

    def choose(
        self,
        position: Position,
        *,
        scoring: Scoring = Scoring.LEVEL0,
        clock: Clock = _NO_CLOCK,
        report: Callable[[Solution], None] | None = None,
    ) -> str:
        """Return a field that keeps the exact margin if it can, as `Perfect` does."""
        check_asked(position, scoring, clock)
        seconds = _lesser(self.limits.seconds, clock.seconds)
        if seconds is not None:
            seconds *= 1 - _RESERVE
        clock = replace(clock, seconds=seconds, nodes=_lesser(self.limits.nodes, clock.nodes))
        return super().choose(position, scoring=scoring, clock=clock, report=report)

    def _guesser(self, clock: Clock) -> MonteCarlo:
        return self._tree if clock.limited else MonteCarlo(_VISITS)


class _Fields:
    """The fields of a position that may be best, as far as proved bounds tell."""

    def __init__(self, position: Position, scoring: Scoring) -> None:
        self.position: Final = position
        self.scoring: Final = scoring
        solver = Solver(position, scoring, _SMALLEST)
        self._least = solver.bounds(position).lower
        self._bounds: dict[str, tuple[int, int]] = {}  # of each field, as its mover sees them
        for field in position.legal_fields:
            after = solver.bounds(position.play(field))
            self._bounds[field] = -after.upper, -after.lower

    def learn(self, solution: Solution) -> str | None:
        """Take in the result of a search of the position.

        Returns:
            A field that is worth at least `solution.lower`, None if no such field is known.
        """
        for field, (lower, upper) in self._bounds.items():
            self._bounds[field] = lower, min(upper, solution.upper)
        # Without a line the field counts only if the bound has risen, which is then due to it.
        if solution.best is None or not (solution.line or solution.lower > self._least):
            return None
        lower, upper = self._bounds[solution.best]
        self._bounds[solution.best] = max(lower, solution.lower), upper
        return solution.best

    @property
    def left(self) -> tuple[str, ...]:
        """The fields that are not proved to be worse than another."""
        least = max(lower for lower, _ in self._bounds.values())
        return tuple(field for field, (_, upper) in self._bounds.items() if upper >= least)


def _lesser(*limits: Limit | None) -> Limit | None:
    """The least of some limits, of which None is none."""
    return min((limit for limit in limits if limit is not None), default=None)


# For people: from beginner to master


LEVELS: Final = ((1, 4.0), (1, 1.5), (1, 0.6), (2, 0.6), (3, 0.45), (5, 0.25), (7, 0.05))
"""The levels from 1 up: plies looked ahead at most, and the points by which a field has to look
better to be taken e times as often. The last level is `Master`."""

HIGHEST: Final = len(LEVELS) + 1
USUAL: Final = 4


class Level:
    """Plays as well as people of a level do; the answer depends on position and seed alone.

    Args:
        level: 1, a beginner, to 7; level 8 is `Master`.
        seed: of its errors, as for `Random`.

    Examples:
        >>> from kulami_solver import Layout
        >>> Level(7).choose(Position(Layout.parse("AAB/CCB")).play("a1"))
        'c1'
    """

    def __init__(self, level: int, seed: int = 0) -> None:
        self._depth, self._error = LEVELS[level - 1]
        self.seed = seed
        self.name = f"level:{level}"
        self.thought: Thought | None = None
        """The bot's opinion of its last choice."""

    def choose(
        self, position: Position, *, scoring: Scoring = Scoring.LEVEL0, clock: Clock = _NO_CLOCK
    ) -> str:
        """Return a field, the more likely the better it looks."""
        looking = AlphaBeta(self._depth)
        values = looking.values(position, scoring, clock, every=True)
        assert looking.thought is not None
        draw = random.Random(chance(self.seed, scoring.value, position.kfn())).random
        # The highest of values with Gumbel noise is drawn by the softmax of the values.
        noise = {field: self._error * -math.log(-math.log(draw() or 0.5)) for field in values}
        noisy = {field: value + noise[field] for field, value in values.items()}
        chosen = max(noisy, key=noisy.__getitem__)
        self.thought = replace(looking.thought, line=(chosen,), score=values[chosen])
        return chosen


def of_level(level: int, seed: int = 0) -> Level | Master:
    """Return the bot of a level.

    Args:
        level: 1, a beginner, to 8, `Master`.
        seed: of its errors.

    Examples:
        >>> of_level(3).name, of_level(8).name
        ('level:3', 'master')
    """
    return Master() if level == HIGHEST else Level(level, seed)
