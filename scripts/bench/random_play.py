"""Positions of random games, the same from a seed on every machine: what benchmarks run on."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import kulami_solver as ks

__all__ = ["few_marbles", "positions", "random_position"]


def random_position(layout: ks.Layout, free: int, seed: int) -> ks.Position | None:
    """Play at random from the empty board until so many fields are free.

    Args:
        layout: the layout to play on.
        free: free fields to stop at.
        seed: of random.Random, of which only random() is drawn.

    Returns:
        The position, None if the game was over by then, or before.

    Examples:
        >>> position = random_position(ks.Layout.square(), 24, seed=1)
        >>> position is not None and position.free_count
        24
    """
    draw = random.Random(seed)
    position = ks.Position(layout)
    while position.free_count > free and not position.is_over:
        fields = position.legal_fields
        position = position.play(fields[int(draw.random() * len(fields))])
    return None if position.is_over else position


def positions(free: int) -> Iterator[ks.Position]:
    """Yield positions with so many free fields on random square layouts, without end.

    The seeds count from 1; those whose game was over before are left out.
    """
    for seed in itertools.count(1):
        position = random_position(ks.Layout.random(seed), free, seed)
        if position is not None:
            yield position


def few_marbles(marbles: int, plies: int) -> Iterator[ks.Position]:
    """Yield positions of games with so many marbles of each colour, so many plies from their end.

    They are on random square layouts, as those of `positions`.
    """
    for seed in itertools.count(1):
        draw = random.Random(seed)
        position = ks.Position(ks.Layout.random(seed), marbles=marbles)
        while position.plies_left > plies and not position.is_over:
            fields = position.legal_fields
            position = position.play(fields[int(draw.random() * len(fields))])
        if not position.is_over:
            yield position
