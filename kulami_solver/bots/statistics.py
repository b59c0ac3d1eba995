"""Statistics for judging bots: intervals of a rate, Elo, and when to stop.

A match is played in pairs: the same opening twice, with colours swapped. A pair is one observation,
the bot's points in it (0, 1/2, 1, 3/2 or 2) halved; so the luck of the opening cancels.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

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
    """A sequential probability ratio test of two differences in Elo.

    Attributes:
        elo0: the bot is better by more than this if the answer is "H1".
        elo1: the bot is better by less than this if the answer is "H0"; more than `elo0`.
        alpha, beta: how often each answer may be wrong.

    Examples:
        >>> test = Sprt(0, 50)
        >>> test.verdict([1.0] * 40), test.verdict([0.0] * 40), test.verdict([0.5, 1.0])
        ('H1', 'H0', None)

    Source: the generalised test with normal approximation that chess engines are tested with;
    M. Van den Bergh, A practical introduction to the GSPRT.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def ratio(self, pairs: Sequence[float]) -> float:
        """Return the logarithm of the likelihood ratio."""
        if not pairs:
            return 0.0
        # A trace of every possible result keeps the variance of equal pairs from being 0.
        prior = 0.02
        every = [0.0, 0.25, 0.5, 0.75, 1.0]
        count = len(pairs) + prior * len(every)
        mean = (sum(pairs) + prior * sum(every)) / count
        squares = sum((pair - mean) ** 2 for pair in pairs)
        squares += prior * sum((result - mean) ** 2 for result in every)
        low, high = score_of(self.elo0), score_of(self.elo1)
        return count * (high - low) * (2 * mean - low - high) / (2 * squares / count)

    @property
    def bounds(self) -> tuple[float, float]:
        """The bounds of the ratio: the answer is "H0" below, "H1" above."""
        return (
            math.log(self.beta / (1 - self.alpha)),
            math.log((1 - self.beta) / self.alpha),
        )

    def verdict(self, pairs: Sequence[float]) -> str | None:
        """Return "H0" or "H1", None while it is open, as it is before the tenth pair.

        The normal distribution describes a few pairs poorly.
        """
        if len(pairs) < LEAST_PAIRS:
            return None
        low, high = self.bounds
        ratio = self.ratio(pairs)
        return "H0" if ratio <= low else "H1" if ratio >= high else None
