"""Confidence intervals of a rate found by trials."""

from __future__ import annotations

import math
from typing import Final

Z95: Final = 1.959963984540054
"""Half the width, in standard deviations, of a 95 % interval of the normal distribution."""


def wilson(hits: float, trials: int) -> tuple[float, float]:
    """Return Wilson's 95 % confidence interval of a rate.

    Args:
        hits: from 0 to `trials`; need not be whole.
        trials: how many; with 0 nothing is known.

    Examples:
        >>> [round(bound, 3) for bound in wilson(8, 10)]
        [0.49, 0.943]
        >>> wilson(0, 0)
        (0.0, 1.0)

    Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference,
    Journal of the American Statistical Association 22 (1927).
    """
    if not trials:
        return 0.0, 1.0
    rate, z = hits / trials, Z95
    scale = 1 + z * z / trials
    centre = (rate + z * z / (2 * trials)) / scale
    half = z / scale * math.sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials))
    # All and nothing are bounds themselves; rounding must not move them inwards.
    low = 0.0 if hits == 0 else max(0.0, centre - half)
    high = 1.0 if hits == trials else min(1.0, centre + half)
    return low, high
