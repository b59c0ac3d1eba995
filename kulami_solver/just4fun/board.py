"""Boards of Just 4 Fun: a rectangle of numbered fields, each of 1 to n once.

A field's name is its number. A board includes the places of the numbers; the printed board is
called 2006.

     1 14 30 24 19  8
    33 11  9 16 35 21
     6 27 31 20  3 12
    15 32  5 29 17 26
    22 10 18 36 25  2
    28  7 23  4 13 34
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ..core.notation import MAX_SIDE
from ..core.whole_numbers import whole, wholes
from ..errors import BoardError, Phrase, checked_kind, quoted

MAX_FIELDS: Final = 64
"""The most fields a board may have: a set of fields is one 64-bit word."""

PRINTED: Final = "2006"
"""The name of the printed board, after the year of the game."""

_PRINTED_ROWS: Final = (
    "1,14,30,24,19,8/33,11,9,16,35,21/6,27,31,20,3,12/15,32,5,29,17,26/22,10,18,36,25,2/"
    "28,7,23,4,13,34"
)
_SIZE: Final = re.compile(r"([1-9][0-9]?)x([1-9][0-9]?)", re.ASCII)
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,3}", re.ASCII)
# A row down, a column to the right, and both diagonals.
_DIRECTIONS: Final = ((0, 1), (1, 0), (1, 1), (1, -1))


@dataclass(frozen=True)
class Board:
    """A board: how wide it is, and the number of every field.

    Args:
        columns: 1 to 16.
        numbers: of the fields, row by row from the top: each of 1 to n once, n at most 64.

    Raises:
        BoardError: if there is no such board.

    Examples:
        >>> from kulami_solver.just4fun import Board
        >>> board = Board(3, (7, 2, 9, 1, 4, 6, 8, 3, 5))
        >>> str(board), board.rows, board.fields, board.place(4)
        ('7,2,9/1,4,6/8,3,5', 3, 9, (1, 1))
        >>> Board(2, (1, 2, 2, 4))
        Traceback (most recent call last):
        ...
        kulami_solver.errors.BoardError: board row 2 has a second 2: each of 1 to 4 stands \
on one field
    """

    columns: int
    numbers: tuple[int, ...]

    def __post_init__(self) -> None:
        columns = whole(self.columns)
        if columns is None:
            raise BoardError("columns_no_number", given=self.columns, most=MAX_SIDE)
        given = checked_kind(self.numbers, tuple, "the numbers of a board are a tuple", BoardError)
        numbers = wholes(given)
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "numbers", numbers)
        if not 1 <= columns <= MAX_SIDE:
            raise BoardError("columns_out_of_range", columns=columns, most=MAX_SIDE)
        fields = len(numbers)
        if not fields or fields % columns:
            raise BoardError("rows_not_filled", count=fields, columns=columns)
        if fields > MAX_FIELDS:
            raise BoardError("board_fields", fields=fields, most=MAX_FIELDS)
        if fields // columns > MAX_SIDE:
            raise BoardError("board_rows", rows=fields // columns, most=MAX_SIDE)
        seen: set[int] = set()
        for at, number in enumerate(numbers):
            row = at // columns + 1
            every = Phrase("each_number_once", most=fields) if fields > 1 else Phrase("write_1")
            if whole(number) is None:
                raise BoardError("board_no_number", row=row, given=number, remedy=every)
            if not 1 <= number <= fields:
                raise BoardError("board_number", row=row, given=number, fields=fields, remedy=every)
            if number in seen:
                raise BoardError("board_number_twice", row=row, number=number, remedy=every)
            seen.add(number)

    @classmethod
    def parse(cls, text: str) -> Board:
        """Return the board of a text: `2006`, `HEIGHTxWIDTH`, or the rows of numbers.

        Rows come from the top, separated by `/`, numbers by `,`. `3x4` has three rows of four,
        numbered row by row.

        Raises:
            BoardError: if the text names no board, or there is no such board.

        Examples:
            >>> Board.parse("2x3").numbers
            (1, 2, 3, 4, 5, 6)
            >>> str(Board.parse("1,2,3/4,5,6")), Board.parse("2006").place(36)
            ('2x3', (4, 3))
            >>> Board.parse("1,2,3/4,5")
            Traceback (most recent call last):
            ...
            kulami_solver.errors.BoardError: board row 2 has 2 fields, row 1 has 3: make all rows \
