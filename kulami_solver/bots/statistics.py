"""Statistics for judging bots: intervals of a rate, Elo, and when to stop.

A match is played in pairs: the same opening twice, with colours swapped. A pair is one observation,
the bot's points in it (0, 1/2, 1, 3/2 or 2) halved; so the luck of the opening cancels.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from ..core.intervals import Z95, wilson

LEAST_PAIRS: Final = 10
"""Pairs before which a test gives no answer."""


def elo_of(score: float) -> float | None:
    """Return the difference in Elo at which this score is expected, None for 0 and 1.

    Examples:
        >>> round(elo_of(0.75)), elo_of(0.5), elo_of(1.0)
        (191, 0.0, None)
    """
    if not 0 < score < 1:
        return None
    return 400 * math.log10(score / (1 - score)) + 0.0


def score_of(elo: float) -> float:
    """Return the score expected at a difference in Elo.

    Examples:
        >>> score_of(0), round(score_of(191), 3)
        (0.5, 0.75)
    """
    return 1 / (1 + 10 ** (-elo / 400))


def pair_interval(pairs: Sequence[float]) -> tuple[float, float]:
    """Return an interval of the score from the scores of pairs.

    Args:
        pairs: each from 0 to 1.

    Where the pairs hardly differ their variance says little, and Wilson's interval is returned if
    it is the wider one.

    Examples:
        >>> [round(bound, 2) for bound in pair_interval([0.5, 1, 1, 0.5, 0.75, 0.25])]
        [0.42, 0.91]
        >>> pair_interval([1.0] * 100)[0] > 0.96
        True
    """
    count = len(pairs)
    if not count:
        return 0.0, 1.0
    mean = sum(pairs) / count
    if 0 < mean < 1 and count > 1:
        variance = sum((pair - mean) ** 2 for pair in pairs) / (count - 1)
        if variance * count > 0.5:
            half = Z95 * math.sqrt(variance / count)
            return max(0.0, mean - half), min(1.0, mean + half)
    return wilson(sum(pairs), count)


def normalized(pairs: Sequence[float]) -> float | None:
    """Return how far the mean of pairs lies from 1/2, in standard deviations of a pair.

    Args:
        pairs: the share of the points in each pair, from 0 to 1.

    Returns:
        None if there are fewer than two, or all are alike.

    Examples:
        >>> round(normalized([0.5, 1, 0.5, 1]), 3), normalized([0.5, 0.5]), normalized([1])
        (0.866, None, None)
    """
    if len(set(pairs)) < 2:
        return None
    return (statistics.fmean(pairs) - 0.5) / statistics.stdev(pairs)


@dataclass(frozen=True)
class Sprt:
    """A sequential probability ratio test of two differences in Elo, on pairs of games.

    The model is pentanomial: a pair has one of five results, and nothing is assumed of their
    shares but the mean, which H0 and H1 give. So neither the luck of openings, which makes the two
    games of a pair depend on each other, nor the share of draws disturbs the test.

    Attributes:
        elo0: H0, "the bot is better by so much"; if the answer is "H1", it is better by more.
        elo1: H1, likewise; more than `elo0`. If the answer is "H0", it is better by less.
        alpha: how often the answer may be "H1" although H0 is true.
        beta: how often the answer may be "H0" although H1 is true.

    Examples:
        >>> test = Sprt(0, 50)
        >>> test.verdict([0, 0, 0, 0, 40]), test.verdict([40, 0, 0, 0, 0])
        ('H1', 'H0')
        >>> test.verdict([0, 0, 1, 0, 1]) is None, round(test.ratio([2, 5, 20, 9, 4]), 2)
        (True, 0.68)

    Source: the generalised test that chess engines are tested with; M. Van den Bergh, A practical
    introduction to the GSPRT. `tests/bots/test_statistics.py` counts its errors in simulations.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    model: ClassVar[str] = "pentanomial"

    def ratio(self, counts: Sequence[int]) -> float:
        """Return the logarithm of the likelihood ratio, of H1 to H0.

        Args:
            counts: how many pairs have 0, 1/2, 1, 3/2 and 2 points.
        """
        weights = [count + _TRACE for count in counts]
        (low, tilt_low), (high, tilt_high) = (
            (score, _tilt(weights, score)) for score in map(score_of, (self.elo0, self.elo1))
        )
        return sum(
            weight * math.log((1 + tilt_low * (share - low)) / (1 + tilt_high * (share - high)))
            for weight, share in zip(weights, _SHARES, strict=True)
        )

    @property
    def bounds(self) -> tuple[float, float]:
        """The bounds of the ratio: the answer is "H0" below, "H1" above."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def verdict(self, counts: Sequence[int]) -> str | None:
        """Return "H0" or "H1", None while it is open, as it is before the tenth pair.

        A few pairs say little of the shares of their results.
        """
        if sum(counts) < LEAST_PAIRS:
            return None
        low, high = self.bounds
        ratio = self.ratio(counts)
        return "H0" if ratio <= low else "H1" if ratio >= high else None


_SHARES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)

# A trace of every result keeps those that have not come yet possible.
_TRACE: Final = 0.02


def _tilt(weights: Sequence[float], score: float) -> float:
    """Return how likelihood tilts the results' shares towards a mean.

    Of all shares with this mean those of greatest likelihood are in proportion to
    weight / (1 + tilt * (share - mean)); the mean falls as the tilt grows.
    """
    least, most = -1 / (1 - score), 1 / score
    for _ in range(_HALVINGS):
        tilt = (least + most) / 2
        beyond = sum(
            weight * (share - score) / (1 + tilt * (share - score))
            for weight, share in zip(weights, _SHARES, strict=True)
        )
        least, most = (tilt, most) if beyond > 0 else (least, tilt)
    return (least + most) / 2


_HALVINGS: Final = 40
