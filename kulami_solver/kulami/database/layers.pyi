"""Retrograde analysis (compiled); `layers.pyx` shows how a layer lies in memory."""

from collections.abc import Sequence
from typing import Any

from kulami_solver.kulami.database.shape import Shape
from kulami_solver.kulami.database.shards import SolvedLayer

class LayerRules:
    """The moves of a build: from classes of equivalent positions to their successors."""

    def __init__(self, of: Shape) -> None: ...
    def expand(
        self,
        frames: Any,
        starts: Any,
        details: Any,
        first: bool,
        last: bool,
        bounds: Sequence[int] = (),
        step: int = 0,
    ) -> tuple[tuple[Any, Any, Any], int, int, int, Any]: ...
    def solve(
        self,
        frames: Any,
        starts: Any,
        details: Any,
        first: bool,
        last: bool,
        after: SolvedLayer,
        values: Any,
    ) -> None: ...
