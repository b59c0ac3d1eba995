"""The job of a worker for a hard position: one question about a leaf; and the journal of jobs.

    answer      is the margin of this position at least beta?
    follow      the fields of best play from here

A process keeps its transposition table, with all results in it, from one job to the next. The keys
of the table hold for all positions on one layout at one scoring, whichever moves lead to them
(docs/algorithms.md), so a table is valid while layout and scoring stay the same. Jobs in parallel
threads of a process share it.

The journal has the result of each job, so that a stopped search can continue:

    # {"journal": "position", "kfn": "...", "marbles": 28, ..., "scoring": "0", ...}
    {"fields": "d4 d7", "beta": -2, "nodes": 181204, "facts": [["", -2, 31]], "check": 2774391071}
    ...

A line is a job: the fields that lead from the position to the job's position, the `beta` of its
question (is the margin at least `beta`?), the nodes it took, and the proved facts. A fact is the
fields from the job's position and the bounds of a margin for the side to move. If no fact answers
the question, the nodes were used up. The rest is as in all files of results
(`storage/kept_work.py`).
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

from ...core.background import made_table
from ...core.budgets import number_within
from ...core.closing import Closing
from ...core.locks import free_in_forks
from ...core.memory import table_size
from ...core.table import TranspositionTable
from ...errors import KulamiError
from ...game import Goal
from ...storage.kept_work import ResultFile
from ..position.position import Position
from ..position.scoring import Scoring
from ..solve.solver import FAR, Solver, table_plies

Fact: TypeAlias = tuple[tuple[str, ...], int, int]
"""A proved fact: fields that lead to a position, and bounds of its margin."""

# Nodes allowed for a question whose answer may be in the table.
_RECALL: Final = 20

# Plies below a leaf for which the table is asked when the nodes are used up, to save its results.
_RECALLED_PLIES: Final = 2

# The keys of each line, besides its checksum.
_KEYS: Final = {"fields", "beta", "nodes", "facts"}

# No job takes more nodes.
_MOST_NODES: Final = 1 << 48


@dataclass(frozen=True)
class Answer:
    """The result of a question.

    Attributes:
        facts: proved facts of the leaf itself (no fields), or of positions after it.
        nodes: positions searched.
    """

    facts: tuple[Fact, ...]
    nodes: int


@dataclass(frozen=True)
class Line:
    """Fields of best play, and the positions searched for them."""

    fields: tuple[str, ...]
    nodes: int


@dataclass(frozen=True)
class Terms:
    """The terms that all jobs of one position share.

    Attributes:
        scoring: what counts.
        plies: greatest number of plies from the root to the end of the game.
        memory: of each process's table, as for `solve`.
        tables: number of processes that share the machine's memory, if `memory` is None.
    """

    scoring: Scoring
    plies: int
    memory: int | float | str | None = None
    tables: int = 1


@dataclass
class _Warm:
    """The state a process keeps: a table, its layout and terms, and idle solvers that use it."""

    purpose: object = None
    table: TranspositionTable | None = None
    idle: list[Solver] = field(default_factory=list)


_warm: Final = _Warm()
_lock: Final = free_in_forks(threading.Lock())


def answer(position: Position, terms: Terms, beta: int, nodes: int) -> Answer:
    """Answer whether the margin of a position is at least `beta`, within a number of nodes.

    Args:
        position: not over.
        terms: the scoring, and the size of the table.
        beta: within the bounds that hold without search.
        nodes: positions that may be searched; as a rule the search takes some hundreds more.

    Raises:
        BudgetError: if the machine has not that much memory.

    Examples:
        >>> from kulami_solver import Layout
        >>> start = Position(Layout.parse("ABBCD/ABBCD/ABBEE/FFFEE"))
        >>> ((moves, _, upper),) = answer(start, Terms(Scoring.LEVEL0, 18), 3, 1 << 20).facts
        >>> moves, upper
        ((), 2)
    """
    with _borrowed_solver(position, terms) as solver:
        before = solver.nodes
        solver.allow(nodes)
        facts: list[Fact] = []
        found = solver.inquire(position, beta)
        if found.reached:
            facts.append(((), found.lower, found.upper))
        else:
            _recall(solver, position, beta, (), facts)
        return Answer(tuple(facts), solver.nodes - before)


def follow(position: Position, terms: Terms, lower: int, upper: int) -> Line:
    """Return the fields of best play to the end of the game, from proved bounds; see `answer`."""
    with _borrowed_solver(position, terms) as solver:
        before = solver.nodes
        solver.allow(None)
        goal: Goal = "margin" if lower == upper else "outcome"
        found = solver.inquire(position, goal, (lower, upper), line=True)
        fields = tuple(position.layout.fields[field] for field in found.line)
        return Line(fields, solver.nodes - before)


def _recall(
    solver: Solver, position: Position, beta: int, path: tuple[str, ...], facts: list[Fact]
) -> None:
    """Collect the table's bounds of the positions after one whose question has no answer."""
    for name in position.legal_fields:
        child = position.play(name)
        found = solver.inquire(child, 1 - beta, begin=False)
        before = found.lower, found.upper
        solver.allow(_RECALL)
        solver.find(found)
        if not found.reached and len(path) + 1 < _RECALLED_PLIES:
            _recall(solver, child, 1 - beta, (*path, name), facts)
        if (found.lower, found.upper) != before:
            facts.append(((*path, name), found.lower, found.upper))


