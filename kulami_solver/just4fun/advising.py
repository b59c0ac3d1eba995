"""Advice for the real game, where other hands are hidden and the stock is shuffled: an estimate.

Deals that fit the known cards are drawn, and in each deal every move of the player is valued:

    double-dummy   as if everyone saw all cards and their order, by `solve`
    expectation    as if everyone saw all hands, draws being chance, by `expect`
    playouts       by playing on by a simple rule, where a position is too early to be solved

A move's estimate is its average score over the deals. The interval covers only the error of chance:
players who see all cards play differently from players who do not.
"""

from __future__ import annotations

import threading
import time as clock
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Any, Final, Literal, NamedTuple

from ..core.budgets import check_budgets, check_watchers
from ..core.interruption import SolveInterrupted
from ..core.intervals import wilson
from ..core.notation import so_many
from ..core.whole_numbers import seeded, whole
from ..errors import KulamiError, PositionError, quoted
from ..game import Answer
from .cards import Move
from .dealing import deals, drawn_at_random
from .playouts import playout, worth
from .position import Position, checked_position
from .solving import as_scores, expect, solve

Method = Literal["double-dummy", "expectation", "playouts"]
METHODS: Final[tuple[Method, ...]] = ("double-dummy", "expectation", "playouts")

# The most stones still to place, of both players together, for each method.
_EXPECTED: Final = 2  # expectation
_SOLVED: Final = 12  # double-dummy
_USUAL_DEALS: Final = 100


@dataclass(frozen=True)
class MoveAdvice:
    """The estimated score of a move for the player who makes it: 1 for a win, 1/2 for a draw.

    Attributes:
        move: the move.
        mean: over the deals.
        low, high: the 95 % interval of the mean; 0 and 1 without a deal.
    """

    move: Move
    mean: float
    low: float
    high: float

    def to_json(self) -> dict[str, Any]:
        """Return the advice for JSON."""
        numbers = {"mean": self.mean, "low": self.low, "high": self.high}
        return {**self.move.to_json(), **{name: round(n, 6) for name, n in numbers.items()}}


@dataclass(frozen=True)
class Advice:
    """An estimate of a position's moves, from deals that fit the position.

    Attributes:
        position: the position as the player knows it.
        method: how deals were valued.
        moves: every legal move, best first; among equal means, the one with the largest gain first.
        deals: number of valued deals.
        undecided: number of these in which a budget left a move open, which counts by the middle
            of its bounds.
        seconds: time taken.
    """

    position: Position
    method: Method
    moves: tuple[MoveAdvice, ...]
    deals: int
    undecided: int
    seconds: float

    @property
    def best(self) -> Move | None:
        """The move with the highest mean; None if the game is over."""
        return self.moves[0].move if self.moves else None

    def _repr_html_(self) -> str:
        from ..drawing.svg import with_value

        value = f"an estimate from {so_many(self.deals, 'deal')} ({self.method})"
        moves = [
            (one.move, f"{one.mean:.3f} ({one.low:.3f} to {one.high:.3f})") for one in self.moves
        ]
        return with_value(self.position.svg(), value, self.best, (), moves)

    def to_json(self) -> dict[str, Any]:
        """Return the advice as the command line prints it.

        Examples:
            >>> position = Position.from_jfn("1x3 2:b1 r1b1 r r1.3,b? {1.2.2.3} -", hand=2)
            >>> answer = advise(position, deals=20).to_json()
            >>> answer["estimate"], answer["deals"], answer["moves"][0]["field"]
            (True, 20, 3)
        """
        return {
            "position": self.position.jfn(),
            "estimate": True,
            "method": self.method,
            "deals": self.deals,
            "undecided": self.undecided,
            "best": None if self.best is None else str(self.best),
            "moves": [move.to_json() for move in self.moves],
            "seconds": round(self.seconds, 6),
        }


def advise(
    position: Position,
    *,
    deals: int | None = None,
    time: float | None = None,
    seed: int = 0,
    method: Method | None = None,
    stop: threading.Event | None = None,
    progress: Callable[[Advice], None] | None = None,
) -> Advice:
    """Estimate the score of every move, from deals that fit the known cards.

    The same seed gives the same deals on every machine; how many of them there is time for, and
    so the estimate, is the same only if `deals` ends it.

    Args:
        position: the hand of the player to move is known; others may be hidden, and the order of
            the stock unknown.
        deals: how many, 1 or more; 100 if neither this nor `time` is given.
        time: seconds after which no further deal is begun, and the one at work is dropped.
        seed: of the deals, 0 or more.
        method: how to value a deal; if None expectation for the last stones of two players,
            double-dummy for some more, playouts for all else.
        stop: an event that ends it like `time` once another thread has set it.
        progress: called after each deal with what is known so far.

    Raises:
        PositionError: if the hand of the player to move is hidden, or `method` is not for so many
            players.
        KulamiError: if there is no such method, or `progress` is not a function.
        BudgetError: if `time` or `stop` makes no sense.
        SolveInterrupted: Ctrl-C; its `solution` is what is known by then.

    Examples:
        >>> from kulami_solver.just4fun import Position, advise
        >>> position = Position.from_jfn("1x3 2:b1 r1b1 r r1.3,b? {1.2.2.3} -", hand=2)
        >>> advice = advise(position, deals=20)
        >>> advice.best, advice.method, advice.moves[0].mean
        (Move.parse('3=3'), 'expectation', 0.1)
    """
    checked_position(position)
    time = check_budgets(time=time)[1]
    check_watchers(progress, stop)
    wanted = None if deals is None else whole(deals)
    if deals is not None and (wanted is None or wanted < 1):
        raise KulamiError(f"deals is {quoted(deals)}: give a whole number from 1")
    chosen = _method_for(position, method)
    work = _Work(position, chosen, seed, time, stop)
    limit = _USUAL_DEALS if deals is None and time is None else wanted
    if _is_certain(position, chosen):
        limit = 1
    try:
        for _ in count() if limit is None else range(limit):
            if not position.legal_moves or work.is_late() or not work.value_a_deal():
                break
            if progress is not None:
                progress(work.advice())
    except KeyboardInterrupt:
        raise SolveInterrupted(work.advice()) from None
    return work.advice()


