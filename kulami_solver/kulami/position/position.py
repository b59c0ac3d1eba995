"""Positions: where the marbles lie, who is to move and which marbles were placed last.

A position is a value. In memory it is a layout and a few numbers:

    red, black    one bit a field
    turn          0 red, 1 black
    last          number of the field of the newest marble, -1 for none
    before        that of the marble placed before it, -1 for none or not known

The rules themselves are compiled; see `kulami_solver.kulami.position.rules`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, final

from ...core.game_records import positions_after
from ...core.notation import parse_fields, parse_turn, so_many
from ...core.whole_numbers import whole
from ...errors import IllegalMoveError, NotationError, PositionError, checked_kind, quoted
from . import notation
from .edition import MARBLES as MARBLES
from .edition import Edition, OfEdition
from .layout import Layout, canonical_images, quarters_turned
from .layout_text import MAX_FIELDS, MIRROR
from .scoring import Part, Score, Scoring

_COLOURS = ("red", "black")
_UNKNOWN = -1

_new = object.__new__


@final
class Position(OfEdition):
    """A position of Kulami: an immutable value that can be compared, hashed, copied and pickled.

    Two positions are equal if layout, marbles, turn, known last marbles and edition are equal.

    Args:
        layout: the layout, no marble on it yet.
        first: who begins, "red" or "black".
        marbles, short_end: as for `Edition`.

    Raises:
        NotationError: if `first` is no colour.
        PositionError: if `layout` or one of the options cannot be used.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> start = Position(Layout.rulebook())
        >>> position = start.play("d6").play("d3").play("i3")
        >>> position.turn, position.last, position.legal_fields
        ('black', ('i3', 'd3'), ('b3', 'c3', 'f3', 'g3', 'i8'))
        >>> start.play_all("d6 d3 i3") == position
        True
    """

    __slots__ = ("_before", "_black", "_edition", "_last", "_layout", "_legal", "_red", "_turn")

    _layout: Layout
    _red: int
    _black: int
    _turn: int
    _last: int
    _before: int
    _edition: Edition
    _legal: int  # the legal fields once they have been asked for

    def __init__(
        self, layout: Layout, first: str = "red", marbles: int = MARBLES, short_end: bool = False
    ) -> None:
        checked_kind(layout, Layout, "a position needs a Layout", PositionError)
        self._edition = Edition(marbles, short_end)
        self._layout = layout
        self._red = self._black = 0
        self._turn = _COLOURS.index(parse_turn(first, "first"))
        self._last = self._before = -1
        self._legal = _UNKNOWN

    @classmethod
    def arranged(
        cls,
        layout: Layout,
        red: int,
        black: int,
        turn: str,
        last: str | Iterable[str] = (),
        marbles: int = MARBLES,
        short_end: bool = False,
    ) -> Position:
        """Return the position with these marbles.

        Args:
            layout: the layout.
            red: red's marbles, a bit mask of field numbers.
            black: black's marbles, a bit mask of field numbers.
            turn: the side to move, "red" or "black".
            last: the fields of the last two marbles, newest first. With one where more lie, the
                next marble has to avoid only its panel.
            marbles, short_end: as for a new position.

        Raises:
            PositionError: if marbles, turn and last marbles do not go together.
            NotationError: if `turn` is no colour or a field does not exist.

        Examples:
            >>> Position.arranged(Layout.parse("AAB/AAC"), 0b10, 0b100000, "red", ["c2", "b1"])
            Position.from_kfn('AAB/AAC 1r1/2b r c2,b1')
            >>> Position.arranged(Layout.parse("AAB/AAC"), 0b11, 0, "black", ["b1"])
            Traceback (most recent call last):
            ...
            kulami_solver.errors.PositionError: red has 2 marbles on the board and black 0: \
