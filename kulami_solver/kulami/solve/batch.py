"""Solve many positions side by side.

A search gives up Python's lock while it runs, so threads of this process are enough to keep every
core at work. Processes and the machines of a cluster work through the same interface,
`concurrent.futures.Executor`. All that is sent to them and back can be pickled.

    positions -> read ahead -> executor -> solutions, in the order of the positions

Everything but the searches happens in the thread that asks for the solutions: positions are taken
from their iterable there, and Ctrl-C is raised there.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import os
import threading
import time as clock
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence, Sized
from concurrent.futures import Executor, Future
from dataclasses import field
from functools import partial
from typing import Final

from ...core.budgets import check_budgets, workers_of
from ...core.interruption import SolveInterrupted, interrupts_deferred
from ...core.memory import parse_memory, table_size
from ...core.progress import ProgressLine
from ...core.tasks import (
    Needs,
    check_executor,
    check_workers,
    first_completed,
    is_wanted,
    submit_as,
    threads_or,
)
from ...errors import KulamiError, PositionError, checked_kind, quoted
from ...game import Budget, Goal, Question, Source, checked_goal, searched, sound
from ..position.position import Position
from ..position.scoring import Scoring
from ..state import state_of
from .solution import Solution
from .solver import Search, checked_source

# Positions that are taken ahead for each worker, at least: one that takes a thousand times as long
# as others should not leave the other workers with nothing to do.
_AHEAD: Final = 16

# Positions with at most `_SHORT` plies to come may be solved faster than they are sent. Those that
# follow each other go together into a task, so many at most.
_SHORT: Final = 16
_TOGETHER: Final = 16

# Seconds that the next position may take to come; meanwhile it holds back those of its task.
_SLOW: Final = 0.01

# How often the progress line is drawn while nothing else happens, in seconds.
_TICK: Final = 0.1

# Seconds to wait after Ctrl-C for what the running searches have proved. Searches in this process
# need a twentieth of it; those in other processes may not have heard of Ctrl-C.
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
    database: Source | None = None,
    progress: bool | ProgressLine = False,
    in_order: bool = True,
) -> Generator[Solution, None, None]:
    """Solve positions side by side; yield the solutions in their order, each as it is done.

    Args:
        positions: any iterable of positions, also an endless one: only a few are taken ahead. An
            iterable that waits for positions may yield None meanwhile, so that no solution is held
            back. An exception that it raises is raised again after the solutions of the positions
            before it.
        scoring, goal: as for `solve`.
        executor: where to solve. It is left open. By default, threads of this process that end
            with the last solution.
        workers: how many positions the executor solves at the same time: by default the number
            that it states, else one for each core.
        threads: how many threads search each position; None for one.
        memory: of the transposition table for each position, as for `solve`. By default the
            workers share the memory that one search would take at most.
        time, nodes: budgets of each position, as for `solve`.
        every_move: find the value of every legal field, too.
        database: an open one, as for `solve`. Other processes open the file themselves.
        progress: show a live line on stderr; or a line to show it in, which is closed at the end.
            It is no function: the caller sees each solution as it comes.
        in_order: yield the solutions in the order of the positions; if false, each as soon as it is
            found, so that a slow one delays no others.

    Returns:
        A generator of solutions. Closing it ends the searches that are not done.

    Raises:
        BudgetError: if a budget makes no sense, or the machine has too little memory.
        PositionError: if `positions` is no iterable, or one of them no position.
        NotationError: if `scoring` is no scoring.
        DatabaseError: if the database is damaged where it is read, or counts by another scoring.
        KulamiError: if `executor` is not an executor, or one of its workers cannot do the work; if
            `progress` or `in_order` makes no sense.
        SolveInterrupted: Ctrl-C; its `solution` holds the bounds of the first position whose
            solution had not been yielded, `later` those of the positions begun after it. Searches
            in other processes of this machine end as well, those on other machines by their
            budgets.

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
    from concurrent.futures import ThreadPoolExecutor  # slow to import

    try:
        total = len(positions) if isinstance(positions, Sized) else None
        taken = iter(None if isinstance(positions, str) else positions)
    except TypeError:
        raise PositionError(
            f"positions to solve are an iterable of Positions, not {quoted(positions)}"
        ) from None
    threads, time, nodes, workers = check_budgets(threads, time, nodes, workers)
    scoring, goal = Scoring.parse(scoring), checked_goal(goal)
    helper = None if database is None else checked_source(database, scoring, helping=True)
    if not isinstance(progress, (bool, ProgressLine)):
        raise KulamiError(
            f"progress is {quoted(progress)}: give True or False; the solutions come one by one"
        )
    checked_kind(in_order, bool, "in_order is True or False")
    check_executor(executor)
    check_workers(executor, Needs(files=() if helper is None else (helper.place,)))
    if workers is None:
        workers = workers_of(None, executor=executor, threads=threads or 1)
    if executor is None or isinstance(executor, ThreadPoolExecutor):
        table_size(memory, 1, tables=workers)
    elif memory is not None:
        parse_memory(memory)  # each worker sees for itself whether its machine has that much
    stop = _Stop()
    budget = Budget(time, nodes, threads, memory, stop)

    def question(position: Position) -> Question:
        state = state_of(position, scoring)
        return Question(state, every_move, goal, budget)

    asked = (None if position is None else question(position) for position in taken)
    sources = () if helper is None else (helper,)
    if isinstance(progress, ProgressLine):
        line: ProgressLine | None = progress
    else:
        line = ProgressLine(" positions", always=True) if progress else None
    return _Batch(asked, total, executor, sources, workers, stop, line, in_order).solutions()


