"""Solve positions of two: who wins when all is known, and what is to be expected when it is not.

`solve` gives the exact outcome for the side to move, best play to the end of the game, and, if
asked for, the value of every move. A search that a budget ends gives the bounds proved by then.

`expect` gives the expected score of the side to move with open hands and random draws, under best
play of both, 1 for a win and 1/2 for a draw, as a fraction. If a budget ends the search, or hands
without a play could be put away for ever, it gives proved bounds.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from ..core.background import Searching, Stopped, made_table
from ..core.memory import table_size
from ..errors import PositionError
from ..game import Answer, Bounded, Budget, MoveAnswer, Number, Question
from .cards import Move
from .duel import Rules
from .expectation import Endless, Expecter
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


_ZERO: Final = Fraction(0)
_ONE: Final = Fraction(1)


def _written(number: Fraction | None) -> str | None:
    """A fraction for JSON; a whole number is written as a fraction, too."""
    return None if number is None else f"{number.numerator}/{number.denominator}"


def as_scores(found: Bounded) -> tuple[Fraction, Fraction]:
    """Return the bounds of an answer, or of one of its moves, as expected scores from 0 to 1."""
    return (1 + Fraction(found.lower)) / 2, (1 + Fraction(found.upper)) / 2


@dataclass(frozen=True)
class Expectation(Answer):
    """The result for a position. Scores are for the side to move: 1 a win, 1/2 a draw, 0 a loss.

    Attributes:
        position: the position.
        lower, upper: bounds of the value, which is twice the expected score less 1; equal if it
            is known exactly.
        best: a move that has this score, None if the game is over or none is known.
        win, draw, loss: how likely the three are if both sides play that well, as far as the game
            does not leave a choice between equally good plays; None if that is not known.
        moves: every legal move, best first, if they were asked for.
        nodes: positions searched, draws looked at among them.
        seconds: time taken.
    """

    position: Position
    best: Move | None = None
    win: Fraction | None = None
    draw: Fraction | None = None
    loss: Fraction | None = None

    @property
    def expected(self) -> Fraction | None:
        """The expected score, None if it is not known exactly."""
        lower, upper = as_scores(self)
        return lower if lower == upper else None

    def words(self, move: MoveAnswer | None = None) -> str:
        """Return the expected score in words; that of a move as a number.

        Examples:
            >>> position = Position.from_jfn("1x3 2:b1 r1b1 r r1.1,b3.3 {2} -", hand=2)
            >>> expect(position).words()
            'red scores 0 on average'
        """
        lower, upper = as_scores(move or self)
        if move is not None:
            return f"{lower}  ({float(lower):.3f})" if lower == upper else f"{lower} to {upper}"
        score = f"{lower}" if lower == upper else f"{lower} to {upper}"
        return f"{self.position.turn} scores {score} on average"

    def to_json(self) -> dict[str, Any]:
        """Return the expectation as the command line prints it.

        Examples:
            >>> text = "1,2,3/4,5,6/7,8,9 2:b1,5:r1,6:r1 r1b2 b r3.3,b4.5 {1.1.2.2} -"
            >>> answer = expect(Position.from_jfn(text, line=3, hand=2)).to_json()
            >>> answer["expected"], answer["best"], answer["win"]
            ('5/6', '9=4+5', '5/6')
        """
        return {
            "position": self.position.jfn(),
            **_bounds(self),
            "best": None if self.best is None else str(self.best),
            "win": _written(self.win),
            "draw": _written(self.draw),
            "loss": _written(self.loss),
            "moves": [{**one.move.to_json(), **_bounds(one)} for one in self.moves],
            "nodes": self.nodes,
            "seconds": round(self.seconds, 6),
        }


def _bounds(found: Bounded) -> dict[str, str | None]:
    """The expected score and its bounds for JSON."""
    lower, upper = map(_written, as_scores(found))
    return {"expected": lower if lower == upper else None, "lower": lower, "upper": upper}


class _Found(NamedTuple):
    """The result for a move: bounds, and the probability of a draw if they are equal."""

    lower: Fraction = _ZERO
    upper: Fraction = _ONE
    draw: Fraction | None = None


class ExpectedSearch(Searching[Expectation]):
    """The search for the expected score of a state of Just 4 Fun.

    Args:
        question: what is asked.
        pruning: as for `expect`.

    Raises:
        PositionError: as for `expect`.
        BudgetError: if a budget makes no sense.
    """

    def __init__(self, question: Question, pruning: bool = True) -> None:
        self.position = position = checked_duel(question.state.position, "expect")
        if position.ordered and len(position.stock) > 1:
            raise PositionError("expect_by_chance")
        super().__init__(question)
        self.searching = self.expecter = Expecter(compiled_rules(position), position.hand, pruning)
        self.expecter.limit_nodes(-1 if self.limit is None else self.limit)
        self.moves: dict[Move, _Found] = dict.fromkeys(position.legal_moves, _Found())
        self._view = compiled_view(position), bytes(position.stock), bytes(position.discards)

    def work(self) -> None:
        for move in sorted(self.moves, key=self._promise, reverse=True):
            self._value(move)

    def _promise(self, move: Move) -> int:
        """The margin that a move leaves if nothing else is placed."""
        if move.field is None:
            return 0
        (own, other), turn = self.position.scores.values(), self.position.seat
        counts = self.position.stones[move.field - 1]
        behind = counts[1 - turn] - counts[turn]
        return (other - own if turn else own - other) + (move.field if behind in (0, 1) else 0)

    def _value(self, move: Move) -> None:
        """Find the value of a move: the lower bound, and the upper one if that may differ."""
        alpha = -_ONE
        if not self.question.every_move:
            alpha = max(found.lower for found in self.moves.values()) or -_ONE
        lower, draw = self._ask(move, False, alpha)
        unsure = self.expecter.unsure
        if lower <= alpha:
            # By the lower bounds, this move is no better than another one.
            lower, upper = _ZERO, lower
        else:
            upper = lower
        self.moves[move] = _Found(lower, _ONE if unsure else upper, None if unsure else draw)
        if unsure:
            upper, _ = self._ask(move, True, -_ONE)
            self.moves[move] = _Found(lower, upper, draw if lower == upper else None)
            if lower != upper:
                with contextlib.suppress(Endless), self.expecter.patiently():
                    exact, draw = self._ask(move, False, -_ONE)
                    self.moves[move] = _Found(exact, exact, draw)

    def _ask(self, move: Move, hopeful: bool, alpha: Fraction) -> tuple[Fraction, Fraction]:
        if move.field is None:
            return self.expecter.value(*self._view, hopeful)
        return self.expecter.play_value(*self._view, hopeful, bytes(move.cards), alpha)

    def found(self) -> Expectation:
        position = self.position
        found = sorted(self.moves.items(), key=lambda one: (-one[1].lower, -one[1].upper))
        best = None
        if position.is_over:
            won = {position.turn: _ONE, None: Fraction(1, 2)}.get(position.winner, _ZERO)
            lower = upper = won
            draw: Fraction | None = _ONE if position.winner is None else _ZERO
        else:
            best, (lower, _, draw) = found[0]
            upper = max(one.upper for _, one in found)
            if lower == 0 < upper:
                best = None
        if lower != upper:
            draw = None
        win = None if draw is None else lower - draw / 2
        loss = None if draw is None else 1 - lower - draw / 2
        moves = (MoveAnswer(move, 2 * one.lower - 1, 2 * one.upper - 1) for move, one in found)
        return Expectation(
            position,
            2 * lower - 1,
            2 * upper - 1,
            best,
            moves=tuple(moves) if self.question.every_move else (),
            nodes=self.expecter.nodes,
            seconds=self.seconds,
            win=win,
            draw=draw,
            loss=loss,
        )


def expect(
    position: Position,
    *,
    time: float | None = None,
    nodes: int | None = None,
    stop: threading.Event | None = None,
    every_move: bool = False,
    progress: Callable[[Expectation], object] | None = None,
    pruning: bool = True,
) -> Expectation:
    """Find the expected score under best play of both sides: open hands, random draws.

    Every draw is uniformly random, without replacement. When a card has to be drawn and none is
    left, the discards are the new stock, those just played or put away among them.

    Args:
        position: of two players, with open hands and a stock of unknown order; also an ended game.
        time: seconds after which the search ends with what it has proved.
        nodes: positions after which it does, draws counted among them.
        stop: an event that ends the search like a budget once another thread has set it.
        every_move: value every legal move as well.
        progress: a function that is called about every 50 ms with the result so far.
        pruning: False looks at every draw, to see what pruning saves.

    Returns:
        The expectation. Without a budget it is exact, unless hands without a play could be put
        away for ever.

    Raises:
        PositionError: if it is not a position, or has a hidden hand, more than two players, or a
            stock in a known order.
        KulamiError: if `progress` is no function.
        BudgetError: if a budget or `stop` makes no sense.
        SolveInterrupted: Ctrl-C; its `solution` is what was proved by then.

    Examples:
        >>> from kulami_solver.just4fun import Position, expect
        >>> text = "5,3,4/1,9,6/7,2,8 1:b1,4:b1,5:r1,6:r1 r2b2 r r1.2,b2.5 {1} {3.3.4}"
        >>> expect(Position.from_jfn(text, line=3, hand=2)).expected
        Fraction(7, 10)
    """
    state = state_of(checked_position(position))
    budget = Budget(time, nodes, stop=stop)
    return ExpectedSearch(Question(state, every_move, budget=budget), pruning).narrow(progress)
