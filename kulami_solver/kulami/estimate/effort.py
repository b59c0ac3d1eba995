"""An estimate, before a search begins, of how many positions it takes.

A position far from the end is too hard to solve for an estimate, but positions a dozen plies later
are not. So `estimate_solve` plays many games from it, by moves that look good, and solves where
they lead. From the nodes of these it computes the nodes of the position. The formula was fitted to
positions that could be solved (docs/estimates.md has estimates beside the truth):

    ln nodes  =  A(n)  +  0.55  +  0.83 u  +  0.16 ln(r / 7)  +  (1.66 + 0.12 k) (m - ln 6)

    n      plies to come            A(n)   ln nodes of 8x8 positions of random games, by scoring
    k      plies played             u      ln of the mean nodes k plies later, less A(n - k)
    r      legal replies on average        to the moves of the position
    m      ln of the legal moves on average, in all positions that were played through

The first marble may go anywhere, and all empty boards that were measured took more nodes. So if
there are more than 12 legal fields, 0.65 ln(fields / 12) is added.

With few marbles more fields stay free than the 8 of a whole game on 8x8, and play merges less. Then
0.28 ln(1 + fields that stay free - 8) is added; without it positions with 8 to 26 marbles of each
colour came out at 0.2 to 0.8 of the truth. Where both terms apply they overlap, so the root of
the sum of their squares is added.

At level 0 the search keeps one position of all that differ by an exchange of alike rows or columns
(`table.pxd`). With w ways to exchange these, 0.75 ln w is taken off. If the position itself is
solved, a search without exchanges is taken to need the square root of w times as many nodes. More
than 144 ways take no more off: of 34 boards of two rows with 4 to 2592 ways, those with more came
out at 0.07 to 0.92 of the truth without this limit, and come out at 0.3 to 2.1 with it.

Work grows less with the size of empty small boards than with the fields that are free on 8x8. So
0.2 - 0.15 (n - 30) is added for those of 24 to 42 fields on which none stays free. It was fitted to
56 such boards with 2 to 288 ways, 24 of them from data/larger-boards.csv: 98 % of them come out
within a factor of three, and 75 % within two; without it 82 % and 36 %.

`Effort` estimates the nodes of one question about a margin, by its distance from a guess of the
margin. It only decides the order of questions where a tree is searched.

`expected_seconds` says without a sample how long a solve takes on average, for bots that have to
decide at once whether to try one.
"""

from __future__ import annotations

import math
import random
import time as clock
from collections import Counter
from dataclasses import dataclass
from typing import Final

from ...core.budgets import check_budgets, number_within
from ...core.whole_numbers import seeded
from ..position.position import Position, checked_position
from ..position.scoring import Scoring
from ..solve.solver import Solver, solve

__all__ = ["estimate_solve"]

# Nodes of one question with no free field, as a logarithm; what a free field adds; what a point
# between the guess and the margin asked about takes off; how far off guesses are, in points. Fitted
# to 60 positions each of scoring 0 and 2 with 24 to 30 free fields, asked at up to eight margins.
_QUESTION: Final = {
    Scoring.LEVEL0: (-7.05, 0.619, 0.226, 1.25),
    Scoring.LEVEL1: (-9.05, 0.705, 0.13, 1.7),
    Scoring.LEVEL2: (-9.05, 0.705, 0.062, 2.9),
    Scoring.CHAINS: (-9.05, 0.705, 0.08, 2.5),
}

# A(n) = a + b (n - 20) + c (n - 20)^2.
_TYPICAL: Final = {
    Scoring.LEVEL0: (11.096, 0.629, 0.0095),
    Scoring.LEVEL1: (11.547, 0.716, 0.0124),
    Scoring.LEVEL2: (11.787, 0.721, 0.0111),
    Scoring.CHAINS: (11.636, 0.709, 0.0109),
}

# What is added for an empty board at level 0: with 30 plies to come, for each further ply, and the
# fields of the boards that were measured.
_EMPTY: Final = (0.2, -0.15)
_EMPTY_MEASURED: Final = (24, 42)
_EMPTY_SPREAD: Final = 0.56  # as `_SPREAD`

# The ways to exchange lines that count.
_MOST_WAYS: Final = 144

# Plies to come from which growth is taken to be constant: no positions beyond were measured.
_MEASURED: Final = 32

# The samples: how many plies they have to come, and how many samples there are.
_SAMPLE_PLIES: Final = 18
_SAMPLES: Final = 64

STAY_FREE: Final = 8
"""Fields that stay free on 8x8 when all 28 marbles of each colour are placed."""

