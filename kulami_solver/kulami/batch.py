"""Solve many positions side by side.

A search gives up Python's lock while it runs, so threads of this process are enough to keep every
core at work; processes, or the machines of a cluster, serve through the same interface,
`concurrent.futures.Executor`. Whatever is sent to them and back can be pickled.

    positions -> read ahead -> executor -> solutions, in the order of the positions

Everything but the searches happens in the thread that asks for the solutions: positions are taken
from their iterable there, and Ctrl-C is raised there.
"""

from __future__ import annotations

import os
import sys
import threading
import time as clock
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sized
from typing import TYPE_CHECKING, Any, Final, NoReturn

from ..core.budgets import check_budgets
from ..core.memory import default_table_size, parse_memory, table_size
from ..errors import PositionError, quoted
from .position import Position
from .scoring import Scoring
from .solve import Goal, Solution, SolveInterrupted, check_company, checked_goal, solve
from .solver import checked_position

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

    from tqdm import tqdm

    from .probe import Database

__all__ = ["solve_many"]

# So many positions for each worker are taken before the first of them is solved: one that takes a
# thousand times as long as others should not leave the other workers with nothing to do.
_AHEAD: Final = 16

# How often the progress line is drawn, in seconds, and what is done sooner shows none.
_TICK: Final = 0.1
_PATIENCE: Final = 1.0

# How long after Ctrl-C to wait for what the running searches have proved, in seconds. Those in
# this process take a twentieth of it; those in others may not have heard of it.
_GRACE: Final = 1.0


def solve_many(
    positions: Iterable[Position | None],
    scoring: Scoring | str | int = Scoring.LEVEL0,
    goal: Goal = "margin",
    *,
    executor: Executor | None = None,
    workers: int | None = None,
    threads: int | None = None,
    memory: int | float | str | None = None,
    time: float | None = None,
    nodes: int | None = None,
    every_move: bool = False,
    database: Database | None = None,
    progress: bool = False,
) -> Generator[Solution, None, None]:
    """Solve positions side by side; yield the solutions in their order, each as it is done.

    Args:
        positions: any iterable of positions, also an endless one: few more are taken from it than
            solutions are asked for. What takes its positions from elsewhere and has none at the
            moment may yield None, so that no solution is held back meanwhile. An exception that
            it raises is raised again after the solutions of the positions before.
        scoring, goal: as for `solve`.
        executor: where to solve. It is left open. By default, threads of this process that end
            with the last solution.
        workers: how many positions the executor solves at the same time: by default what it says
            itself, if it does, and one for each core.
        threads: how many threads search each position; None for one.
        memory: of the transposition table for each position, as for `solve`. By default the
            workers share out what one search would take at most.
        time, nodes: budgets of each position, as for `solve`.
        every_move: find the value of every legal field, too.
        database: an open one, as for `solve`. Other processes open the file themselves.
        progress: show a live line on stderr.

    Returns:
        A generator of solutions. Closing it ends the searches that are not done.

    Raises:
        BudgetError: if a budget makes no sense, or the machine has not that much memory.
        PositionError: if `positions` is no iterable, or one of them no position.
        NotationError: if the scoring is none.
        DatabaseError: if the database is damaged where it is read, or counts by another scoring.
        SolveInterrupted: Ctrl-C; its `solution` holds the bounds of the first position whose
            solution had not been yielded, `later` what is known of those begun after it. Searches
            in other processes end if they get Ctrl-C as well, as they do from a terminal.

    Examples:
        >>> from kulami_solver import Layout, Position, solve_many
        >>> start = Position(Layout.parse("ABBCD/ABBCD/ABBEE/FFFEE"))
        >>> children = [start.play(field) for field in start.legal_fields]
        >>> -min(solution.margin for solution in solve_many(children))
        2

        Processes instead of threads:

        >>> from concurrent.futures import ProcessPoolExecutor
        >>> with ProcessPoolExecutor(2) as pool:
        ...     min(solution.margin for solution in solve_many(children, executor=pool))
        -2
    """
    from concurrent.futures import ThreadPoolExecutor  # it takes its time to import

    try:
        total = len(positions) if isinstance(positions, Sized) else None
        taken = iter(positions)
    except TypeError:
        raise PositionError(
            f"positions to solve are an iterable of Positions, not {quoted(positions)}"
        ) from None
    check_budgets(threads, time, nodes, workers)
    check_company(database, None)
    if workers is None:
        workers = _workers_of(executor, threads or 1)
    if executor is None or isinstance(executor, ThreadPoolExecutor):
        table_size(memory, 1, tables=workers)
    elif memory is not None:
        parse_memory(memory)  # each worker sees for itself whether its machine has that much
    options = {
        "scoring": Scoring.parse(scoring),
        "goal": checked_goal(goal),
        "threads": threads,
        "memory": memory,
        "time": time,
        "nodes": nodes,
        "every_move": every_move,
        "database": database,
    }
    line = _ProgressLine(total) if progress else None
    return _Batch(taken, executor, workers, options, line).solutions()


