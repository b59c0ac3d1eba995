from collections.abc import Callable
from typing import final

from kulami_solver.kulami.solve.heuristics import Viewing

@final
class LearnedTree:
    def __init__(self, viewing: Viewing, seed: int = 0) -> None: ...
    @property
    def viewing(self) -> Viewing: ...
    @property
    def visits(self) -> int: ...
    @property
    def kept(self) -> int: ...
    def look(
        self,
        own: int,
        other: int,
        last: int,
        before: int,
        supply: int,
        visits: int | None = None,
        seconds: float | None = None,
        stopped: Callable[[], bool] | None = None,
        among: int = ...,
        going_on: bool = ...,
    ) -> dict[int, float]: ...
    def line(self) -> list[int]: ...
