"""Exact questions to the compiled search: from null windows to margins, fields and lines.

The search answers "is the margin at least so much?". Everything else is asked in terms of that,
and every answer is proved: a field is called best only when the search has shown that no reply to
it does better than the value says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Concatenate, Final, NamedTuple, ParamSpec, TypeVar

from ..core.budgets import check_budgets
from ..core.table import TranspositionTable
from ..errors import PositionError
from .best_play import follow, guess, outlook, settle, settle_moves
from .oracle import Contradiction, Oracle
from .panels import PanelBounds
from .position import Position
from .rules import Geometry
from .scoring import Scoring
from .search import Search
from .shared_search import SharedSearch

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from .solution import Goal

Asked = ParamSpec("Asked")
Found = TypeVar("Found")

# Where areas or chains count, positions are noted closer to the end, and so many more of them: a
# table as for a game that lasts so many plies more.
_NOTED_LATER: Final = 3

# A question about a game that can last no longer is not worth the help of other threads.
_ALONE: Final = 14

__all__ = [
    "Bounds",
    "SearchStopped",
    "Solver",
    "check_bounds",
    "checked_position",
    "settle_together",
    "table_plies",
]


class SearchStopped(Exception):  # noqa: N818  (not an error: a budget is used up)
    """A search was stopped, or has used up its nodes, before it had an answer."""


def checked_position(position: Position) -> Position:
    """Return `position` if it is one; raise a `PositionError` otherwise.

    Examples:
        >>> checked_position("a1")
        Traceback (most recent call last):
        ...
        kulami_solver.errors.PositionError: positions to solve are Positions, not 'a1'
    """
    if not isinstance(position, Position):
        raise PositionError("no_positions_listed", given=position)
    return position


def table_plies(plies: int, scoring: Scoring) -> int:
    """Return how many plies `default_table_size` is to be asked about for a game of so many.

    Examples:
        >>> table_plies(28, Scoring.LEVEL0), table_plies(28, Scoring.CHAINS)
        (28, 31)
    """
    return plies + _NOTED_LATER if scoring.area or scoring.chains else plies


class Bounds:
    """What is known of a margin, for the side to move: lower <= margin <= upper.

    A search narrows them step by step, so whoever holds them can read what is proved so far while
    it runs, and after it was stopped.

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

    @property
    def exact(self) -> bool:
        """Whether the margin is known."""
        return self.lower == self.upper

    @property
    def outcome(self) -> str | None:
        """Win, draw or loss for the side to move, in a word; None if it is not known yet."""
        if self.lower > 0:
            return "win"
        if self.upper < 0:
            return "loss"
        return "draw" if self.exact else None


class Settled(NamedTuple):
    """What `settle_together` has found out about a position.

    Attributes:
        bounds: of the margin.
        reached: whether they tell what was asked for.
        proving: a field that makes the margin at least the lower bound, None if none is known.
        line: fields of best play.
        whole: whether they lead to the end of the game.
    """

    bounds: Bounds
    reached: bool
    proving: str | None
    line: list[str]
    whole: bool


@lru_cache(maxsize=256)
def _panel_bounds(geometry: Geometry) -> PanelBounds:
    return PanelBounds(geometry)


