"""The size of the transposition table changes how long a search takes, never what it finds."""

from __future__ import annotations

import pytest
from random_play import random_position

import kulami_solver as ks
from kulami_solver.core.memory import available_memory

GIB = 1 << 30


@pytest.mark.parametrize(
    ("scoring", "largest"),
    [
        (ks.Scoring.LEVEL0, "1G"),
        *(pytest.param(scoring, "1G", marks=pytest.mark.nightly) for scoring in ks.Scoring),
    ],
)
@pytest.mark.landing
def test_the_same_value_from_64_kib_1_mib_and_more(scoring: ks.Scoring, largest: str) -> None:
    if available_memory() < 2 * GIB:
        pytest.skip(f"{available_memory() >> 20} MiB of memory available: 2048 needed")
    free = 33 if scoring is ks.Scoring.LEVEL0 else 32
    position = random_position(ks.Layout.random(1), free, seed=1)
    assert position is not None
    tiny, small, large = (
        ks.solve(position, scoring, memory=memory) for memory in ("64K", "1M", largest)
    )
    assert tiny.exact
    assert small.exact
    assert large.exact
    assert tiny.margin == small.margin == large.margin
    # The tiny table has lost something: the values were not found in the same way.
    assert tiny.nodes > large.nodes