# A position that is solved within so many nodes needs no estimate. The attempt also measures the
# speed of this machine.
_AT_ONCE: Final = 1 << 20

# How far estimates were off where the truth is known, as a standard deviation of the logarithm, and
# what each further ply adds. A range of so many deviations holds four positions of five.
_SPREAD: Final = 0.40
_FURTHER: Final = 0.06
_FOUR_OF_FIVE: Final = 1.28

# A solve of the mean 8x8 position with 32 free fields, which has 24 plies to come, on one core:
# docs/explanation/figures.md has the measurements. Small boards take about as long for as many
# plies.
_SOLVED_AT: Final = 24  # plies to come
_SOLVED_IN: Final = 0.05  # seconds
_LONGER: Final = 2.1  # times, for each further ply
_SLOWER: Final = {
    Scoring.LEVEL0: 1.0,
    Scoring.LEVEL1: 5.0,
    Scoring.LEVEL2: 7.0,
    Scoring.CHAINS: 3.0,
}

# Processor time of a search by many workers, over that of one thread (measured 2026-11-22).
MANY_WORKERS: Final = 1.3


class Effort:
    """The nodes that one question about a margin takes, and its likely answer.

    Args:
        scoring: what counts.

    Examples:
        >>> effort = Effort(Scoring.LEVEL0)
        >>> effort.question(30, 0.0) < effort.question(31, 0.0)
        True
        >>> round(effort.yes(0.0), 2), effort.yes(5.0) > 0.99
        (0.5, True)
    """

    def __init__(self, scoring: Scoring) -> None:
        self._constant, self._growth, self._ease, self._error = _QUESTION[scoring]

    def question(self, free: int, above: float) -> float:
        """The nodes that a question takes.

        Args:
            free: free fields.
            above: the guessed margin minus the one that is asked about, in points.
        """
        return math.exp(self._constant + self._growth * free - self._ease * abs(above))

    def yes(self, above: float) -> float:
        """The probability, above 0 and below 1, of at least the margin that is asked about."""
        steps = min(max(above * 1.7 / self._error, -12.0), 12.0)
        return 1 / (1 + math.exp(-steps))


@dataclass(frozen=True)
class SolveEstimate:
    """A rough estimate of what one thread takes to solve a position.

    Attributes:
        nodes: positions to be searched.
        low, high: a range that holds the truth for about four positions of five.
        nodes_per_second: of one core of this machine, as measured; 0 if it is not known.
        samples: later positions that were solved for it; 0 if the position itself has been solved,
            and `nodes` is exact.
        later: how many plies later the samples are.
        alike: how many times as many nodes it would be if no rows or columns were exchanged.
        seconds: processor time of a core of this machine.
    """

    nodes: float
    low: float
    high: float
    nodes_per_second: float
    samples: int
    later: int
    alike: float = 1.0

    @property
    def seconds(self) -> float:
        return self._seconds(self.nodes)

    @property
    def seconds_range(self) -> tuple[float, float]:
        """The seconds of `low` and of `high`."""
        return self._seconds(self.low), self._seconds(self.high)

    def _seconds(self, nodes: float) -> float:
        return nodes / self.nodes_per_second if self.nodes_per_second else 0.0