they differ by at most one
        """
        position = cls(layout, turn, marbles, short_end)
        fields = parse_fields(last)
        masks = []
        for colour, given in (("red", red), ("black", black)):
            mask = whole(given)
            if mask is None:
                raise PositionError(f"{colour}'s marbles are a bit mask, not {quoted(given)}")
            if mask < 0 or mask >> len(layout):
                raise PositionError(
                    f"{colour}'s marbles have a bit outside the layout's {len(layout)} fields: use "
                    f"bits 0 to {len(layout) - 1}"
                )
            masks.append(mask)
        red, black = masks
        if red & black:
            shared = layout.names(red & black)[0]
            raise PositionError("two_on_one_field", field=shared)
        counts = (red.bit_count(), black.bit_count())
        mover = position._turn
        own, other = _COLOURS[mover], _COLOURS[1 - mover]
        if abs(counts[0] - counts[1]) > 1:
            raise PositionError("differ", red=counts[0], black=counts[1])
        if counts[mover] > counts[1 - mover]:
            raise PositionError(
                "other_turn", side=own, own=counts[mover], others=counts[1 - mover], other=other
            )
        most = position.marbles
        for colour, count in zip(_COLOURS, counts, strict=True):
            if count > most:
                raise PositionError("too_many_marbles", side=colour, count=count, most=most)
        if len(fields) > 2:
            raise PositionError("last_names_too_many", count=len(fields))
        if bool(fields) != bool(red | black):
            if fields:
                raise PositionError("last_of_empty", field=fields[0])
            raise PositionError("no_last")
        numbers = [layout.index(field) for field in fields]
        codes = ("wrong_last", "wrong_before")
        for number, side, code in zip(numbers, (1 - mover, mover), codes, strict=False):
            if not masks[side] >> number & 1:
                raise PositionError(code, field=layout.fields[number], side=_COLOURS[side])
        position._red, position._black = red, black
        position._last, position._before = [*numbers, -1, -1][:2]
        return position

    # Notations

    @classmethod
    def from_kfn(cls, text: str, marbles: int = MARBLES, short_end: bool = False) -> Position:
        """Return the position a KFN line describes, in the usual edition or another.

        Raises:
            NotationError: if the text is malformed.
            LayoutError: if its layout is not a layout.
            PositionError: if it describes no position.

        Examples:
            >>> Position.from_kfn("AAB/AAC r/2b r c2,a1").legal_fields
            ('c1',)
            >>> Position.from_kfn("AAB/AAC r/2b b c2,a1")
            Traceback (most recent call last):
            ...
            kulami_solver.errors.PositionError: the newest marble is said to be on c2, but red, \
