from collections.abc import Callable
from typing import final

from kulami_solver.kulami.glance import Viewing

@final
class LearnedTree:
    def __init__(self, viewing: Viewing) -> None: ...
    @property
    def visits(self) -> int: ...
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
    ) -> dict[int, float]: ...
    def line(self) -> list[int]: ...
