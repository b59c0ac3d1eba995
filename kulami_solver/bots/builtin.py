"""The built-in bots: random, greedy, alpha-beta, Monte-Carlo and perfect.

None of them remembers anything: the answer depends on the position, the scoring, the clock and the
seed alone, so that a check or a match gives the same result in whatever order it is done. Only a
limit in seconds lets chance in.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from typing import Final

from ..kulami.playouts import DepthSearch, TreeSearch
from ..kulami.position import Position
from ..kulami.scoring import Scoring
from ..kulami.solve import Progress, SolveInterrupted, solve
from .protocol import Clock

__all__ = ["AlphaBeta", "Greedy", "MonteCarlo", "Perfect", "Random", "Source"]

Source = Callable[[Position, Scoring], "str | None"]
"""Knows best fields of some positions: returns one, or None where it knows none."""

_NO_CLOCK = Clock()


def _chance(seed: int, position: Position, scoring: Scoring) -> int:
    """Return 64 random bits that belong to a seed and a position."""
    text = f"{seed} {scoring.value} {position.kfn()}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


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
        return position.layout.fields[field], value / 64, reached


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

    def choose(
        self, position: Position, *, scoring: Scoring = Scoring.LEVEL0, clock: Clock = _NO_CLOCK
    ) -> str:
        """Return the field visited most often."""
        chance = _chance(self.seed, position, scoring)
        search = TreeSearch(position.layout.geometry, scoring.area, scoring.chains, chance)
        playouts = self.playouts if clock.nodes is None else clock.nodes
        if playouts is None and clock.seconds is None:
            playouts = self.usual
        field, _ = search.best(
            *position.view, position.supply, playouts, clock.seconds, clock.stopped
        )
        return position.layout.fields[field]


class Perfect:
    """Plays the exact solution, once it can be found; before that, as `MonteCarlo` does.

    Args:
        sources: asked before anything is searched, in this order: databases, for instance.
        most_free: free fields up to which solving is tried.
        nodes: the search's budget for each move where the clock has none.
        playouts: likewise of Monte-Carlo tree search.
        threads: that search together.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> perfect = Perfect()
        >>> perfect.choose(Position(Layout.parse("AAB/CCB")).play("a1"))
        'c1'
        >>> perfect.proved
        True
    """

    name = "perfect"

    def __init__(
        self,
        sources: tuple[Source, ...] = (),
        most_free: int = 32,
        nodes: int = 20_000_000,
        playouts: int = 10_000,
        threads: int = 1,
    ) -> None:
        self.sources = sources
        self.most_free = most_free
        self.nodes = nodes
        self.playouts = playouts
        self.threads = threads
        self.proved = False
        """Whether the last field chosen is proved to be best."""

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
            clock: of `seconds`, three quarters at most go into solving. A `depth` that does not
                reach the end of the game makes it look so far ahead as `AlphaBeta` does.
            report: told about every 50 ms how far the search is.
        """
        self.proved = True
        for source in self.sources:
            known = source(position, scoring)
            if known is not None:
                return known
        plies = min(position.free_count, position.supply)
        if clock.depth is not None and clock.depth < plies:
            self.proved = False
            return AlphaBeta(clock.depth).choose(position, scoring=scoring, clock=clock)
        seconds = None if clock.seconds is None else 0.75 * clock.seconds
        if plies <= self.most_free:
            nodes = clock.nodes or (self.nodes if seconds is None else None)
            found = self._solve(position, scoring, seconds, nodes, clock, report)
            if found is not None:
                return found
        self.proved = False
        left = None if clock.seconds is None else clock.seconds / 4
        again = Clock(left, clock.nodes, stop=clock.stop)
        guessing = MonteCarlo(None if clock.limited else self.playouts)
        return guessing.choose(position, scoring=scoring, clock=again)

    def _solve(
        self,
        position: Position,
        scoring: Scoring,
        seconds: float | None,
        nodes: int | None,
        clock: Clock,
        report: Callable[[Progress], None] | None,
    ) -> str | None:
        """Return a field that is proved to be best, None if the budget does not suffice."""

        def watch(progress: Progress) -> None:
            if report is not None:
                report(progress)
            if clock.stop is not None and clock.stop.is_set():
                raise KeyboardInterrupt  # the way to end a search that keeps what it has proved

        try:
            solution = solve(
                position, scoring, threads=self.threads, time=seconds, nodes=nodes, progress=watch
            )
        except SolveInterrupted as stopped:
            if clock.stop is None or not clock.stop.is_set():
                raise
            solution = stopped.solution
        return solution.best if solution.exact else None
