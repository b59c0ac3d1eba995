"""Ratings in Elo from the games of many bots, with intervals: Bradley and Terry's model.

Each bot has a strength. The score expected of two bots depends on the difference of theirs alone:
it is `statistics.score_of` of that difference. A draw is half a win and half a loss, as in the Elo
of a match of two.

Strengths are those of greatest likelihood, with Firth's correction: Jeffreys' prior, which gives
half a win and half a loss to who has nothing else. It takes the bias off small numbers of games and
keeps the rating finite of a bot that has won all of them. It also draws ratings together: two bots
alone are nearer to each other here than in the Elo of their match, the more so the fewer the games.
And their interval hangs on a few pairs alone. So `Tournament.ratings` takes those of a match of two
from the match itself.

Intervals are not those of the likelihood. Two games with the same opening depend on each other, and
draws vary less than wins and losses. So the variance is a sandwich: the inverse information on both
sides of the squares that the games show, where a pair with the same opening is one observation.
Each square is corrected for its own part in the fit (its leverage). `tests/bots/test_ratings.py`
counts how often intervals of simulated tournaments hold the truth.

Sources: R. A. Bradley and M. E. Terry, Rank analysis of incomplete block designs (1952); D. Firth,
Bias reduction of maximum likelihood estimates (1993); R. M. Bell and D. F. McCaffrey, Bias
reduction in standard errors with multi-stage samples (2002).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.intervals import Z95

_PER_LOGIT: Final = 400 / math.log(10)

# This part of a game, half won and half lost, connects a pairing that has no games yet.
_TIE: Final = 1e-3

# A lone pair of games has leverage 1, which would leave its variance unknown.
_MOST_LEVERAGE: Final = 0.5

_ROUNDS: Final = 200
_CLOSE: Final = 1e-9


def rate(
    pairings: Sequence[tuple[int, int]],
    pairs: ArrayLike,
    zero: Sequence[float] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the Elo of each bot, and how far its 95 % interval goes to either side.

    Args:
        pairings: who meets whom, as numbers of bots from 0.
        pairs: for each pairing the scores of its first bot in pairs of games, each from 0 to 1, NaN
            where there is none; axes before these two are tournaments of their own.
        zero: weights of the bots, with sum 1, whose mean rating is Elo 0; equal by default.

    Examples:
        >>> elo, half = rate([(0, 1), (0, 2), (1, 2)], [[0.75, 0.5, 1], [1, 1, 0.75], [0.75, 1, 0]])
        >>> [round(one) for one in elo], [round(one) for one in half]
        ([164, -42, -123], [128, 158, 167])
    """
    scores = np.asarray(pairs, dtype=float)
    number = 1 + max(map(max, pairings))
    # A row for each pairing: 1 for its first bot, -1 for its second.
    design = np.zeros((len(pairings), number))
    for row, (one, two) in zip(design, pairings, strict=True):
        row[one], row[two] = 1, -1
    games = 2 * np.sum(~np.isnan(scores), axis=-1)
    points = 2 * np.nansum(scores, axis=-1)
    strengths = np.zeros((*games.shape[:-1], number))
    for _ in range(_ROUNDS):
        expected = 1 / (1 + np.exp(-strengths @ design.T))
        spread = expected * (1 - expected)
        known = _inverse((games + _TIE) * spread, design)
        leverage = np.einsum("ki,...ij,kj->...k", design, known, design) * spread  # of a game
        prior = games * leverage + _TIE  # so many games, half won and half lost
        beyond = points - games * expected + prior * (0.5 - expected)
        known = _inverse((games + prior) * spread, design)
        step = _applied(known, beyond @ design)
        longest = np.abs(step).max(axis=-1, keepdims=True)
        if longest.max() < _CLOSE:
            break
        strengths += step / np.maximum(1, longest)
    squares = np.nansum((2 * (scores - expected[..., None])) ** 2, axis=-1)
    squares = squares / np.maximum(1 - 2 * leverage, 1 - _MOST_LEVERAGE)
    squares += prior * (expected**2 + (1 - expected) ** 2) / 2
    weights = np.full(number, 1 / number) if zero is None else np.asarray(zero, dtype=float)
    centred = np.eye(number) - weights
    half = centred @ known
    covariance = half @ _summed(squares, design) @ np.swapaxes(half, -1, -2)
    deviation = np.sqrt(np.diagonal(covariance, axis1=-2, axis2=-1))
    return _PER_LOGIT * _applied(centred, strengths), _PER_LOGIT * Z95 * deviation


def _inverse(weights: NDArray[np.float64], design: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the inverse of the information; only differences are known, so the mean stays 0."""
    return np.linalg.inv(_summed(weights, design) + 1 / design.shape[-1])


def _summed(weights: NDArray[np.float64], design: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the matrix over bots that results from a weight for each pairing."""
    return np.asarray((design.T * weights[..., None, :]) @ design)


def _applied(matrix: NDArray[np.float64], vector: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray((matrix @ vector[..., None])[..., 0])