def _method_for(position: Position, method: Method | None) -> Method:
    two = len(position.players) == 2
    if method is None:
        stones = sum(position.left)
        if not two or stones > _SOLVED:
            return "playouts"
        known = position.ordered and position.stock
        return "expectation" if stones <= _EXPECTED and not known else "double-dummy"
    if method not in METHODS:
        raise KulamiError(f"there is no method {quoted(method)}: use {', '.join(METHODS)}")
    if not two and method != "playouts":
        raise PositionError("method_for_two", method=method)
    return method


def _is_certain(position: Position, method: Method) -> bool:
    """Whether every deal would give the same values."""
    if position.hidden or method == "playouts":
        return False
    return method == "expectation" or position.ordered


class _Known(NamedTuple):
    """Sums over deals: the score of each move, the deals, the undecided deals."""

    scores: dict[Move, Fraction]
    deals: int = 0
    undecided: int = 0


class _Work:
    """The valuation of deals, and its sums."""

    def __init__(
        self,
        position: Position,
        method: Method,
        seed: int,
        time: float | None,
        stop: threading.Event | None,
    ) -> None:
        self.begun = clock.monotonic()
        self._position = position
        self._method: Method = method
        self._deals = deals(position, seed, ordered=method != "expectation")
        self._draw = seeded(seed)
        self._until = None if time is None else self.begun + time
        self._stop = stop
        self._known = _Known(dict.fromkeys(position.legal_moves, Fraction(0)))

    def is_late(self) -> bool:
        if self._stop is not None and self._stop.is_set():
            return True
        return self._until is not None and clock.monotonic() >= self._until

    def value_a_deal(self) -> bool:
        """Value every move in one more deal; False if there was no time for it."""
        dealt = next(self._deals)
        found = dict(self._valued(dealt))
        before = self._known
        if self.is_late() and (before.deals or len(found) < len(before.scores)):
            return False
        scores = dict(before.scores)
        for move, (lower, upper) in found.items():
            scores[move] += (lower + upper) / 2
        undecided = any(lower != upper for lower, upper in found.values())
        # One assignment: Ctrl-C may come at any time, and must not leave a deal half counted.
        self._known = _Known(scores, before.deals + 1, before.undecided + undecided)
        return True

    def _valued(self, dealt: Position) -> Iterator[tuple[Move, tuple[Fraction, Fraction]]]:
        """Yield each move with bounds of its score."""
        if self._method == "playouts":
            for move in dealt.legal_moves:
                if self.is_late():
                    return
                after = dealt.play(move, drawn_at_random(dealt, move, self._draw))
                score = playout(after, self._position.seat, self._draw)
                yield move, (score, score)
            return
        left = None if self._until is None else max(0.001, self._until - clock.monotonic())
        value: Callable[..., Answer] = expect if self._method == "expectation" else solve
        for one in value(dealt, time=left, stop=self._stop, every_move=True).moves:
            yield one.move, as_scores(one)

    def _gain(self, move: Move) -> int:
        """The immediate gain of a move in points, which decides between equal means."""
        if move.field is None:
            return 0
        return worth(self._position.stones[move.field - 1], self._position.seat, move.field)

    def advice(self) -> Advice:
        """The estimate from the deals so far."""
        found = []
        scores, valued, undecided = self._known
        certain = _is_certain(self._position, self._method) and not undecided
        for move, score in scores.items():
            mean = float(score) / valued if valued else 0.5
            # Scores between 0 and 1 vary at most as much as those that are 0 or 1.
            low, high = wilson(float(score), valued)
            if certain and valued:
                low = high = mean
            found.append(MoveAdvice(move, mean, low, high))
        found.sort(key=lambda one: (-one.mean, -self._gain(one.move)))
        return Advice(
            self._position,
            self._method,
            tuple(found),
            valued,
            undecided,
            clock.monotonic() - self.begun,
        )
