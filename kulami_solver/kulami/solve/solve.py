"""Solve a position: its exact value, the best field and line, the value of every legal field."""

from __future__ import annotations

import threading
import time as clock
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from ...core.background import SearchJob
from ...core.budgets import check_budgets, check_watchers
from ...core.memory import table_size
from ...core.progress import ProgressLine
from ...errors import BudgetError, KulamiError, quoted
from ...game import Budget, Question, Source, part
from ..position.position import Position
from ..position.scoring import Scoring
from .best_play import Inquiry
from .oracle import Contradiction, Oracle
from .solution import Goal, MoveValue, Progress, Solution, checked_goal
from .solver import Bounds, Solver, checked_position, table_plies

# Most nodes for proving again what a stopped search has proved of a field; as a rule the table has
# it at once.
_RECALL_NODES: Final = 20


class OpenDatabase(Protocol):
    """The part of `Database` that a search uses; this saves the import of `Database` and NumPy."""

    @property
    def path(self) -> str:
        """Its file."""

    @property
    def place(self) -> str:
        """The absolute path of the file."""

    def oracle(self, position: Position, scoring: Scoring) -> Oracle | None:
        """Return an oracle that answers positions of the file within a search."""


@dataclass(frozen=True)
class Asked(Budget):
    """What is asked about positions, and the budget of each; the attributes are those of `solve`.

    Attributes:
        searches: how many searches share the available memory, if `memory` is None.
    """

    scoring: Scoring = Scoring.LEVEL0
    goal: Goal = "margin"
    every_move: bool = False
    database: OpenDatabase | None = None
    searches: int = 1


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
    database: OpenDatabase | Source | None = None,
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
            is of no use, and is left alone. Another `Source`, such as an open proof, is asked for
            this position alone, before a search.
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
    scoring, goal = Scoring.parse(scoring), checked_goal(goal)
    threads, time, nodes, _ = check_budgets(threads, time, nodes)
    source: Any = None
    helper: Any = database
    is_source = hasattr(database, "answer") and not isinstance(database, type)
    if is_source and not hasattr(database, "oracle"):
        source, helper = database, None
    check_database_and_stop(helper, stop)
    if not isinstance(progress, bool) and not callable(progress):
        raise KulamiError(f"progress is {quoted(progress)}: give True, False or a function")
    asked = Asked(time, nodes, threads, memory, stop, scoring, goal, every_move, helper)
    known = None if source is None else _told_by(source, position, asked)
    if known is not None:
        return known
    try:
        return searched(position, asked, progress=progress, begun=begun)
    except Contradiction as found:
        raise blamed(found, helper) from None


def _told_by(source: Any, position: Position, asked: Asked) -> Solution | None:
    """The answer of a source that cannot help a search; None if one is needed."""
    from ...storage.database import refuse_other_game

    refuse_other_game(source, "kulami")
    if position.is_over:
        return None
    bots: Any = part("kulami", "bots")
    state = bots.state_of(position, asked.scoring)
    question = Question(state, asked.every_move, asked.goal, asked)
    found: Solution | None = source.answer(question)
    return found if found is not None and found.settles(question) else None


def blamed(failure: BaseException, database: OpenDatabase | None) -> BaseException:
    """Return the error to raise for a search's failure.

    A `Contradiction` is the fault of the search's database, if it has one.
    """
    if database is None or not isinstance(failure, Contradiction):
        return failure
    from ...storage.container import DatabaseError

    return DatabaseError(
        f"{database.path}: damaged, its values contradict each other; build it again"
    )


def searched(
    position: Position,
    asked: Asked,
    *,
    progress: bool | Callable[[Progress], None] = False,
    begun: float | None = None,
) -> Solution:
    """Solve a position.

    Args:
        begun: start of the time, by `time.monotonic`; None for now.
    """
    begun = clock.monotonic() if begun is None else begun
    job = _job(position, asked)
    report, close = _reporter(progress)
    try:
        return job.finish(asked.seconds, asked.stop, report, begun)
    finally:
        close()
        job.solver.close()


def _job(position: Position, asked: Asked) -> Job:
    """A position to be solved, with a table of its own, within its nodes."""
    scoring, threads = asked.scoring, asked.threads or 1
    oracle = None if asked.database is None else asked.database.oracle(position, scoring)
    noted = table_plies(position.plies_left, scoring)
    spent = None if asked.seconds is None else asked.seconds * threads
    tables = asked.searches if asked.memory is None else 1
    size = table_size(asked.memory, noted, spent, asked.nodes, tables)
    try:
        solver = Solver(position, scoring, size, threads, oracle)
    except MemoryError as error:
        raise BudgetError("no_memory_for_table", why=str(error)) from None
    solver.allow(asked.nodes)
    return Job(solver, position, asked)


