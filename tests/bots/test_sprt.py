"""The test that may end a match: what it says, and how often it errs in simulated matches."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator
from itertools import product

import pytest

from kulami_solver.bots.match import MatchReport, Result
from kulami_solver.bots.statistics import Sprt, score_of

# How openings and draws make the two games of a pair depend on each other: the most by which an
# opening shifts the chances of who begins, and the share of its most likely draws.
KINDS = {"independent": (0.0, 0.0), "unbalanced": (0.4, 0.0), "drawish": (0.2, 0.5)}


def simulated(draw: random.Random, elo: float, swing: float, drawish: float) -> Iterator[int]:
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
        pairs = simulated(draw, elo, *KINDS[kind])
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


def test_each_answer_has_its_own_rate_of_errors() -> None:
    low, high = Sprt(0, 50, alpha=0.01, beta=0.2).bounds
    assert low == pytest.approx(math.log(0.2 / 0.99))
    assert high == pytest.approx(math.log(0.8 / 0.01))


def test_the_ratio_is_that_of_the_greatest_likelihoods() -> None:
    """Where there are but two results, their shares follow from the mean alone."""
    test = Sprt(0, 100)
    low, high = score_of(0), score_of(100)
    by_hand = 3000 * math.log(high / low) + 1000 * math.log((1 - high) / (1 - low))
    assert test.ratio([1000, 0, 0, 0, 3000]) == pytest.approx(by_hand, rel=1e-3)
    assert test.ratio([10, 20, 30, 20, 10]) < 0 < test.ratio([0, 1, 10, 20, 30])
    back = Sprt(-100, 0).ratio([30, 20, 10, 1, 0])
    assert back == pytest.approx(-test.ratio([0, 1, 10, 20, 30]))


def test_what_is_not_decided_names_the_ratio_and_what_is_tested() -> None:
    report = MatchReport("one", "two", Sprt(0, 100, 0.05, 0.1))
    report.add(0, [Result(0, 1, 1), Result(1, 1, -1)])
    assert re.search(r"SPRT     not decided: LLR -?\d\.\d\d \(-", report.text())
    tested = "of H0 +0 Elo and H1 +100 Elo, alpha 0.05, beta 0.1, pentanomial model of pairs"
    assert report.text().splitlines()[-1].strip() == tested
    told = report.to_json()["sprt"]
    expected = {"elo0": 0, "elo1": 100, "alpha": 0.05, "beta": 0.1, "model": "pentanomial"}
    assert told == told | expected | {"verdict": None, "elo_biased": False}
