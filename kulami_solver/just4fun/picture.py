"""The picture of a position: which shapes, where, in which colours.

`drawing/shapes.py` says what a picture is made of.

    +--------------------------+
    |  1       14       30     |     the number of a field above the stones on it, with how many
    | (r)      (b)(r)          |     they are; a field that is a player's for good has the
    |                          |     player's colour
    | (r) [1] [4] [7]          |     the hands as cards, hidden ones as their backs
    | (b) [?] [?] [?]          |
    | stock ..., discards ...  |     in as many lines as it takes
    | (r) red to move ...      |
    +--------------------------+
"""

from __future__ import annotations

import textwrap
from typing import Final

from ..drawing.shapes import SQUARE, Ball, Colour, Label, Picture, Plank, Ring, Shape
from .render import card_lines
from .views import PositionView

_EDGE: Final = 24.0  # around everything
_GAP: Final = 2.0  # of a field's square to its plank
_CARD_WIDE: Final = 30.0
_CARD_HIGH: Final = 40.0
_CARD_STEP: Final = 35.0
_HAND_INDENT: Final = 34.0
_HAND_ROW: Final = 50.0
_LINE: Final = 21.0
_TEXT_SIZE: Final = 15.0
_WIDE: Final = 0.58  # what a character takes at most on average, of its size
_NARROWEST: Final = 320.0

_PAPER: Colour = (246, 241, 232, 1.0)
_INK: Colour = (72, 58, 44, 1.0)
_SHADOW: Colour = (60, 40, 20, 0.25)
_FIELD: tuple[Colour, Colour] = ((253, 250, 243, 1.0), (238, 229, 212, 1.0))
_CUT: Colour = (148, 122, 92, 1.0)
_CARD: Colour = (255, 255, 255, 1.0)
_BACK: tuple[Colour, Colour] = ((120, 130, 150, 1.0), (84, 92, 112, 1.0))
_WHITE: Colour = (255, 255, 255, 1.0)
_LINE_MARK: Colour = (36, 150, 72, 1.0)

# Light and dark of a stone, and the shades of a field that is a player's for good.
_STONES: Final[dict[str, tuple[Colour, Colour]]] = {
    "r": ((250, 112, 96, 1.0), (160, 16, 20, 1.0)),
    "b": ((104, 156, 240, 1.0), (18, 58, 150, 1.0)),
    "g": ((104, 190, 116, 1.0), (14, 96, 40, 1.0)),
    "y": ((255, 226, 96, 1.0), (206, 150, 0, 1.0)),
}
_SETTLED: Final[dict[str, tuple[Colour, Colour]]] = {
    "r": ((250, 196, 188, 1.0), (238, 168, 158, 1.0)),
    "b": ((188, 210, 248, 1.0), (160, 188, 238, 1.0)),
    "g": ((192, 228, 194, 1.0), (162, 210, 168, 1.0)),
    "y": ((255, 238, 168, 1.0), (246, 220, 124, 1.0)),
}


