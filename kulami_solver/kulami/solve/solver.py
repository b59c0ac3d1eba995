"""A question about a position, and exact questions to the compiled search: margins, fields, lines.

    solve       position, scoring and budgets become a `Question`, which `ask` has answered
    Solver      questions about any positions on one layout, from one table
    Search      the solver of one question: `Search(question).narrow()` is the answer

The compiled search answers "is the margin at least so much?". Everything else is asked in terms of
that (`best_play.pyx` has the loop of questions), and every answer is proved: a field is called best
only when the search has shown that no reply to it does better than the value says.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final

from ...core.background import Searching, Stopped, made_table
from ...core.memory import table_size
from ...core.progress import ProgressLine
from ...core.table import TranspositionTable
from ...core.watch import Watcher
from ...errors import KulamiError, quoted
from ...game import Budget, Goal, Question, Source, ask
from ..position.position import Position
from ..position.scoring import Scoring
from ..state import state_of
from .best_play import Inquiry, outlook
from .bounds import LearnedEvaluation, PanelBounds
from .evaluation import learned_evaluation
from .heuristics import Deepening
from .search import Search as CompiledSearch
from .search import SharedSearch
from .solution import MoveValue, Solution, standing
from .table import Contradiction, Oracle

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

# Where areas or chains count, positions closer to the end are noted, too, so the table has the size
# for a game that is longer by this number of plies.
_NOTED_LATER: Final = 3

# Other threads do not help with questions about a game of fewer plies than this.
_ALONE: Final = 14

# Most nodes for proving again what a stopped search has proved of a field; as a rule the table has
# it at once.
_RECALL_NODES: Final = 20

FAR: Final = 1 << 10
"""Farther from 0 than any margin at any scoring."""

# The bounds of a layout's panels, made once for each of the layouts used last.
_panel_bounds: Final = lru_cache(maxsize=256)(PanelBounds)


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
    database: Source | None = None,
    progress: bool | Callable[[Solution], object] = False,
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
        progress: True for a live line on stderr, or a function that is called about every 50 ms
            with the solution so far.
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
    state = state_of(position, scoring)
    question = Question(state, every_move, goal, Budget(time, nodes, threads, memory, stop))
    sources = () if database is None else (checked_source(database, state.game.scoring),)
    if not isinstance(progress, bool) and not callable(progress):
        raise KulamiError(f"progress is {quoted(progress)}: give True, False or a function")
    found: Any
    if progress is not True:
        found = ask(question, sources, progress or None)
    else:
        with ProgressLine(" nodes", always=True) as line:
            found = ask(question, sources, lambda now: line.show(now.nodes, None, standing(now)))
    solution: Solution = found
    return solution


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


def checked_source(source: Any, scoring: Scoring, *, helping: bool = False) -> Any:
    """Return a source of Kulami's values; refuse with a `DatabaseError` what is none.

    Args:
        source: a database, a proof, or anything with an `answer`.
        scoring: a database has to count by it.
        helping: whether it has to be a database, which a search can look into.
    """
    needed = "oracle" if helping else "answer"
    known = callable(getattr(source, needed, None)) and not isinstance(source, type)
    own = getattr(source, "scoring", scoring)
    if known and hasattr(source, "oracle") and own is scoring:
        return source
    from ...storage.container import DatabaseError
    from ...storage.database import refuse_other_game

    refuse_other_game(source, "kulami")
    if not known:
        raise DatabaseError(f"database is {quoted(source)}: give one that open_database has opened")
    if hasattr(source, "oracle"):
        told = {"scoring": own.value, "asked": scoring.value}
        raise DatabaseError("other_scoring", path=source.path, **told)
    return source


def blamed(failure: BaseException, database: Any) -> BaseException:
    """Return the error to raise for a search's failure.

    A `Contradiction` is the fault of the search's database, if it has one.
    """
    if database is None or not isinstance(failure, Contradiction):
        return failure
    from ...storage.container import DatabaseError

    return DatabaseError(
        f"{database.path}: damaged, its values contradict each other; build it again"
    )


def table_plies(plies: int, scoring: Scoring) -> int:
    """Return the plies to pass to `default_table_size` for a game of `plies` plies.

    Examples:
        >>> table_plies(28, Scoring.LEVEL0), table_plies(28, Scoring.CHAINS)
        (28, 31)
    """
    return plies if scoring is Scoring.LEVEL0 else plies + _NOTED_LATER


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
        threaded: whether other threads help.

    Raises:
        MemoryError: if the system does not give that much.
        Any question raises what the oracle fails with.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> start = Position(Layout.parse("AAB/CCB"))
        >>> found = Solver(start, Scoring.LEVEL0, 1 << 20).inquire(start)
        >>> found.lower, found.upper
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
            CompiledSearch(
                panels, evaluation, memory, self._shared, scoring.area, scoring.chains, oracle
            )
            for _ in range(threads)
        ]
        self.search: Final[CompiledSearch] = self._searches[0]
        self._others: ThreadPoolExecutor | None = None
        self.threaded = threads > 1
        if self.threaded:
            from ...core.thread_pool import ThreadPool  # it takes its time to import

            self._others = ThreadPool(threads - 1)
        self._oracle = oracle

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
        """End the running search soon; may be called from another thread."""
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

    def inquire(
        self,
        position: Position,
        goal: Goal | int = "margin",
        known: tuple[int, int] | None = None,
        *,
        moves: bool = False,
        line: bool = False,
        begin: bool = True,
    ) -> Inquiry:
        """Find out about a position, as far as the search is not stopped.

        Args:
            position: on the layout.
            goal: "margin", "outcome", or a number: is the margin at least that?
            known: bounds that are proved already.
            moves: whether to ask the same about the position after each field.
            line: whether a line of best play is wanted.
            begin: False for what is known without a search; `find` begins it.

        Raises:
            Contradiction: the values of the oracle, or `known`, cannot be true.
        """
        place = (*position.view, position.supply)
        help = None
        if self._others is not None and position.supply >= _ALONE:
            help = partial(_ask_others, self._others, self._searches[1:])
        found = Inquiry(self.search, place, goal, known, moves, line, help)
        if begin:
            self.find(found)
        else:
            self.check_oracle()
        return found

    def bounds(self, position: Position) -> Inquiry:
        """Return the bounds that hold without search, `lower` and `upper`.

        They are exact if the game is over, or if the oracle knows the position.
        """
        return self.inquire(position, begin=False)

    def find(self, inquiry: Inquiry) -> None:
        """Have the questions of an inquiry answered; see `inquire`."""
        inquiry.find()
        self.check_oracle()
        inquiry.check()

    def every_margin(self, position: Position) -> tuple[int, dict[int, int]]:
        """Return the margin of a position, and the margin after each legal field.

        For many positions that take a few milliseconds each, with one table for all: where a game
        is labelled from its end, many answers are in the table already.

        Returns:
            Both for the side to move; the fields are numbers.

        Raises:
            Stopped: nothing is known then.

        Examples:
            >>> from kulami_solver import Layout, Position
            >>> position = Position(Layout.parse("AAB/CCB")).play("a1")
            >>> Solver(position, Scoring.LEVEL0, 1 << 20).every_margin(position)
            (0, {2: 0, 3: -2})
        """
        found = self.inquire(position, moves=True)
        if not found.valued:
            raise Stopped
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

    def check_oracle(self) -> None:
        """Raise what the oracle has failed with, if it has."""
        failure = None if self._oracle is None else self._oracle.failure
        if self._oracle is None or failure is None:
            return
        if isinstance(failure, KeyboardInterrupt):  # nothing is wrong with the oracle
            self._oracle.failure = None
        raise failure


def _ask_others(
    threads: ThreadPoolExecutor, searches: Sequence[CompiledSearch], place: Any, beta: int
) -> list[Future[int | None]]:
    """Have searches answer a question in other threads, too."""
    for search in searches:
        search.set_position(*place)
    return [threads.submit(search.help_with, beta) for search in searches]


class Search(Solver, Searching[Solution]):
    """The search for the answer to one question, and what is known of it so far.

    Args:
        question: about a state of Kulami.
        sources: the first database among them that may hold the position helps.
        tables: how many searches share the available memory, if the budget names no memory.

    Raises:
        BudgetError: if a budget makes no sense, or the machine has not that much memory.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> start = state_of(Position(Layout.parse("AAB/CCB")))
        >>> Search(Question(start)).narrow().margin
        0
    """

    def __init__(self, question: Question, sources: Sequence[Source] = (), tables: int = 1) -> None:
        Searching.__init__(self, question)
        state, memory, moves = question.state, question.budget.memory, question.every_move
        position = self._position = state.position
        scoring, threads = state.game.scoring, self.threads or 1
        oracle: Oracle | None = None
        self._helper: Source | None = None
        for source in sources:
            if getattr(source, "scoring", scoring) is scoring and hasattr(source, "oracle"):
                oracle = source.oracle(position, scoring)
                if oracle is not None:
                    self._helper = source
                    break
        plies = table_plies(position.plies_left, scoring)
        spent = None if self.time is None else self.time * threads
        size = table_size(memory, plies, spent, self.limit, 1 if memory is not None else tables)
        super().__init__(position, scoring, made_table(size), threads, oracle)
        self.allow(self.limit)
        goal = question.goal
        self._known: Final = self.inquire(position, goal, moves=moves, line=not moves, begin=False)
        self._line: list[str] = []
        self._field: str | None = None
        self._shown: dict[str, int] = {}  # lower bounds of fields that `moves` lacks

    def work(self) -> None:
        known, names = self._known, self.layout.fields
        try:
            self.find(known)
            # The line, and the field that gave the position its lower bound.
            self._line = [names[field] for field in known.line]
            self._field = None if known.preferred is None else names[known.preferred]
            if known.proving is not None:
                self._shown[names[known.proving]] = known.lower
            whole = self._follow() if known.valued else known.whole
            if not whole and known.proving is None:
                self._recall()
        except Contradiction as found:  # the database is to blame
            raise blamed(found, self._helper) from None

    def _follow(self) -> bool:
        """Find the line where all fields are valued; whether it is whole."""
        values = self._values()
        lower, upper = self._bounds(values)
        if lower > upper:
            raise Contradiction(f"a margin of {lower} at least, {upper} at most")
        if not values:
            return True
        best = self._best(lower, values) or max(values, key=lambda field: values[field][0])
        low, high = values[best]
        after, goal = self._position.play(best), self.question.goal
        found = self.inquire(after, goal, (-high, -low), line=True)
        self._line = [best, *(self.layout.fields[field] for field in found.line)]
        return found.whole

    def _recall(self) -> None:
        """Find the field that gave the position its lower bound, and note that bound for it.

        The search has proved it, but only the table knows. So the fields are searched in turn until
        it is found, with a few nodes for each, even if the search was stopped.
        """
        lower, position = self._known.lower, self._position
        for field in sorted(position.legal_fields, key=lambda field: field != self._field):
            self.allow(_RECALL_NODES)
            if -self.inquire(position.play(field), 1 - lower).upper >= lower:
                self._field = field
                self._shown[field] = lower
                return

    def _values(self) -> dict[str, tuple[int, int]]:
        """Bounds of the fields; none is worth more than the position."""
        names, upper = self.layout.fields, self._known.upper
        return {
            names[field]: (max(low, self._shown.get(names[field], low)), min(high, upper))
            for field, (low, high) in self._known.moves.items()
        }

    def _bounds(self, values: dict[str, tuple[int, int]]) -> tuple[int, int]:
        """Bounds of the position, from its own search and from the values of its fields."""
        lower, upper = self._known.lower, self._known.upper
        if values:
            lower = max(lower, *(low for low, _ in values.values()))
            upper = min(upper, max(high for _, high in values.values()))
        return lower, upper

    def _best(self, lower: int, values: dict[str, tuple[int, int]]) -> str | None:
        """The field to name: that of best play, else one known to guarantee the lower bound."""
        if self._line:
            return self._line[0]
        proving = [field for field, (low, _) in values.items() if low == lower]
        if not proving and self.question.goal == "outcome" and lower > 0:
            # Where the outcome alone is asked for, the lower bound of the position may be above
            # those of all fields.
            proving = [field for field, (low, _) in values.items() if low > 0]
        if proving and self._field not in proving:
            return max(proving, key=lambda field: values[field][1])
        return self._field

    def found(self) -> Solution:
        values = self._values()
        bounds = self._bounds(values)
        best = self._best(bounds[0], values)
        counts = {"nodes": self.nodes, "hits": self.hits, "seconds": self.seconds}
        return Solution.of(self.question, bounds, values, best, self._line, **counts)
