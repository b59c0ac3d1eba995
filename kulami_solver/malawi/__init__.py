"""Malawi, the loopy sibling of Kulami: exact values of every position of small boards.

>>> from kulami_solver import malawi
>>> position = malawi.Position.start(malawi.Board(3, 4)).play("a4-a2")
>>> position.turn, len(position.turns)
('black', 5)
"""

from __future__ import annotations

from .board import Board
from .position import Position
from .searching import SearchInterrupted, search
from .turns import Turn
from .values import Solution, TurnValue, Value

__all__ = [
    "Board",
    "Position",
    "SearchInterrupted",
    "Solution",
    "Turn",
    "TurnValue",
    "Value",
    "search",
]
