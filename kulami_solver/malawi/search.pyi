"""Depth-limited search (compiled); positions are given as to `Rules`."""

from kulami_solver.core.table import TranspositionTable
from kulami_solver.core.watch import Limited
from kulami_solver.malawi.rules import Rules

class Search(Limited):
    """Questions about positions on one board; None means stopped before the answer was found."""

    def __init__(self, rules: Rules, table: TranspositionTable) -> None: ...
    def wins_within(self, own: int, other: int, beads: bytes, plies: int) -> bool | None: ...
    def loses_within(self, own: int, other: int, beads: bytes, plies: int) -> bool | None: ...
