"""Plain alpha-beta (compiled), the yardstick of the double-dummy search."""

from typing import final

from kulami_solver.just4fun.duel import Rules, View

@final
class Textbook:
    """Double-dummy values by textbook alpha-beta."""

    nodes: int
    def __init__(self, rules: Rules, entries: int, stock: bytes, hand_size: int) -> None: ...
    def value(self, view: View, node_limit: int = -1) -> int | None: ...