def _alone(
    ask: Callable[Concatenate[Solver, Asked], Found],
) -> Callable[Concatenate[Solver, Asked], Found]:
    """Make it a method that no other thread can begin before it has ended, however it ends."""

    @wraps(ask)
    def alone(self: Solver, /, *args: Asked.args, **kwargs: Asked.kwargs) -> Found:
        return self._search.alone(ask, self, *args, **kwargs)

    return alone


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
        beside: a solver at the same scoring that shares its working memory; both are asked by
            `settle_together` alone. None for memory of its own.

    Raises:
        PositionError, NotationError, BudgetError: if position, scoring or threads make no sense.
        MemoryError: if the system does not give that much.
        Any question raises what the oracle fails with.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> start = Position(Layout.parse("AAB/CCB"))
        >>> solver = Solver(start, Scoring.LEVEL0, 1 << 20)
        >>> bounds = solver.bounds(start)
        >>> solver.settle_margin(start, bounds)
        >>> bounds.lower, bounds.upper
        (0, 0)
    """

    def __init__(
        self,
        position: Position,
        scoring: Scoring | str | int,
        table: int | TranspositionTable,
        threads: int = 1,
        oracle: Oracle | None = None,
        beside: Solver | None = None,
    ) -> None:
        position = checked_position(position)
        scoring = Scoring.parse(scoring)
        check_budgets(threads)
        self.layout: Final = position.layout
        self.scoring: Final = scoring
        panels = _panel_bounds(self.layout.geometry)
        memory = TranspositionTable(table) if isinstance(table, int) else table
        self._shared = SharedSearch(threads)
        self._searches = [
            Search(
                panels,
                memory,
                self._shared,
                scoring.area,
                scoring.chains,
                oracle,
                None if beside is None else beside._search,
            )
            for _ in range(threads)
        ]
        self._search: Search = self._searches[0]
        self._others: ThreadPoolExecutor | None = None
        if threads > 1:
            from concurrent.futures import ThreadPoolExecutor  # it takes its time to import

            self._others = ThreadPoolExecutor(threads - 1)
        self._oracle = oracle
        self._position = position  # the last one asked about ...
        self._proving: int | None = None  # ... a field of it that makes its margin at least ...
        self._proved = 0  # ... so much

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

    def allow(self, nodes: int | None) -> None:
        """Forget an earlier `stop`, and allow this many nodes more (None: any number)."""
        self._shared.resume()
        for search in self._searches:
            search.limit_nodes(-1 if nodes is None else -(-nodes // len(self._searches)))

    @_alone
    def bounds(self, position: Position) -> Bounds:
        """Return the bounds that hold without search.

        They are exact if the game is over, or if the oracle knows the position.
        """
        return Bounds(*self._take_up(position))

    @_alone
    def settle_margin(self, position: Position, bounds: Bounds) -> None:
        """Narrow `bounds` until they meet.

        The first question is at a guess of the margin, and each next one at the answer before
        (MTD(f)).

        Raises:
            SearchStopped: what is proved so far is in `bounds`.
        """
        self._take_up(position)
        beta = 0 if bounds.exact else self.first_beta(bounds)
        while not bounds.exact:
            beta = self._narrow(max(beta, bounds.lower + 1), bounds)

    def first_beta(self, bounds: Bounds) -> int:
        """Where a search for the margin of the position asked about last begins; at most `upper`.

        Args:
            bounds: of that margin.
        """
        return min(guess(self._search), bounds.upper)

    def outlook(self, plies: int, twice: bool = True) -> float:
        """About how many points the position asked about last is worth, looking so far ahead.

        Args:
            plies: how far; in a second look, one more.
            twice: whether to look a second time; else the answer is off by what it is worth to be
                the side that moves at the end of the look, and may lie outside the bounds.
        """
        return outlook(self._search, plies, twice)

    def identity(self) -> tuple[int, int, int] | None:
        """What the table knows the position asked about last by; see `Search.identity`."""
        return self._search.identity()

    @_alone
    def settle_outcome(self, position: Position, bounds: Bounds) -> None:
        """Narrow `bounds` until they tell win, draw or loss.

        Raises:
            SearchStopped: what is proved so far is in `bounds`.
        """
        self._take_up(position)
        winning = bounds.lower + bounds.upper > 0
        while bounds.outcome is None:
            above = bounds.upper > 0 and (bounds.lower == 0 or winning)
            self._narrow(1 if above else 0, bounds)
            winning = bounds.lower >= 0

    @_alone
    def settle_window(self, position: Position, beta: int, bounds: Bounds) -> None:
        """Narrow `bounds` until they tell whether the margin is at least `beta`.

        Raises:
            SearchStopped: what is proved so far is in `bounds`.
        """
        self._take_up(position)
        if bounds.lower < beta <= bounds.upper:
            self._narrow(beta, bounds)

    def line(self, position: Position, bounds: Bounds) -> Iterator[str]:
        """Yield the fields of best play to the end of the game, from settled bounds.

        With an exact margin each field keeps that margin; with an outcome alone, it keeps the
        outcome.

        Raises:
            SearchStopped: the fields yielded so far are right.
        """
        targets: tuple[int | None, int | None] = (bounds.lower, -bounds.lower)
        if not bounds.exact:
            targets = (1, None) if bounds.lower > 0 else (None, 1)
        fields, whole = self._followed(position, *targets)
        yield from (self.layout.fields[field] for field in fields)
        self._check_oracle()
        if not whole:
            raise SearchStopped

    @_alone
    def _followed(
        self, position: Position, target: int | None, reply: int | None
    ) -> tuple[list[int], bool]:
        """What `follow` returns of a position that has been settled.

        Its bounds may come from elsewhere, and be closer than what was asked here last.
        """
        known = target is not None and self._position is position and self._proved >= target
        first = self._proving if known else None
        return follow(self._search, *position.view, position.supply, first, target, reply)

    @_alone
    def every_margin(self, position: Position) -> tuple[int, dict[int, int]]:
        """Return the margin of a position, and what each legal field makes of it.

        For many positions that are over in a few milliseconds each, in one compiled call for each
        and with one table for all: where a game is labelled from its end, much of what is asked
        has been found already. The other threads do not help.

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
        self._position = position
        self._proving = None
        self._shared.ask()
        found = settle_moves(self._search, *position.view, position.supply)
        self._check_oracle()
        if found is None:
            raise SearchStopped
        return found

    @_alone
    def preferred_field(self, position: Position) -> str | None:
        """Return the field that the table holds for best, None if it holds none."""
        proving = self._proving if self._position is position else None
        self._take_up(position)
        self._proving = proving
        number = self._search.table_move()
        return None if number is None else self.layout.fields[number]

    def _take_up(self, position: Position) -> tuple[int, int]:
        self._position = position
        self._proving = None
        bounds = _set(self._search, position)
        if self._oracle is not None:
            self._check_oracle()
        return bounds

    def _narrow(self, beta: int, bounds: Bounds) -> int:
        """Ask whether the margin is at least `beta`; note the answer in `bounds`."""
        check_bounds(bounds)
        answer = self._ask(beta)
        if answer >= beta:
            self._proving = self._search.proving_field()
            self._proved = answer
            bounds.lower = max(bounds.lower, answer)
        else:
            bounds.upper = min(bounds.upper, answer)
        check_bounds(bounds)
        return answer

    def _ask(self, beta: int) -> int:
        """Ask whether the margin is at least `beta`; returns as `Search.null_window` does."""
        self._shared.ask()
        if self._others is None:
            found = self._search.null_window(beta)
            self._check_oracle()
            if found is None:
                raise SearchStopped
            return found
        helped = []
        if self._position.supply >= _ALONE:
            for search in self._searches[1:]:
                _set(search, self._position)
                helped.append(self._others.submit(search.null_window, beta))
        answers = [self._search.null_window(beta), *(future.result() for future in helped)]
        self._check_oracle()
        answer = next((answer for answer in answers if answer is not None), None)
        if answer is None:
            raise SearchStopped
        return answer

    def _check_oracle(self) -> None:
        failure = None if self._oracle is None else self._oracle.failure
        if self._oracle is None or failure is None:
            return
        if isinstance(failure, KeyboardInterrupt):  # nothing is wrong with the oracle
            self._oracle.failure = None
        raise failure


