"""Boards of Kulami as text, plain or in a terminal's colours; `drawing/text.py` draws the grid.

In plain text every field is three characters wide, and the edges of the panels run between:

         a   b   c
       ┌───────┬───┐
     1 │(r)  · │ + │        (r) the newest marble, [b] the one before it, + a legal field
       │       ├───┤
     2 │ ·   b │ · │
       └───────┴───┘

With values, a legal field has what is known of it in place of the `+`: +2, -2, 0, or a bound as in
≥2 and ≤-1.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

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
