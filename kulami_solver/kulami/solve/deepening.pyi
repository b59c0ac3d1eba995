from collections.abc import Callable

from kulami_solver.core.table import TranspositionTable
from kulami_solver.kulami.solve.search import Search

class Deepening:
    def __init__(self, search: Search, table: TranspositionTable) -> None: ...
    @property
    def nodes(self) -> int: ...
    @property
    def depth(self) -> int: ...
    def look(
        self,
        depth: int = 64,
        nodes: int | None = None,
        seconds: float | None = None,
        stopped: Callable[[], bool] | None = None,
        among: int = ...,
        every: bool = False,
    ) -> dict[int, float]: ...

def features(
    search: Search,
) -> tuple[list[int], list[tuple[int, int, int, bool, bool]]]: ...