def settle_together(solvers: list[Solver], positions: list[Position], goal: Goal) -> list[Settled]:
    """Find out about a position by each of the solvers, and follow the lines of best play.

    All of it is one compiled call, one position after the other: for games that are over in a few
    milliseconds. Nothing is known until it returns, and other threads do not help.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> start = Position(Layout.parse("AAB/CCB"))
        >>> positions = [start, start.play("a1")]
        >>> solvers = [Solver(start, Scoring.LEVEL0, 1 << 16)]
        >>> solvers.append(Solver(start, Scoring.LEVEL0, 1 << 16, beside=solvers[0]))
        >>> [(found.bounds.lower, found.line[0]) for found in settle_together(
        ...     solvers, positions, "margin")]
        [(0, 'a1'), (0, 'c1')]
    """
    asked = []
    for solver, position in zip(solvers, positions, strict=True):
        solver._shared.ask()
        asked.append((*position.view, position.supply))
    rows = settle([solver._search for solver in solvers], asked, goal == "outcome")
    found = []
    for solver, (lower, upper, reached, proving, fields, whole) in zip(solvers, rows, strict=True):
        solver._check_oracle()
        check_bounds(Bounds(lower, upper))
        names = solver.layout.fields
        best = None if proving is None else names[proving]
        line = [names[field] for field in fields]
        found.append(Settled(Bounds(lower, upper), reached, best, line, whole))
    return found


def check_bounds(bounds: Bounds) -> None:
    """Raise `Contradiction` if they leave no margin: an oracle, or whoever gave them, was wrong."""
    if bounds.lower > bounds.upper:
        raise Contradiction(f"a margin of {bounds.lower} at least, {bounds.upper} at most")


def _set(search: Search, position: Position) -> tuple[int, int]:
    return search.set_position(*position.view, position.supply)