def estimate_solve(
    position: Position,
    scoring: Scoring | str | int = Scoring.LEVEL0,
    *,
    samples: int = _SAMPLES,
    at_once: int = _AT_ONCE,
    seed: int = 1,
) -> SolveEstimate:
    """Estimate what solving a position takes, from later positions that are solved at once.

    This takes a second or two. For 84 positions of random games on 8x8 boards and of small boards
    that took from 10^6 to 4 * 10^8 nodes, 94 % of the estimates were within a factor of two.

    Args:
        position: any position.
        scoring: what counts.
        samples: how many later positions to solve, 1 or more.
        at_once: nodes within which the position itself is solved, if it can be; 0 or more.
        seed: of the moves that lead to the samples.

    Raises:
        PositionError: if it is not a position.
        NotationError: if it is not a scoring.
        BudgetError: if `samples` or `at_once` makes no sense.

    Examples:
        >>> from kulami_solver import Layout
        >>> start = Position(Layout.parse("AABBC/AABBC/DDEEF/DDEEF/GGHHI"))
        >>> found = estimate_solve(start)
        >>> found.samples, found.low == found.nodes == found.high
        (0, True)
        >>> guessed = estimate_solve(start, at_once=0)
        >>> guessed.samples, guessed.low < found.nodes < guessed.high
        (64, True)
    """
    position = checked_position(position)
    scoring = Scoring.parse(scoring)
    samples = check_budgets(nodes=samples)[2] or 0
    at_once = number_within(at_once, "at_once", 0, 1 << 61)
    ways = min(_exchanges(position), _MOST_WAYS) if scoring is Scoring.LEVEL0 else 1
    rate = 0.0
    if at_once or position.is_over or position.plies_left == 1:
        begun = clock.process_time()
        found = solve(position, scoring, nodes=max(at_once, 1))
        taken = clock.process_time() - begun
        rate = found.nodes / taken if taken > 0 else 0.0
        if found.exact:
            exact = float(found.nodes)
            return SolveEstimate(exact, exact, exact, rate, 0, 0, ways**0.5)
    draw = seeded(seed)
    plies = position.plies_left
    later = max(plies - _SAMPLE_PLIES, min(4, plies - 1))
    solver = Solver(position, scoring, 1 << 16)
    moves: list[int] = []
    nodes = []
    begun = clock.process_time()
    for _ in range(samples):
        end = _play(position, later, solver, draw, moves)
        nodes.append(1 if end.is_over else max(1, solve(end, scoring).nodes))
    if not rate:
        rate = sum(nodes) / max(clock.process_time() - begun, 1e-9)
    after = [len(position.play(field).legal_fields) for field in position.legal_fields]
    mean = math.log(sum(nodes) / len(nodes)) - _typical(scoring, plies - later)
    replies = math.log(max(sum(after) / len(after), 1) / 7)
    mobility = sum(math.log(count) for count in moves) / len(moves) - math.log(6)
    centre = (
        _typical(scoring, plies)
        + 0.554
        + 0.826 * mean
        + 0.162 * replies
        + (1.663 + 0.117 * later) * mobility
        + math.hypot(
            0.65 * math.log(max(len(position.legal_fields), 12) / 12),
            0.28 * math.log(1 + max(position.free_count - plies - STAY_FREE, 0)),
        )
        - 0.75 * math.log(ways)
    )
    deviation = _SPREAD
    least, most = _EMPTY_MEASURED
    if scoring is Scoring.LEVEL0 and least <= plies <= most and plies == len(position.layout):
        centre += _EMPTY[0] + _EMPTY[1] * (plies - 30)
        deviation = _EMPTY_SPREAD
    spread = _FOUR_OF_FIVE * math.hypot(deviation, _FURTHER * max(0, plies - _MEASURED + 2))
    return SolveEstimate(
        nodes=math.exp(centre),
        low=math.exp(centre - spread),
        high=math.exp(centre + spread),
        nodes_per_second=rate,
        samples=samples,
        later=later,
        alike=ways**0.75,
    )


def _exchanges(position: Position) -> int:
    """In how many ways rows and columns can be exchanged, with the same free fields afterwards."""
    free = position.free_fields
    rows = []
    field = 0
    for row in position.layout.rows:
        squares = []
        for panel in row:
            squares.append((panel, panel != "." and bool(free >> field & 1)))
            field += panel != "."
        rows.append(squares)
    ways = 1
    for lines in (rows, zip(*rows, strict=True)):
        groups = Counter(tuple(line) for line in lines)
        ways *= math.prod(
            math.factorial(count) for line, count in groups.items() if any(free for _, free in line)
        )
    return ways


def expected_seconds(plies: int, scoring: Scoring) -> float:
    """Return the mean seconds that one thread takes to solve a position, by its plies to come.

    Examples:
        >>> expected_seconds(24, Scoring.LEVEL0)
        0.05
    """
    return float(_SOLVED_IN * _SLOWER[scoring] * _LONGER ** (plies - _SOLVED_AT))


def _typical(scoring: Scoring, plies: int) -> float:
    """A(n): the nodes of an 8x8 position of a random game, as a logarithm."""
    start, growth, bend = _TYPICAL[scoring]
    measured = min(plies, _MEASURED) - 20
    further = max(plies - _MEASURED, 0)
    return start + growth * measured + bend * measured**2 + further * (growth + 2 * bend * 12)


def _play(
    position: Position, plies: int, solver: Solver, draw: random.Random, moves: list[int]
) -> Position:
    """Play some plies that look good; add the number of legal moves at each to `moves`.

    A move that leaves one point less is drawn e times less often.
    """
    for _ in range(plies):
        fields = position.legal_fields
        if not fields:
            break
        moves.append(len(fields))
        children = [position.play(field) for field in fields]
        points = []
        for child in children:
            solver.bounds(child)
            points.append(-solver.outlook(1))
        best = max(points)
        weights = [math.exp(one - best) for one in points]
        (position,) = draw.choices(children, weights)
    return position
