"""How far the search of a position on many workers is, and how a line shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...core.progress import ProgressLine


@dataclass(frozen=True)
class TreeProgress:
    """How far the search of a position on many workers is.

    Attributes:
        lower, upper: bounds of the margin proved so far.
        done: leaves answered, or split since they were too hard, in this run.
        open: jobs under way.
        dropped: jobs whose answers did not matter any more when they were under way.
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
    """Return what shows on a line how far it is."""

    def show(state: TreeProgress) -> None:
        line.show(
            state.done,
            None,
            f"margin {state.lower:+d} to {state.upper:+d}, {state.open} open, "
            f"{state.dropped} dropped",
        )

    return show
