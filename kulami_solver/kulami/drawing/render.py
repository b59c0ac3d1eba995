"""Boards of Kulami as text, plain or in a terminal's colours, and as pictures.

`drawing/text.py` draws the grid of a text, `drawing/shapes.py` describes the shapes of a picture.

In plain text every field is three characters wide, and the edges of the panels run between:

         a   b   c
       ┌───────┬───┐
     1 │(r)  · │ + │        (r) the newest marble, [b] the one before it, + a legal field
       │       ├───┤
     2 │ ·   b │ · │
       └───────┴───┘

With values, a legal field has what is known of it in place of the `+`: +2, -2, 0, or a bound as in
≥2 and ≤-1. A picture says more:

    +----------------------+
    |    a    b    c       |      names of columns and rows in the margin
    | 1  (  )(  )|(  )     |      a plank for each panel, a hole for each field
    | 2  (  )(  )|(  )     |      marbles, rings on the last two, green on legal fields
    |  black to move ...   |      how the game stands, in as many lines as it takes
    +----------------------+
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

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
from ...drawing.text import BLACK_INK, FAINT_INK, RED_INK, WOOD, Square, framed, painted

Values = Mapping[str, tuple[int, int]]
"""Bounds of the margin for the side to move, by the legal field that leads to it."""


class PanelFacts(Protocol):
    """What a drawing is told of a panel."""

    @property
    def name(self) -> str: ...
    @property
    def fields(self) -> tuple[int, ...]: ...
    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...


class LayoutFacts(Protocol):
    """What a drawing is told of a layout."""

    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def squares(self) -> tuple[Square, ...]: ...
    @property
    def panels(self) -> Sequence[PanelFacts]: ...

    def index(self, field: str) -> int: ...
    def panel_of(self, field: int) -> PanelFacts: ...


class Facts(Protocol):
    """What a drawing is told of a position."""

    @property
    def layout(self) -> LayoutFacts: ...
    @property
    def red(self) -> int: ...
    @property
    def black(self) -> int: ...
    @property
    def turn(self) -> str: ...
    @property
    def last_field(self) -> int: ...
    @property
    def barred_field(self) -> int: ...
    @property
    def legal_mask(self) -> int: ...

    def kfn(self) -> str: ...
    def standing(self) -> str: ...


_LEGAL_INK: Final = 22
# For a field that wins, draws, loses. They also differ in brightness, on every tone of wood.
_VALUE_INKS: Final = (18, 240, 88)
# The number of tones of wood. Four suffice for rectangles on a plane, but not if chosen one by one.
_TONES: Final = 5
# Characters of a field for its value.
_LABEL: Final = 3


def board_text(
    board: Facts | LayoutFacts, *, ascii_only: bool = False, values: Values | None = None
) -> str:
    """Return the board as plain text, several lines without a line end after the last.

    Args:
        board: a position, or a layout, whose fields then show the names of their panels.
        ascii_only: draw the edges of the panels with `+`, `-` and `|`, and empty fields as `.`.
        values: what is known of legal fields, to be shown on them.

    Examples:
        >>> from kulami_solver import Layout
        >>> print(board_text(Layout.parse("AAB/AAC")))
             a   b   c
          ┌───────┬───┐
        1 │ A   A │ B │
          │       ├───┤
        2 │ A   A │ C │
          └───────┴───┘
    """
    layout, position = layout_and_position(board)
    marks = _marks(layout, position)
    for field, (lower, upper) in (values or {}).items():
        marks[layout.squares[layout.index(field)]] = _centred(
            value_label(lower, upper, ascii_only=ascii_only)
        )
    drawn = framed((layout.width, layout.height), _panels(layout), marks, ascii_only)
    return drawn if position is None else f"{drawn}\n{position.standing()}"


def board_ansi(board: Facts | LayoutFacts, *, values: Values | None = None) -> str:
    """Return the board as text with the colours of a terminal (256 colours, ANSI sequences).

    Whether a terminal wants them is for the caller to say; `wants_colour` can tell.

    Args:
        board: a position or a layout.
        values: what is known of legal fields, to be shown on them; the best are underlined.

    Examples:
        >>> from kulami_solver import Layout
        >>> "\\x1b[48;5;180m" in board_ansi(Layout.square())
        True
    """
    layout, position = layout_and_position(board)
    tones = panel_tones(layout)
    wood = {square: WOOD[tones[panel]] for square, panel in _panels(layout).items()}
    inked = {square: _ink(mark) for square, mark in _marks(layout, position).items()}
    best = max(values.values()) if values else None
    for field, known in (values or {}).items():
        inked[layout.squares[layout.index(field)]] = _inked_value(known, known == best)
    drawn = painted((layout.width, layout.height), wood, inked)
    return drawn if position is None else f"{drawn}\n{position.standing()}"


def value_label(lower: int, upper: int, *, ascii_only: bool = False) -> str:
    """Return the value of a field, as far as known, in three characters at most.

    Args:
        lower, upper: bounds of the margin for the side that moves there.
        ascii_only: write bounds with `>` and `<`, one off: >1 for 2 and more.

    Examples:
        >>> [value_label(*known) for known in ((3, 3), (0, 0), (2, 9), (-9, -2), (-5, 5))]
        ['+3', '0', '≥2', '≤-2', '+']
        >>> value_label(2, 9, ascii_only=True), value_label(-30, -12, ascii_only=True)
        ('>1', '<0')
    """
    if lower == upper:
        return f"{lower:+d}" if lower else "0"
    if lower < 0 < upper:
        return "+"  # as for a legal field without a value
    if lower >= 0:
        return f">{lower - 1}" if ascii_only else f"≥{lower}"
    label = f"<{upper + 1}" if ascii_only else f"≤{upper}"
    return label if len(label) <= _LABEL else "<0"


def layout_and_position(board: Facts | LayoutFacts) -> tuple[LayoutFacts, Facts | None]:
    """Return the layout of a board, and the position on it if it is one."""
    position: Facts | None = board if hasattr(board, "layout") else None  # type: ignore[assignment]
    layout: LayoutFacts = board if position is None else position.layout  # type: ignore[assignment]
    return layout, position


def panel_tones(layout: LayoutFacts) -> tuple[int, ...]:
    """Return the tone of wood of each panel, 0 to 4; panels that touch differ as far as can be.

    Examples:
        >>> from kulami_solver import Layout
        >>> panel_tones(Layout.parse("AAB/AAC"))
        (0, 1, 2)
    """
    panels = _panels(layout)
    beside: list[set[int]] = [set() for _ in range(max(panels.values(), default=-1) + 1)]
    for (column, row), panel in panels.items():
        # Corners count: two panels of the same tone that meet in a corner look like one.
        for over, down in itertools.product((-1, 0, 1), repeat=2):
            beside[panel].add(panels.get((column + over, row + down), panel))
    tones: list[int] = []
    for number, neighbours in enumerate(beside):
        taken = {tones[other] for other in neighbours if other < number}
        # The least used free tone keeps one tone from covering most of the board.
        free = [tone for tone in range(_TONES) if tone not in taken] or list(range(_TONES))
        tones.append(min(free, key=tones.count))
    return tuple(tones)


def _panels(layout: LayoutFacts) -> dict[Square, int]:
    """Return the number of the panel on each square that is a field."""
    return {
        layout.squares[field]: number
        for number, panel in enumerate(layout.panels)
        for field in panel.fields
    }


def _marks(layout: LayoutFacts, position: Facts | None) -> dict[Square, str]:
    """Return the three characters that stand on each field in plain text."""
    if position is None:
        return {
            layout.squares[field]: f" {panel.name} "
            for panel in layout.panels
            for field in panel.fields
        }
    marks = {}
    for number, square in enumerate(layout.squares):
        bit = 1 << number
        sign = "·"
        if position.red & bit:
            sign = "r"
        elif position.black & bit:
            sign = "b"
        elif position.legal_mask & bit:
            sign = "+"
        around = "  "
        if number == position.last_field:
            around = "()"
        elif number == position.barred_field:
            around = "[]"
        marks[square] = around[0] + sign + around[1]
    return marks


def _ink(mark: str) -> str:
    """Return a mark in its colour, red and black marbles as balls."""
    sign = mark[1]
    colour = {"r": RED_INK, "b": BLACK_INK, "+": _LEGAL_INK}.get(sign, FAINT_INK)
    ball = "●" if sign in "rb" else sign
    around = mark.replace(sign, ball)
    return f"\x1b[1;38;5;{colour}m{around}"


def _centred(label: str) -> str:
    """Return a label as wide as a field, its first digit in the middle."""
    return (f" {label}" if len(label) == 1 else label).ljust(_LABEL)


def _inked_value(known: tuple[int, int], best: bool) -> str:
    """Return a value in its colour, in print as wide as a field."""
    lower, upper = known
    label = value_label(lower, upper)
    mark = _centred(label)
    if label == "+":
        return _ink(mark)
    ink = _VALUE_INKS[0 if lower > 0 else 2 if upper < 0 else 1]
    around = mark.replace(label, f"\x1b[4m{label}\x1b[24m") if best else mark
    return f"\x1b[1;38;5;{ink}m{around}"


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


def score_sheet(board: Facts | LayoutFacts, plies: int, moves: Sequence[str] = ()) -> Picture:
    """Return a board, and below it lines for the moves of both sides, with those that are known.

    Args:
        board: what is drawn.
        plies: how many moves there is room for.
        moves: the fields played, from the first on.

    Examples:
        >>> from kulami_solver import Layout
        >>> sheet = score_sheet(Layout.parse("AAB/CCB"), 6, ["a1", "c1", "a2"])
        >>> [one.text for one in sheet.shapes if isinstance(one, Label)][-6:]
        ['1', 'a1', 'c1', '2', 'a2', '3']
    """
    drawn, rows = picture_of(board), math.ceil(plies / 2)
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
        for step in range(5):
            along = 3 + (long - 6) * step / 4
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
