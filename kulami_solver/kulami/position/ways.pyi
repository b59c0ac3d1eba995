"""Whether moves lead from one position to another, however many plies lie between (compiled)."""

from typing import Any

from kulami_solver.kulami.position.rules import Geometry

class Ways:
    """The ways that lead from one position."""

    def __init__(
        self, geometry: Geometry, own: int, other: int, last: int, before: int
    ) -> None: ...
    def lead_to(self, own: int, other: int, last: int, before: int) -> bool | None: ...
    def lead_to_many(self, own: Any, other: Any, last: Any, before: Any, led: Any) -> None: ...
