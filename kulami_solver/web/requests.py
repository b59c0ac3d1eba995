"""What may be asked, as types: whatever else a request says is refused in one sentence."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

import msgspec

from ..core.sides import parse_turn
from ..errors import KulamiError, NotationError
from ..kulami.layout import Layout
from ..kulami.position import MARBLES, Position
from ..kulami.scoring import Scoring
from .guard import Refused

__all__ = [
    "Analyse",
    "Arrange",
    "Board",
    "Draw",
    "Export",
    "Game",
    "Grade",
    "Import",
    "Move",
    "Shape",
    "layout_of",
    "parsed",
]

Line = Annotated[str, msgspec.Meta(max_length=4096)]
Field = Annotated[str, msgspec.Meta(max_length=16)]
Fields = Annotated[list[Field], msgspec.Meta(max_length=128)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=1e9)]
Whole = Annotated[int, msgspec.Meta(ge=0, le=10**15)]
Marbles = Annotated[int, msgspec.Meta(ge=1, le=64)]
Threads = Annotated[int, msgspec.Meta(ge=1, le=256)]

R = TypeVar("R")


class Game(msgspec.Struct, forbid_unknown_fields=True):
    """A position, and the moves that lead on from it: what a link carries.

    Either `kfn`, or `layout` (a name or rows) with `first`.
    """

    kfn: Line | None = None
    layout: Line | None = None
    moves: Line | Fields = ""
    first: Field = "red"
    scoring: Literal["0", "1", "2", "chains"] | int = "0"
    marbles: Marbles = MARBLES
    short_end: bool = False

    @property
    def counts(self) -> Scoring:
        """What counts."""
        return Scoring.parse(self.scoring)

    def start(self) -> Position:
        """Return the position before the moves.

        Raises:
            KulamiError: if there is none.
        """
        if (self.kfn is None) == (self.layout is None):
            raise NotationError("which position is meant: give kfn, or layout, and not both")
        if self.kfn is not None:
            return Position.from_kfn(self.kfn, self.marbles, self.short_end)
        assert self.layout is not None
        first = parse_turn(self.first, "first")
        return Position(layout_of(self.layout), first, self.marbles, self.short_end)

    def position(self) -> Position:
        """Return the position after the moves.

        Raises:
            KulamiError: if there is none.
        """
        return self.start().play_all(self.moves)


class Analyse(Game):
    """What is it worth?"""

    all: bool = False
    time: Seconds | None = None
    goal: Literal["margin", "outcome"] = "margin"
    threads: Threads | None = None


class Grade(Game):
    """What did each move cost?"""

    time: Seconds | None = None


class Move(Game):
    """What does a bot play?"""

    bot: Line = "perfect"
    time: Seconds | None = None
    seed: Whole = 0


class Export(Game):
    """How is it written?"""


class Draw(Game):
    """How does it look, as a file?"""

    format: Literal["svg", "png"] = "svg"


class Board(msgspec.Struct, forbid_unknown_fields=True):
    """How does a layout look?"""

    layout: Line


class Shape(msgspec.Struct, forbid_unknown_fields=True):
    """Is it a layout? Or: draw one by lot."""

    layout: Line | None = None
    seed: Whole | None = None
    irregular: bool = False


class Arrange(msgspec.Struct, forbid_unknown_fields=True):
    """Is it a position?"""

    layout: Line
    red: Fields
    black: Fields
    turn: Field
    last: Fields
    marbles: Marbles = MARBLES
    short_end: bool = False


class Import(msgspec.Struct, forbid_unknown_fields=True):
    """What is this text?"""

    text: Annotated[str, msgspec.Meta(max_length=60_000)]
    turn: Field | None = None
    last: Line | None = None
    first: Field = "red"
    game: Annotated[int, msgspec.Meta(ge=1, le=10**6)] = 1


def layout_of(text: str) -> Layout:
    """Return a layout by its name or its rows.

    Raises:
        KulamiError: if it is none.

    Examples:
        >>> layout_of("square").width, layout_of("AAB/AAC").width
        (8, 3)
    """
    named: dict[str, Any] = {"square": Layout.square, "rulebook": Layout.rulebook}
    if text in named:
        found: Layout = named[text]()
        return found
    return Layout.parse(text)


def parsed(body: bytes, kind: type[R]) -> R:
    """Return a request's body as one of the types above.

    Raises:
        Refused: if it is not JSON, or says something else.

    Examples:
        >>> parsed(b'{"layout": "square"}', Board).layout
        'square'
        >>> parsed(b'{"layout": 8}', Board)
        Traceback (most recent call last):
        ...
        kulami_solver.web.guard.Refused: the request cannot be read: Expected `str`, got `int` - \
at `$.layout`
    """
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        said = " ".join(str(error).split())[:200]
        raise Refused(400, f"the request cannot be read: {said}") from None
    except KulamiError as error:
        raise Refused(400, str(error)) from None