def _workers_of(executor: Executor | None, threads: int) -> int:
    # The interface does not tell, but Python's own executors keep it under this name, and others
    # have followed them.
    known = getattr(executor, "_max_workers", None)
    if isinstance(known, int) and known > 0:
        return known
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # macOS
        cores = os.cpu_count() or 1
    return max(1, cores // threads)


class _Stop:
    """Ends the searches of a batch. What is sent to another process is a copy nobody sets."""

    def __init__(self) -> None:
        self.event: Final = threading.Event()

    def __reduce__(self) -> tuple[type[_Stop], tuple[()]]:
        return _Stop, ()


def _solved(position: Position, options: dict[str, Any], workers: int, stop: _Stop) -> Solution:
    """What a worker does with a position."""
    if options["memory"] is None:
        # The length of the game is the position's, and what is available the worker's to know.
        size = default_table_size(
            min(position.supply, position.free_count), options["time"], options["nodes"], workers
        )
        options = {**options, "memory": f"{size >> 10}K"}
    return solve(position, **options, stop=stop.event)


class _Batch:
    """Positions on their way from an iterable through an executor."""

    def __init__(
        self,
        positions: Iterator[Position | None],
        executor: Executor | None,
        workers: int,
        options: dict[str, Any],
        line: _ProgressLine | None,
    ) -> None:
        self._positions = positions
        self._executor = executor
        self._workers = workers
        self._options = options
        self._line = line
        self._stop = _Stop()
        # Those that were begun or will be, and whose solution has not been yielded.
        self._waiting: deque[tuple[Position, Future[Solution]]] = deque()

    def solutions(self) -> Generator[Solution, None, None]:
        from concurrent.futures import ThreadPoolExecutor

        own = ThreadPoolExecutor(self._workers) if self._executor is None else None
        executor = own or self._executor
        assert executor is not None
        try:
            yield from self._in_order(executor)
        except KeyboardInterrupt:
            if not self._waiting:
                raise
            raise self._interrupted() from None
        finally:
            self._end()
            if own is not None:
                own.shutdown()
            if self._line is not None:
                self._line.close()

    def _in_order(self, executor: Executor) -> Generator[Solution, None, None]:
        from concurrent.futures import wait

        waiting = self._waiting
        failure: Exception | None = None
        reading = True
        while reading or waiting:
            if waiting and waiting[0][1].done():
                solution = waiting[0][1].result()
                waiting.popleft()
                if self._line is not None:
                    self._line.hide()
                yield solution
                if self._line is not None:
                    self._line.count()
            elif reading and len(waiting) < _AHEAD * self._workers:
                try:
                    position = next(self._positions)
                    if position is not None:
                        waiting.append((position, self._begin(executor, position)))
                except StopIteration:
                    reading = False
                except Exception as error:
                    reading = False
                    failure = error
            else:
                wait([waiting[0][1]], None if self._line is None else _TICK)
            if self._line is not None:
                self._line.show(len(waiting))
        if failure is not None:
            raise failure

    def _begin(self, executor: Executor, position: Position) -> Future[Solution]:
        return executor.submit(
            _solved, checked_position(position), self._options, self._workers, self._stop
        )

    def _end(self) -> None:
        """Begin nothing more, and end what was begun as far as it is within reach."""
        for _, future in self._waiting:
            future.cancel()
        self._stop.event.set()

    def _interrupted(self) -> SolveInterrupted:
        """What is known of the positions begun; nothing that was found out is lost."""
        from concurrent.futures import wait

        self._end()
        wait([future for _, future in self._waiting if not future.cancelled()], _GRACE)
        found = [_found(future) for _, future in self._waiting]
        while len(found) > 1 and found[-1] is None:
            del found[-1]
        first, *later = (
            self._unsearched(position) if solution is None else solution
            for (position, _), solution in zip(self._waiting, found, strict=False)
        )
        return SolveInterrupted(first, tuple(later))

    def _unsearched(self, position: Position) -> Solution:
        """What is known of a position without search."""
        options = {**self._options, "memory": "64K", "threads": None}
        return solve(position, **options, stop=self._stop.event)


def _found(future: Future[Solution]) -> Solution | None:
    """What a search that was done, or was ended, has found out; None if that is not known."""
    if not future.done() or future.cancelled():
        return None
    failure = future.exception()
    if isinstance(failure, SolveInterrupted):  # Ctrl-C reached another process
        return failure.solution
    return future.result() if failure is None else None


class _ProgressLine:
    """A live line on stderr that counts positions, from `_PATIENCE` seconds on."""

    def __init__(self, total: int | None) -> None:
        from tqdm import tqdm  # only imported where it is shown

        self._bar: tqdm[NoReturn] = tqdm(
            delay=_PATIENCE, leave=False, file=sys.stderr, bar_format="{desc}, {elapsed}"
        )
        self._of = "" if total is None else f" of {total}"
        self._solved = 0
        self._drawn = clock.monotonic() + _PATIENCE
        self._shown = False

    def count(self) -> None:
        """One more position is solved."""
        self._solved += 1

    def show(self, waiting: int) -> None:
        """Draw it, unless that was done a moment ago."""
        if clock.monotonic() - self._drawn >= _TICK:
            self._bar.set_description_str(
                f"{self._solved}{self._of} positions solved, {waiting} under way"
            )
            self._drawn = clock.monotonic()
            self._shown = True

    def hide(self) -> None:
        """Make room: whoever gets a solution may print it on the same terminal."""
        if self._shown:
            self._bar.clear()
            self._shown = False

    def close(self) -> None:
        self.hide()
        self._bar.close()