class Job(Inquiry, SearchJob[Solution]):
    """One position to be solved, and what is found out about it."""

    def __init__(self, solver: Solver, position: Position, asked: Asked) -> None:
        moves, line = asked.every_move, not asked.every_move
        super().__init__(*solver.terms(position, asked.goal, moves=moves, line=line))
        solver.check_oracle()
        self.solver: Final = solver
        self.searching = solver
        self.threaded = solver.threaded
        self.position: Final = position
        self.asked: Final = asked
        self.done = False
        self._best_line: list[str] = []
        self._best_field: str | None = None
        self._shown: dict[str, int] = {}  # lower bounds of fields that `moves` lacks

    def search(self) -> None:
        self.find()
        self.conclude()

    def conclude(self) -> None:
        """Note, after `find`, the line and the field that gave the position its lower bound."""
        self.solver.check_oracle()
        self.check()
        names = self.solver.layout.fields
        self._best_line = [names[field] for field in self.line]
        self._best_field = None if self.preferred is None else names[self.preferred]
        self.done = self.whole
        if self.proving is not None:
            self._shown[names[self.proving]] = self.lower
        if self.valued:
            values = self._values()
            bounds = self._bounds(values)
            if bounds.lower > bounds.upper:
                raise Contradiction(f"a margin of {bounds.lower} at least, {bounds.upper} at most")
            self._follow(bounds, values)
        if not self.done and self.proving is None:
            self._recall()

    def _follow(self, bounds: Bounds, values: dict[str, Bounds]) -> None:
        """Find the line where all fields are valued."""
        if self.position.is_over:
            self.done = True
            return
        best = self._best(bounds, values)
        if best is None:
            best = max(values, key=lambda field: values[field].lower)
        value = values[best]
        found = self.solver.inquire(
            self.position.play(best), self.asked.goal, (-value.upper, -value.lower), line=True
        )
        self._best_line = [best, *(self.solver.layout.fields[field] for field in found.line)]
        self.done = found.whole

    def _recall(self) -> None:
        """Find the field that gave the position its lower bound, and note that bound for it.

        The search has proved it, but only the table knows. So the fields are searched in turn until
        it is found, with a few nodes for each, even if the search was stopped.
        """
        lower = self.lower
        fields = sorted(self.position.legal_fields, key=lambda field: field != self._best_field)
        for field in fields:
            self.solver.allow(_RECALL_NODES)
            if -self.solver.inquire(self.position.play(field), 1 - lower).upper >= lower:
                self._best_field = field
                self._shown[field] = lower
                return

    def _values(self) -> dict[str, Bounds]:
        """Bounds of the fields; none is worth more than the position."""
        names, upper = self.solver.layout.fields, self.upper
        return {
            names[field]: Bounds(max(low, self._shown.get(names[field], low)), min(high, upper))
            for field, (low, high) in self.moves.items()
        }

    def _bounds(self, values: dict[str, Bounds]) -> Bounds:
        """Bounds of the position, from its own search and from the values of its fields."""
        lower, upper = self.lower, self.upper
        if values:
            lower = max(lower, *(known.lower for known in values.values()))
            upper = min(upper, max(known.upper for known in values.values()))
        return Bounds(lower, upper)

    def _best(self, bounds: Bounds, values: dict[str, Bounds]) -> str | None:
        """The field to name: that of best play, else one known to guarantee the lower bound."""
        if self._best_line:
            return self._best_line[0]
        proving = [field for field, known in values.items() if known.lower == bounds.lower]
        if not proving and self.asked.goal == "outcome" and bounds.lower > 0:
            # Where the outcome alone is asked for, the lower bound of the position may be above
            # those of all fields.
            proving = [field for field, known in values.items() if known.lower > 0]
        if proving and self._best_field not in proving:
            return max(proving, key=lambda field: values[field].upper)
        return self._best_field

    def found(self, seconds: float) -> Solution:
        values = self._values()
        bounds = self._bounds(values)
        return solution_of(
            self.position,
            self.asked,
            bounds,
            values,
            self._best(bounds, values),
            self._best_line,
            nodes=self.solver.nodes,
            hits=self.solver.hits,
            seconds=seconds,
        )


def solution_of(
    position: Position,
    asked: Asked,
    bounds: Bounds,
    values: Mapping[str, Bounds],
    best: str | None,
    line: Sequence[str],
    *,
    nodes: int,
    seconds: float,
    hits: int = 0,
) -> Solution:
    """The solution by what is proved of a position and of its fields.

    Args:
        values: of the fields, none of which is worth more than the position.
        best: the field to name first.
    """
    moves = [
        MoveValue(field, value.lower, min(value.upper, bounds.upper))
        for field, value in values.items()
    ]
    moves.sort(key=lambda move: (move.field != best, -move.lower, -move.upper))
    return Solution(
        position=position,
        scoring=asked.scoring,
        goal=asked.goal,
        lower=bounds.lower,
        upper=bounds.upper,
        best=best,
        line=tuple(line),
        moves=tuple(moves),
        nodes=nodes,
        seconds=seconds,
        hits=hits,
        source="database" if hits and not nodes else "search",
    )


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


def _progress(known: Solution) -> Progress:
    return Progress(known.lower, known.upper, known.nodes, known.seconds, known)


def _reporter(
    progress: bool | Callable[[Progress], None],
) -> tuple[Callable[[Solution], None] | None, Callable[[], None]]:
    """What is called with what is known so far, and what ends that."""
    if progress is True:
        line = ProgressLine(" nodes", always=True)

        def show(known: Solution) -> None:
            line.show(known.nodes, None, f"margin {known.lower:+d} to {known.upper:+d}")

        return show, line.close
    if callable(progress):
        return (lambda known: progress(_progress(known))), lambda: None
    return None, lambda: None


def check_database_and_stop(database: OpenDatabase | None, stop: threading.Event | None) -> None:
    """Refuse what is no open database, with a `DatabaseError`, or no event, with a `BudgetError`.

    Args:
        database: an open one, None for none.
        stop: anything with an `is_set` like that of threading.Event, None for none.
    """
    # Databases tell what they know as solutions, so their class cannot be asked for here.
    known = callable(getattr(database, "oracle", None)) and not isinstance(database, type)
    if database is not None and not known:
        from ...storage.container import DatabaseError
        from ...storage.database import refuse_other_game

        refuse_other_game(database, "kulami")
        raise DatabaseError(
            f"database is {quoted(database)}: give one that open_database has opened"
        )
    check_watchers(None, stop)
