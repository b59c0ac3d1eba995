"""The return of a finished game of Kulami for a learner: the margin, or the outcome alone."""

from __future__ import annotations

from typing import Final

from ..errors import KulamiError
from ..kulami.position.layout import Layout
from ..kulami.position.scoring import Scoring

RETURNS: Final = ("margin", "outcome")
"""The margin in points, or 1, 0 and -1 for win, draw and loss."""

_DIRECTIONS: Final = 4  # in which a marble may be part of a chain


def checked_returns(returns: object) -> str:
    """Return the word if it is one of `RETURNS`.

    Raises:
        KulamiError: otherwise.

    Examples:
        >>> checked_returns("points")
        Traceback (most recent call last):
        ...
        kulami_solver.errors.KulamiError: returns is 'points': write margin or outcome
    """
    if not isinstance(returns, str) or returns not in RETURNS:
        raise KulamiError("returns_kind", given=returns, kinds=" or ".join(RETURNS))
    return returns


def returned(margin: int, returns: str) -> float:
    """Return a margin in the unit of one of `RETURNS`.

    Examples:
        >>> returned(-3, "margin"), returned(-3, "outcome"), returned(0, "outcome")
        (-3.0, -1.0, 0.0)
    """
    return float(margin if returns == "margin" else (margin > 0) - (margin < 0))


def widest_margin(layout: Layout, scoring: Scoring, marbles: int) -> int:
    """Return a number of points that no margin on a layout exceeds.

    A side has at most half of the fields, rounded up, and at most its marbles. It wins no more
    panels than it has marbles, and the larger ones at most; its area and its chains are no larger
    than if it had all fields, and each of its marbles is in four chains at most.

    Examples:
        >>> square = Layout.square()
        >>> [widest_margin(square, scoring, 28) for scoring in Scoring]
        [64, 92, 204, 176]
        >>> widest_margin(Layout.parse("AAB/CCB"), Scoring.LEVEL2, 1)
        3
    """
    fields = len(layout)
    own = min(marbles, (fields + 1) // 2)
    sizes = sorted((panel.size for panel in layout.panels), reverse=True)
    everywhere = (1 << fields) - 1
    margin = sum(sizes[:own])
    if scoring.area:
        margin += min(own, layout.geometry.largest_areas(everywhere, 0)[0])
    if scoring.chains:
        margin += min(_DIRECTIONS * own, layout.geometry.chain_points(everywhere, 0)[0])
    return margin
