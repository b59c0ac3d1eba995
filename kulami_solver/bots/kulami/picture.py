"""A board with every legal field's value on it, as SVG."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from ...drawing.shapes import Colour, Shape
from ...drawing.svg import picture_svg
from ...errors import speaking
from ...kulami.drawing.picture import middle_of, picture_of, value_mark
from ...kulami.position.position import Position

_RIGHT: Final[Colour] = (20, 128, 60, 1.0)
_WRONG: Final[Colour] = (196, 30, 34, 1.0)
_OTHER: Final[Colour] = (104, 92, 78, 1.0)


def annotated(
    position: Position, values: Mapping[str, int], played: str | None, language: str = "en"
) -> str:
    """Return the position as SVG, green numbers on the best fields.

    Args:
        position: its game is not over.
        values: margins for the side to move.
        played: the field whose number is red, unless it is one of the best.
        language: of the caption.

    Examples:
        >>> from kulami_solver import Layout
        >>> start = Position(Layout.parse("AAB/CCB")).play("a1")
        >>> annotated(start, {"c1": 0, "a2": -2}, "a2").count("\u22122</text>")
        1
    """
    with speaking(language):
        picture = picture_of(position)
    layout = position.layout
    best = max(values.values())
    shapes: list[Shape] = list(picture.shapes)
    for field, value in values.items():
        colour = _OTHER
        if value == best:
            colour = _RIGHT
        elif field == played:
            colour = _WRONG
        number = f"+{value}" if value > 0 else "\u2212" + str(-value) if value else "0"
        middle = middle_of(layout, layout.index(field))
        shapes += value_mark(*middle, number, colour, thick=colour is not _OTHER)
    return picture_svg(replace(picture, shapes=tuple(shapes)))
