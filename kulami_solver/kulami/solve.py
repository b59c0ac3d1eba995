"""Solve a position: its exact value, the best field and line, the value of every legal field."""

from __future__ import annotations

import threading
import time as clock
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from ..core.background import run_watched
from ..core.budgets import check_budgets, check_watchers
from ..core.memory import table_size
from ..core.progress import ProgressLine
from ..errors import BudgetError, KulamiError, quoted
from .position import Position
from .scoring import Scoring
from .solution import Analysis, Goal, MoveValue, Progress, Solution, SolveInterrupted, checked_goal
from .solver import Bounds, SearchStopped, Settled, Solver, checked_position, settle_together

if TYPE_CHECKING:
    from .probe import Database

__all__ = [
    "Analysis",
    "Goal",
    "MoveValue",
    "Progress",
    "Solution",
    "SolveInterrupted",
    "analyse",
    "solve",
]

# Nodes that a field may take to show again what a stopped search has proved of it; as a rule the
# table shows it at once.
_RECALL_NODES: Final = 20

# A game that can last no longer than so many plies is searched in the thread that asks, up to so
# many positions: a few milliseconds, for which Ctrl-C, `stop` and the progress line can wait and
# other threads would take longer to begin. Where areas or chains count, a position takes several
# times as long. What is not done by then is searched anew in a thread of its own.
_LATE: Final = 24
_AT_ONCE: Final = 1 << 15
_AT_ONCE_IN_ALL_PARTS: Final = 1 << 13

# As many positions as can be searched while one is set up.
_NODES_OF_SETTING_UP: Final = 500

# With less time than this to spend, in seconds, not a millisecond may be searched twice.
_HURRY: Final = 0.05


class _Job:
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

    @staticmethod
    def run_at_once(jobs: list[_Job]) -> None:
        """`run` of each in one go, where it is over in milliseconds, and no fields are asked about.

        `bounds` are as they were before until all of them are done.
        """
        solvers = [job.solver for job in jobs]
        positions = [job.position for job in jobs]
        for job, found in zip(jobs, settle_together(solvers, positions, jobs[0].goal), strict=True):
            job.note(found)

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
        # Asked for the outcome alone, a field is not shown to win by as much as the position does.
        least = bounds.lower if self.goal == "margin" else min(bounds.lower, 1)
        proving = [field for field, known in self.moves.items() if known.lower >= least]
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


def solve(
    position: Position,
    scoring: Scoring | str | int = Scoring.LEVEL0,
    goal: Goal = "margin",
    *,
    threads: int | None = None,
    memory: int | float | str | None = None,
    time: float | None = None,
    nodes: int | None = None,
    every_move: bool = False,
    database: Database | None = None,
    progress: bool | Callable[[Progress], None] = False,
    stop: threading.Event | None = None,
) -> Solution:
    """Solve a position exactly, as far as the budget goes.

    Args:
        position: any position, also an ended game.
        scoring: what counts, a `Scoring` or what `Scoring.parse` reads, like 2 or "chains".
        goal: "margin", or "outcome" for win, draw or loss alone, which is faster.
        threads: how many threads search together, 1 to 256; None for one.
        memory: of the transposition table, MiB or a text such as "512M" or "4G"; by default what
            suits the length of the game and the budgets, at most 1 GiB.
        time: seconds after which the search ends with the bounds it has.
        nodes: positions after which it does, once the last plies it is at are searched: as a rule
            hundreds of positions later, at most some ten thousand.
        every_move: find the value of every legal field, too.
        database: an open one, whose positions are looked up, not searched: this one, its
            successors, and those the search comes to. One of another layout or number of marbles
            is of no use, and is left alone.
        progress: True for a live line on stderr, or a function that is called about every 50 ms.
        stop: an event that ends the search like a budget, within about 50 ms, once another
            thread has set it.

    Returns:
        The solution. With `exact` False a budget ended the search, and the bounds hold.

    Raises:
        PositionError: if the position is none.
        NotationError: if the scoring is none.
        KulamiError: if the goal or `progress` is none.
        BudgetError: if a budget or `stop` makes no sense, or the machine has not that much memory.
        DatabaseError: if the database is none, is damaged where it is read, or counts by another
            scoring.
        SolveInterrupted: Ctrl-C; its `solution` holds the bounds so far.

    Examples:
        >>> from kulami_solver import Layout, Position, solve
        >>> solution = solve(Position(Layout.parse("ABBCD/ABBCD/ABBEE/FFFEE")))
        >>> solution.margin, solution.outcome, len(solution.line) > 0
        (2, 'win', True)

        A database of what comes after one first field is of use for the empty board:

        >>> import tempfile
        >>> from kulami_solver import build, open_database
        >>> start = Position(Layout.parse("ABBCD/ABBCD/ABBEE/FFFEE"))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = build(folder + "/a1.kdb", start.play("a1"))
        ...     with open_database(folder + "/a1.kdb") as db:
        ...         helped = solve(start, database=db)
        >>> helped.margin, helped.hits > 0, helped.nodes < solution.nodes
        (2, True, True)
    """
    return solved(
        position,
        1,
        scoring=scoring,
        goal=goal,
        threads=threads,
        memory=memory,
        time=time,
        nodes=nodes,
        every_move=every_move,
        database=database,
        progress=progress,
        stop=stop,
    )


