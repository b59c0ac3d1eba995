"""One hard position on many workers: its exact value, and the best line.

    tree.py     in this process: the first plies, their proved bounds, the choice of questions
    jobs.py     on a worker: one question about a leaf
    solving.py  hands out jobs, collects and writes down answers, until the value is proved

The margin is found as everywhere in this package: the first question asks whether it is at least a
guess, and each answer gives the next question. If the likely answers of the jobs under way would
answer a question, work on the next question begins.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import itertools
import math
import threading
import time as clock
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ...core.budgets import check_budgets, check_watchers, workers_of
from ...core.interruption import SolveInterrupted, interrupts_deferred
from ...core.memory import parse_memory
from ...core.progress import ProgressLine
from ...core.tasks import Needs, check_executor, check_workers, first_completed, submit_as
from ...errors import KulamiError
from ...game import Budget, Goal, Question
from ..estimate.effort import Effort
from ..position.position import Position, checked_position
from ..position.scoring import Scoring
from ..solve.best_play import open_beta
from ..solve.solution import Solution
from ..solve.solver import FAR
from ..solve.table import Contradiction
from ..state import state_of
from .jobs import Answer, AnswerFile, Line, Terms, answer, follow
from .tree import LeafJob, Node, Tree, contradiction, fields_that_count

# The first question's expected nodes are divided into this number of jobs for each worker, within
# limits. Below the least, sending costs more than searching. Above the most, a worker that dies, or
# works on a dropped job, wastes minutes.
_JOBS_EACH: Final = 12
_LEAST_JOB: Final = 1 << 18
_MOST_JOB: Final = 1 << 27

# Jobs under way for each worker, and least number of them beyond one each, so that no worker waits
# while an answer comes and another question goes.
_AHEAD: Final = 1.25
_WAITING: Final = 2

# Number of betas beyond the open question's whose questions are worked on.
_BEYOND: Final = 2

# On some systems Ctrl-C has no effect during a wait without a time limit.
_TICK: Final = 0.1


@dataclass(frozen=True)
class TreeProgress:
    """Progress of the search of a position on many workers.

    Attributes:
        lower, upper: bounds of the margin proved so far.
        done: leaves answered, or split because they were too hard, in this run.
        open: jobs under way.
        dropped: jobs whose answers no longer mattered while they were under way.
        nodes: positions searched in this run.
        seconds: since it began.
    """

    lower: int
    upper: int
    done: int
    open: int
    dropped: int
    nodes: int
    seconds: float


def drawn_on(line: ProgressLine) -> Callable[[TreeProgress], None]:
    """Return a function that shows progress on a line."""

    def show(state: TreeProgress) -> None:
        line.show(
            state.done,
            None,
            f"margin {state.lower:+d} to {state.upper:+d}, {state.open} open, "
            f"{state.dropped} dropped",
        )

    return show


class _UsedUp(Exception):  # noqa: N818  (not an error: a budget is used up)
    """A budget, or `stop`, has ended the search."""


def solve_position(
    position: Position,
    scoring: Scoring | str | int = Scoring.LEVEL0,
    goal: Goal = "margin",
    *,
    executor: concurrent.futures.Executor,
    workers: int | None = None,
    memory: int | float | str | None = None,
    time: float | None = None,
    nodes: int | None = None,
    every_move: bool = False,
    journal: str | Path | None = None,
    job_nodes: int | None = None,
    progress: bool | Callable[[TreeProgress], None] = False,
    stop: threading.Event | None = None,
) -> Solution:
    """Solve one position on many workers, as far as the budget goes.

    It works like `solve`, but with processes and machines that share no memory in place of threads.
    This pays from some 36 free fields on; with fewer, `solve` is as fast.

    Args:
        position: any position, also an ended game.
        scoring, goal: as for `solve`.
        executor: where to search: what `cluster.connect` gives, a ProcessPoolExecutor, or threads.
            It is left open.
        workers: how many jobs it does at the same time; by default what it says itself, if it does,
            and one for each core of this machine.
        memory: of the table of each process that works, as for `solve`.
        time: seconds after which the search ends with the bounds it has. Jobs under way go on until
            their nodes are used up, here and below.
        nodes: positions after which it does; jobs under way are not counted before they are done.
        every_move: find the value of every legal field, too.
        journal: a file to which each answer is added as it comes. If it is there, the search goes
            on from what it holds.
        job_nodes: positions that one job may take; by default a share of what is expected in all,
            a second of one core or less up to some 44 free fields.
        progress: True for a live line on stderr, or a function that is called after each answer.
        stop: an event that ends the search like a budget, once another thread has set it.

    Returns:
        The solution; its `nodes` are those of this run. With `exact` False a budget ended the
        search, and the bounds hold.

    Raises:
        PositionError: if it is not a position.
        NotationError: if it is not a scoring, or a line of the journal is damaged.
        KulamiError: if `goal`, `executor` or `progress` makes no sense, or the journal is of
            another position or in use.
        BudgetError: if a budget or `stop` makes no sense, or a worker has not that much memory.
        OSError: if the journal cannot be read or written.
        SolveInterrupted: Ctrl-C; its `solution` holds the bounds so far.
        Anything that a job fails with is raised again.

    Examples:
        >>> from concurrent.futures import ThreadPoolExecutor
        >>> from kulami_solver import Layout, Position
        >>> start = Position(Layout.parse("ABBCD/ABBCD/ABBEE/FFFEE"))
        >>> with ThreadPoolExecutor(2) as executor:
        ...     solution = solve_position(start, executor=executor)
        >>> solution.margin, solution.outcome, len(solution.line) > 0
        (2, 'win', True)
    """
    if executor is None:
        raise KulamiError("executor is None: give a concurrent.futures.Executor")
    check_executor(executor)
    _, time, nodes, workers = check_budgets(time=time, nodes=nodes, workers=workers)
    job_nodes = check_budgets(nodes=job_nodes)[2]
    check_watchers(progress if not isinstance(progress, bool) else None, stop)
    if memory is not None:
        parse_memory(memory)  # each worker sees for itself whether its machine has that much
    check_workers(executor, Needs())
    if workers is None:
        workers = workers_of(None, executor=executor)
    position, scoring = checked_position(position), Scoring.parse(scoring)
    budget = Budget(time, nodes, memory=memory, stop=stop)
    question = Question(state_of(position, scoring), every_move, goal, budget)
    if job_nodes is None:
        job_nodes = _job_nodes(position, scoring, workers)
    line = ProgressLine(" leaves", always=True) if progress is True else None
    with contextlib.ExitStack() as stack:
        if line is not None:
            stack.enter_context(line)
        answers = None
        if journal is not None:
            answers = stack.enter_context(AnswerFile(journal, position, scoring))
        search = TreeSearch(question, executor, workers, job_nodes, answers)
        if line is not None:
            search.report = drawn_on(line)
        elif callable(progress):
            search.report = progress
        try:
            search.run()
        except KeyboardInterrupt:
            raise SolveInterrupted(search.solution()) from None
        return search.solution()


def _job_nodes(position: Position, scoring: Scoring, workers: int) -> int:
    whole = Effort(scoring).question(fields_that_count(position), 0.0)
    return int(min(max(whole / (_JOBS_EACH * workers), _LEAST_JOB), _MOST_JOB))


class TreeSearch:
    """A position's tree, and its jobs on their way through an executor.

    Attributes:
        tree: what is proved of the first plies.
        nodes: positions searched so far.
        report: called after each answer.
    """

    def __init__(
        self,
        question: Question,
        executor: concurrent.futures.Executor,
        workers: int,
        job_nodes: int,
        answers: AnswerFile | None,
    ) -> None:
        self.report: Callable[[TreeProgress], None] = lambda _state: None
        position, scoring = question.state.position, question.state.game.scoring
        budget = question.budget
        self._position: Final = position
        self._question: Final = question
        self._executor: Final = executor
        self._slots: Final = max(workers + _WAITING, int(_AHEAD * workers))
        self._terms: Final = Terms(scoring, position.plies_left, budget.memory, workers)
        self._ending: Final = math.inf if budget.seconds is None else budget.seconds
        self._most: Final = math.inf if budget.nodes is None else budget.nodes
        self._answers: Final = answers
        self.tree: Final = Tree(position, scoring, job_nodes, self._check_budgets)
        if answers is not None:
            for known in answers.known:
                self.tree.take_up(*known)
        self._futures: dict[concurrent.futures.Future[Answer], LeafJob] = {}
        self._dropped_now: set[LeafJob] = set()
        self._begun: Final = clock.monotonic()
        self._line: tuple[str, ...] = ()
        self._moves_known = False
        self._numbers = itertools.count()  # of the jobs
        self._done = self._dropped = 0
        self.nodes = 0

    # What is asked

    def run(self) -> None:
        """Search until the goal is reached, or a budget ends it."""
        tree = self.tree
        try:
            self._search_node(tree.root, tree.root.base)
            if self._question.every_move and not self._position.is_over:
                for move in tree.moves(tree.root):
                    self._moves_known = True
                    self._search_node(move.node, move.offset - tree.root.base)
            self._follow()
        except _UsedUp:
            pass
        finally:
            self._end()

    def _search_node(self, node: Node, base: int) -> None:
        """Search until the goal is reached for a node whose decided points are `base`."""
        beta = self.tree.first_beta(node) + base
        while (asked := self._open_beta(node, base, beta)) is not None:
            beta = asked
            self._hand_out(node, base, beta)
            self._take_in()
            self._drop_needless(node, base, beta)

    def _open_beta(self, node: Node, base: int, beta: int) -> int | None:
        return open_beta(*_bounds(node, base), self._question.goal, beta)

    def _hand_out(self, node: Node, base: int, beta: int) -> None:
        """Begin as many jobs as there is room for."""
        while len(self._futures) < self._slots:
            job = self._next_job(node, base, beta)
            if job is None:
                return
            given = (job.position, self._terms, job.beta, self.tree.budget)
            number = next(self._numbers)
            self._futures[submit_as(self._executor, "leaf", number, answer, *given)] = job

    def _next_job(self, node: Node, base: int, beta: int) -> LeafJob | None:
        """What is to be asked next: at `beta`, or if that is under way, at a beta next to it."""
        for _ in range(_BEYOND + 1):
            if self._open_beta(node, base, beta) != beta:
                return None
            question = self.tree.question(node, beta - base)
            job = self.tree.next_job(question)
            if job is not None:
                return job
            beta += 1 if question.to_yes == 0 else -1
        return None

    # Jobs

    def _take_in(self) -> None:
        """Wait for an answer, and note all answers that have come."""
        with interrupts_deferred() as check_for_interrupt:  # no answer that has come is lost
            ready: set[concurrent.futures.Future[Answer]] = set()
            while self._futures and not ready:
                check_for_interrupt()
                self._check_budgets()
                ready = first_completed(self._futures, _TICK)
            for future in ready:
                self._take_note(future)
        self._tell()
        self._check_budgets()

    def _take_note(self, future: concurrent.futures.Future[Answer]) -> None:
        found = future.result()
        job = self._futures.pop(future)
        self.nodes += found.nodes
        self._done += 1
        if self._answers is not None:
            self._answers.add(job.fields, job.beta, found)
        self.tree.end(job, found.facts, found.nodes)

    def _drop_needless(self, node: Node, base: int, beta: int) -> None:
        """Cancel jobs whose answers no longer matter; jobs that have begun run to their end."""
        betas = range(beta - _BEYOND, beta + _BEYOND + 1)
        asked = [node.questions[b - base] for b in betas if b - base in node.questions]
        needless = set(self.tree.needless(asked))
        for future, job in list(self._futures.items()):
            if job not in needless:
                continue
            if job not in self._dropped_now:
                self._dropped_now.add(job)
                self._dropped += 1
            if future.cancel():
                del self._futures[future]
                self.tree.drop(job)

    def _check_budgets(self) -> None:
        stop = self._question.budget.stop
        if self._seconds() >= self._ending or self.nodes >= self._most or (stop and stop.is_set()):
            raise _UsedUp

    def _seconds(self) -> float:
        return clock.monotonic() - self._begun

    def _end(self) -> None:
        """Take in what has come, and leave nothing to be begun behind the caller's back."""
        with interrupts_deferred():
            for future in list(self._futures):
                if not future.cancel() and future.done() and future.exception() is None:
                    self._take_note(future)
            self._futures.clear()

    def _tell(self) -> None:
        bounds = _bounds(self.tree.root, self.tree.root.base)
        self.report(
            TreeProgress(
                *bounds, self._done, len(self._futures), self._dropped, self.nodes, self._seconds()
            )
        )

    # What has come of it

    def _follow(self) -> None:
        """Find the line of best play: in the tree as far as it goes, then by a job."""
        node, position, base = self.tree.root, self._position, self.tree.root.base
        lower, upper = _bounds(node, base)
        if lower == upper:
            target, reply = lower, -lower
            rest = (target, target)
        elif lower > 0:
            target, reply = 1, -FAR
            rest = (1, FAR)
        else:
            target, reply = -FAR, 1
            rest = (-FAR, -1)
        fields: list[str] = []
        while not position.is_over:
            best = self.tree.keeping(node, base, target, reply)
            if best is None:
                break
            fields.append(best.field)
            position = position.play(best.field)
            node, base = best.node, best.offset - base
            target, reply, rest = reply, target, (-rest[1], -rest[0])
        self._line = tuple(fields)
        if not position.is_over:
            future = submit_as(self._executor, "line", 0, follow, position, self._terms, *rest)
            try:
                while not future.done():
                    self._check_budgets()
                    first_completed([future], _TICK)
            finally:
                future.cancel()  # which does nothing to one that is done
            try:
                found: Line = future.result()
            except Contradiction:
                raise contradiction(self._line) from None
            self.nodes += found.nodes
            self._line += found.fields

    def solution(self) -> Solution:
        """The solution as far as it is known now."""
        root = self.tree.root
        bounds = _bounds(root, root.base)
        values: dict[str, tuple[int, int]] = {}
        for move in root.moves or ():
            lower, upper = _bounds(move.node, move.offset - root.base)
            values[move.field] = -upper, -lower
        proving = (field for field, known in values.items() if known[0] == bounds[0])
        return Solution.of(
            self._question,
            bounds,
            values if self._moves_known else {},
            self._line[0] if self._line else next(proving, None),
            self._line,
            nodes=self.nodes,
            seconds=self._seconds(),
        )


def _bounds(node: Node, base: int) -> tuple[int, int]:
    """The bounds of a node's margin where `base` points are decided."""
    return node.lower + base, node.upper + base
