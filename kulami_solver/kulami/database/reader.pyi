"""Databases, asked for single positions (compiled)."""

from collections.abc import Callable, Sequence
from typing import final

from kulami_solver.core.records import PackedRecords
from kulami_solver.kulami.database.classes import Classes
from kulami_solver.kulami.solve.table import Oracle

class Reader:
    """Answers positions from a database."""

    def __init__(
        self,
        classes: Classes,
        firsts: Sequence[Sequence[int]],
        fetch: Callable[[int, int], PackedRecords],
        damaged: Callable[[int], Exception],
    ) -> None: ...
    def get(self, own: int, other: int, last: int, before: int) -> int | None: ...

@final
class DatabaseOracle(Oracle):
    """Answers positions of a search from a database."""

    def __init__(self, reader: Reader) -> None: ...
