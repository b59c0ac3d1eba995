"""Solve a position: its exact value, the best field and line, the value of every legal field."""

from __future__ import annotations

import contextlib
import threading
import time as clock
from collections.abc import Callable, Iterator
from typing import Any, Final, Protocol

from ..core.background import run_watched
from ..core.budgets import check_budgets, check_watchers
from ..core.memory import table_size
from ..core.progress import ProgressLine
from ..errors import BudgetError, KulamiError
from .job import Job, run_at_once
from .oracle import Contradiction, Oracle
from .position import Position
from .scoring import Scoring
from .solution import Analysis, Goal, MoveValue, Progress, Solution, SolveInterrupted, checked_goal
from .solver import Solver, checked_position, table_plies

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


class OpenDatabase(Protocol):
    """What a search asks of a `Database`; that one is imported with NumPy only where it is used."""

    @property
    def path(self) -> str:
        """Its file."""

    def oracle(self, position: Position, scoring: Scoring) -> Oracle | None:
        """Return what answers for its positions within a search."""

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
    database: OpenDatabase | None = None,
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
        PositionError: if it is not a position.
        NotationError: if it is not a scoring.
        KulamiError: if `goal` is not a goal, or `progress` is not a function.
        BudgetError: if a budget or `stop` makes no sense, or the machine has not that much memory.
        DatabaseError: if it is not a database, is damaged where it is read, or counts by another
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
    with naming(database):
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


@contextlib.contextmanager
def naming(database: OpenDatabase | None) -> Iterator[None]:
    """Within, a search that comes to what cannot be is the fault of its database, if it has one.

    Raises:
        DatabaseError: instead of `Contradiction`.
    """
    try:
        yield
    except Contradiction:
        if database is None:
            raise
        from ..storage.container import DatabaseError

        raise DatabaseError("values_contradict", path=database.path) from None


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
    database: OpenDatabase | None,
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
    threads, time, nodes, _ = check_budgets(threads, time, nodes)
    check_database_and_stop(database, stop)
    if not isinstance(progress, bool) and not callable(progress):
        raise KulamiError("no_progress", progress=progress)
    oracle = None if database is None else database.oracle(position, scoring)

    def job_of(nodes: int | None) -> Job:
        size = _table_size(position, scoring, searches, memory, time, nodes, threads or 1)
        try:
            solver = Solver(position, scoring, size, threads or 1, oracle)
        except MemoryError as error:
            raise BudgetError("no_memory_for_table", why=str(error)) from None
        solver.allow(nodes)
        return Job(solver, position, goal, every_move)

    if at_once and position.plies_left <= _LATE and _may_be_at_once(threads, time):
        allowed, enough = _allowed_at_once(scoring, nodes)
        job = job_of(allowed)
        if stop is not None and stop.is_set():
            job.solver.stop()
            enough = True
        try:
            if every_move:
                job.run()
            else:
                run_at_once([job])
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
    database: OpenDatabase | None,
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
    jobs: list[Job] = []
    places = [place for place, position in enumerate(positions) if position.plies_left <= _LATE]
    for place in places:
        position = positions[place]
        size = _table_size(position, scoring, searches * len(places), None, time, allowed)
        beside = jobs[0].solver if jobs else None
        solver = Solver(position, scoring, size, beside=beside)
        solver.allow(allowed)
        jobs.append(Job(solver, position, goal, False))
    if not jobs:
        return found
    run_at_once(jobs)
    shares = [_NODES_OF_SETTING_UP + job.solver.nodes for job in jobs]
    second = (clock.monotonic() - begun) / sum(shares)
    for place, job, share in zip(places, jobs, shares, strict=True):
        if job.done or enough:
            found[place] = job.solution(scoring, share * second)
    return found


def _table_size(
    position: Position,
    scoring: Scoring,
    searches: int,
    memory: int | float | str | None,
    time: float | None,
    nodes: int | None,
    threads: int = 1,
) -> int:
    """Bytes of the table of one of so many searches, each with these budgets."""
    spent = None if time is None else time * threads
    noted = table_plies(position.plies_left, scoring)
    return table_size(memory, noted, spent, nodes, searches if memory is None else 1)


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


def check_database_and_stop(database: OpenDatabase | None, stop: threading.Event | None) -> None:
    """Refuse what is no open database, with a `DatabaseError`, or no event, with a `BudgetError`.

    Args:
        database: an open one, None for none.
        stop: anything with an `is_set` like that of threading.Event, None for none.
    """
    # Databases tell what they know as solutions, so their class cannot be asked for here.
    if database is not None and not callable(getattr(database, "oracle", None)):
        from ..storage.container import DatabaseError

        raise DatabaseError("no_open_database", given=database)
    check_watchers(None, stop)
