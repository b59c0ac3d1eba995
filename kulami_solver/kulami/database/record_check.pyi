"""The check of a database (compiled)."""

from collections.abc import Sequence
from typing import Any

from kulami_solver.kulami.database.classes import Classes

def check_records(
    classes: Classes,
    ply: int,
    frames: Any,
    starts: Any,
    details: Any,
    values: Any,
    following: Sequence[tuple[Any, Any, Any, Any]],
) -> tuple[int, int, int]: ...