def picture_of(position: PositionView, language: str = "en") -> Picture:
    """Return the picture of a position, its words in a language.

    Examples:
        >>> from kulami_solver.just4fun import Board, deal
        >>> picture = picture_of(deal(Board.parse("3x3"), 1, stones=5, line=3))
        >>> picture.width, picture.title
        (320.0, 'red to move; stones left red 5, blue 5; sums red 0, blue 0')
    """
    board = position.board
    most = max(position.hand if hand is None else len(hand) for hand in position.hands)
    width = max(
        _NARROWEST,
        board.columns * SQUARE + 2 * _EDGE,
        2 * _EDGE + _HAND_INDENT + most * _CARD_STEP,
    )
    top = _EDGE + board.rows * SQUARE + 14
    shapes: list[Shape] = []
    left = (width - board.columns * SQUARE) / 2
    for row, numbers in enumerate(board.grid):
        for column, field in enumerate(numbers):
            shapes += _field(position, field, left + column * SQUARE, _EDGE + row * SQUARE)
    for seat in range(len(position.players)):
        shapes += _hand(position, seat, top)
        top += _HAND_ROW
    top += 8
    standing = position.standing().said(language)
    room = int((width - 2 * _EDGE) / (_WIDE * _TEXT_SIZE))
    cards = card_lines(position, language)[len(position.players) :]
    lines = [part for line in cards for part in textwrap.wrap(" ".join(line.split()), room)]
    caption = textwrap.wrap(standing, int(room - _HAND_INDENT / 9))
    for text in lines:
        shapes.append(Label(_EDGE, top, _TEXT_SIZE, text, _INK, centred=False))
        top += _LINE
    top += 6
    speaks_of = position.players.index(position.winner or position.turn)
    shapes.append(Ball(_EDGE + 10, top, 9, *_STONES[position.colours[speaks_of]]))
    for text in caption:
        shapes.append(Label(_EDGE + 27, top, _TEXT_SIZE, text, _INK, centred=False))
        top += _LINE
    height = top + 4
    paper = Plank(0, 0, width, height, 10, _PAPER, _PAPER)
    return Picture(width, height, (paper, *shapes), standing, position.jfn())


def _field(position: PositionView, field: int, x: float, y: float) -> list[Shape]:
    counts = position.stones[field - 1]
    side = SQUARE - 2 * _GAP
    letters = dict(zip(position.players, position.colours, strict=True))
    owner = position.settled.get(field)
    shades = _FIELD if owner is None else _SETTLED[letters[owner]]
    shapes: list[Shape] = [
        Plank(x + _GAP + 1, y + _GAP + 2, side, side, 7, _SHADOW, _SHADOW),
        Plank(x + _GAP, y + _GAP, side, side, 7, *shades, _CUT),
    ]
    middle = x + SQUARE / 2
    stones = [(colour, n) for colour, n in zip(position.colours, counts, strict=True) if n]
    crowded = len(stones) > 2
    size, level = (15.0, 12.0) if crowded else (19.0, 17.0 if stones else 30.0)
    shapes.append(Label(middle, y + level, size, str(field), _INK))
    # Two beside each other; three or four in two rows.
    radius, top = (9.0, 29.0) if crowded else (11.0, 41.0)
    for at, (colour, number) in enumerate(stones):
        beside = min(len(stones) - at // 2 * 2, 2)
        place = middle + (at % 2 - (beside - 1) / 2) * (2 * radius + 1)
        level = y + top + at // 2 * (2 * radius + 1)
        shapes.append(Ball(place, level, radius, *_STONES[colour]))
        ink = _INK if colour == "y" else _WHITE
        shapes.append(Label(place, level, radius * 1.35, str(number), ink))
    if position.winning_line is not None and field in position.winning_line:
        shapes.append(Ring(middle, y + SQUARE / 2, 26, 3.5, _LINE_MARK))
    return shapes


def _hand(position: PositionView, seat: int, top: float) -> list[Shape]:
    """A player's cards, next to a stone of theirs with how many are left."""
    colour = position.colours[seat]
    middle = top + _CARD_HIGH / 2
    ink = _INK if colour == "y" else _WHITE
    shapes: list[Shape] = [
        Ball(_EDGE + 14, middle, 13, *_STONES[colour]),
        Label(_EDGE + 14, middle, 14, str(position.left[seat]), ink),
    ]
    hand = position.hands[seat]
    texts = ["?"] * position.hand if hand is None else [str(card) for card in hand]
    shades = _BACK if hand is None else (_CARD, _CARD)
    for at, text in enumerate(texts):
        x = _EDGE + _HAND_INDENT + at * _CARD_STEP
        shapes += [
            Plank(x + 1, top + 2, _CARD_WIDE, _CARD_HIGH, 5, _SHADOW, _SHADOW),
            Plank(x, top, _CARD_WIDE, _CARD_HIGH, 5, *shades, _CUT),
            Label(x + _CARD_WIDE / 2, middle, 18, text, _WHITE if hand is None else _INK),
        ]
    return shapes
