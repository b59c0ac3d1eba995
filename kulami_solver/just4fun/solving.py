"""Solve double-dummy positions of two: who wins when all hands and the stock are known.

`solve` gives the exact outcome for the side to move, best play to the end of the game, and, if
asked for, the value of every move. A search that a budget ends gives the bounds proved by then.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from ..core.background import Searching, Stopped, made_table
from ..core.memory import table_size
from ..errors import PositionError
from ..game import Answer, Budget, MoveAnswer, Number, Question
from .cards import Move
from .duel import Rules
from .position import Position, checked_position
from .search import Search as CompiledSearch
from .state import state_of

if TYPE_CHECKING:
    from .duel import View

Outcome = Literal["loss", "draw", "win"]

_OUTCOMES: Final[tuple[Outcome, Outcome, Outcome]] = ("loss", "draw", "win")
_LOSS, _DRAW, _WIN = -1, 0, 1


_Bounds = tuple[int, int]
"""Bounds, -1, 0 or 1, of the value for the root's side to move."""


@dataclass(frozen=True)
class Solution(Answer):
    """The solution of a position. Values are for the side to move.

    Attributes:
        position: the position.
        lower, upper: the least and the best it can be: -1 for a loss, 0 for a draw, 1 for a win;
            equal if the search came to its end.
        best: a move that keeps the value; None if the game is over or none is known.
        line: best play from here, to the end of the game if the outcome is known.
        moves: every legal move, best first, if they were asked for.
        nodes: positions searched.
        seconds: time taken.
    """

    position: Position
    lower: int
    upper: int
    best: Move | None = None

    def words(self, move: MoveAnswer | None = None) -> str:
        """Return the value in words, with the names of the players; that of a move in one word.

        Examples:
            >>> solve(Position.from_jfn("1x3 - r1b1 r r1.2,b2 - -", line=2, hand=2)).words()
            'red wins'
        """
        if move is not None:
            return move.outcome or f"{outcome_word(move.lower)} to {outcome_word(move.upper)}"
        mover = self.position.turn
        other = next(name for name in self.position.players if name != mover)
        if self.outcome is None:
            if self.lower == _DRAW:
                return f"{mover} does not lose"
            return f"{mover} does not win" if self.upper == _DRAW else "not known"
        if self.outcome == "draw":
            return "draw"
        return f"{mover if self.outcome == 'win' else other} wins"

    def to_json(self) -> dict[str, Any]:
        """Return the solution as the command line prints it.

        Examples:
            >>> position = Position.from_jfn("1x3 - r1b1 r r1.2,b2 - -", line=2, hand=2)
            >>> answer = solve(position, every_move=True).to_json()
            >>> answer["outcome"], answer["best"], answer["line"]
            ('win', '3=1+2', ['3=1+2', '2=2'])
            >>> answer["moves"][0]
            {'field': 3, 'cards': [1, 2], 'outcome': 'win'}
        """
        return {
            "position": self.position.jfn(),
            "outcome": self.outcome,
            "lower": outcome_word(self.lower),
            "upper": outcome_word(self.upper),
            "best": None if self.best is None else str(self.best),
            "line": [str(move) for move in self.line],
            "moves": [{**one.move.to_json(), "outcome": one.outcome} for one in self.moves],
            "nodes": self.nodes,
            "seconds": round(self.seconds, 6),
        }


def outcome_word(value: Number) -> Outcome:
    """Return the word for -1, 0 or 1.

    Examples:
        >>> outcome_word(-1)
        'loss'
    """
    return _OUTCOMES[int(value) + 1]


def field_sets(position: Position) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the fields on which each of two players is one stone ahead, and those settled.

    Sets are words: field i is bit i - 1.

    Examples:
        >>> text = "1x4 1:r1,2:r1b1,3:r2,4:r1b2 r2b2 r r2,b3 - -"
        >>> field_sets(Position.from_jfn(text, hand=1))
        ((1, 8), (4, 0))
    """
    plus, settled = [0, 0], [0, 0]
    for field, (first, second) in enumerate(position.stones):
        sets = settled if abs(first - second) >= 2 else plus
        if first != second:
            sets[first < second] |= 1 << field
    return (plus[0], plus[1]), (settled[0], settled[1])


def compiled_rules(position: Position) -> Rules:
    """Return the tables of a position's board and lines."""
    lines = [sum(1 << field - 1 for field in line) for line in position.board.lines(position.line)]
    return Rules(position.board.fields, lines)


def checked_duel(position: Position, what: str) -> Position:
    """Return a position if two players with open hands play it.

    Args:
        position: what is to be looked at.
        what: what is done with it, for the message.

    Raises:
        PositionError: if it is none.
    """
    found = checked_position(position)
    if len(found.players) != 2:
        raise PositionError(
            "for_two_players", question=what, position=found.jfn(), count=len(found.players)
        )
    if found.hidden:
        raise PositionError("open_hands_needed", question=what)
    return found


def compiled_view(position: Position) -> View:
    """Return the position as the compiled searches take it, but for stock and discards."""
    first, second = position.hands
    return (
        *field_sets(position),
        (bytes(first or ()), bytes(second or ())),
        (position.left[0], position.left[1]),
        position.seat,
    )


