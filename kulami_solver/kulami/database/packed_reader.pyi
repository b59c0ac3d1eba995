"""A database with its keys, asked for positions (compiled)."""

from collections.abc import Callable, Sequence

from kulami_solver.core.records import PackedRecords
from kulami_solver.kulami.database.classes import Classes
from kulami_solver.kulami.database.reader import Reader

class PackedReader(Reader):
    """Answers positions from a database with its keys."""

    def __init__(
        self,
        classes: Classes,
        firsts: Sequence[Sequence[int]],
        fetch: Callable[[int, int], PackedRecords],
        damaged: Callable[[int], Exception],
    ) -> None: ...
