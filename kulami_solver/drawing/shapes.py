"""Pictures of boards as shapes, in the order in which they are painted; `svg` and `png` paint them.

Lengths are in units of which a square is 60 wide; a board's upper left corner is at
(MARGIN, MARGIN).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

SQUARE: Final = 60.0
MARGIN: Final = 40.0

Colour = tuple[int, int, int, float]
"""Red, green and blue, 0 to 255, and how opaque, 0 to 1."""


@dataclass(frozen=True)
class Plank:
    """A rectangle with round corners, shaded from its upper to its lower edge."""

    x: float
    y: float
    width: float
    height: float
    radius: float
    upper: Colour
    lower: Colour
    rim: Colour | None = None


@dataclass(frozen=True)
class Grain:
    """Thin lines, each through points."""

    lines: tuple[tuple[tuple[float, float], ...], ...]
    colour: Colour


@dataclass(frozen=True)
class Ball:
    """A disc, lit from the upper left: `light` near there, `dark` at the rim."""

    x: float
    y: float
    radius: float
    light: Colour
    dark: Colour


@dataclass(frozen=True)
class Ring:
    """A circle's line, `radius` to its middle."""

    x: float
    y: float
    radius: float
    width: float
    colour: Colour


@dataclass(frozen=True)
class Label:
    """A text around a point, or to the right of it."""

    x: float
    y: float
    size: float
    text: str
    colour: Colour
    centred: bool = True


Shape = Plank | Grain | Ball | Ring | Label


@dataclass(frozen=True)
class Picture:
    """Shapes on a sheet, with a title and a description for those who cannot see it."""

    width: float
    height: float
    shapes: tuple[Shape, ...]
    title: str
    description: str
