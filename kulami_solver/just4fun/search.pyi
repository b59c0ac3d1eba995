"""Double-dummy search (compiled); positions are given as to `Rules`."""

from kulami_solver.core.table import TranspositionTable
from kulami_solver.just4fun.duel import Rules

class Search:
    """Questions about positions on one board; None is "stopped before it was answered"."""

    def __init__(
        self, rules: Rules, table: TranspositionTable, stock: bytes, hand_size: int
    ) -> None: ...
    def reaches(
        self,
        plus: tuple[int, int],
        settled: tuple[int, int],
        hands: tuple[bytes, bytes],
        stones: tuple[int, int],
        side: int,
        drawn: int,
        goal: int,
    ) -> bool | None: ...
    def known_play(
        self,
        plus: tuple[int, int],
        settled: tuple[int, int],
        hands: tuple[bytes, bytes],
        stones: tuple[int, int],
        side: int,
        drawn: int,
    ) -> bytes | None: ...
    def stop(self) -> None: ...
    def limit_nodes(self, nodes: int) -> None: ...
    @property
    def nodes(self) -> int: ...
