"""Databases, asked for single positions (compiled)."""

from collections.abc import Callable, Sequence
from typing import Any, final

from kulami_solver.core.codebook import Codebook
from kulami_solver.core.records import PackedRecords
from kulami_solver.core.static_function import StaticFunction
from kulami_solver.kulami.database.classes import Classes
from kulami_solver.kulami.database.predictor import Predictor
from kulami_solver.kulami.solve.oracle import Oracle

class Reader:
    """Answers positions from a database; the kinds of file derive from it."""

    def get(self, own: int, other: int, last: int, before: int) -> int | None: ...
    def get_many(
        self, own: Any, other: Any, last: Any, before: Any, margins: Any, absent: int
    ) -> None: ...

class PackedReader(Reader):
    """Answers positions from a database with its keys."""

    def __init__(
        self,
        classes: Classes,
        firsts: Sequence[Sequence[int]],
        fetch: Callable[[int, int], PackedRecords],
        damaged: Callable[[int], Exception],
    ) -> None: ...

class CompactReader(Reader):
    """Answers positions from a database without keys."""

    def __init__(
        self,
        classes: Classes,
        predictor: Predictor,
        codebook: Codebook,
        firsts: Sequence[Sequence[int]],
        fetch: Callable[[int, int], StaticFunction],
        fingerprint: int,
    ) -> None: ...
    def first_other(self, ply: int, frames: Any, starts: Any, details: Any, values: Any) -> int: ...

@final
class DatabaseOracle(Oracle):
    """Answers positions of a search from a database."""

    def __init__(self, reader: PackedReader) -> None: ...