def solved(
    position: Position,
    searches: int,
    *,
    scoring: Scoring | str | int,
    goal: Goal,
    threads: int | None,
    memory: int | float | str | None,
    time: float | None,
    nodes: int | None,
    every_move: bool,
    database: Database | None,
    progress: bool | Callable[[Progress], None] = False,
    stop: threading.Event | None = None,
    at_once: bool = True,
) -> Solution:
    """`solve` where so many `searches` share the memory that is there, if `memory` is None.

    `at_once` is False if `solved_together` has tried already.
    """
    begun = clock.monotonic()
    position = checked_position(position)
    scoring = Scoring.parse(scoring)
    goal = checked_goal(goal)
    check_budgets(threads, time, nodes)
    check_database_and_stop(database, stop)
    if not isinstance(progress, bool) and not callable(progress):
        raise KulamiError(f"progress is {quoted(progress)}: give True, False or a function")
    oracle = None if database is None else database.oracle(position, scoring)
    plies = _plies(position)

    def job_of(nodes: int | None) -> _Job:
        spent = None if time is None else time * (threads or 1)
        size = table_size(memory, plies, spent, nodes, searches if memory is None else 1)
        try:
            solver = Solver(position, scoring, size, threads or 1, oracle)
        except MemoryError as error:
            raise BudgetError(f"{error}: give a smaller --memory (memory=)") from None
        solver.allow(nodes)
        return _Job(solver, position, goal, every_move)

    if at_once and plies <= _LATE and _may_be_at_once(threads, time):
        allowed, enough = _allowed_at_once(scoring, nodes)
        job = job_of(allowed)
        if stop is not None and stop.is_set():
            job.solver.stop()
            enough = True
        try:
            if every_move:
                job.run()
            else:
                _Job.run_at_once([job])
            if callable(progress):
                job.tell(progress, clock.monotonic() - begun)
        except KeyboardInterrupt:
            raise SolveInterrupted(job.solution(scoring, clock.monotonic() - begun)) from None
        if job.done or enough:
            return job.solution(scoring, clock.monotonic() - begun)
        del job  # and its table

    job = job_of(nodes)
    left = None if time is None else begun + time - clock.monotonic()
    report, close = _reporter(progress)
    try:
        run_watched(job.run, job.solver.stop, time=left, event=stop, report=job.reporter(report))
    except KeyboardInterrupt:
        raise SolveInterrupted(job.solution(scoring, clock.monotonic() - begun)) from None
    finally:
        close()
        job.solver.close()
    return job.solution(scoring, clock.monotonic() - begun)


