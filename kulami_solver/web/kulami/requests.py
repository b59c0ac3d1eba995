"""The types of requests about Kulami."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from ...core.notation import parse_fields, parse_turn
from ...errors import KulamiError, NotationError
from ...kulami.game import KulamiState, state_of
from ...kulami.position.layout import Layout, named_layout
from ...kulami.position.position import MARBLES, Position
from ...kulami.position.scoring import Scoring
from ..replays import Asked
from ..requests import Field, Line, Whole

Fields = Annotated[list[Field], msgspec.Meta(max_length=128)]
Marbles = Annotated[int, msgspec.Meta(ge=1, le=64)]


class Kulami(Asked):
    """A position and the moves after it, as in a link.

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
        """The scoring."""
        return Scoring.parse(self.scoring)

    def played(self) -> tuple[str, ...]:
        """Return the moves one by one."""
        return parse_fields(self.moves)

    def start(self) -> KulamiState:
        """Return the state before the moves.

        Raises:
            KulamiError: if there is no such position.
        """
        if (self.kfn is None) == (self.layout is None):
            raise NotationError("which_position")
        if self.kfn is not None:
            position = Position.from_kfn(self.kfn, self.marbles, self.short_end)
        else:
            assert self.layout is not None
            first = parse_turn(self.first, "first")
            position = Position(layout_of(self.layout), first, self.marbles, self.short_end)
        return state_of(position, self.counts)


class Board(msgspec.Struct, forbid_unknown_fields=True):
    """Asks for the picture of a layout."""

    layout: Line


class Shape(msgspec.Struct, forbid_unknown_fields=True):
    """Asks whether a text is a layout, or for a random layout."""

    layout: Line | None = None
    seed: Whole | None = None
    irregular: bool = False

    def found(self) -> Layout:
        """Return the layout in question.

        Raises:
            KulamiError: if it is none.
        """
        if (self.layout is None) == (self.seed is None):
            raise KulamiError("which_layout")
        if self.seed is not None:
            return Layout.random(self.seed, self.irregular)
        assert self.layout is not None
        return layout_of(self.layout)


class Arrange(msgspec.Struct, forbid_unknown_fields=True):
    """Asks whether an arrangement of marbles is a valid position."""

    layout: Line
    red: Fields
    black: Fields
    turn: Field
    last: Fields
    marbles: Marbles = MARBLES
    short_end: bool = False

    def position(self) -> Position:
        """Return the position.

        Raises:
            KulamiError: if it is none.
        """
        layout = layout_of(self.layout)
        red, black = (
            sum({1 << layout.index(field) for field in fields}) for fields in (self.red, self.black)
        )
        return Position.arranged(
            layout, red, black, self.turn, self.last, self.marbles, self.short_end
        )


class Puzzled(msgspec.Struct, forbid_unknown_fields=True):
    """Asks for one of the puzzles, by its number."""

    number: Annotated[int, msgspec.Meta(ge=1)]


class Import(msgspec.Struct, forbid_unknown_fields=True):
    """A text that may be a position, a layout or a game."""

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
    return named_layout(text) or Layout.parse(text)
