"""Pictures as SVG, and in a notebook's HTML with what is known of a position beside them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from .shapes import Ball, Colour, Grain, Label, Picture, Plank, Shape


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
            size = _lengths(width=shape.width, height=shape.height, rx=shape.radius)
            fill = self._fill(shape.upper, shape.lower, "plank")
            return f"<rect {_lengths(x=shape.x, y=shape.y)} {size} {fill}{rim}/>"
        if isinstance(shape, Grain):
            lines = "".join(map(_line, shape.lines))
            return (
                f'<path d="{lines}" fill="none" stroke="{_hex(shape.colour)}" '
                f'stroke-opacity="{shape.colour[3]}"/>'
            )
        if isinstance(shape, Label):
            return _label(shape)
        circle = f"<circle {_lengths(cx=shape.x, cy=shape.y, r=shape.radius)}"
        if isinstance(shape, Ball):
            return f"{circle} {self._fill(shape.light, shape.dark, 'ball')}/>"
        stroke = f'stroke="{_hex(shape.colour)}" stroke-width="{_number(shape.width)}"'
        return f'{circle} fill="none" {stroke}/>'

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
    place = _lengths(x=label.x, y=label.y + label.size * 0.35)
    drawn = f'font-size="{_number(label.size)}" fill="{_hex(label.colour)}"{anchor}'
    return f"<text {place} {drawn}>{escape(label.text)}</text>"


def _hex(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour[:3])


def _lengths(**values: float) -> str:
    return " ".join(f'{name}="{_number(value)}"' for name, value in values.items())


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


# The style of a cell of a table.
_LEFT = ' style="text-align:left;vertical-align:top"'


def _table(rows: Iterable[tuple[str, str]], heads: tuple[str, str] | None = None) -> str:
    """Return a table of two columns.

    Args:
        rows: the table's texts.
        heads: the headings of the columns; without them the first column holds the rows' headings.

    Examples:
        >>> _table([("a1", "draw")], ("field", "value")).count("<th")
        2
    """
    first = "th" if heads is None else "td"
    lines = [] if heads is None else [_row(heads, "th", "th")]
    lines += [_row(row, first, "td") for row in rows]
    return f"<table>{''.join(lines)}</table>"


def _row(row: tuple[str, str], first: str, second: str) -> str:
    return (
        f"<tr><{first}{_LEFT}>{escape(row[0])}</{first}>"
        f"<{second}{_LEFT}>{escape(row[1])}</{second}></tr>"
    )


def _beside(picture: str, tables: Sequence[str]) -> str:
    """Return a picture with tables beside it, or below it if there is no room.

    Args:
        picture: an SVG document without a prologue.
        tables: of HTML.

    Examples:
        >>> _beside("<svg ></svg>", [_table([])]).startswith("<div")
        True
    """
    fitting = picture.replace("<svg ", '<svg style="max-width:100%;height:auto" ', 1)
    return (
        '<div style="display:flex;flex-wrap:wrap;gap:1em;align-items:flex-start">'
        f'<div style="flex:0 1 26em;min-width:12em">{fitting}</div>'
        f'<div style="flex:1 1 16em">{"".join(tables)}</div></div>'
    )


def with_value(
    picture: str,
    value: str,
    best: object,
    line: Iterable[object],
    moves: Iterable[tuple[object, str]],
    move_word: str = "move",
) -> str:
    """Return a position's picture with its value, its best line and its moves.

    Args:
        picture: an SVG document without a prologue.
        value: the value of the position, in words.
        best: a move that keeps the value, None if none is known.
        line: best play from here.
        moves: legal moves, each with its value; none if they were not asked for.
        move_word: the game's word for a move.

    Examples:
        >>> with_value("<svg ></svg>", "red wins", "a1", ["a1", "c1"], []).count("<tr>")
        3
    """
    rows = [("value", value)]
    if best is not None:
        rows.append(("best", str(best)))
    if played := " ".join(map(str, line)):
        rows.append(("line", played))
    tables = [_table(rows)]
    if found := [(str(move), worth) for move, worth in moves]:
        tables.append(_table(found, (move_word, "value")))
    return _beside(picture, tables)
