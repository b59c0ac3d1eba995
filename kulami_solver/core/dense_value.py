"""The value of a slot, in the 16 bits that `core/dense.pxd` shows and databases keep."""

from __future__ import annotations

from typing import Final, Literal

DECIDED: Final = 0x8000
LOSS: Final = 0x4000
PLIES: Final = 0x3FFF


def outcome_of(value: int) -> Literal["win", "draw", "loss"]:
    """Win, draw or loss for the side to move, in a word.

    Examples:
        >>> outcome_of(0), outcome_of(DECIDED | 7), outcome_of(DECIDED | LOSS | 4)
        ('draw', 'win', 'loss')
    """
    if not value & DECIDED:
        return "draw"
    return "loss" if value & LOSS else "win"


def plies_of(value: int) -> int | None:
    """Plies to the end, None for a draw.

    Examples:
        >>> plies_of(DECIDED | LOSS | 4)
        4
    """
    return value & PLIES if value & DECIDED else None