who has just moved, has no marble there
        """
        return cls.arranged(*notation.read_kfn(text), marbles, short_end)

    @classmethod
    def from_hagen(
        cls,
        text: str,
        turn: str | None = None,
        last: str | Iterable[str] | None = None,
        marbles: int = MARBLES,
        short_end: bool = False,
    ) -> Position:
        """Return the position of a Hagen board, with the turn and last marbles it does not have.

        Args:
            text: 200 characters.
            turn: the side to move, "red" or "black".
            last: the last two marbles, newest first, like "f8,d3"; not needed on an empty board.
            marbles, short_end: as for a new position.

        Raises:
            NotationError: if the text is malformed, or `turn` or `last` is needed.
            LayoutError: if its panels make no layout.
            PositionError: if all this is no position.

        Examples:
            >>> text = Position(Layout.square()).play("d4").hagen()
            >>> Position.from_hagen(text, turn="black", last="d4").last
            ('d4',)
        """
        return cls.arranged(*notation.read_hagen(text, turn, last), marbles, short_end)

    @classmethod
    def from_kbn(
        cls, text: str, first: str = "red", marbles: int = MARBLES, short_end: bool = False
    ) -> Position:
        """Return the position of a KBN board, `first` being the colour of its player 1.

        Raises:
            NotationError: if the text is malformed.
            LayoutError: if its panels make no layout.
            PositionError: if it describes no position.

        Examples:
            >>> position = Position(Layout.square()).play_all("d4 d7")
            >>> Position.from_kbn(position.kbn()).last
            ('d7', 'd4')
        """
        return cls.arranged(*notation.read_kbn(text, first), marbles, short_end)

    def kfn(self) -> str:
        """Return the position as a KFN line.

        Examples:
            >>> Position(Layout.parse("AAB/AAC")).play("c1").kfn()
            'AAB/AAC 2r/3 b c1'
        """
        return notation.write_kfn(self)

    def hagen(self) -> str:
        """Return the position as a Hagen board; `notation.hagen_loses` tells what it lacks.

        Raises:
            NotationError: if the layout does not fit that notation.

        Examples:
            >>> Position(Layout.square()).hagen()[:20]
            'f0f0k0l0l0l0b0b0a0a0'
        """
        return notation.write_hagen(self)

    def kbn(self) -> str:
        """Return the position as a KBN board; `notation.kbn_loses` tells what it lacks.

        Raises:
            NotationError: if the layout does not fit that notation.

        Examples:
            >>> Position(Layout.square()).kbn()[:20]
            'B0B0C0D0D0D0E0E0A0A0'
        """
        return notation.write_kbn(self)

    # Its parts

    @property
    def layout(self) -> Layout:
        """The layout played on."""
        return self._layout

    @property
    def turn(self) -> str:
        """The side to move, "red" or "black", also when the game is over."""
        return _COLOURS[self._turn]

    @property
    def first(self) -> str:
        """The side that began: the side to move if both have equally many marbles on the board."""
        equal = self._red.bit_count() == self._black.bit_count()
        return _COLOURS[self._turn if equal else 1 - self._turn]

    @property
    def edition(self) -> Edition:
        """The edition that is played; its options are attributes of the position, too."""
        return self._edition

    @property
    def red(self) -> int:
        """The fields with a red marble, a bit mask of field numbers."""
        return self._red

    @property
    def black(self) -> int:
        """The fields with a black marble, a bit mask of field numbers."""
        return self._black

    @property
    def last(self) -> tuple[str, ...]:
        """The fields of the last two marbles, newest first, as far as they are known."""
        fields = self._layout.fields
        if self._before >= 0:
            return (fields[self._last], fields[self._before])
        return (fields[self._last],) if self._last >= 0 else ()

    @property
    def last_field(self) -> int:
        """The number of the field of the newest marble, -1 on an empty board."""
        return self._last

    @property
    def barred_field(self) -> int:
        """The number of the field of the marble before the newest, -1 if there is none known.

        Its panel, like that of the newest marble, is barred to the next one.
        """
        return self._before

    @property
    def view(self) -> tuple[int, int, int, int]:
        """The position as the side to move sees it, in numbers: what the compiled modules take.

        Marbles of the side to move and of the other side as bit masks, `last_field` and
        `barred_field`. Positions that differ in nothing but colours have the same.

        Examples:
            >>> Position(Layout.parse("AAB/CCB")).play("a1").view
            (0, 1, 0, -1)
        """
        if self._turn:
            return self._black, self._red, self._last, self._before
        return self._red, self._black, self._last, self._before

    @property
    def free_fields(self) -> int:
        """The fields without a marble, a bit mask of field numbers."""
        return (1 << len(self._layout)) - 1 & ~(self._red | self._black)

    @property
    def free_count(self) -> int:
        """The number of fields without a marble."""
        return len(self._layout) - (self._red | self._black).bit_count()

    @property
    def supply(self) -> int:
        """The number of marbles that may yet be placed before they run out, of both colours.

        Examples:
            >>> Position(Layout.square()).play("d4").supply
            55
        """
        return max(self._edition.in_all - (self._red | self._black).bit_count(), 0)

    @property
    def plies_left(self) -> int:
        """How many plies the game can last at most: there are marbles, and fields for them.

        Examples:
            >>> Position(Layout.square(), marbles=20).play("d4").plies_left
            39
        """
        return min(self.supply, self.free_count)

    # Play

    @property
    def legal_mask(self) -> int:
        """The fields the next marble may go on, a bit mask of field numbers; 0 ends the game."""
        legal = self._legal
        if legal < 0:
            if self.supply:
                geometry = self._layout.geometry
                legal = geometry.legal(self._red, self._black, self._last, self._before)
            else:
                legal = 0
            self._legal = legal
        return legal

    @property
    def legal_fields(self) -> tuple[str, ...]:
        """The names of the fields the next marble may go on, in the order of their numbers.

        Examples:
            >>> Position(Layout.parse("AAB/AAC")).play("a1").legal_fields
            ('c1',)
        """
        return self._layout.names(self.legal_mask)

    @property
    def is_over(self) -> bool:
        """Whether the game is over: the side to move has no legal field, or marbles ran out."""
        return not self.legal_mask

    def play(self, field: str | int) -> Position:
        """Return the position after the side to move has placed a marble.

        Args:
            field: a legal field, its name or its number.

        Raises:
            IllegalMoveError: if the field is not legal; the message says why.

        Examples:
            >>> position = Position(Layout.square()).play("d4")
            >>> position.play("d7").turn
            'red'
            >>> position.play("e6")
            Traceback (most recent call last):
            ...
            kulami_solver.errors.IllegalMoveError: black cannot play e6: it is not in the row \
