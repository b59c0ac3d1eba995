"""Tones of wood, by which pictures distinguish regions that touch."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Final

TONES: Final = 5
"""The number of tones. Four suffice for rectangles on a plane, but not if chosen one by one."""


def region_tones(regions: Mapping[tuple[int, int], int]) -> tuple[int, ...]:
    """Return a tone, 0 to 4, for each region; regions that touch differ as far as possible.

    Args:
        regions: the number of the region that each square, (column, row), belongs to, from 0.

    Examples:
        >>> region_tones({(0, 0): 0, (1, 0): 0, (2, 0): 1, (2, 1): 2})
        (0, 1, 2)
    """
    beside: list[set[int]] = [set() for _ in range(max(regions.values(), default=-1) + 1)]
    for (column, row), region in regions.items():
        # Corners count: two regions of the same tone that meet in a corner look like one.
        for over, down in itertools.product((-1, 0, 1), repeat=2):
            beside[region].add(regions.get((column + over, row + down), region))
    tones: list[int] = []
    for number, neighbours in enumerate(beside):
        taken = {tones[other] for other in neighbours if other < number}
        # The least used free tone keeps one tone from covering most of the board.
        free = [tone for tone in range(TONES) if tone not in taken] or list(range(TONES))
        tones.append(min(free, key=tones.count))
    return tuple(tones)