class _Stop(threading.Event):
    """Ends the searches of a batch, also those in other processes of this machine.

    Other processes share only the file system, so a file is created to tell them. It is removed
    with the last search. On other machines the executor tells the searches, if it can.
    """

    def __init__(self, path: str | None = None) -> None:
        super().__init__()
        self._path: Final = path
        self.elsewhere: Final = path is not None  # in a process other than the one that asks
        self.told: str | None = None

    def is_set(self) -> bool:
        told = self._path is not None and os.path.exists(self._path)
        return super().is_set() or told or not is_wanted()

    def tell(self) -> None:
        """Tell the other processes, if there are any."""
        if self.told is not None:
            with contextlib.suppress(OSError):  # else they end by their budgets
                os.close(os.open(self.told, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))

    def forget(self) -> None:
        if self.told is not None:
            with contextlib.suppress(OSError):
                os.unlink(self.told)

    def __reduce__(self) -> tuple[type[_Stop], tuple[str]]:
        if self.told is None:
            from tempfile import gettempdir  # slow to import

            self.told = os.path.join(gettempdir(), f"kulami-stop-{os.urandom(16).hex()}")
        return _Stop, (self.told,)


@dataclasses.dataclass
class _Outcome:
    """The result of a task: its solutions, in order, and the exception that ended it, if any.

    Attributes:
        faults: of the sources, as far as they are found damaged and left aside.
    """

    solutions: list[Solution]
    failure: BaseException | None
    faults: list[Exception | None]


def _work(
    questions: list[Question], sources: Sequence[Source], tables: int, stop: _Stop
) -> _Outcome:
    """Answer the questions of a task, in a worker.

    Ctrl-C at a terminal reaches other processes, too. They ignore it: raised in the midst of the
    work it would lose the solutions found so far, and the process that asks stops them anyway.
    """
    if not stop.elsewhere:
        return _found_by(questions, sources, tables)
    outcome = _Outcome([], None, [])
    with contextlib.suppress(KeyboardInterrupt), interrupts_deferred():
        outcome = _found_by(questions, sources, tables)
    return outcome


def _found_by(questions: list[Question], sources: Sequence[Source], tables: int) -> _Outcome:
    outcome = _Outcome([], None, [])
    search = partial(Search, tables=tables)
    try:
        for question in questions:
            outcome.solutions.append(searched(search, question, sources))
    except Exception as failure:
        outcome.failure = failure
    outcome.faults += [getattr(source, "fault", None) for source in sources]
    return outcome


@dataclasses.dataclass(eq=False)
class _Task:
    """Questions that one worker answers one after the other; how many solutions were yielded."""

    questions: list[Question]
    future: Future[_Outcome]
    yielded: int = 0

    @property
    def left(self) -> list[Question]:
        """The questions whose solutions have not been yielded."""
        return self.questions[self.yielded :]

    def found(self) -> list[Solution | None]:
        """The solutions found by the searches of `left`, complete or stopped."""
        known: list[Solution | None] = []
        if self.future.done() and not self.future.cancelled() and not self.future.exception():
            outcome = self.future.result()
            known += outcome.solutions[self.yielded :]
            if isinstance(outcome.failure, SolveInterrupted):  # Ctrl-C reached another process
                known.append(outcome.failure.solution)
        # A search that was stopped before it began has found nothing.
        known = [one if one and (one.exact or one.nodes) else None for one in known]
        return known + [None] * (len(self.left) - len(known))


