from typing import final

from kulami_solver.kulami.position.rules import Geometry

@final
class Textbook:
    def __init__(self, geometry: Geometry, table_bytes: int, areas: bool, chains: bool) -> None: ...
    @property
    def nodes(self) -> int: ...
    def margin(
        self,
        own: int,
        other: int,
        last: int,
        before: int,
        supply: int,
        node_limit: int | None = None,
        time_limit: float | None = None,
    ) -> int | None: ...
