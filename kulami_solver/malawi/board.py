"""Boards of Malawi, with their compiled rules, and turns.

A board has columns, rows, and beads on each figure at the start.

The compiled rules see every position from the side to move, whose home row is the lowest. Names
are red's view: for black the rows are counted from the other end.

    red's view, and the names        black's view
    a1 b1                            a3 b3
    a2 b2                            a2 b2
    a3 b3    red's home row          a1 b1    black's home row

A turn is written with these names:

    a4-a2       a move: the figure on a4 goes to a2
    a4xa1       a hit: it takes all beads of the figure on a1, and both stay where they are
    a4:b4,c4    a redistribution: its beads go to the figures on b4 and c4, one each; what is
                more than that leaves the game
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from ..core.notation import MAX_SIDE, field_name, parse_field
from ..core.whole_numbers import checked_index, whole
from ..errors import BoardError, NotationError, checked_kind
from .rules import Rules

MAX_SQUARES: Final = 64
"""The most squares a board may have: a set of squares is one 64-bit word."""

MAX_BEADS: Final = 15
"""The most beads a figure may have at the start; all of a side's then fit in a byte."""

Kind = Literal["move", "hit", "redistribution"]

_SIGNS: Final[dict[str, Kind]] = {"-": "move", "x": "hit", ":": "redistribution"}
_SIGN_OF: Final = {kind: sign for sign, kind in _SIGNS.items()}
KINDS: Final[tuple[Kind, ...]] = ("move", "hit", "redistribution")
"""The kinds of turns by their numbers in the compiled rules."""

_SIZE: Final = re.compile(r"([1-9][0-9]?)x([1-9][0-9]?)", re.ASCII)