def solved_together(
    positions: list[Position],
    searches: int,
    *,
    scoring: Scoring | str | int,
    goal: Goal,
    threads: int | None,
    memory: int | float | str | None,
    time: float | None,
    nodes: int | None,
    every_move: bool,
    database: Database | None,
    stop: threading.Event,
) -> list[Solution | None] | None:
    """`solved` of several positions in one go, where threads would wait for Python's lock.

    What they took together is divided by their nodes, roughly.

    Returns:
        The solutions in order, None for positions that are not late or take longer; None if nothing
        was tried, since the searches need looking after one by one.
    """
    alone = every_move or database is not None or memory is not None
    if alone or not _may_be_at_once(threads, time) or stop.is_set():
        return None
    found: list[Solution | None] = [None] * len(positions)
    begun = clock.monotonic()
    scoring = Scoring.parse(scoring)
    allowed, enough = _allowed_at_once(scoring, nodes)
    jobs: list[_Job] = []
    places = [place for place, position in enumerate(positions) if _plies(position) <= _LATE]
    for place in places:
        position = positions[place]
        size = table_size(None, _plies(position), time, allowed, searches * len(places))
        beside = jobs[0].solver if jobs else None
        solver = Solver(position, scoring, size, beside=beside)
        solver.allow(allowed)
        jobs.append(_Job(solver, position, goal, False))
    if not jobs:
        return found
    _Job.run_at_once(jobs)
    shares = [_NODES_OF_SETTING_UP + job.solver.nodes for job in jobs]
    second = (clock.monotonic() - begun) / sum(shares)
    for place, job, share in zip(places, jobs, shares, strict=True):
        if job.done or enough:
            found[place] = job.solution(scoring, share * second)
    return found


def _plies(position: Position) -> int:
    """How long the game can last."""
    return min(position.supply, position.free_count)


def _may_be_at_once(threads: int | None, time: float | None) -> bool:
    """Do the budgets let a late position be searched in the thread that asks?"""
    return threads in (None, 1) and (time is None or time >= _HURRY)


def _allowed_at_once(scoring: Scoring, nodes: int | None) -> tuple[int, bool]:
    """How many positions may be searched there, and whether more may not be searched at all."""
    most = _AT_ONCE if scoring is Scoring.LEVEL0 else _AT_ONCE_IN_ALL_PARTS
    return (nodes, True) if nodes is not None and nodes <= most else (most, False)


def analyse(
    position: Position, scoring: Scoring | str | int = Scoring.LEVEL0, **options: Any
) -> Analysis:
    """Return the value of every legal field, best first: a tuple of `MoveValue`.

    In a notebook it shows itself as the board with the values on its fields, and as a table.

    Args:
        position: any position.
        scoring: what counts, as for `solve`.
        options: as for `solve`.

    Raises:
        KulamiError, SolveInterrupted: as for `solve`.

    Examples:
        >>> from kulami_solver import Layout, Position, analyse
        >>> moves = analyse(Position(Layout.parse("AAB/CCB")).play("a1"))
        >>> [(move.field, move.margin) for move in moves]
        [('c1', 0), ('a2', -2)]
    """
    solution = solve(position, scoring, **{**options, "every_move": True})
    return Analysis(solution.moves, solution.position)


def _reporter(
    progress: bool | Callable[[Progress], None],
) -> tuple[Callable[[Progress], None] | None, Callable[[], None]]:
    if progress is True:
        line = ProgressLine(" nodes", always=True)

        def show(state: Progress) -> None:
            line.show(state.nodes, None, f"margin {state.lower:+d} to {state.upper:+d}")

        return show, line.close
    return (progress or None), lambda: None


def check_database_and_stop(database: Database | None, stop: threading.Event | None) -> None:
    """Refuse what is no open database, with a `DatabaseError`, or no event, with a `BudgetError`.

    Args:
        database: an open one, None for none.
        stop: anything with an `is_set` like that of threading.Event, None for none.
    """
    # Databases tell what they know as solutions, so their class cannot be asked for here.
    if database is not None and not callable(getattr(database, "oracle", None)):
        from ..storage.container import DatabaseError

        raise DatabaseError(
            f"database is {quoted(database)}: give one that open_database has opened"
        )
    check_watchers(None, stop)
