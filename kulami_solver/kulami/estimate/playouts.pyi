from collections.abc import Callable
from typing import ClassVar, final

from kulami_solver.kulami.position.rules import Geometry

@final
class DepthSearch:
    def __init__(self, geometry: Geometry, areas: bool, chains: bool) -> None: ...
    @property
    def nodes(self) -> int: ...
    def best(
        self,
        own: int,
        other: int,
        last: int,
        before: int,
        supply: int,
        depth: int,
        node_limit: int | None = None,
        time_limit: float | None = None,
        stopped: Callable[[], bool] | None = None,
    ) -> tuple[int, int, int]: ...

@final
class TreeSearch:
    WIDE: ClassVar[int]
    def __init__(
        self,
        geometry: Geometry,
        areas: bool,
        chains: bool,
        seed: int,
        exploration: float = 0.5,
    ) -> None: ...
    @property
    def playouts(self) -> int: ...
    def best(
        self,
        own: int,
        other: int,
        last: int,
        before: int,
        supply: int,
        playouts: int | None = None,
        time_limit: float | None = None,
        stopped: Callable[[], bool] | None = None,
        among: int = ...,
    ) -> tuple[int, float]: ...
