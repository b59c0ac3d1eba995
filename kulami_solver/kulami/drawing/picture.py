"""The picture of a board: its shapes, their places and their colours.

`drawing/shapes.py` describes the shapes.

    +----------------------+
    |    a    b    c       |      names of columns and rows in the margin
    | 1  (  )(  )|(  )     |      a plank for each panel, a hole for each field
    | 2  (  )(  )|(  )     |      marbles, rings on the last two, green on legal fields
    |  black to move ...   |      how the game stands, in as many lines as it takes
    +----------------------+
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...drawing.shapes import (
    BLACK,
    INK,
    MARGIN,
    RED,
    SQUARE,
    Ball,
    Colour,
    Grain,
    Label,
    Picture,
    Plank,
    Ring,
    Shape,
    middle,
    named_squares,
    paper,
    sheet,
)
from ..position.edition import MARBLES
from .render import (
    Facts,
    LayoutFacts,
    PanelFacts,
    Values,
    layout_and_position,
    panel_tones,
    value_label,
)

_GAP = 1.5  # from a panel's squares to the panel's edge
_MARBLE = 22.0

# Of a score sheet: a line, and a column of lines.
_LINE = 30.0
_COLUMN = 240.0

_SHADOW: Colour = (60, 40, 20, 0.30)
_CUT: Colour = (92, 58, 26, 1.0)
_GRAIN: Colour = (92, 52, 16, 0.16)
_LEGAL: Colour = (36, 150, 72, 1.0)
_MARK: Colour = (255, 246, 214, 1.0)
_NAME: Colour = (255, 240, 214, 0.95)

# For fields with a value: the card below it, and the ink of fields that win, draw and lose.
# Everybody can tell blue and orange apart, and the numbers have their signs, too.
_CARD: Colour = (255, 252, 244, 1.0)
_WINS: Colour = (16, 92, 168, 1.0)
_DRAWS: Colour = (104, 92, 78, 1.0)
_LOSES: Colour = (184, 82, 0, 1.0)

# The light upper and the darker lower edge of a plank, by its tone.
_WOODS: tuple[tuple[Colour, Colour], ...] = (
    ((226, 180, 122, 1.0), (209, 160, 100, 1.0)),
    ((188, 132, 80, 1.0), (170, 114, 64, 1.0)),
    ((240, 208, 152, 1.0), (226, 190, 130, 1.0)),
    ((208, 146, 92, 1.0), (190, 128, 76, 1.0)),
    ((214, 172, 104, 1.0), (196, 152, 84, 1.0)),
)
_HOLE: tuple[Colour, Colour] = ((120, 80, 44, 1.0), (66, 40, 18, 1.0))


def picture_of(
    board: Facts | LayoutFacts, *, values: Values | None = None, caption: str = ""
) -> Picture:
    """Return the picture of a position, or of a layout with the names of its panels.

    Args:
        board: a position or a layout.
        values: known bounds of a position's legal fields, shown on cards: blue where the side to
            move wins, orange where it loses, with a thick rim on the best ones.
        caption: below a position; by default how the game stands.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> picture = picture_of(Position(Layout.square()).play("d4"))
        >>> picture.width, picture.height, picture.title
        (560.0, 594.0, 'black to move, 11 legal fields; last d4')
    """
    layout, position = layout_and_position(board)
    shapes = _wood(layout)
    for number in range(len(layout.squares)):
        shapes += _field(position, layout, number)
    shapes += _values(layout, values or {})
    size = (layout.width, layout.height)
    if position is None:
        width, height = (squares * SQUARE + 2 * MARGIN for squares in size)
        drawn = (paper(width, height), *shapes)
        return Picture(width, height, drawn, "a layout of Kulami", str(layout))
    return sheet(size, shapes, position.kfn(), caption or position.standing(), position.turn)


def score_sheet(board: Facts | LayoutFacts, moves: Sequence[str] = ()) -> Picture:
    """Return a board, and below it lines for the moves of both sides, with those that are known.

    Args:
        board: what is drawn.
        moves: the fields played, from the first on.

    Examples:
        >>> from kulami_solver import Layout
        >>> sheet = score_sheet(Layout.parse("AAB/CCB"), ["a1", "c1", "a2"])
        >>> [one.text for one in sheet.shapes if isinstance(one, Label)][-6:]
        ['1', 'a1', 'c1', '2', 'a2', '3']
    """
    drawn, (layout, _) = picture_of(board), layout_and_position(board)
    rows = math.ceil(max(len(moves), min(len(layout.squares), 2 * MARBLES)) / 2)
    width, half = max(drawn.width, 2 * _COLUMN + MARGIN), math.ceil(rows / 2)
    height = drawn.height + half * _LINE + MARGIN
    shapes = [paper(width, height), *drawn.shapes[1:]]
    for row in range(rows):
        left = MARGIN + row // half * _COLUMN
        below = drawn.height + (row % half + 1) * _LINE
        for place, text in enumerate((str(row + 1), *moves[2 * row : 2 * row + 2])):
            shapes.append(Label(left + place * SQUARE, below, 18, text, INK, centred=False))
        starts = (left + SQUARE, left + 2 * SQUARE)
        shapes.append(Grain(tuple(((x, below + 8), (x + 50, below + 8)) for x in starts), INK))
    return Picture(width, height, tuple(shapes), drawn.title, drawn.description)


def wood_of(layout: LayoutFacts) -> Picture:
    """Return the picture of a board without marbles and marks, on no paper of its own.

    Examples:
        >>> from kulami_solver import Layout
        >>> wood_of(Layout.parse("AAB/AAC")).width
        260.0
    """
    shapes = _wood(layout)
    shapes += [_hole(*middle_of(layout, number)) for number in range(len(layout.squares))]
    width = layout.width * SQUARE + 2 * MARGIN
    height = layout.height * SQUARE + 2 * MARGIN
    return Picture(width, height, tuple(shapes), "a layout of Kulami", str(layout))


def marks_of_fields() -> dict[str, tuple[Shape, ...]]:
    """Return the marks that may stand on a field, by name, around the point (0, 0).

    A marble, "red" or "black"; "last" and "before" on the newest one and the one before it;
    "legal" on a field that may be played.

    Examples:
        >>> sorted(marks_of_fields())
        ['before', 'black', 'last', 'legal', 'red']
    """
    return {
        "legal": _legal_mark(0, 0),
        "red": _marble(0, 0, RED),
        "black": _marble(0, 0, BLACK),
        "last": _last_mark(0, 0),
        "before": _before_mark(0, 0),
    }


def value_mark(x: float, y: float, text: str, colour: Colour, *, thick: bool) -> tuple[Shape, ...]:
    """Return a card with a value, around a point.

    Args:
        x, y: the point.
        text: the value, in up to four characters.
        colour: of the text and the rim.
        thick: whether the rim is thick.

    Examples:
        >>> len(value_mark(0, 0, "+2", (0, 0, 0, 1.0), thick=False))
        3
    """
    return (
        Ball(x, y, 21, _CARD, _CARD),
        Ring(x, y, 21, 5 if thick else 2, colour),
        Label(x, y, 19 if len(text) < 3 else 16, text, colour),
    )


def middle_of(layout: LayoutFacts, number: int) -> tuple[float, float]:
    """Return where the middle of a field is in the picture.

    Examples:
        >>> from kulami_solver import Layout
        >>> middle_of(Layout.parse("AAB/AAC"), 1)
        (130.0, 70.0)
    """
    column, row = layout.squares[number]
    return middle(column), middle(row)


def _wood(layout: LayoutFacts) -> list[Shape]:
    """Return the names of columns and rows, and the planks."""
    shapes = named_squares(layout.width, layout.height)
    tones = panel_tones(layout)
    for number, panel in enumerate(layout.panels):
        shapes += _plank(layout, panel, tones[number])
    return shapes


def _plank(layout: LayoutFacts, panel: PanelFacts, tone: int) -> list[Shape]:
    column, row = layout.squares[panel.fields[0]]
    x, y = MARGIN + column * SQUARE + _GAP, MARGIN + row * SQUARE + _GAP
    width, height = panel.width * SQUARE - 2 * _GAP, panel.height * SQUARE - 2 * _GAP
    upper, lower = _WOODS[tone]
    # The grain runs along the plank; no two planks next to each other have the same.
    lengthways = panel.width >= panel.height
    long, across = (width, height) if lengthways else (height, width)
    count = round(across / 7)
    lines = []
    for line in range(1, count):
        points = []
        for step in range(9):
            along = 3 + (long - 6) * step / 8
            wave = 1.6 * math.sin(along / 31 + 1.7 * line + 2.3 * panel.fields[0])
            aside = across * line / count + wave
            points.append((x + along, y + aside) if lengthways else (x + aside, y + along))
        lines.append(tuple(points))
    return [
        Plank(x + 1.5, y + 3, width, height, 7, _SHADOW, _SHADOW),
        Plank(x, y, width, height, 7, upper, lower, _CUT),
        Grain(tuple(lines), _GRAIN),
    ]


def _field(position: Facts | None, layout: LayoutFacts, number: int) -> list[Shape]:
    x, y = middle_of(layout, number)
    if position is None:
        return [_hole(x, y), Label(x, y, 16, layout.panel_of(number).name, _NAME)]
    bit = 1 << number
    if not (position.red | position.black) & bit:
        if position.legal_mask & bit:
            return [_hole(x, y), *_legal_mark(x, y)]
        return [_hole(x, y)]
    shapes: list[Shape] = [*_marble(x, y, RED if position.red & bit else BLACK)]
    if number == position.last_field:
        shapes += _last_mark(x, y)
    elif number == position.barred_field:
        shapes += _before_mark(x, y)
    return shapes


def _values(layout: LayoutFacts, values: Values) -> list[Shape]:
    """Return the cards of the fields with a value."""
    shapes: list[Shape] = []
    best = max(values.values(), default=None)
    for field, (lower, upper) in values.items():
        if lower < 0 < upper:
            continue
        colour = _WINS if lower > 0 else _LOSES if upper < 0 else _DRAWS
        text = value_label(lower, upper).replace("-", "\u2212")
        middle = middle_of(layout, layout.index(field))
        shapes += value_mark(*middle, text, colour, thick=(lower, upper) == best)
    return shapes


def _hole(x: float, y: float) -> Ball:
    # A hole is lit at its lower right, where the light falls in: a ball seen from the inside.
    return Ball(x, y, 15, _HOLE[1], _HOLE[0])


def _marble(x: float, y: float, colours: tuple[Colour, Colour]) -> tuple[Shape, ...]:
    shadow = Ball(x + 2, y + 3.5, _MARBLE, _SHADOW, _SHADOW)
    return shadow, Ball(x, y, _MARBLE, *colours)


def _legal_mark(x: float, y: float) -> tuple[Shape, ...]:
    return Ring(x, y, 17, 4, _LEGAL), Ball(x, y, 5, _LEGAL, _LEGAL)


def _last_mark(x: float, y: float) -> tuple[Shape, ...]:
    return Ring(x, y, 12, 3.5, _MARK), Ball(x, y, 4, _MARK, _MARK)


def _before_mark(x: float, y: float) -> tuple[Shape, ...]:
    return (Ring(x, y, 12, 2.5, _MARK),)
