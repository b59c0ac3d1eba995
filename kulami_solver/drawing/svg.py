"""Pictures as SVG."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from html import escape

from .shapes import Ball, Colour, Grain, Label, Picture, Plank, Ring, Shape


def picture_svg(picture: Picture) -> str:
    """Return a picture as an SVG document without a prologue.

    Examples:
        >>> picture_svg(Picture(10, 10, (), "nothing", "at all"))[:4]
        '<svg'
    """
    return _SvgWriter().paint(picture)


def picture_and_marks_svg(
    picture: Picture, marks: Mapping[str, Sequence[Shape]]
) -> tuple[str, dict[str, str]]:
    """Return a picture as an SVG document, and marks that may be put on it later.

    Args:
        picture: the part that does not change.
        marks: the shapes of each mark by its name, around the point (0, 0).

    Returns:
        The document, including the shadings of the marks; and the elements of each mark.

    Examples:
        >>> dot = Ball(0, 0, 5, (0, 0, 0, 1.0), (0, 0, 0, 1.0))
        >>> picture_and_marks_svg(Picture(10, 10, (), "nothing", "at all"), {"dot": [dot]})[1]
        {'dot': '<circle cx="0" cy="0" r="5" fill="#000000"/>'}
    """
    painter = _SvgWriter()
    drawn = {name: painter.elements(shapes) for name, shapes in marks.items()}
    return painter.paint(picture), drawn


class _SvgWriter:
    """Writes shapes, and once each shading that they need."""

    def __init__(self) -> None:
        self._shadings: dict[str, str] = {}

    def paint(self, picture: Picture) -> str:
        shapes = [self._shape(shape) for shape in picture.shapes]
        width, height = _number(picture.width), _number(picture.height)
        return "\n".join(
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
                f'viewBox="0 0 {width} {height}" font-family="Helvetica, Arial, sans-serif">',
                f"<title>{escape(picture.title)}</title>",
                f"<desc>{escape(picture.description)}</desc>",
                "<defs>",
                *self._shadings.values(),
                "</defs>",
                *shapes,
                "</svg>",
            )
        )

    def elements(self, shapes: Sequence[Shape]) -> str:
        return "".join(self._shape(shape) for shape in shapes)

    def _shape(self, shape: Shape) -> str:
        if isinstance(shape, Plank):
            rim = f' stroke="{_hex(shape.rim)}" stroke-width="1"' if shape.rim else ""
            return (
                f'<rect x="{_number(shape.x)}" y="{_number(shape.y)}" '
                f'width="{_number(shape.width)}" height="{_number(shape.height)}" '
                f'rx="{_number(shape.radius)}" {self._fill(shape.upper, shape.lower, "plank")}'
                f"{rim}/>"
            )
        if isinstance(shape, Grain):
            lines = "".join(map(_line, shape.lines))
            return (
                f'<path d="{lines}" fill="none" stroke="{_hex(shape.colour)}" '
                f'stroke-opacity="{shape.colour[3]}"/>'
            )
        if isinstance(shape, Ball):
            return (
                f'<circle cx="{_number(shape.x)}" cy="{_number(shape.y)}" '
                f'r="{_number(shape.radius)}" {self._fill(shape.light, shape.dark, "ball")}/>'
            )
        if isinstance(shape, Ring):
            return (
                f'<circle cx="{_number(shape.x)}" cy="{_number(shape.y)}" '
                f'r="{_number(shape.radius)}" fill="none" stroke="{_hex(shape.colour)}" '
                f'stroke-width="{_number(shape.width)}"/>'
            )
        return _label(shape)

    def _fill(self, first: Colour, second: Colour, kind: str) -> str:
        """Return the attributes that fill a shape from the first colour to the second."""
        if first == second:
            opacity = f' fill-opacity="{first[3]}"' if first[3] < 1 else ""
            return f'fill="{_hex(first)}"{opacity}'
        # Pictures on one page share these names; equal names must mean equal shadings.
        name = f"kulami-{kind}-{_hex(first)[1:]}-{_hex(second)[1:]}"
        element, attributes = (
            ("linearGradient", 'x1="0" y1="0" x2="0" y2="1"')
            if kind == "plank"
            else ("radialGradient", 'cx="0.5" cy="0.5" r="0.5" fx="0.32" fy="0.28"')
        )
        self._shadings[name] = (
            f'<{element} id="{name}" {attributes}><stop offset="0" stop-color="{_hex(first)}"/>'
            f'<stop offset="1" stop-color="{_hex(second)}"/></{element}>'
        )
        return f'fill="url(#{name})"'


def _line(points: Sequence[tuple[float, float]]) -> str:
    """Return a line through points as part of a path: its start, and the steps from there.

    Examples:
        >>> _line([(10.04, 20), (12.04, 19.5), (14, 20)])
        'M10 20l2-.5 2 .5'
    """
    # The steps lie between rounded points, so that rounding errors do not add up.
    rounded = [(round(10 * x), round(10 * y)) for x, y in points]
    steps = [
        re.sub(r"\b0\.", ".", _number((after - before) / 10))
        for one, other in itertools.pairwise(rounded)
        for before, after in zip(one, other, strict=True)
    ]
    x, y = (_number(place / 10) for place in rounded[0])
    return f"M{x} {y}l{' '.join(steps)}".replace(" -", "-")


def _label(label: Label) -> str:
    anchor = ' text-anchor="middle"' if label.centred else ""
    # Not every viewer can centre text vertically; a shift by a third of its size works everywhere.
    return (
        f'<text x="{_number(label.x)}" y="{_number(label.y + label.size * 0.35)}" '
        f'font-size="{_number(label.size)}" fill="{_hex(label.colour)}"{anchor}>'
        f"{escape(label.text)}</text>"
    )


def _hex(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour[:3])


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
