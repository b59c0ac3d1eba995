from collections.abc import Callable
from typing import final

from kulami_solver.kulami.search import Search

@final
class LearnedTree:
    def __init__(self, search: Search) -> None: ...
    @property
    def visits(self) -> int: ...
    def look(
        self,
        visits: int | None = None,
        seconds: float | None = None,
        stopped: Callable[[], bool] | None = None,
        among: int = ...,
    ) -> dict[int, float]: ...
    def line(self) -> list[int]: ...
