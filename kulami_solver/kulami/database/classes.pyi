"""What the records of a database stand for (compiled)."""

from collections.abc import Sequence
from typing import Any

from kulami_solver.kulami.position.rules import Geometry

class Classes:
    """From positions to the records that stand for them."""

    def __init__(
        self,
        geometry: Geometry,
        root_own: int,
        root_other: int,
        areas: bool,
        chains: bool,
        supply: int,
        fields: Sequence[int],
        context_bits: int,
        legal: Any,
        barred: Any,
        panels: Sequence[Sequence[int]],
    ) -> None: ...
    def locate_many(
        self,
        own: Any,
        other: Any,
        last: Any,
        before: Any,
        ply: Any,
        frame: Any,
        detail: Any,
        base: Any,
    ) -> None: ...
