"""Kulami's built-in bots: random, greedy, alpha-beta, Monte-Carlo and perfect.

None of them goes by what it remembers: the answer depends on the position, the scoring, the clock
and the seed alone, so that a check or a match gives the same result in whatever order it is done.
Only a limit in seconds lets chance in.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Final

from ...kulami.effort import expected_seconds
from ...kulami.playouts import DepthSearch, TreeSearch
from ...kulami.position import Position
from ...kulami.scoring import Scoring
from ...kulami.solution import Goal, Progress, Solution
from ...kulami.solve import solve
from ...kulami.solver import Bounds, Solver
from ..builtin import chance
from ..protocol import Clock, Thought

Source = Callable[[Position, Scoring], "str | None"]
"""Knows best fields of some positions: returns one, or None where it knows none."""

_NO_CLOCK = Clock()

_EVEN: Final = 0.5  # the mean reward of playouts that promise no margin
_POINTS: Final = 32  # of margin, for a whole reward more

_SHARE: Final = 0.6  # of the clock, that solving may take
_CHANCE: Final = 3.0  # times that share: what is expected to take longer is not tried
_BEFORE: Final = 0.1  # of the clock at most, for playouts before a solve that may be stopped
_SMALLEST: Final = 1 << 16  # bytes of a table that is not used


def _chance(seed: int, position: Position, scoring: Scoring) -> int:
    """Return 64 random bits that belong to a seed and a position."""
    return chance(seed, scoring.value, position.kfn())


class Random:
    """Plays any legal field.

    Args:
        seed: the same seed plays the same field in a position.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> start = Position(Layout.square())
        >>> Random(1).choose(start) == Random(1).choose(start)
        True
    """

    name = "random"

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def choose(self, position: Position, *, scoring: Scoring = Scoring.LEVEL0) -> str:
        """Return any legal field."""
        fields = position.legal_fields
        draw = random.Random(_chance(self.seed, position, scoring)).random()
        return fields[int(draw * len(fields))]


class Greedy:
    """Plays the field after which the score, as it then is, is best for it.

    Among equal fields chance decides, as for `Random`.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> Greedy().choose(Position(Layout.parse("AAABC")))[0] in "abc"
        True
    """

    name = "greedy"

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def choose(self, position: Position, *, scoring: Scoring = Scoring.LEVEL0) -> str:
        """Return the legal field that scores most at once."""
        draw = random.Random(_chance(self.seed, position, scoring)).random
        worth = {
            field: (-position.play(field).margin(scoring), draw())
            for field in position.legal_fields
        }
        return max(worth, key=worth.__getitem__)


class AlphaBeta:
    """Looks `depth` plies ahead over a heuristic, which `kulami.playouts` documents.

    In points, for each side: what panels promise (fields * lead / (free fields on it + 1), all of
    it once the panel cannot turn), its largest area and chains where they count, and a little for
    runs of five squares that only it has marbles on.

    Args:
        depth: plies, 1 to 64. With a limit of time or nodes it deepens ply by ply until then.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> AlphaBeta(6).choose(Position(Layout.parse("AAB/CCB")).play("a1"))
        'c1'
    """

    def __init__(self, depth: int = 4) -> None:
        self.depth: Final = depth
        self.name = f"alphabeta:{depth}"
        self.thought: Thought | None = None
        """What it thinks of the field it chose last."""

    def choose(
        self, position: Position, *, scoring: Scoring = Scoring.LEVEL0, clock: Clock = _NO_CLOCK
    ) -> str:
        """Return the field that looks best so far ahead."""
        return self.judge(position, scoring, clock)[0]

    def judge(self, position: Position, scoring: Scoring, clock: Clock) -> tuple[str, float, int]:
        """Return the field that looks best, what it promises in points, and the depth reached."""
        search = DepthSearch(position.layout.geometry, scoring.area, scoring.chains)
        depth = self.depth if clock.depth is None else min(self.depth, clock.depth)
        field, value, reached = search.best(
            *position.view, position.supply, depth, clock.nodes, clock.seconds, clock.stopped
        )
        chosen = position.layout.fields[field]
        self.thought = Thought((chosen,), value / 64, search.nodes, reached)
        return chosen, value / 64, reached


class MonteCarlo:
    """Monte-Carlo tree search (UCT) with random playouts.

    Args:
        playouts: for each move, 1 or more; None: 1,000, or as many as the clock allows.
        seed: as for `Random`.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> MonteCarlo(500).choose(Position(Layout.parse("AAB/CCB")).play("a1"))
        'c1'
    """

    usual: Final = 1000

    def __init__(self, playouts: int | None = None, seed: int = 0) -> None:
        self.playouts: Final = playouts
        self.seed = seed
        self.name = "mcts" if playouts is None else f"mcts:{playouts}"
        self.thought: Thought | None = None
        """What it thinks of the field it chose last; 16 points is the highest score."""

    def choose(
        self,
        position: Position,
        *,
        scoring: Scoring = Scoring.LEVEL0,
        clock: Clock = _NO_CLOCK,
        among: Collection[str] | None = None,
    ) -> str:
        """Return the field visited most often.

        Args:
            position: its game is not over.
            scoring: what counts.
            clock: how long it may think.
            among: the fields to choose from; None for every legal one.

        Raises:
            ValueError: if none of those is legal.
        """
        chance = _chance(self.seed, position, scoring)
        search = TreeSearch(position.layout.geometry, scoring.area, scoring.chains, chance)
        playouts = self.playouts if clock.nodes is None else clock.nodes
        if playouts is None and clock.seconds is None:
            playouts = self.usual
        fields = position.legal_fields if among is None else among
        mask = sum(1 << position.layout.index(field) for field in set(fields))
        field, reward = search.best(
            *position.view, position.supply, playouts, clock.seconds, clock.stopped, mask
        )
        chosen = position.layout.fields[field]
        self.thought = Thought((chosen,), _POINTS * (reward - _EVEN), search.playouts)
        return chosen


class Perfect:
    """Plays the exact solution, once it can be found; before that, as `MonteCarlo` does.

    With a clock of seconds it solves as soon as the plies that are left give that a chance, in
    three fifths of the time; what that does not use, and all of it before, goes into playouts.
    A field that is proved worse than another is not among those it chooses from.

    Args:
        sources: asked before anything is searched, in this order: databases, for instance.
        most_free: plies still to come up to which solving is tried; None: 32, or with a clock of
            seconds what that allows.
        nodes: the search's budget for each move where the clock has none.
        playouts: likewise of Monte-Carlo tree search.
        threads: that search together.
        seed: of the playouts, as for `Random`.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> perfect = Perfect()
        >>> perfect.choose(Position(Layout.parse("AAB/CCB")).play("a1"))
        'c1'
        >>> perfect.proved
        True
    """

    name = "perfect"

    usual: Final = 32

    solved_at_once = 20
    """Plies to come, from which on solving takes next to no time."""

    def __init__(
        self,
        sources: tuple[Source, ...] = (),
        most_free: int | None = None,
        nodes: int = 20_000_000,
        playouts: int = 10_000,
        threads: int = 1,
        seed: int = 0,
    ) -> None:
        self.sources = sources
        self.most_free = most_free
        self.nodes = nodes
        self.playouts = playouts
        self.threads = threads
        self.seed = seed
        self.thought: Thought | None = None
        """What it thinks of the field it chose last."""

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
        report: Callable[[Progress], None] | None = None,
    ) -> str:
        """Return a field that keeps the exact margin, if it can be found in the time.

        Args:
            position: its game is not over.
            scoring: what counts.
            clock: a `depth` that does not reach the end of the game makes it look so far ahead as
                `AlphaBeta` does.
            report: told about every 50 ms how far the search is.
        """
        begun = time.monotonic()
        self.thought = None
        for source in self.sources:
            known = source(position, scoring)
            if known is not None:
                self.thought = Thought((known,), proved=True)
                return known
        plies = position.plies_left
        if clock.depth is not None and clock.depth < plies:
            return self._guess(AlphaBeta(clock.depth), position, scoring, clock)
        if clock.seconds is not None:
            return self._in_time(position, scoring, clock, begun + clock.seconds, report)
        fields = _Fields(position, scoring)
        if plies <= (self.usual if self.most_free is None else self.most_free):
            nodes = clock.nodes or self.nodes
            found = self._solve(fields, "margin", None, nodes, clock, report)
            if found is not None:
                return found
        guessing = MonteCarlo(None if clock.limited else self.playouts, self.seed)
        return self._guess(guessing, position, scoring, clock, fields.left)

    def _in_time(
        self,
        position: Position,
        scoring: Scoring,
        clock: Clock,
        deadline: float,
        report: Callable[[Progress], None] | None,
    ) -> str:
        """Choose until the deadline, by `time.monotonic()`."""
        guessing = MonteCarlo(seed=self.seed)
        fields = _Fields(position, scoring)
        plies = position.plies_left
        share = _SHARE * (deadline - time.monotonic())
        expected = expected_seconds(plies, scoring) / self.threads
        if len(fields.left) == 1 and expected > _BEFORE * share:
            self.thought = Thought(fields.left, proved=True)
            return fields.left[0]
        if expected <= _CHANCE * share and (self.most_free is None or plies <= self.most_free):
            before = None
            if clock.stop is not None:
                # If the solve is stopped, a move is wanted at once: this one.
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
        report: Callable[[Progress], None] | None,
    ) -> str | None:
        """Return a field that is proved to be best, or to win; None if it finds none.

        What it finds out about the fields is taken off `fields` then.
        """
        solution = solve(
            fields.position,
            fields.scoring,
            goal,
            threads=self.threads,
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
        """Return what another bot chooses; it is proved best if there is nothing to choose."""
        if among is None or not isinstance(bot, MonteCarlo):
            chosen = bot.choose(position, scoring=scoring, clock=clock)
        else:
            chosen = bot.choose(position, scoring=scoring, clock=clock, among=among)
        thought = bot.thought
        self.thought = None if thought is None else replace(thought, proved=among == (chosen,))
        return chosen


class _Fields:
    """The fields of a position that may be best, as far as proved bounds tell."""

    def __init__(self, position: Position, scoring: Scoring) -> None:
        self.position: Final = position
        self.scoring: Final = scoring
        solver = Solver(position, scoring, _SMALLEST)
        self._root = solver.bounds(position)
        self._bounds = {
            field: _of_mover(solver.bounds(position.play(field))) for field in position.legal_fields
        }

    def learn(self, solution: Solution) -> str | None:
        """Take in what a search of the position has proved.

        Returns:
            A field that is worth `solution.lower` at least, None if none is known to be.
        """
        for bounds in self._bounds.values():
            bounds.upper = min(bounds.upper, solution.upper)
        # Without a line the field is of use only if it is what raised the bound.
        if solution.best is None or not (solution.line or solution.lower > self._root.lower):
            return None
        best = self._bounds[solution.best]
        best.lower = max(best.lower, solution.lower)
        return solution.best

    @property
    def left(self) -> tuple[str, ...]:
        """The fields that are not proved to be worse than another."""
        least = max(bounds.lower for bounds in self._bounds.values())
        return tuple(field for field, bounds in self._bounds.items() if bounds.upper >= least)


def _of_mover(bounds: Bounds) -> Bounds:
    """Bounds of the position after a move, as its mover sees them."""
    return Bounds(-bounds.upper, -bounds.lower)
