"""Tones of wood: how pictures tell regions that touch apart."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Final

TONES: Final = 5
"""How many tones there are. Rectangles on a plane need four, but not first come, first served."""


def region_tones(regions: Mapping[tuple[int, int], int]) -> tuple[int, ...]:
    """Return a tone, 0 to 4, for each region; regions that touch differ, whatever can be done.

    Args:
        regions: the number of the region that each square, (column, row), belongs to, from 0.

    Examples:
        >>> region_tones({(0, 0): 0, (1, 0): 0, (2, 0): 1, (2, 1): 2})
        (0, 1, 2)
    """
    beside: list[set[int]] = [set() for _ in range(max(regions.values(), default=-1) + 1)]
    for (column, row), region in regions.items():
        # Corners count: regions that meet in one look like a single one in the same tone.
        for over, down in itertools.product((-1, 0, 1), repeat=2):
            beside[region].add(regions.get((column + over, row + down), region))
    tones: list[int] = []
    for number, neighbours in enumerate(beside):
        taken = {tones[other] for other in neighbours if other < number}
        # The least used of the free tones keeps the board from being mostly one of them.
        free = [tone for tone in range(TONES) if tone not in taken] or list(range(TONES))
        tones.append(min(free, key=tones.count))
    return tuple(tones)
