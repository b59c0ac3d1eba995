"""Search a position of any board for a forced win or loss within a number of plies.

A search never finds a draw, because a proof of that needs the whole game: databases and
`solve_board` know draws.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final

from ..core.background import Searching, Stopped, made_table
from ..core.memory import table_size
from ..core.whole_numbers import whole
from ..errors import BudgetError
from ..game import Budget, Question, Source
from .board import Turn, geometry_of
from .position import Position, checked_position
from .search import Search as CompiledSearch
from .state import state_of
from .values import Solution, Value, turn_value

MAX_DEPTH: Final = 1000
"""The largest depth of a search, in plies."""


class Search(Searching[Solution]):
    """The search for the answer to a question about a state of Malawi.

    Raises:
        BudgetError: if a budget makes no sense, or the machine has not that much memory.
    """

    def __init__(self, question: Question) -> None:
        super().__init__(question)
        budget = question.budget
        self.position: Position = question.state.position
        plies = MAX_DEPTH if budget.depth is None else whole(budget.depth)
        if plies is None or not 1 <= plies <= MAX_DEPTH:
            raise BudgetError("search_depth", given=budget.depth, most=MAX_DEPTH)
        self._depth = plies
        growth = table_plies(self.position, None if budget.depth is None else plies)
        size = table_size(budget.memory, growth, self.time, self.limit)
        rules = geometry_of(self.position.columns, self.position.rows).rules
        self.searching = self.compiled = CompiledSearch(rules, made_table(size))
        self.compiled.limit_nodes(-1 if self.limit is None else self.limit)
        self.value = Value(None, within=0)
        self.turns: dict[Turn, Value] = {}
        self.line: list[Turn] = []

    def work(self) -> None:
        children = {}
        if self.question.every_move:
            children = {turn: self.position.play(turn) for turn in self.position.legal_turns}
            self.turns = dict.fromkeys(children, Value(None, within=0))
        for plies in range(self._depth + 1):
            self.value = self._ask(self.position, plies)
            for turn, child in children.items():
                if plies and self.turns[turn].outcome is None:
                    self.turns[turn] = self._ask(child, plies - 1).before_turn()
            if self.value.outcome is not None:
                self._follow(self.position, self.value)
                return

    def _ask(self, position: Position, plies: int) -> Value:
        """The value of a position that is decided in `plies` at the earliest."""
        if self._answer(self.compiled.wins_within, position, plies):
            return Value("win", plies)
        if self._answer(self.compiled.loses_within, position, plies):
            return Value("loss", plies)
        return Value(None, within=plies)

    def _answer(
        self,
        question: Callable[[int, int, bytes, int], bool | None],
        position: Position,
        plies: int,
    ) -> bool:
        answer = question(*position.view, plies)
        if answer is None:
            raise Stopped
        return answer

    def _follow(self, position: Position, value: Value) -> None:
        while not position.is_over:
            plies = (value.plies or 0) - 1
            for turn in position.legal_turns:
                child = position.play(turn)
                if value.outcome == "win":
                    found = self._answer(self.compiled.loses_within, child, plies)
                else:
                    found = plies == 0 or not self._answer(
                        self.compiled.wins_within, child, plies - 1
                    )
                if found:
                    break
            else:
                raise AssertionError(f"no turn keeps {value} in {position.mfn()}")
            self.line.append(turn)
            position = child
            value = Value("loss" if value.outcome == "win" else "win", plies)

    def found(self) -> Solution:
        turns = sorted(self.turns.items(), key=lambda found: found[1].rank)
        return Solution.of(
            self.position,
            self.value,
            best=self.line[0] if self.line else None,
            line=tuple(self.line),
            moves=tuple(turn_value(turn, value) for turn, value in turns),
            nodes=self.compiled.nodes,
            seconds=self.seconds,
        )


def table_plies(position: Position, depth: int | None = None) -> int:
    """Return the plies of a Kulami game that fills a table of the same size, found by trial."""
    growth = 2 * position.columns * position.rows + 7
    return growth if depth is None else min(growth, 2 * depth + 13)


def search(
    position: Position,
    *,
    depth: int | None = None,
    time: float | None = None,
    nodes: int | None = None,
    memory: int | float | str | None = None,
    every_move: bool = False,
    progress: Callable[[Solution], object] | None = None,
    stop: threading.Event | None = None,
) -> Solution:
    """Look for a forced win or loss, ply by ply deeper, within the budgets.

    Give a budget: without one the search of a drawn position goes on to a depth of 1000 plies,
    which it never reaches in practice.

    Args:
        position: any position, also an ended game.
        depth: how many plies to look ahead at most, 1 to 1000.
        time: seconds after which the search ends with what it has proved.
        nodes: positions after which it does.
        memory: of the transposition table, MiB or a text such as "512M"; at most 1 GiB if not
            given.
        every_move: value every legal turn as well, as deep as the position itself.
        progress: a function that is called about every 50 ms with the solution so far.
        stop: an event that ends the search like a budget once another thread has set it.

    Returns:
        The solution: a win or a loss in exactly so many plies, with best play to the end; or a
        value without outcome that says within how many plies there is neither.

    Raises:
        PositionError: if it is not a position.
        KulamiError: if `progress` is no function.
        BudgetError: if a budget or `stop` makes no sense, or the machine has not that much memory.
        SolveInterrupted: Ctrl-C; its `solution` is what was proved by then.

    Examples:
        >>> from kulami_solver.malawi import Board, Position, search
        >>> solution = search(Position.start(Board(2, 4)))
        >>> solution.value, len(solution.line)
        (Value(outcome='loss', plies=11, within=None), 11)
        >>> search(Position.start(Board(6, 6)), depth=6).value.words("red")
        'no win and no loss within 6 plies'
    """
    state = state_of(checked_position(position))
    budget = Budget(time, nodes, memory=memory, stop=stop, depth=depth)
    return Search(Question(state, every_move, budget=budget)).narrow(progress)


def solve(position: Position, *, database: Source | None = None, **options: Any) -> Solution:
    """Find the value of a position: look it up in a database, or else search.

    A search knows no draws and, without a budget, does not end where there is one: give a budget,
    or a database.

    Args:
        position: any position, also an ended game. (A board is solved by `solve_board`.)
        database: an open one, which answers if the position is in it.
        options: as for `search`; `every_move` is used for the database, too.

    Returns:
        The solution; `source` is its origin.

    Raises:
        PositionError: if it is not a position.
        DatabaseError: if it is not a database, was closed, or is damaged where it is read.
        KulamiError, SolveInterrupted: as for `search`.

    Examples:
        >>> from kulami_solver.malawi import Board, Position, solve
        >>> solution = solve(Position.start(Board(2, 4)))
        >>> solution.value, solution.source
        (Value(outcome='loss', plies=11, within=None), 'search')
    """
    asked = checked_position(position)
    if database is not None:
        from .probe import checked_database

        known = checked_database(database)
        if asked in known:
            return known.probe(asked, every_move=bool(options.get("every_move")))
    return search(asked, **options)