@dataclass(frozen=True)
class Board:
    """A board with its figures: one of each side on every square of the side's home row.

    Args:
        columns: 2 to 16, and as many figures a side.
        rows: 3 to 16; at most 64 squares in all.
        beads: on each figure at the start, 1 to 15.

    Raises:
        BoardError: if there is no such board.

    Examples:
        >>> from kulami_solver.malawi import Board
        >>> board = Board(3, 4, beads=1)
        >>> str(board), board.fields[:4], board.fields[-1]
        ('3x4', ('a1', 'b1', 'c1', 'a2'), 'c4')
        >>> Board(9, 8)
        Traceback (most recent call last):
        ...
        kulami_solver.errors.BoardError: a board of 9x8 has 72 squares: at most 64 will do
    """

    columns: int
    rows: int
    beads: int = 2

    def __post_init__(self) -> None:
        for name, code, least, most in (
            ("columns", "board_columns", 2, MAX_SIDE),
            ("rows", "board_rows_of", 3, MAX_SIDE),
            ("beads", "board_beads", 1, MAX_BEADS),
        ):
            value = getattr(self, name)
            number = whole(value)
            if number is None or not least <= number <= most:
                raise BoardError(code, given=value, least=least, most=most)
            object.__setattr__(self, name, number)
        if self.columns * self.rows > MAX_SQUARES:
            raise BoardError(
                "board_too_large", board=self, squares=self.columns * self.rows, most=MAX_SQUARES
            )

    @classmethod
    def parse(cls, text: str, beads: int = 2) -> Board:
        """Return the board of a text like "3x4": 3 columns, 4 rows.

        Raises:
            BoardError: if the text names no board, or there is no such board.

        Examples:
            >>> Board.parse("6x6") == Board(6, 6, 2)
            True
            >>> Board.parse("6*6")
            Traceback (most recent call last):
            ...
            kulami_solver.errors.BoardError: '6*6' is no board: \
write columns x rows, like 3x4
        """
        match = _SIZE.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            raise BoardError("no_board", text=text)
        return cls(int(match[1]), int(match[2]), beads)

    def __str__(self) -> str:
        return f"{self.columns}x{self.rows}"

    @property
    def squares(self) -> int:
        """How many squares there are."""
        return self.columns * self.rows

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the squares, row by row from the top."""
        return tuple(self.name(square) for square in range(self.squares))

    def name(self, square: int) -> str:
        """Return the name of a square by its number, counted row by row from 0, top left.

        Examples:
            >>> Board(3, 4).name(5)
            'c2'
        """
        number = checked_index(square, self.squares, "square", BoardError)
        row, column = divmod(number, self.columns)
        return field_name(column, row)

    def number(self, field: str) -> int:
        """Return the number of a square by its name.

        Raises:
            NotationError: if it is no name.
            BoardError: if the board has no such square.

        Examples:
            >>> Board(3, 4).number("c2")
            5
            >>> Board(3, 4).number("d2")
            Traceback (most recent call last):
            ...
            kulami_solver.errors.BoardError: 'd2' is not on a board of 3x4: its last square is c4
        """
        column, row = parse_field(field)
        if column >= self.columns or row >= self.rows:
            raise BoardError(
                "no_such_square", text=field, board=self, last=self.name(self.squares - 1)
            )
        return row * self.columns + column


def checked_board(board: Board) -> Board:
    """Return `board` if it is one; raise a `BoardError` otherwise.

    Examples:
        >>> checked_board("3x4")
        Traceback (most recent call last):
        ...
        kulami_solver.errors.BoardError: a Board is needed, as Board.parse makes it, not '3x4'
    """
    return checked_kind(board, Board, "a Board is needed, as Board.parse makes it", BoardError)


class Geometry(NamedTuple):
    """Squares and compiled rules of a board of some size.

    Attributes:
        board: a board of this size.
        rules: the compiled rules.
        names: of its squares, in the order in which red sees them, and black.
    """

    board: Board
    rules: Rules
    names: tuple[tuple[str, ...], tuple[str, ...]]


def members(squares: int) -> Iterator[int]:
    """Yield the numbers in a set of squares, lowest first.

    Examples:
        >>> list(members(0b1010))
        [1, 3]
    """
    while squares:
        yield (squares & -squares).bit_length() - 1
        squares &= squares - 1


@lru_cache(maxsize=64)
def geometry_of(columns: int, rows: int) -> Geometry:
    """Return the geometry of boards with these columns and rows.

    Raises:
        BoardError: if there is no such board.
    """
    board = Board(columns, rows)
    red = board.fields
    black = tuple(
        field for row in reversed(range(rows)) for field in red[row * columns :][:columns]
    )
    return Geometry(board, Rules(columns, rows), (red, black))


@dataclass(frozen=True)
class Turn:
    """The turn of one figure. `Position` decides whether it is legal.

    Attributes:
        kind: "move", "hit" or "redistribution".
        figure: the name of the square it stands on.
        targets: the squares it goes to, hits, or gives its beads to, row by row.

    Examples:
        >>> from kulami_solver.malawi import Turn
        >>> Turn("redistribution", "a4", ("b4", "c4")) == Turn.parse("a4:c4,b4")
        True
    """

    kind: Kind
    figure: str
    targets: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Turn:
        """Return the turn a text stands for.

        Raises:
            NotationError: if it stands for none.

        Examples:
            >>> Turn.parse("a4xa1")
            Turn.parse('a4xa1')
            >>> Turn.parse("a4")
            Traceback (most recent call last):
            ...
            kulami_solver.errors.NotationError: 'a4' is no turn: write a4-a2 for a move, a4xa1 \
for a hit, a4:b4,c4 for a redistribution
        """
        sign = next((sign for sign in _SIGNS if isinstance(text, str) and sign in text), None)
        if sign is None:
            raise NotationError("no_turn", text=text)
        kind = _SIGNS[sign]
        figure, _, rest = text.partition(sign)
        # No game has more figures a side than this.
        targets = rest.split(",", 17) if kind == "redistribution" else [rest]
        if "" in (figure, *targets):  # as in "xx", which is no hit of nothing
            raise NotationError("no_turn", text=text)
        for name in (figure, *targets):
            try:
                parse_field(name)
            except NotationError as error:
                raise error.at("no_turn_text", text=text) from None
        if len(set(targets)) < len(targets):
            raise NotationError("receiver_twice", text=text)
        return cls(kind, figure, tuple(sorted(targets, key=_reading_order)))

    def __str__(self) -> str:
        return f"{self.figure}{_SIGN_OF[self.kind]}{','.join(self.targets)}"

    def __repr__(self) -> str:
        return f"Turn.parse({str(self)!r})"


def _reading_order(field: str) -> tuple[int, int]:
    column, row = parse_field(field)
    return row, column
