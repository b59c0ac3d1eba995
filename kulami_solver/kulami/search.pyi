from kulami_solver.core.table import TranspositionTable
from kulami_solver.kulami.oracle import Oracle
from kulami_solver.kulami.panels import PanelBounds
from kulami_solver.kulami.shared_search import SharedSearch
from kulami_solver.kulami.weights import LearnedEvaluation

class Search:
    def __init__(
        self,
        bounds: PanelBounds,
        evaluation: LearnedEvaluation,
        table: TranspositionTable,
        shared: SharedSearch,
        areas: bool,
        chains: bool,
        oracle: Oracle | None = None,
        beside: Search | None = None,
    ) -> None: ...
    def set_position(
        self, own: int, other: int, last: int, before: int, supply: int
    ) -> tuple[int, int]: ...
    def null_window(self, beta: int) -> int | None: ...
    def proving_field(self) -> int | None: ...
    def identity(self) -> tuple[int, int, int] | None: ...
    def move_bounds(self) -> dict[int, tuple[int, int]]: ...
    def limit_nodes(self, nodes: int) -> None: ...
    @property
    def nodes(self) -> int: ...
    @property
    def hits(self) -> int: ...