class Search(Searching[Solution]):
    """The search for the answer to a question about a double-dummy state of Just 4 Fun.

    Raises:
        PositionError: as for `solve`.
        BudgetError: if a budget makes no sense, or the machine has not that much memory.
    """

    def __init__(self, question: Question) -> None:
        self.position = position = checked_duel(question.state.position, "solve")
        if not position.ordered:
            raise PositionError("solve_needs_order")
        super().__init__(question)
        size = table_size(question.budget.memory, table_plies(position), self.time, self.limit)
        rules, stock = compiled_rules(position), bytes(position.stock)
        self.searching = self.compiled = CompiledSearch(
            rules, made_table(size), stock, position.hand
        )
        self.compiled.limit_nodes(-1 if self.limit is None else self.limit)
        self.bounds: _Bounds = (_LOSS, _WIN)
        self.moves: dict[Move, _Bounds] = {}
        self.line: list[Move] = []

    def work(self) -> None:
        position = self.position
        children = {}
        if self.question.every_move:
            children = {move: position.play(move) for move in position.legal_moves}
            self.moves = dict.fromkeys(children, (_LOSS, _WIN))
        for bounds in self._values(position):
            self.bounds = bounds
        self._follow()
        for move, child in children.items():
            for bounds in self._values(child):
                self.moves[move] = bounds

    def _values(self, position: Position) -> Iterator[_Bounds]:
        """Yield closer and closer bounds of what a position is worth to the root's side to move."""
        if position.is_over:
            value = _DRAW
            if position.winner is not None:
                value = _WIN if position.winner == self.position.turn else _LOSS
            yield value, value
            return
        if self._gets(position, _WIN):
            yield _WIN, _WIN
            return
        yield _LOSS, _DRAW
        value = _DRAW if self._gets(position, _DRAW) else _LOSS
        yield value, value

    def _gets(self, position: Position, goal: int) -> bool:
        """Whether the root's side to move gets at least so much from a game that is not over."""
        mine = position.seat == self.position.seat
        drawn = len(self.position.stock) - len(position.stock)
        answer = self.compiled.reaches(compiled_view(position), drawn, goal if mine else 1 - goal)
        if answer is None:
            raise Stopped
        return answer is mine

    def _keeps(self, position: Position) -> bool:
        """Whether a position on the line still has the root's value."""
        if position.is_over:
            return [*self._values(position)][-1] == self.bounds
        wanted = self.bounds[0]
        if wanted == _WIN:
            return self._gets(position, _WIN)
        if wanted == _LOSS:
            return not self._gets(position, _DRAW)
        return self._gets(position, _DRAW) and not self._gets(position, _WIN)

    def _follow(self) -> None:
        position = self.position
        while not position.is_over:
            for move in self._candidates(position):
                child = position.play(move)
                if self._keeps(child):
                    break
            else:
                raise AssertionError(f"no move keeps the value of {position.jfn()}")
            self.line.append(move)
            position = child

    def _candidates(self, position: Position) -> list[Move]:
        """The legal moves: what the table has, then what leaves the side that moves most points."""

        def margin(move: Move) -> tuple[bool, int]:
            scores = position.play(move).scores
            return move.cards == known, 2 * scores[position.turn] - sum(scores.values())

        drawn = len(self.position.stock) - len(position.stock)
        cards = self.compiled.known_play(compiled_view(position), drawn)
        known = None if cards is None else tuple(cards)
        return sorted(position.legal_moves, key=margin, reverse=True)

    def found(self) -> Solution:
        moves = sorted(self.moves.items(), key=lambda found: (-found[1][0], -found[1][1]))
        return Solution(
            self.position,
            *self.bounds,
            self.line[0] if self.line else None,
            tuple(self.line),
            tuple(MoveAnswer(move, *bounds) for move, bounds in moves),
            self.compiled.nodes,
            self.seconds,
        )


def table_plies(position: Position) -> int:
    """Return the plies of a Kulami game that fills a table of the same size, found by trial."""
    stones = sum(position.left)
    return stones + stones // 2 + 10


def solve(
    position: Position,
    *,
    time: float | None = None,
    nodes: int | None = None,
    stop: threading.Event | None = None,
    every_move: bool = False,
    memory: int | float | str | None = None,
    progress: Callable[[Solution], object] | None = None,
) -> Solution:
    """Find out who wins under best play of both sides, all cards being known: double-dummy.

    The stock is drawn in the order in which it is written; when it is used up nobody draws.

    Args:
        position: of two players, with open hands and a stock in the order of drawing; also an
            ended game.
        time: seconds after which the search ends with what it has proved.
        nodes: positions after which it does.
        stop: an event that ends the search like a budget once another thread has set it.
        every_move: value every legal move as well.
        memory: of the transposition table, MiB or a text such as "512M"; at most 1 GiB if not
            given.
        progress: a function that is called about every 50 ms with the solution so far.

    Returns:
        The solution. Without a budget its outcome is exact, and its line leads to the end of the
        game.

    Raises:
        PositionError: if it is not a position, or has a hidden hand, more than two players, or a
            stock of unknown order.
        KulamiError: if `progress` is no function.
        BudgetError: if a budget or `stop` makes no sense, or the machine has not that much memory.
        SolveInterrupted: Ctrl-C; its `solution` is what was proved by then.

    Examples:
        >>> from kulami_solver.just4fun import Position, solve
        >>> text = "5,9,3/7,6,1/2,8,4 2:b1,3:b1,6:r2,9:r1 r2b3 b r1.3.3,b1.3.3 2.1.1.5.2.2.4.2 -"
        >>> solution = solve(Position.from_jfn(text, line=3, hand=3))
        >>> solution.outcome, solution.position.play_all(solution.line).winner
        ('loss', 'red')
    """
    state = state_of(checked_position(position), dummy=True)
    budget = Budget(time, nodes, memory=memory, stop=stop)
    return Search(Question(state, every_move, budget=budget)).narrow(progress)
