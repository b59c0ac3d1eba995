"""Ratings: what they say of simulated tournaments, whose truth is known."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from kulami_solver.bots.statistics import elo_of, score_of
from kulami_solver.bots.tournament import rate

FIELD = (300.0, 150.0, 50.0, -50.0, -150.0, -300.0)
EVERYONE = tuple(combinations(range(6), 2))
SIMULATIONS = 1_000


def simulated(
    pairings: tuple[tuple[int, int], ...], openings: int, draws: float, bias: float, seed: int = 1
) -> NDArray[np.float64]:
    """Scores in pairs of games of many tournaments of bots of `FIELD`.

    Args:
        pairings: who meets whom.
        openings: how many each pairing plays.
        draws: how much of the rest of a score, below and above, goes to draws.
        bias: how much an opening may help a colour, from 0 to 1; it does so in all pairings.
        seed: of chance.
    """
    draw = np.random.default_rng(seed)
    share = np.array([score_of(FIELD[one] - FIELD[two]) for one, two in pairings])[:, None]
    room = np.minimum(share, 1 - share)
    help_ = draw.uniform(-bias, bias, (SIMULATIONS, 1, openings)) * room

    def games(expected: NDArray[np.float64]) -> NDArray[np.float64]:
        drawn = 2 * draws * np.minimum(expected, 1 - expected)
        chance = draw.random(expected.shape)
        won, not_lost = chance < expected - drawn / 2, chance < expected + drawn / 2
        return (won * 1.0 + not_lost) / 2

    return (games(share + help_) + games(share - help_)) / 2


@pytest.mark.parametrize(
    ("openings", "draws", "bias"),
    [(2, 0.3, 0.5), (10, 0.0, 0.0), (10, 0.3, 1.0), (10, 0.8, 0.3), (50, 0.3, 0.5)],
)
def test_intervals_hold_the_truth_as_often_as_they_say(
    openings: int, draws: float, bias: float
) -> None:
    """A thousand tournaments each, with few games and many, few draws and many."""
    elo, half = rate(EVERYONE, simulated(EVERYONE, openings, draws, bias))
    inside = np.abs(elo - FIELD) <= half
    assert 0.94 < inside.mean() < 0.965
    assert (inside.mean(axis=0) > 0.92).all()
    error = elo.mean(axis=0) - FIELD
    assert (np.abs(error) < 0.1 * half.mean(axis=0)).all()


def test_in_a_gauntlet_too() -> None:
    gauntlet = tuple((0, other) for other in range(1, 6))
    zero = [0.0, *[0.2] * 5]
    elo, half = rate(gauntlet, simulated(gauntlet, 20, 0.3, 0.5), zero)
    truth = np.array(FIELD) - np.mean(FIELD[1:])
    inside = np.abs(elo - truth) <= half
    assert 0.94 < inside.mean() < 0.98  # on the safe side, as each distance hangs on one pairing
    assert np.allclose(elo[:, 1:].mean(axis=1), 0)


def test_pairs_that_cancel_make_narrow_intervals() -> None:
    """Colours that decide every game say nothing of the bots, and nothing against them."""
    whole = rate([(0, 1)], [[0.5] * 50])[1][0]
    assert whole < rate([(0, 1)], [[1.0, 0.0] * 25])[1][0] / 5


def test_of_two_bots_it_is_the_elo_of_their_match() -> None:
    (one, two), _ = rate([(0, 1)], [[1.0, 0.75, 0.5, 0.5] * 200])
    expected = elo_of(0.6875)
    assert expected is not None
    assert abs(one - two - expected) < 0.5


@pytest.mark.parametrize("openings", [1, 2, 10, 1000])
def test_a_bot_that_wins_everything_has_a_rating(openings: int) -> None:
    pairs = [[1.0] * openings, [1.0] * openings, [0.5] * openings]
    elo, half = rate([(0, 1), (0, 2), (1, 2)], pairs)
    assert np.isfinite(elo).all()
    assert elo[0] > elo[1] == pytest.approx(elo[2])
    assert half[0] > 100  # there is no telling how much better it is


def test_games_that_are_missing_are_not_games() -> None:
    none = np.nan
    elo, half = rate([(0, 1), (0, 2), (1, 2)], [[0.75, 1.0], [0.5, none], [none, none]])
    again, wide = rate([(0, 1), (0, 2), (1, 2)], [[1.0, none, 0.75], [none, none, 0.5], [none] * 3])
    assert np.allclose(elo, again)
    assert np.allclose(half, wide)
    assert elo[0] > elo[2] > elo[1]
    nothing, wide = rate([(0, 1)], [[none]])
    assert (nothing == 0).all()
    assert (wide > 3000).all()
