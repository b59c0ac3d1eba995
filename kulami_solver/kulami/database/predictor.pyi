"""The contexts of records (compiled); `predictor.pxd` says what they are made of."""

from typing import Any

from kulami_solver.kulami.database.classes import Classes

class Predictor:
    """Finds the contexts of a database's records."""

    cells: int
    panels: int

    def __init__(
        self,
        classes: Classes,
        legal: Any,
        weights: Any = None,
        dropped: int = 0,
        by_live: bool = True,
        by_legal: bool = True,
    ) -> None: ...
    def contexts_of(
        self,
        ply: int,
        frames: Any,
        starts: Any,
        details: Any,
        values: Any,
        cells: Any = None,
    ) -> tuple[Any, Any]: ...
