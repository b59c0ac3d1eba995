"""Progress of the search of a position on many workers, and the line that shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ....core.progress import ProgressLine


@dataclass(frozen=True)
class TreeProgress:
    """Progress of the search of a position on many workers.

    Attributes:
        lower, upper: bounds of the margin proved so far.
        done: leaves answered, or split because they were too hard, in this run.
        open: jobs under way.
        dropped: jobs whose answers no longer mattered while they were under way.
        nodes: positions searched in this run.
        seconds: since it began.
    """

    lower: int
    upper: int
    done: int
    open: int
    dropped: int
    nodes: int
    seconds: float


def drawn_on(line: ProgressLine) -> Callable[[TreeProgress], None]:
    """Return a function that shows progress on a line."""

    def show(state: TreeProgress) -> None:
        line.show(
            state.done,
            None,
            f"margin {state.lower:+d} to {state.upper:+d}, {state.open} open, "
            f"{state.dropped} dropped",
        )

    return show
