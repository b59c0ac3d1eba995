"""Solve a position: its exact value, the best field and line, the value of every legal field."""

from __future__ import annotations

import functools
import threading
import time as clock
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from ...core.background import run_watched
from ...core.budgets import check_budgets, check_watchers
from ...core.interruption import SolveInterrupted
from ...core.memory import table_size
from ...core.progress import ProgressLine
from ...errors import BudgetError, KulamiError
from ..position.position import Position
from ..position.scoring import Scoring
from .best_play import find
from .job import Job, OpenDatabase, Share, Wanted
from .oracle import Contradiction
from .solution import Goal, MoveValue, Progress, Solution, checked_goal
from .solver import Solver, checked_position, table_plies

# A game that can last at most `_LATE` plies is searched in the calling thread, up to `_AT_ONCE`
# positions. This takes a few milliseconds: Ctrl-C, `stop` and the progress line can wait that long,
# and other threads would take longer to begin. Where areas or chains count, a position takes
# several times as long. An unfinished search starts again in a thread of its own.
_LATE: Final = 24
_AT_ONCE: Final = 1 << 15
_AT_ONCE_IN_ALL_PARTS: Final = 1 << 13

# The search of a single game of at most `_LAST_PLIES` plies nearly always ends within
# `_OF_THE_LAST_PLIES` positions, in at most 30 milliseconds; starting again would often take longer
# than going on.
_LAST_PLIES: Final = 20
_LAST_PLIES_IN_ALL_PARTS: Final = 19
_OF_THE_LAST_PLIES: Final = 1 << 17

# With a time budget below this, in seconds, nothing may be searched twice.
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
    begun = clock.monotonic()
    position = checked_position(position)
    wanted = Wanted(Scoring.parse(scoring), checked_goal(goal), every_move, database)
    threads, time, nodes, _ = check_budgets(threads, time, nodes)
    budget = Share(time, nodes, threads, memory, stop)
    check_database_and_stop(database, stop)
    if not isinstance(progress, bool) and not callable(progress):
        raise KulamiError("no_progress", progress=progress)
    try:
        late = late_jobs([position], wanted, budget)
        for job in late:
            try:
                find([job])
                job.conclude()
                if callable(progress):
                    job.tell(progress, clock.monotonic() - begun)
            except KeyboardInterrupt:
                raise SolveInterrupted(job.solution(clock.monotonic() - begun)) from None
            if job.done or is_enough(wanted, budget, [position]):
                return job.solution(clock.monotonic() - begun)
        late.clear()  # and its table
        return searched(position, wanted, budget, progress=progress, begun=begun)
    except Contradiction as found:
        raise blamed(found, database) from None


def blamed(failure: BaseException, database: OpenDatabase | None) -> BaseException:
    """Return the error to raise for a search's failure.

    A `Contradiction` is the fault of the search's database, if it has one.
    """
    if database is None or not isinstance(failure, Contradiction):
        return failure
    from ...storage.container import DatabaseError

    return DatabaseError("values_contradict", path=database.path)


def searched(
    position: Position,
    wanted: Wanted,
    budget: Share,
    *,
    progress: bool | Callable[[Progress], None] = False,
    begun: float | None = None,
) -> Solution:
    """Solve a position in a thread of its own, watched by this one.

    Args:
        begun: start of the time, by `time.monotonic`; None for now.
    """
    begun = clock.monotonic() if begun is None else begun
    job = _job(position, wanted, budget)
    left = None if budget.seconds is None else begun + budget.seconds - clock.monotonic()
    report, close = _reporter(progress)
    tell = None if report is None else functools.partial(job.tell, report)
    try:
        run_watched(job.run, job.solver.stop, time=left, event=budget.stop, report=tell)
    except KeyboardInterrupt:
        raise SolveInterrupted(job.solution(clock.monotonic() - begun)) from None
    finally:
        close()
        job.solver.close()
    return job.solution(clock.monotonic() - begun)


def late_jobs(positions: list[Position], wanted: Wanted, budget: Share) -> list[Job]:
    """Return jobs for `find`, in the calling thread, of the late positions among these.

    There are none for several threads, nor where there is too little time to search twice. If
    `stop` is set, the jobs stop before they begin.
    """
    if budget.threads not in (None, 1) or (budget.seconds is not None and budget.seconds < _HURRY):
        return []
    late = [one for one in positions if checked_position(one).plies_left <= _LATE]
    most = _most_at_once(wanted, positions)
    nodes = most if budget.nodes is None else min(budget.nodes, most)
    searches = budget.searches * len(late)
    allowed = replace(budget, nodes=nodes, searches=searches)
    jobs: list[Job] = []
    for position in late:
        jobs.append(_job(position, wanted, allowed, jobs[0].solver if jobs else None))
        if budget.stop is not None and budget.stop.is_set():
            jobs[-1].solver.stop()
    return jobs


def _most_at_once(wanted: Wanted, positions: list[Position]) -> int:
    """The most nodes that each of some positions may take in the calling thread."""
    panels_alone = wanted.scoring is Scoring.LEVEL0
    last_plies = _LAST_PLIES if panels_alone else _LAST_PLIES_IN_ALL_PARTS
    if len(positions) == 1 and positions[0].plies_left <= last_plies:
        return _OF_THE_LAST_PLIES
    return _AT_ONCE if panels_alone else _AT_ONCE_IN_ALL_PARTS


def is_enough(wanted: Wanted, budget: Share, positions: list[Position]) -> bool:
    """Whether late positions that were asked about together may not be searched any further."""
    if budget.stop is not None and budget.stop.is_set():
        return True
    return budget.nodes is not None and budget.nodes <= _most_at_once(wanted, positions)


def _job(position: Position, wanted: Wanted, budget: Share, beside: Solver | None = None) -> Job:
    """A position to be solved, with a table of its own."""
    scoring, threads = wanted.scoring, budget.threads or 1
    oracle = None if wanted.database is None else wanted.database.oracle(position, scoring)
    noted = table_plies(position.plies_left, scoring)
    spent = None if budget.seconds is None else budget.seconds * threads
    searches = budget.searches if budget.memory is None else 1
    size = table_size(budget.memory, noted, spent, budget.nodes, searches)
    try:
        solver = Solver(position, scoring, size, threads, oracle, beside)
    except MemoryError as error:
        raise BudgetError("no_memory_for_table", why=str(error)) from None
    solver.allow(budget.nodes)
    return Job(solver, position, wanted)


def analyse(
    position: Position, scoring: Scoring | str | int = Scoring.LEVEL0, **options: Any
) -> tuple[MoveValue, ...]:
    """Return the value of every legal field, best first.

    Args:
        position: any position.
        scoring: what counts, as for `solve`.
        options: as for `solve`.

    Raises:
        KulamiError: as for `solve`.

    Examples:
        >>> from kulami_solver import Layout, Position, analyse
        >>> moves = analyse(Position(Layout.parse("AAB/CCB")).play("a1"))
        >>> [(move.field, move.margin) for move in moves]
        [('c1', 0), ('a2', -2)]
    """
    return solve(position, scoring, **{**options, "every_move": True}).moves


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
        from ...storage.container import DatabaseError

        raise DatabaseError("no_open_database", given=database)
    if getattr(database, "keyless", False):
        from ...storage.container import DatabaseError

        raise DatabaseError("compact_not_searched", path=getattr(database, "path", ""))
    check_watchers(None, stop)
