"""Tones of wood: how pictures tell panels that touch apart."""

from __future__ import annotations

import itertools

from ..kulami.layout import Layout

__all__ = ["TONES", "panel_tones"]

TONES = 5
"""How many tones there are. Rectangles on a plane need four, but not first come, first served."""


def panel_tones(layout: Layout) -> tuple[int, ...]:
    """Return a tone, 0 to 4, for each panel; panels that touch differ, whatever can be done.

    Examples:
        >>> from kulami_solver import Layout
        >>> panel_tones(Layout.parse("AAB/AAC"))
        (0, 1, 2)
    """
    at = {
        layout.squares[field]: number
        for number, panel in enumerate(layout.panels)
        for field in panel.fields
    }
    beside: list[set[int]] = [set() for _ in layout.panels]
    for (column, row), panel in at.items():
        # Corners count: panels that meet in one look like a single one in the same tone.
        for over, down in itertools.product((-1, 0, 1), repeat=2):
            beside[panel].add(at.get((column + over, row + down), panel))
    tones: list[int] = []
    for number, neighbours in enumerate(beside):
        taken = {tones[other] for other in neighbours if other < number}
        # The least used of the free tones keeps the board from being mostly one of them.
        free = [tone for tone in range(TONES) if tone not in taken] or list(range(TONES))
        tones.append(min(free, key=tones.count))
    return tuple(tones)
