"""Values of a numbered game checked by one look forward from every slot (compiled)."""

from typing import Any

from kulami_solver.core.dense import Reached

def first_wrong(reached: Reached, begin: int, end: int, counts: Any) -> tuple[int, str] | None: ...
