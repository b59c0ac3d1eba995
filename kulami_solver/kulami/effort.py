"""How many nodes a search takes, as a rule: what has been measured, and fitted."""

from __future__ import annotations

import math
from typing import Final

from .scoring import Scoring

__all__ = ["Effort"]

_FITTED: Final = {
    Scoring.LEVEL0: (-7.05, 0.619, 0.226, 1.25),
}
_OTHERS: Final = (-9.0, 0.703, 0.062, 2.9)


class Effort:
    def __init__(self, scoring: Scoring) -> None:
        self._constant, self._growth, self._ease, self._spread = _FITTED.get(scoring, _OTHERS)

    def question(self, plies: int, above: float) -> float:
        return math.exp(self._constant + self._growth * plies - self._ease * abs(above))

    def yes(self, above: float) -> float:
        return 1 / (1 + math.exp(-above * 1.7 / self._spread))
