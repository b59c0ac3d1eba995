"""A solved database as the search asks it (compiled)."""

from collections.abc import Callable, Sequence

from kulami_solver.core.records import Part
from kulami_solver.kulami.classes import Classes

class Oracle:
    """Answers positions from a database."""

    failure: BaseException | None
    def __init__(
        self,
        classes: Classes,
        firsts: Sequence[Sequence[int]],
        fetch: Callable[[int, int], Part],
        damaged: Callable[[int], Exception],
    ) -> None: ...