or column of the last marble, d4
        """
        if field.__class__ is str:
            number = self._layout._numbers.get(field, -1)
        elif field.__class__ is int:
            number = field
        else:
            number = self._number(field)
        if not 0 <= number < MAX_FIELDS or not self.legal_mask >> number & 1:
            raise self._refusal(field)
        after = _new(Position)
        after._layout = self._layout
        if self._turn:
            after._red = self._red
            after._black = self._black | 1 << number
        else:
            after._red = self._red | 1 << number
            after._black = self._black
        after._turn = 1 - self._turn
        after._last = number
        after._before = self._last
        after._edition = self._edition
        after._legal = _UNKNOWN
        return after

    def play_all(self, fields: str | Iterable[str]) -> Position:
        """Return the position after a list of marbles.

        Args:
            fields: names in the order of play, as text ("d4 d7") or an iterable.

        Raises:
            NotationError: if a name is not a field; nothing is played then.
            IllegalMoveError: if one is not legal; the message counts which.

        Examples:
            >>> Position(Layout.square()).play_all("d4 d7 a7").last
            ('a7', 'd7')
            >>> Position(Layout.square()).play_all("d4 d7 d7")
            Traceback (most recent call last):
            ...
            kulami_solver.errors.IllegalMoveError: move 3: red cannot play d7: it is taken
        """
        return positions_after(self, parse_fields(fields))[-1]

    def _number(self, field: object) -> int:
        try:
            return self._layout._number(field)
        except NotationError as error:
            raise IllegalMoveError(error) from None

    def _refusal(self, field: object) -> IllegalMoveError:
        """Return the error that says why `field` is not legal, or raise it if it is no field."""
        layout = self._layout
        number = self._number(field)
        name = layout.fields[number]
        if self.is_over:
            if self.supply:
                return IllegalMoveError("over_no_field", field=name, side=self.turn)
            placed = {"field": name, "side": self.turn, "count": self.marbles}
            return IllegalMoveError(self.edition.over, **placed)
        asked = {"side": self.turn, "field": name}
        last = layout.fields[self._last]
        if (self._red | self._black) >> number & 1:
            return IllegalMoveError("taken", **asked)
        if layout.panel_of(number) == layout.panel_of(self._last):
            return IllegalMoveError("panel_last", **asked, last=last)
        if self._before >= 0 and layout.panel_of(number) == layout.panel_of(self._before):
            return IllegalMoveError("panel_before", **asked, last=layout.fields[self._before])
        return IllegalMoveError("not_in_line", **asked, last=last)

    def perft(self, depth: int) -> list[int]:
        """Count the ways the game can go on, for depth 1 to `depth`.

        A game that ends before is one way at every depth beyond its end.

        Args:
            depth: plies, 1 to 128.

        Raises:
            PositionError: if it is not a depth.

        Examples:
            >>> Position(Layout.parse("AAB/AAC")).perft(4)
            [6, 10, 12, 16]
        """
        plies = whole(depth)
        if plies is None or not 1 <= plies <= 128:
            raise PositionError(f"perft depth {quoted(depth)} is not a number of plies, 1 to 128")
        return self._layout.geometry.perft(
            self._red, self._black, self._last, self._before, self.supply, plies
        )

    # Score

    def score(self, scoring: Scoring = Scoring.LEVEL0) -> Score:
        """Return the score of the marbles on the board, whether or not the game is over.

        Examples:
            >>> position = Position(Layout.parse("AAB/AAC")).play_all("b1 c1")
            >>> position.score(Scoring.LEVEL1).margin, position.score().panels
            (3, Part(red=4, black=1))
        """
        scoring = Scoring.parse(scoring)
        geometry = self._layout.geometry
        return Score.of(
            Part(*geometry.panel_points(self._red, self._black)),
            Part(*geometry.largest_areas(self._red, self._black)),
            Part(*geometry.chain_points(self._red, self._black)),
            scoring,
        )

    def margin(self, scoring: Scoring = Scoring.LEVEL0) -> int:
        """Return the score of the side to move minus the other side's.

        Examples:
            >>> Position(Layout.parse("AAB/AAC")).play("b1").margin()
            -4
        """
        margin = self.score(scoring).margin
        return -margin if self._turn else margin

    # Symmetries: they change the orientation of the board, not the values of its fields

    def mirrored(self) -> Position:
        """Return the mirror image, left and right exchanged.

        Examples:
            >>> Position(Layout.parse("AAB/CCB")).play("a1").mirrored()
            Position.from_kfn('BAA/BCC 2r/3 b c1')
        """
        return self._imaged(*self._layout.image(MIRROR))

    def rotated(self, quarters: int = 1) -> Position:
        """Return the position turned clockwise by a number of quarters; as `Layout.rotated`.

        Raises:
            LayoutError: if it is no whole number of them.

        Examples:
            >>> Position(Layout.parse("AAB/CCB")).play("a1").rotated()
            Position.from_kfn('CA/CA/BB 1r/2/2 b b1')
        """
        return self._imaged(*self._layout.image(quarters_turned(quarters)))

    def canonical(self) -> Position:
        """Return the one position that stands for its mirror images and rotations.

        It is on the canonical layout. If several images of the position are on it, this is the
        one with the smallest masks of red and black, and then with the smallest last fields.
        Colours are not exchanged.

        Examples:
            >>> start = Position(Layout.parse("AAB/AAC"))
            >>> corners = [start.play(field).canonical() for field in ("a1", "a2", "b1", "b2")]
            >>> corners[0] == corners[1] != corners[2] == corners[3]
            True
        """
        images = [self._imaged(*image) for image in canonical_images(self._layout)]
        return min(images, key=lambda one: (one._red, one._black, one._last, one._before))

    def exchanged(self) -> Position:
        """Return the position with red and black exchanged; the other side is to move.

        Examples:
            >>> Position(Layout.parse("AAB/CCB")).play("a1").exchanged()
            Position.from_kfn('AAB/CCB b2/3 r a1')
        """
        layout, red, black, turn, last, before, edition = self._parts
        return restored(layout, black, red, 1 - turn, last, before, edition)

    def _imaged(self, layout: Layout, moved: tuple[int, ...]) -> Position:
        """The position on an image of its layout, given where each field goes."""
        red, black = (
            sum(1 << new for old, new in enumerate(moved) if mask >> old & 1)
            for mask in (self._red, self._black)
        )
        last, before = (moved[field] if field >= 0 else -1 for field in (self._last, self._before))
        return restored(layout, red, black, self._turn, last, before, self._edition)

    # How it is shown

    def standing(self) -> str:
        """Return in a few words how the game stands: who is to move, and what was placed last.

        Examples:
            >>> Position(Layout.square()).play("d4").standing()
            'black to move, 11 legal fields; last d4'
        """
        last = f"; last {','.join(self.last)}" if self.last else ""
        if self.is_over:
            why = f"{self.turn} cannot move" if self.supply else "no marbles left"
            return f"game over, {why}{last}"
        fields = so_many(self.legal_mask.bit_count(), "legal field")
        return f"{self.turn} to move, {fields}{last}"

    def text(self, *, ascii_only: bool = False) -> str:
        """Return the board as text: panels, marbles, last marbles and legal fields.

        Args:
            ascii_only: draw the panels with `+`, `-` and `|`.

        Examples:
            >>> print(Position(Layout.parse("AAB/AAC")).play("a1").text(ascii_only=True))
                 a   b   c
               +-------+---+
             1 |(r)  . | + |
               |       +---+
             2 | .   . | . |
               +-------+---+
            black to move, 1 legal field; last a1
        """
        from ..drawing.render import board_text

        return board_text(self, ascii_only=ascii_only)

    def svg(self) -> str:
        """Return the board as an SVG picture.

        Examples:
            >>> Position(Layout.square()).svg()[:4]
            '<svg'
        """
        from ...drawing.svg import picture_svg
        from ..drawing.render import picture_of

        return picture_svg(picture_of(self))

    def png(self, file: str | os.PathLike[str] | None = None) -> bytes:
        """Return the board as a PNG picture, and write it to `file` if one is given.

        Raises:
            KulamiError: if Pillow, which draws it, is not installed, or `file` is no name of one.
            OSError: if the file cannot be written.

        Examples:
            >>> Position(Layout.parse("AAB/AAC")).png()[1:4]
            b'PNG'
        """
        from ...core.files import named_file
        from ...drawing.png import picture_png
        from ..drawing.render import picture_of

        if file is not None:
            named_file(file, "a picture")
        picture = picture_png(picture_of(self))
        if file is not None:
            with open(file, "wb") as writing:
                writing.write(picture)
        return picture

    def _repr_svg_(self) -> str:
        return self.svg()

    # Being a value

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        options = (f", {name}={value!r}" for name, value in self.edition.unusual.items())
        return f"Position.from_kfn({self.kfn()!r}{''.join(options)})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self is other or self._parts == other._parts

    def __hash__(self) -> int:
        return hash((self._red, self._black, self._last, self._before, self._turn, self._layout))

    def __copy__(self) -> Position:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Position:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return restored, self._parts

    @property
    def _parts(self) -> tuple[Layout, int, int, int, int, int, Edition]:
        """All that a position consists of, as `restored` takes it."""
        return (
            self._layout,
            self._red,
            self._black,
            self._turn,
            self._last,
            self._before,
            self._edition,
        )


def after_root(root: Position, ply: int, own: int, other: int, last: int, before: int) -> Position:
    """Return the position with this view, `ply` plies after `root` by the rules."""
    turn = root._turn ^ ply & 1
    red, black = (other, own) if turn else (own, other)
    return restored(root._layout, red, black, turn, last, before, root._edition)


def restored(
    layout: Layout, red: int, black: int, turn: int, last: int, before: int, edition: Edition
) -> Position:
    """Return a position that needs no checks, from its numbers.

    Args:
        turn: 0 if red is to move, else 1.
        last, before: fields of the last two marbles, -1 for none.
    """
    position = object.__new__(Position)
    position._layout = layout
    position._red = red
    position._black = black
    position._turn = turn
    position._last = last
    position._before = before
    position._edition = edition
    position._legal = _UNKNOWN
    return position


def checked_position(position: Position) -> Position:
    """Return `position` if it is one of Kulami; raise a `PositionError` otherwise.

    Examples:
        >>> checked_position("a1")
        Traceback (most recent call last):
        ...
        kulami_solver.errors.PositionError: positions of Kulami are its Positions, not 'a1'
    """
    return checked_kind(position, Position, "positions of Kulami are its Positions", PositionError)
