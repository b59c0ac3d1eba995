from collections.abc import Callable

from kulami_solver.core.table import TranspositionTable
from kulami_solver.kulami.position.rules import Geometry
from kulami_solver.kulami.solve.bounds import LearnedEvaluation
from kulami_solver.kulami.solve.search import Search

class Viewing:
    def __init__(
        self, geometry: Geometry, evaluation: LearnedEvaluation, areas: bool, chains: bool
    ) -> None: ...
    def features(
        self, own: int, other: int, last: int, before: int, supply: int
    ) -> tuple[list[int], list[tuple[int, int, int, bool, bool]]]: ...
    def value(self, own: int, other: int, last: int, before: int, supply: int) -> float: ...

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

def features(search: Search) -> tuple[list[int], list[tuple[int, int, int, bool, bool]]]: ...
