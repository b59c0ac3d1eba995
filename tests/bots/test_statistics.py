"""Statistics of matches and tournaments: what they say of simulated ones, whose truth is known."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from itertools import combinations, product

import numpy as np
import pytest
from numpy.typing import NDArray

from kulami_solver.bots.statistics import Sprt, pair_interval, score_of
from kulami_solver.bots.tournament import rate
from kulami_solver.core.intervals import wilson

# How openings and draws make the two games of a pair depend on each other: the most by which an
# opening shifts the chances of who begins, and the share of its most likely draws.
KINDS = {"independent": (0.0, 0.0), "unbalanced": (0.4, 0.0), "drawish": (0.2, 0.5)}


def simulated_pairs(draw: random.Random, elo: float, swing: float, drawish: float) -> Iterator[int]:
    """Half points of pairs, of a bot that is so much better, in openings that shift its chances."""
    score = score_of(elo)
    while True:
        shift = draw.uniform(-swing, swing)
        points = 0
        for sign in (1, -1):
            chance = min(1.0, max(0.0, score + sign * shift))
            drawn = drawish * 2 * min(chance, 1 - chance)
            place = draw.random()
            points += 2 if place < chance - drawn / 2 else place < chance + drawn / 2
        yield points


def errors(test: Sprt, elo: float, wrong: str, kind: str, matches: int) -> int:
    """How many simulated matches get the wrong answer."""
    draw, found = random.Random(3), 0
    for _ in range(matches):
        counts = [0] * 5
        pairs = simulated_pairs(draw, elo, *KINDS[kind])
        while (verdict := test.verdict(counts)) is None:
            counts[next(pairs)] += 1
        found += verdict == wrong
    return found


@pytest.mark.parametrize(("truth", "wrong"), [(0.0, "H1"), (100.0, "H0")])
def test_it_errs_seldom(truth: float, wrong: str) -> None:
    assert errors(Sprt(0, 100), truth, wrong, "unbalanced", 100) <= 5 + 3 * math.sqrt(5)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("kind", "elo1", "alpha", "beta"),
    [*product(KINDS, [50, 100], [0.05], [0.05]), ("unbalanced", 100, 0.01, 0.1)],
)
def test_it_errs_no_more_than_it_says_in_1000_matches(
    kind: str, elo1: float, alpha: float, beta: float
) -> None:
    """Both errors, within three deviations of what 1,000 matches with the stated rate would show.

    A normal distribution with the variance of the pairs so far has errors of up to 8 %.
    """
    test = Sprt(0, elo1, alpha, beta)
    for truth, wrong, stated in ((0, "H1", alpha), (elo1, "H0", beta)):
        most = 1000 * stated + 3 * math.sqrt(1000 * stated * (1 - stated))
        assert errors(test, truth, wrong, kind, 1000) <= most


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
    assert (np.abs(elo.mean(axis=0) - FIELD) < 0.1 * half.mean(axis=0)).all()


def test_in_a_gauntlet_too() -> None:
    gauntlet = tuple((0, other) for other in range(1, 6))
    elo, half = rate(gauntlet, simulated(gauntlet, 20, 0.3, 0.5), [0.0, *[0.2] * 5])
    inside = np.abs(elo - (np.array(FIELD) - np.mean(FIELD[1:]))) <= half
    assert 0.94 < inside.mean() < 0.98  # on the safe side, as each distance hangs on one pairing
    assert np.allclose(elo[:, 1:].mean(axis=1), 0)


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


def test_intervals_cover() -> None:
    """Wilson's, of rates, and those of pairs."""
    draw = random.Random(1)
    inside = inside_pairs = 0
    for _ in range(1000):
        low, high = wilson(sum(draw.random() < 0.8 for _ in range(60)), 60)
        inside += low <= 0.8 <= high
        pairs = [(draw.random() < 0.6) / 2 + (draw.random() < 0.6) / 2 for _ in range(50)]
        low, high = pair_interval(pairs)
        inside_pairs += low <= 0.6 <= high
    assert 0.92 < inside / 1000 < 0.98
    assert 0.92 < inside_pairs / 1000 < 0.98