@contextlib.contextmanager
def _borrowed_solver(position: Position, terms: Terms) -> Iterator[Solver]:
    """A solver with the process's table, for a job that may end in any way."""
    purpose = (position.layout, terms)
    with _lock:
        if _warm.purpose != purpose:
            _warm.purpose = _warm.table = None
            _warm.idle = []
            size = table_size(
                terms.memory,
                table_plies(terms.plies, terms.scoring),
                tables=terms.tables if terms.memory is None else 1,
            )
            _warm.table = made_table(size)
            _warm.purpose = purpose
        assert _warm.table is not None
        idle = _warm.idle
        solver = idle.pop() if idle else Solver(position, terms.scoring, _warm.table)
    try:
        yield solver
    finally:
        with _lock:
            if _warm.purpose == purpose:  # its table has not been given up meanwhile
                _warm.idle.append(solver)


Known: TypeAlias = tuple[tuple[str, ...], int, tuple[Fact, ...], int]
"""The result of a job of an earlier run: fields that lead to its position, beta, facts, nodes."""


class AnswerFile(Closing):
    """A file of answers, to read and to add to.

    Args:
        path: the file; it is made if it is not there, and continued if it is.
        position: the position to solve.
        scoring: what counts.

    Attributes:
        known: the answers in the file when it was opened.

    Raises:
        OSError: if the file cannot be read or written.
        KulamiError: if it is of another position or scoring, or another search is writing it.
        NotationError: if it is no journal of a position, or one of its lines is damaged.
    """

    def __init__(self, path: str | Path, position: Position, scoring: Scoring) -> None:
        header = {
            "journal": "position",
            "kfn": position.kfn(),
            **position.edition,
            "scoring": scoring.value,
        }
        self.known: list[Known] = []
        self._file = ResultFile(path, header)
        try:
            for number, record in enumerate(self._file.known, 2):
                self._read(position, number, record)
        except BaseException:
            self._file.close()
            raise

    def _read(self, position: Position, number: int, record: dict[str, Any]) -> None:
        try:
            if record.keys() != _KEYS:
                raise ValueError("other keys")
            facts = []
            there = position.play_all(record["fields"])
            for path, *ends in record["facts"]:
                lower, upper = (number_within(end, "bound", -FAR, FAR) for end in ends)
                if lower > upper:
                    raise ValueError("bounds that leave no margin")
                there.play_all(path)
                facts.append((tuple(path.split()), lower, upper))
            led = tuple(record["fields"].split())
            beta = number_within(record["beta"], "beta", -FAR, FAR)
            nodes = number_within(record["nodes"], "nodes", 0, _MOST_NODES)
            self.known.append((led, beta, tuple(facts), nodes))
        except (KeyError, TypeError, ValueError, AttributeError, KulamiError):
            raise self._file.bad_line(number, "is no answer, or is damaged") from None

    def add(self, fields: tuple[str, ...], beta: int, found: Answer) -> None:
        """Write down the result of a job about the position after these fields."""
        self._file.add(
            {
                "fields": " ".join(fields),
                "beta": beta,
                "nodes": found.nodes,
                "facts": [[" ".join(path), lower, upper] for path, lower, upper in found.facts],
            }
        )

    def close(self) -> None:
        self._file.close()
