"""Estimates of how an unsolved position ends: an expected margin, and chances.

A look ahead with the learned evaluation gives a position a value, in points. How reliable such
values are depends on the plies to come and on the scoring. `chances.json` has the parameters for
some numbers of plies; between these they are interpolated:

    margin  =  tempo + slope * value
    win     =  L(steepness * margin - threshold)
    loss    =  L(-steepness * margin - threshold)        L(x) = 1 / (1 + exp(-x))
    draw    =  what is left

A value that is a whole number mostly belongs to a position whose margin is certain. So it is the
margin with probability `certainty`, and otherwise the chances are as above. The parameters are
fitted to games of the look against itself (scripts/data/fit_chances.py). None of this is proved,
but no estimate contradicts proved bounds.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Final

from ...core.budgets import check_budgets, check_watchers
from ...core.memory import MIB
from ...errors import KulamiError, quoted
from ..position.position import Position, checked_position
from ..position.scoring import Scoring
from ..solve.solution import Solution
from ..solve.solver import Solver

CHANCES_FILE = "chances.json"

#: An entry of `chances.json`: [plies to come, tempo, slope, steepness, threshold, certainty].
Phase = Sequence[float]

_USUAL_NODES: Final = 100_000
_TABLE: Final = 8 * MIB
_SMALLEST: Final = 1 << 16  # bytes of a table that is not used


@dataclass(frozen=True)
class ValueEstimate:
    """An estimate of how a position ends, for the side to move. None of it is proved.

    Attributes:
        margin: expected points of the side to move minus the other side's.
        win, draw, loss: chances from 0 to 1, which add up to 1.
        moves: the same for each legal field, best first, if that was asked for.
    """

    margin: float
    win: float
    draw: float
    loss: float
    moves: Mapping[str, ValueEstimate] = field(default_factory=dict, hash=False)

    def within(self, lower: int, upper: int) -> ValueEstimate:
        """Return the estimate, adjusted to proved bounds of the margin.

        Examples:
            >>> ValueEstimate(-0.5, 0.25, 0.25, 0.5).within(0, 5)
            ValueEstimate(margin=0.0, win=0.5, draw=0.5, loss=0.0, moves={})
        """
        win = 0.0 if upper <= 0 else self.win
        loss = 0.0 if lower >= 0 else self.loss
        draw = 0.0 if lower > 0 or upper < 0 else self.draw
        total = win + draw + loss
        if not total or lower == upper:  # certain, or no chance within the bounds
            win, draw, loss = float(lower > 0), float(lower <= 0 <= upper), float(upper < 0)
            total = 1.0
        margin = float(min(max(self.margin, lower), upper))
        return ValueEstimate(margin, win / total, draw / total, loss / total, self.moves)

    def words(self, side: str) -> str:
        """Return the estimate in words; `side` is to move.

        Examples:
            >>> ValueEstimate(1.84, 0.612, 0.118, 0.27).words("red")
            'about +1.8 for red; win 61 %, draw 12 %, loss 27 %'
        """
        said = self.to_json()
        chances = ", ".join(f"{name} {100 * said[name]:.0f} %" for name in ("win", "draw", "loss"))
        return f"about {said['margin']:+.1f} for {side}; {chances}"

    def to_json(self) -> dict[str, float]:
        """Return margin and chances as the command line prints them.

        Examples:
            >>> ValueEstimate(1.84, 0.61449, 0.12, 0.26551).to_json()
            {'margin': 1.8, 'win': 0.614, 'draw': 0.12, 'loss': 0.266}
        """
        win, draw = round(self.win, 3), round(self.draw, 3)
        loss = round(max(1 - win - draw, 0.0), 3)
        return {"margin": round(self.margin, 1) + 0.0, "win": win, "draw": draw, "loss": loss}


def estimate_value(
    position: Position,
    scoring: Scoring | str | int = Scoring.LEVEL0,
    *,
    time: float | None = None,
    nodes: int | None = None,
    every_move: bool = False,
    known: Solution | None = None,
    stop: threading.Event | None = None,
) -> ValueEstimate:
    """Estimate a position's margin, and the chances of a win, a draw and a loss, without a proof.

    Chances are those of games between two equal players that look some plies ahead: of positions
    with a `win` of 0.6, about six in ten are won.

    Args:
        position: any position; for an ended game the estimate is its result.
        scoring: what counts, a `Scoring` or what `Scoring.parse` reads.
        time: seconds to look ahead.
        nodes: positions to look at; 100,000 if there is no `time` either. The same number gives
            the same estimate.
        every_move: estimate every legal field, too.
        known: what has been proved of the position; no estimate contradicts it. None for the bounds
            that hold without a search.
        stop: an event that ends the look once another thread has set it.

    Raises:
        PositionError: if it is not a position.
        NotationError: if it is not a scoring.
        BudgetError: if a budget makes no sense, or `stop` is no event.
        KulamiError: if `known` is no solution.

    Examples:
        >>> from kulami_solver import Layout
        >>> found = estimate_value(Position(Layout.square()), nodes=2000)
        >>> found.loss < found.win < 0.8, round(found.win + found.draw + found.loss, 9)
        (True, 1.0)

        What is proved is certain:

        >>> start = Position(Layout.parse("AAB/CCB")).play("a1")
        >>> estimate_value(start, every_move=True).moves["a2"]
        ValueEstimate(margin=-2.0, win=0.0, draw=0.0, loss=1.0, moves={})
    """
    position = checked_position(position)
    scoring = Scoring.parse(scoring)
    _, time, nodes, _ = check_budgets(None, time, nodes)
    check_watchers(None, stop)
    if known is not None and not isinstance(known, Solution):
        raise KulamiError(f"known is {quoted(known)}: give a Solution")
    if time is None and nodes is None:
        nodes = _USUAL_NODES
    solver = Solver(position, scoring, _SMALLEST)
    bounds = solver.bounds(position)
    proved = (bounds.lower, bounds.upper) if known is None else (known.lower, known.upper)
    if position.is_over or (proved[0] == proved[1] and not every_move):
        return ValueEstimate(float(proved[0]), 0.0, 1.0, 0.0).within(*proved)
    stopped = None if stop is None else stop.is_set
    seen = solver.look_ahead(_TABLE).look(
        nodes=nodes, seconds=time, stopped=stopped, every=every_move
    )
    plies = position.plies_left
    moves = {}
    if every_move:
        given = {} if known is None else known.values
        for number, value in seen.items():
            name = position.layout.fields[number]
            after = solver.bounds(position.play(name))
            lower, upper = given.get(name, (-after.upper, -after.lower))
            found = estimate_of(value, plies, scoring)
            moves[name] = found.within(lower, min(upper, proved[1]))
        moves = dict(sorted(moves.items(), key=lambda one: one[1].margin, reverse=True))
    found = estimate_of(next(iter(seen.values())), plies, scoring)
    return replace(found, moves=moves).within(*proved)


def estimate_of(value: float, plies: int, scoring: Scoring) -> ValueEstimate:
    """Return the estimate of a position from the value that a look gives it.

    Args:
        value: for the side to move, in points.
        plies: still to come, 0 to 64.
        scoring: what counts.

    Examples:
        >>> estimate_of(0.5, 40, Scoring.LEVEL0).words("red")
        'about +0.5 for red; win 45 %, draw 28 %, loss 26 %'
    """
    margin, win, loss = margin_and_chances(value, plies, read_chances()[scoring.value])
    return ValueEstimate(margin, win, 1 - win - loss, loss)


def margin_and_chances(
    value: float, plies: int, phases: Sequence[Phase]
) -> tuple[float, float, float]:
    """Return expected margin, win and loss, from a look's value and the plies to come.

    Examples:
        >>> phases = [(20, 0.5, 1.0, 0.5, 0.1, 0.9), (40, 0.0, 1.0, 0.5, 0.1, 0.1)]
        >>> margin_and_chances(1.5, 30, phases)[0]
        1.75
        >>> margin_and_chances(1.0, 30, phases)[0]
        1.125
    """
    _, tempo, slope, steepness, threshold, certainty = _between(plies, phases)
    margin = tempo + slope * value
    win = _logistic(steepness * margin - threshold)
    loss = _logistic(-steepness * margin - threshold)
    if not float(value).is_integer():
        return margin, win, loss
    uncertain = 1 - certainty
    return (
        certainty * value + uncertain * margin,
        certainty * (value > 0) + uncertain * win,
        certainty * (value < 0) + uncertain * loss,
    )


def add_estimates(answer: dict[str, Any], estimate: ValueEstimate | None) -> None:
    """Add the key `estimate` to a solution as JSON and to its moves: null where it is exact.

    Args:
        answer: as `Solution.to_json` returns it.
        estimate: of the position and of each move that is in the answer; None if all is exact.
    """
    answer["estimate"] = _json_where_open(answer, estimate)
    for move in answer["moves"]:
        move["estimate"] = _json_where_open(move, estimate and estimate.moves[move["field"]])


def _json_where_open(
    value: dict[str, Any], estimate: ValueEstimate | None
) -> dict[str, float] | None:
    if estimate is None or value["margin"] is not None:
        return None
    return estimate.within(value["lower"], value["upper"]).to_json()


@cache
def read_chances() -> Mapping[str, Sequence[Phase]]:
    """Return the phases of each scoring, as `chances.json` has them."""
    with open(os.path.join(os.path.dirname(__file__), CHANCES_FILE), encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found["scorings"]  # type: ignore[no-any-return]


def _between(plies: int, phases: Sequence[Phase]) -> Phase:
    """The numbers of a phase, interpolated between those on either side of it."""
    for before, after in itertools.pairwise(phases):
        if plies <= after[0]:
            share = max(plies - before[0], 0.0) / (after[0] - before[0])
            return [a + share * (b - a) for a, b in zip(before, after, strict=True)]
    return phases[-1]


def _logistic(exponent: float) -> float:
    return 1 / (1 + math.exp(min(-exponent, 500.0)))
