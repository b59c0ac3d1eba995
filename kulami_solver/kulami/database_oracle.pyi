"""A solved database as an oracle (compiled)."""

from collections.abc import Callable, Sequence
from typing import final

from kulami_solver.core.records import PackedRecords
from kulami_solver.kulami.classes import Classes
from kulami_solver.kulami.oracle import Oracle

@final
class DatabaseOracle(Oracle):
    """Answers positions from a database."""

    def __init__(
        self,
        classes: Classes,
        firsts: Sequence[Sequence[int]],
        fetch: Callable[[int, int], PackedRecords],
        damaged: Callable[[int], Exception],
    ) -> None: ...
    def get(self, own: int, other: int, last: int, before: int) -> int | None: ...
