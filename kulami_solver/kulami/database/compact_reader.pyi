"""A database without keys, asked for positions (compiled)."""

from collections.abc import Callable, Sequence
from typing import Any

from kulami_solver.core.codebook import Codebook
from kulami_solver.core.static_function import StaticFunction
from kulami_solver.kulami.database.classes import Classes
from kulami_solver.kulami.database.predictor import Predictor
from kulami_solver.kulami.database.reader import Reader

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
