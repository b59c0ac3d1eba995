"""Expected scores with open hands: the value of a position of two with random draws.

`expect` gives the expected score of the side to move under best play of both, 1 for a win and 1/2
for a draw, as a fraction. If a budget ends the search, or hands without a play could be put away
for ever, it gives proved bounds.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, NamedTuple

from ..core.background import Searching
from ..errors import PositionError
from ..game import Answer, Bounded, Budget, MoveAnswer, Question
from .cards import Move
from .expectation import Endless, Expecter
from .position import Position, checked_position
from .solving import checked_duel, compiled_rules, compiled_view
from .state import state_of

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


class Search(Searching[Expectation]):
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
    return Search(Question(state, every_move, budget=budget), pruning).narrow(progress)
