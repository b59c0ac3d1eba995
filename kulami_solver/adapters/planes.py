"""Kulami for learners in other frameworks: positions as planes of numbers, and returns of games.

    AAB      own      1 . .     legal   . . 1     panel_id   1 1 2
    CCB               . . .             . . .                3 3 2

A plane is as high and as wide as the layout, or as a larger grid with the layout in its top left
corner. A square without a field is 0 in all planes but `to_move` and `ones`, which are constant.

The return of a finished game is its margin, or its outcome alone.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..core.notation import BLACK, RED
from ..errors import KulamiError, LayoutError, quoted
from ..kulami.position.layout import Layout
from ..kulami.position.layout_text import MAX_FIELDS
from ..kulami.position.position import Position
from ..kulami.position.scoring import Scoring

PLACED: Final = ("red", "black", "turn", "last", "before")
"""The columns that say a position on its layout, named as `restored` has them."""

PLANES: Final = (
    "own",
    "other",
    "legal",
    "barred",
    "last",
    "before",
    "fields",
    "panel_size",
    "panel_id",
    "to_move",
    "ones",
)
"""The names of the planes, in their order.

own, other    marbles of the player who looks, and of the other one
legal         fields that the side to move may play; none once the game is over
barred        fields of the two panels that are barred to the next marble
last, before  the newest marble, and the one before it
fields        where there is a field at all
panel_size    how many fields the panel has that a field is on
panel_id      which panel that is, counted from 1 in the order of the panels' first fields
to_move       1 throughout if the player who looks is to move
ones          1 throughout
"""

HIGHEST: Final = MAX_FIELDS
"""No number in a plane is higher; the lowest is 0."""

RETURNS: Final = ("margin", "outcome")
"""The margin in points, or 1, 0 and -1 for win, draw and loss."""

_DIRECTIONS: Final = 4  # in which a marble may be part of a chain

_SEATS: Final = (RED, BLACK)
MOVING: Final = 6  # planes, the first ones, that change from position to position
TO_MOVE: Final = PLANES.index("to_move")


class Planes:
    """Makes the planes of positions on one layout.

    Args:
        layout: the layout.
        height, width: of the planes, if they are to be larger than the layout.

    Raises:
        LayoutError: if the layout does not fit in.

    Examples:
        >>> planes = Planes(Layout.parse("AAB/CCB"))
        >>> array = planes.of(Position(planes.layout).play("a1"), seat=1)
        >>> array.shape, array[PLANES.index("other")].tolist()
        ((11, 2, 3), [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
        >>> array[PLANES.index("panel_id")].tolist(), bool(array[PLANES.index("to_move")].all())
        ([[1.0, 1.0, 2.0], [3.0, 3.0, 2.0]], True)
    """

    def __init__(self, layout: Layout, height: int | None = None, width: int | None = None) -> None:
        height = layout.height if height is None else height
        width = layout.width if width is None else width
        if layout.height > height or layout.width > width:
            raise LayoutError(
                f"a layout of {layout.width}x{layout.height} squares does not fit in planes of "
                f"{width}x{height}: make them larger"
            )
        self.layout: Final = layout
        self.shape: Final = (len(PLANES), height, width)
        squares = np.array(layout.squares, np.intp)
        self.columns, self.rows = squares[:, 0], squares[:, 1]
        masks = [sum(1 << field for field in panel.fields) for panel in layout.panels]
        panels = [layout.panels.index(layout.panel_of(field)) for field in range(len(layout))]
        self._panel_masks = [masks[panel] for panel in panels]
        self.still: Final = np.zeros(self.shape, np.float32)
        at = (self.rows, self.columns)
        self.still[PLANES.index("fields")][at] = 1
        self.still[PLANES.index("panel_size")][at] = [layout.panels[p].size for p in panels]
        self.still[PLANES.index("panel_id")][at] = [panel + 1 for panel in panels]
        self.still[PLANES.index("ones")] = 1

    def of(self, position: Position, seat: int) -> NDArray[np.float32]:
        """Return the planes of a position.

        Args:
            position: on the layout.
            seat: who looks, 0 for red and 1 for black.
        """
        planes = np.empty(self.shape, np.float32)
        self.write(position, seat, planes)
        return planes

    def many(
        self,
        own: NDArray[Any],
        other: NDArray[Any],
        legal: NDArray[Any],
        last: NDArray[Any],
        before: NDArray[Any],
    ) -> NDArray[np.float32]:
        """Return the planes of positions on the layout, as the side to move sees them.

        Args:
            own, other, legal: masks, one a position.
            last, before: the newest marble and the one before it, -1 for none.
        """
        panels = np.array([*self._panel_masks, 0], "<u8")  # -1 is the last
        fields = np.array([*(1 << field for field in range(len(self.layout))), 0], "<u8")
        barred = panels[last] | panels[before]
        masks = np.stack([own, other, legal, barred, fields[last], fields[before]], 1)
        words = np.ascontiguousarray(masks.astype("<u8")).view(np.uint8)
        bits = np.unpackbits(words.reshape(len(masks), MOVING, 8), axis=2, bitorder="little")
        planes = np.repeat(self.still[None], len(masks), axis=0)
        planes[:, :MOVING, self.rows, self.columns] = bits[..., : len(self.layout)]
        planes[:, TO_MOVE] = 1
        return planes

    def write(self, position: Position, seat: int, planes: NDArray[np.float32]) -> None:
        """Write the planes of a position into an array of `shape`."""
        marbles = (position.red, position.black)
        last, before = position.last_field, position.barred_field
        barred = (self._panel_masks[last] if last >= 0 else 0) | (
            self._panel_masks[before] if before >= 0 else 0
        )
        masks = np.array(
            [
                marbles[seat],
                marbles[1 - seat],
                position.legal_mask,
                barred,
                1 << last if last >= 0 else 0,
                1 << before if before >= 0 else 0,
            ],
            "<u8",
        )
        bits = np.unpackbits(masks.view(np.uint8).reshape(MOVING, 8), axis=1, bitorder="little")
        planes[:] = self.still
        planes[:MOVING, self.rows, self.columns] = bits[:, : len(self.layout)]
        if not position.is_over and position.turn == _SEATS[seat]:
            planes[TO_MOVE] = 1


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
        raise KulamiError(f"returns is {quoted(returns)}: write {' or '.join(RETURNS)}")
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
