"""Malawi, a sibling of Kulami in which positions can repeat: exact values on small boards.

>>> from kulami_solver import malawi
>>> position = malawi.Position.start(malawi.Board(3, 4)).play("a4-a2")
>>> position.turn, len(position.legal_turns)
('black', 5)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core import (
    compiled,  # noqa: F401  (it says why, if the compiled modules cannot run here)
    imported_when_used,
)
from .board import Board
from .board import Turn as Turn
from .position import Position
from .searching import search, solve
from .values import Solution as Solution
from .values import Value as Value

if TYPE_CHECKING:
    from .building import build, verify
    from .probe import Database
    from .solving import Solved as Solved
    from .solving import solve_board

__all__ = ["Board", "Database", "Position", "build", "search", "solve", "solve_board", "verify"]

_HOMES = {
    "building": ("build", "verify"),
    "probe": ("Database",),
    "solving": ("Solved", "solve_board"),
}

if not TYPE_CHECKING:  # a type checker would accept any name
    # Databases are imported at first use, and NumPy with them.
    __getattr__ = imported_when_used(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
