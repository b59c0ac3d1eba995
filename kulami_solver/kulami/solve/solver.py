"""Exact questions to the compiled search: from null windows to margins, fields and lines.

The search answers "is the margin at least so much?". Everything else is asked in terms of that
(`best_play.pyx` has the loop of questions), and every answer is proved: a field is called best only
when the search has shown that no reply to it does better than the value says.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from ...core.table import TranspositionTable
from ...core.watch import Watcher
from ...errors import PositionError, quoted
from ...game import Bounded
from ..position.position import Position
from ..position.scoring import Scoring
from .best_play import Inquiry, outlook
from .deepening import Deepening
from .evaluation import learned_evaluation
from .oracle import Oracle
from .panels import PanelBounds
from .search import Search
from .shared_search import SharedSearch
from .weights import LearnedEvaluation

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    from .solution import Goal

# Where areas or chains count, positions closer to the end are noted, too, so the table has the size
# for a game that is longer by this number of plies.
_NOTED_LATER: Final = 3

# Other threads do not help with questions about a game of fewer plies than this.
_ALONE: Final = 14

FAR: Final = 1 << 10
"""Farther from 0 than any margin at any scoring."""

# The bounds of a layout's panels, made once for each of the layouts used last.
_panel_bounds: Final = lru_cache(maxsize=256)(PanelBounds)


class SearchStopped(Exception):  # noqa: N818  (not an error: a budget is used up)
    """A search was stopped, or has used up its nodes, before it had an answer."""


def betas(goal: Goal | int) -> tuple[int, int]:
    """Return the first and the last beta of the questions that a goal asks.

    Args:
        goal: the margin, the outcome, or a number: is the margin at least that?

    Examples:
        >>> betas("outcome"), betas(3)
        ((0, 1), (3, 3))
    """
    if isinstance(goal, int):
        return goal, goal
    return (0, 1) if goal == "outcome" else (-FAR, FAR)


def checked_position(position: Position) -> Position:
    """Return `position` if it is one; raise a `PositionError` otherwise.

    Examples:
        >>> checked_position("a1")
        Traceback (most recent call last):
        ...
        kulami_solver.errors.PositionError: positions to solve are Positions, not 'a1'
    """
    if not isinstance(position, Position):
        raise PositionError(f"positions to solve are Positions, not {quoted(position)}")
    return position


def table_plies(plies: int, scoring: Scoring) -> int:
    """Return the plies to pass to `default_table_size` for a game of `plies` plies.

    Examples:
        >>> table_plies(28, Scoring.LEVEL0), table_plies(28, Scoring.CHAINS)
        (28, 31)
    """
    return plies + _NOTED_LATER if scoring.area or scoring.chains else plies


class Bounds(Bounded):
    """Bounds of a margin, for the side to move: lower <= margin <= upper.

    A search narrows them step by step, so they can be read while it runs, and after it was stopped.

    Examples:
        >>> bounds = Bounds(-3, 5)
        >>> bounds.exact, bounds.outcome
        (False, None)
        >>> bounds.lower = 2
        >>> bounds.outcome
        'win'
    """

    __slots__ = ("lower", "upper")

    def __init__(self, lower: int, upper: int) -> None:
        self.lower: int = lower
        self.upper: int = upper


class Solver:
    """Exact answers about positions on one layout and at one scoring, from one table.

    It answers one thread at a time; another one that asks meanwhile is refused with a RuntimeError.

    Args:
        position: any position on the layout that is to be solved.
        scoring: what counts.
        table: bytes of transposition table; or a table, in which there is nothing but what searches
            of positions on this layout, at this scoring, have put there.
        threads: how many threads work on each question, 1 to 256, sharing the table. Every answer
            is the same for any number of them; which of several best fields is named may differ.
        oracle: knows margins, of positions with as many marbles in all as the one given.
        evaluation: what moves are ordered by and guesses made of, for this layout and scoring;
            None for the one that comes with the package.

    Attributes:
        search: the compiled search, at the position asked about last.

    Raises:
        MemoryError: if the system does not give that much.
        Any question raises what the oracle fails with.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> start = Position(Layout.parse("AAB/CCB"))
        >>> solver = Solver(start, Scoring.LEVEL0, 1 << 20)
        >>> bounds = solver.bounds(start)
        >>> solver.narrow(start, bounds)
        >>> bounds.lower, bounds.upper
        (0, 0)
    """

    def __init__(
        self,
        position: Position,
        scoring: Scoring,
        table: int | TranspositionTable,
        threads: int = 1,
        oracle: Oracle | None = None,
        evaluation: LearnedEvaluation | None = None,
    ) -> None:
        self.layout: Final = position.layout
        self.scoring: Final = scoring
        panels = _panel_bounds(self.layout.geometry)
        if evaluation is None:
            evaluation = learned_evaluation(self.layout.geometry, scoring)
        memory = TranspositionTable(table) if isinstance(table, int) else table
        self._shared = SharedSearch(threads)
        self._searches = [
            Search(
                panels,
                evaluation,
                memory,
                self._shared,
                scoring.area,
                scoring.chains,
                oracle,
            )
            for _ in range(threads)
        ]
        self.search: Final[Search] = self._searches[0]
        self._others: ThreadPoolExecutor | None = None
        if threads > 1:
            from ...core.thread_pool import ThreadPool  # it takes its time to import

            self._others = ThreadPool(threads - 1)
        self._oracle = oracle

    @property
    def threaded(self) -> bool:
        """Whether other threads help."""
        return self._others is not None

    def close(self) -> None:
        """Let go of the threads; the solver cannot be asked any more."""
        if self._others is not None:
            self._others.shutdown()

    @property
    def nodes(self) -> int:
        """Positions searched so far, by all threads; may be read from another thread."""
        return sum(search.nodes for search in self._searches)

    @property
    def hits(self) -> int:
        """Positions the oracle knew so far; may be read from another thread."""
        return sum(search.hits for search in self._searches)

    def stop(self) -> None:
        """Make the running search raise `SearchStopped`; may be called from another thread."""
        self._shared.stop()

    def watched_by(self, watcher: Watcher | None) -> None:
        """Have the searches call a watcher now and then, in their threads; None for none."""
        for search in self._searches:
            search.watched_by(watcher)

    def allow(self, nodes: int | None) -> None:
        """Forget an earlier `stop`, and allow this many nodes more (None: any number)."""
        self._shared.resume()
        for search in self._searches:
            search.limit_nodes(-1 if nodes is None else -(-nodes // len(self._searches)))

    def bounds(self, position: Position) -> Bounds:
        """Return the bounds that hold without search.

        They are exact if the game is over, or if the oracle knows the position.
        """
        bounds = self.search.set_position(*position.view, position.supply)
        self.check_oracle()
        return Bounds(*bounds)

    def terms(
        self,
        position: Position,
        goal: Goal | int = "margin",
        known: tuple[int, int] | None = None,
        *,
        moves: bool = False,
        line: bool = False,
    ) -> tuple[Any, ...]:
        """Return the arguments of an `Inquiry` with these questions about a position."""
        place = (*position.view, position.supply)
        alone = self._others is None or position.supply < _ALONE
        help = None if alone else self._ask_others
        return self.search, place, *betas(goal), known, moves, line, help

    def inquire(
        self,
        position: Position,
        goal: Goal | int = "margin",
        known: tuple[int, int] | None = None,
        *,
        moves: bool = False,
        line: bool = False,
    ) -> Inquiry:
        """Find out about a position, as far as the search is not stopped.

        Args:
            position: on the layout.
            goal: the question about its margin.
            known: bounds that are proved already.
            moves: whether to ask the same about the position after each field.
            line: whether a line of best play is wanted.

        Raises:
            Contradiction: the values of the oracle, or `known`, cannot be true.
        """
        inquiry = Inquiry(*self.terms(position, goal, known, moves=moves, line=line))
        inquiry.find()
        self.check_oracle()
        inquiry.check()
        return inquiry

    def narrow(self, position: Position, bounds: Bounds, goal: Goal | int = "margin") -> None:
        """Narrow `bounds` until they tell what the goal asks; see `betas`.

        Raises:
            SearchStopped: what is proved so far is in `bounds`.
        """
        found = self.inquire(position, goal, (bounds.lower, bounds.upper))
        bounds.lower, bounds.upper = found.lower, found.upper
        if not found.reached:
            raise SearchStopped

    def line(self, position: Position, bounds: Bounds) -> list[str]:
        """Return the fields of best play to the end of the game, from bounds that are proved.

        With an exact margin each field keeps that margin; with an outcome alone, it keeps the
        outcome.

        Raises:
            SearchStopped: it is not known to its end.
        """
        goal: Goal = "margin" if bounds.exact else "outcome"
        found = self.inquire(position, goal, (bounds.lower, bounds.upper), line=True)
        if not found.whole:
            raise SearchStopped
        return [self.layout.fields[field] for field in found.line]

    def every_margin(self, position: Position) -> tuple[int, dict[int, int]]:
        """Return the margin of a position, and the margin after each legal field.

        For many positions that take a few milliseconds each, with one table for all: where a game
        is labelled from its end, many answers are in the table already.

        Returns:
            Both for the side to move; the fields are numbers.

        Raises:
            SearchStopped: nothing is known then.

        Examples:
            >>> from kulami_solver import Layout, Position
            >>> position = Position(Layout.parse("AAB/CCB")).play("a1")
            >>> Solver(position, Scoring.LEVEL0, 1 << 20).every_margin(position)
            (0, {2: 0, 3: -2})
        """
        found = self.inquire(position, moves=True)
        if not found.valued:
            raise SearchStopped
        return found.lower, {field: lower for field, (lower, _) in found.moves.items()}

    def outlook(self, plies: int, twice: bool = True) -> float:
        """About how many points the position asked about last is worth, looking so far ahead.

        Args:
            plies: how far; in a second look, one more.
            twice: whether to look a second time; else the answer is off by what it is worth to be
                the side that moves at the end of the look, and may lie outside the bounds.
        """
        return outlook(self.search, plies, twice)

    def look_ahead(self, table: int | TranspositionTable) -> Deepening:
        """Return what looks ahead from the position asked about last, over the evaluation.

        Args:
            table: bytes of memory for what is seen; or a table, of such looks on this layout and
                at this scoring alone.

        Examples:
            >>> from kulami_solver import Layout, Position
            >>> position = Position(Layout.parse("AAB/CCB")).play("a1")
            >>> solver = Solver(position, Scoring.LEVEL0, 1 << 16)
            >>> _ = solver.bounds(position)
            >>> solver.look_ahead(1 << 16).look()
            {2: 0.0, 3: -2.0}
        """
        memory = TranspositionTable(table) if isinstance(table, int) else table
        return Deepening(self.search, memory)

    def _ask_others(self, place: Any, beta: int) -> list[Future[int | None]]:
        """Have the other searches answer a question, too."""
        assert self._others is not None
        for search in self._searches[1:]:
            search.set_position(*place)
        return [self._others.submit(search.help_with, beta) for search in self._searches[1:]]

    def check_oracle(self) -> None:
        """Raise what the oracle has failed with, if it has."""
        failure = None if self._oracle is None else self._oracle.failure
        if self._oracle is None or failure is None:
            return
        if isinstance(failure, KeyboardInterrupt):  # nothing is wrong with the oracle
            self._oracle.failure = None
        raise failure
