"""Double-dummy search (compiled); positions are given as to `Rules`."""

from kulami_solver.core.table import TranspositionTable
from kulami_solver.core.watch import Limited
from kulami_solver.just4fun.duel import Rules, View

class Search(Limited):
    """Questions about positions on one board; None means stopped before the answer was found."""

    def __init__(
        self, rules: Rules, table: TranspositionTable, stock: bytes, hand_size: int
    ) -> None: ...
    def reaches(self, view: View, drawn: int, goal: int) -> bool | None: ...
    def known_play(self, view: View, drawn: int) -> bytes | None: ...