@dataclasses.dataclass(eq=False)
class _Batch:
    """Questions on their way from an iterable of positions through an executor.

    Attributes:
        sources: which may help each search.
        workers: how many searches there are at the same time.
        stop: of all questions.
        waiting: tasks that were submitted, and have solutions that were not yielded.
        numbers: of the tasks.
        left: questions of these tasks whose solutions were not yielded.
        gathered: questions of the next task.
        solved: solutions so far.
    """

    questions: Iterator[Question | None]
    total: int | None
    executor: Executor | None
    sources: Sequence[Source]
    workers: int
    stop: _Stop
    line: ProgressLine | None
    in_order: bool
    waiting: deque[_Task] = field(default_factory=deque)
    numbers: Iterator[int] = field(default_factory=itertools.count)
    left: int = 0
    gathered: list[Question] = field(default_factory=list)
    solved: int = 0

    def solutions(self) -> Generator[Solution, None, None]:
        with threads_or(self.executor, self.workers) as executor:
            try:
                yield from self._as_done(executor)
            except KeyboardInterrupt:
                if not self.left and not self.gathered:
                    raise
                raise self._interrupted() from None
            finally:
                self._end()
                if self.line is not None:
                    self.line.close()

    def _next(self) -> list[_Task]:
        """The tasks one of which must be done before more can be yielded."""
        return [*itertools.islice(self.waiting, 1 if self.in_order else None)]

    def _as_done(self, executor: Executor) -> Generator[Solution, None, None]:
        waiting, gathered, ahead = self.waiting, self.gathered, _AHEAD * self.workers
        failure: Exception | None = None
        reading = short = True
        question: Question | None = None
        process = os.getpid()
        while reading or waiting:
            task = next((task for task in self._next() if task.future.done()), None)
            if task is not None:
                outcome = task.future.result()
                for source, fault in zip(self.sources, outcome.faults, strict=False):
                    if fault is not None:
                        source.leave_aside(fault)  # type: ignore[attr-defined]
                for solution in outcome.solutions:
                    self._note(task)
                    yield solution
                    self._show()
                if outcome.failure is not None:
                    raise outcome.failure
                waiting.remove(task)
            elif reading and self.left + len(gathered) < ahead:
                begun = clock.monotonic()
                try:
                    question = next(self.questions)
                    if question is not None:
                        short = question.state.position.plies_left <= _SHORT
                        if gathered and not short:
                            self._begin(executor)
                        gathered.append(question)
                except StopIteration:
                    reading = False
                except Exception as error:
                    reading = False
                    failure = error
                # The next position may take a while.
                pausing = not reading or question is None or clock.monotonic() - begun > _SLOW
                if gathered and (len(gathered) >= _TOGETHER or pausing or not short):
                    self._begin(executor)
            elif gathered:
                self._begin(executor)
            elif os.getpid() != process:  # nothing would ever be done
                raise KulamiError(
                    "the searches of this solve_many are in the process that this one was forked "
                    "from: begin another here"
                )
            else:
                futures = [task.future for task in self._next()]
                first_completed(futures, None if self.line is None else _TICK)
            self._show()
        if failure is not None:
            raise failure

    def _begin(self, executor: Executor) -> None:
        questions = self.gathered.copy()
        number = next(self.numbers)
        given = (questions, sound(self.sources), self.workers, self.stop)
        self.waiting.append(_Task(questions, submit_as(executor, "solve", number, _work, *given)))
        self.gathered.clear()
        self.left += len(questions)

    def _note(self, task: _Task) -> None:
        task.yielded += 1
        self.left -= 1
        self.solved += 1
        if self.line is not None:
            self.line.hide()

    def _show(self) -> None:
        if self.line is not None:
            self.line.show(self.solved, self.total, f"{self.left} under way")

    def _end(self) -> None:
        """Begin no more searches, and stop those that can be reached."""
        running = [task.future for task in self.waiting if not task.future.cancel()]
        running = [future for future in running if not future.done()]
        self.stop.set()
        if running:
            self.stop.tell()
            ended = itertools.count(1)
            for future in running:
                future.add_done_callback(
                    lambda _: self.stop.forget() if next(ended) == len(running) else None
                )

    def _interrupted(self) -> SolveInterrupted[Solution]:
        """The exception with all that was found of the positions begun."""
        from concurrent.futures import wait

        self._end()
        wait([task.future for task in self.waiting if not task.future.cancelled()], _GRACE)
        questions = [question for task in self.waiting for question in task.left]
        questions += self.gathered
        found = [solution for task in self.waiting for solution in task.found()]
        found += [None] * len(self.gathered)
        while len(found) > 1 and found[-1] is None:
            del found[-1]
        first, *later = (
            self._unsearched(question) if solution is None else solution
            for question, solution in zip(questions, found, strict=False)
        )
        return SolveInterrupted(first, tuple(later))

    def _unsearched(self, question: Question) -> Solution:
        """A solution with the bounds that hold without a search, which has been told to stop."""
        budget = dataclasses.replace(question.budget, memory="64K", threads=None)
        stopped = dataclasses.replace(question, budget=budget)
        found: Solution = searched(Search, stopped, self.sources)
        return found