as long
        """
        if not isinstance(text, str):
            raise BoardError("board_no_text", text=text)
        if text == PRINTED:
            text = _PRINTED_ROWS
        size = _SIZE.fullmatch(text)
        if size:
            rows, columns = int(size[1]), int(size[2])
            if max(rows, columns) > MAX_SIDE or rows * columns > MAX_FIELDS:
                raise BoardError("board_size_too_large", text=text, side=MAX_SIDE, most=MAX_FIELDS)
            return cls(columns, tuple(range(1, rows * columns + 1)))
        lines = text.split("/", MAX_SIDE)
        if len(lines) > MAX_SIDE:
            raise BoardError("board_too_many_rows", most=MAX_SIDE)
        numbers: list[int] = []
        width = 0
        for row, line in enumerate(lines, 1):
            read = _read_row(line, row, text)
            width = width or len(read)
            if len(read) != width:
                raise BoardError("board_row_widths", row=row, count=len(read), width=width)
            numbers += read
        return cls(width, tuple(numbers))

    def __str__(self) -> str:
        in_order = self.numbers == tuple(range(1, self.fields + 1))
        if in_order:
            return f"{self.rows}x{self.columns}"
        rows = "/".join(",".join(map(str, row)) for row in self.grid)
        return PRINTED if rows == _PRINTED_ROWS else rows

    def __repr__(self) -> str:
        return f"Board.parse({str(self)!r})"

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.numbers) // self.columns

    @property
    def fields(self) -> int:
        """The number of fields, which is also the highest field."""
        return len(self.numbers)

    @property
    def grid(self) -> tuple[tuple[int, ...], ...]:
        """The numbers, row by row from the top."""
        wide = self.columns
        return tuple(self.numbers[at : at + wide] for at in range(0, self.fields, wide))

    def place(self, field: int) -> tuple[int, int]:
        """Return row and column of a field, both counted from 0, top left.

        Raises:
            BoardError: if the board has no such field.

        Examples:
            >>> Board.parse("2x3").place(7)
            Traceback (most recent call last):
            ...
            kulami_solver.errors.BoardError: there is no field 7 on a board of 6 fields
        """
        return divmod(self.numbers.index(self.checked_field(field)), self.columns)

    def checked_field(self, field: int) -> int:
        """Return the number if it is that of a field; raise a `BoardError` otherwise."""
        number = whole(field)
        if number is None or not 1 <= number <= self.fields:
            raise BoardError("no_field_of_number", field=field, fields=self.fields)
        return number

    def lines(self, length: int) -> tuple[tuple[int, ...], ...]:
        """Return every line of `length` adjacent fields, as the fields' numbers.

        Lines are horizontal, vertical or diagonal; one of length 1 is a field.

        Examples:
            >>> Board.parse("2x3").lines(3), len(Board.parse("2006").lines(4))
            (((1, 2, 3), (4, 5, 6)), 54)
        """
        number = whole(length)
        if number is None or number < 1:
            raise BoardError(f"a line of {quoted(length)} fields: give 1 or more")
        return _lines(self, number)


@lru_cache(maxsize=64)
def _lines(board: Board, length: int) -> tuple[tuple[int, ...], ...]:
    found = []
    directions = _DIRECTIONS if length > 1 else _DIRECTIONS[:1]
    for row in range(board.rows):
        for column in range(board.columns):
            for down, right in directions:
                last_row = row + down * (length - 1)
                last_column = column + right * (length - 1)
                if last_row < board.rows and 0 <= last_column < board.columns:
                    found.append(
                        tuple(
                            board.numbers[(row + down * i) * board.columns + column + right * i]
                            for i in range(length)
                        )
                    )
    return tuple(found)


def _read_row(line: str, row: int, text: str) -> list[int]:
    words = line.split(",", MAX_SIDE)
    if len(words) > MAX_SIDE:
        raise BoardError("board_row_wide", row=row, most=MAX_SIDE)
    for word in words:
        if not _NUMBER.fullmatch(word):
            if "/" not in text and "," not in text:
                raise BoardError("no_number_board", text=text)
            raise BoardError("board_row_number", row=row, text=word)
    return [int(word) for word in words]
