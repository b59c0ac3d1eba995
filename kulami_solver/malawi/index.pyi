"""The dense index of Malawi (compiled); `index.pyx` shows how numbers are made."""

from typing import Final

from kulami_solver.core.dense import DenseGame
from kulami_solver.malawi.rules import Rules

MOST_SLOTS: Final[int]

def count_parts(columns: int, rows: int, beads: int) -> list[tuple[int, int, int]]: ...

class Index(DenseGame):
    """The numbers of all positions on a board."""

    def __init__(self, columns: int, rows: int, beads: int) -> None: ...
    @property
    def rules(self) -> Rules: ...
    @property
    def parts(self) -> tuple[tuple[int, int, int], ...]: ...
    def slot(self, own: int, other: int, beads: bytes) -> int: ...
    def position(self, slot: int) -> tuple[int, int, bytes]: ...
