from kulami_solver.core.table import TranspositionTable
from kulami_solver.kulami.oracle import Oracle
from kulami_solver.kulami.panels import PanelBounds
from kulami_solver.kulami.shared_search import SharedSearch

class Search:
    def __init__(
        self,
        bounds: PanelBounds,
        table: TranspositionTable,
        shared: SharedSearch,
        areas: bool,
        chains: bool,
        oracle: Oracle | None = None,
    ) -> None: ...
    def set_position(
        self, own: int, other: int, last: int, before: int, supply: int
    ) -> tuple[int, int]: ...
    def guess(self) -> int: ...
    def null_window(self, beta: int) -> int | None: ...
    def table_move(self) -> int | None: ...
    def line(
        self,
        own: int,
        other: int,
        last: int,
        before: int,
        supply: int,
        target: int | None,
        reply: int | None,
    ) -> tuple[list[int], bool]: ...
    def identity(self) -> tuple[int, int, int] | None: ...
    def move_bounds(self) -> dict[int, tuple[int, int]]: ...
    def limit_nodes(self, nodes: int) -> None: ...
    @property
    def nodes(self) -> int: ...
    @property
    def hits(self) -> int: ...
