"""What the weights of a learned evaluation add up to, with panels counted one by one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

UNIT = 64
REPLIES = 16

Panel = tuple[int, int, int, bool, bool]


def weighted(
    numbers: Sequence[int], panels: Sequence[Panel], phases: Sequence[Mapping[str, Any]]
) -> float:
    """The value, in points, of what an evaluation sees of a position: its `features`."""
    plies, replies, second, *terms = numbers
    phase = phases[min(plies // 4, len(phases) - 1)]
    value = phase["parity"][plies % 2] + phase["replies"][min(replies, REPLIES - 1)]
    value += phase["second"] * second
    value += sum(map(math.prod, zip(phase["terms"], terms, strict=True)))
    for size, free, lead, now, later in panels:
        states = [
            (count, difference)
            for count in range(size + 1)
            for difference in range(count - size, size - count + 1)
        ]
        standing, gain, loss = phase["panels"][str(size)][states.index((free, lead))]
        value += standing + now * gain + later * loss
    return float(value) / UNIT
