"""Boards of Just 4 Fun, and JFN: a position as one line of text.

A board is a rectangle of numbered fields, each of 1 to n once. A field's name is its number. A
board includes the places of the numbers; the printed board is called 2006.

     1 14 30 24 19  8
    33 11  9 16 35 21
     6 27 31 20  3 12
    15 32  5 29 17 26
    22 10 18 36 25  2
    28  7 23  4 13 34

JFN has seven fields with single spaces between.

    BOARD STONES LEFT TURN HANDS STOCK DISCARDS
    3x3 1:r1,6:r1b2 r2b1 b r1.3.3,b? {1.2.2.4} {5}

BOARD     `2006`, the printed one; `HEIGHTxWIDTH`, numbered row by row; or the rows of numbers from
          the top, separated by `/`, numbers by `,`
STONES    `-`, or `FIELD:COUNTS` with commas between, fields rising; COUNTS is a colour letter and
          a number of stones for each player who has some there, in the order of LEFT
LEFT      colour letter and stones still to place of each player, in the order of play: two to
          four of `r b g y`
TURN      the colour letter of who is to move
HANDS     colour letter and cards of each player, in the order of LEFT, cards rising: `r1.4.4`;
          `r-` for no card, `r?` for a hidden hand
STOCK     `3.5.12` in the order of drawing, `{3.5.12}` where the order is unknown, `-` for none
DISCARDS  `{...}`, or `-` for none

Where a hand is hidden, the stock in braces holds all the cards that are not seen: those of the
hidden hands are among them. `-` then stands for what the deck has besides the cards that are
written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from ..core.notation import MAX_SIDE, parts_found
from ..core.whole_numbers import whole, wholes
from ..errors import BoardError, NotationError, Phrase, checked_kind, quoted
from .cards import read_cards, write_cards

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


COLOURS: Final = {"r": "red", "b": "blue", "g": "green", "y": "yellow"}
"""The names of the players by their letters."""

_PARTS: Final = ("BOARD", "STONES", "LEFT", "TURN", "HANDS", "STOCK", "DISCARDS")
_COUNTS: Final = re.compile(r"(?:[a-z][0-9]{1,3}){1,5}", re.ASCII)
_COUNT: Final = re.compile(r"([a-z])([0-9]{1,3})", re.ASCII)
_FIELD: Final = re.compile(r"[1-9][0-9]?", re.ASCII)
_MAX_STONES: Final = 64  # lists longer than any board are cut here


class Written(NamedTuple):
    """The content of a line. `Position` checks that it is a position."""

    board: Board
    stones: tuple[tuple[int, ...], ...]  # of each field from 1, how many of each player
    colours: str  # letters in the order of play
    left: tuple[int, ...]
    seat: int  # who is to move
    hands: tuple[tuple[int, ...] | None, ...]  # None is hidden
    stock: tuple[int, ...]
    ordered: bool  # whether the stock lies in the order of drawing
    discards: tuple[int, ...]


def read_jfn(text: str) -> Written:
    """Read a JFN line.

    Raises:
        NotationError: if it is malformed.
        BoardError: if there is no such board, or no such field on it.

    Examples:
        >>> written = read_jfn("1x2 2:r1b1 r2b0 r r1.3,b? {2} -")
        >>> written.stones, written.left, written.hands, written.ordered
        (((0, 0), (1, 1)), (2, 0), ((1, 3), None), False)
        >>> read_jfn("1x2 2:r1b1 r2b0 g r1.3,b? {2} -")
        Traceback (most recent call last):
        ...
        kulami_solver.errors.NotationError: TURN is 'g': write r or b, a player of LEFT r2b0
    """
    if not isinstance(text, str):
        raise NotationError("jfn_no_text", text=text)
    parts = text.strip(" \t\r\n").split(" ", len(_PARTS))
    if len(parts) != len(_PARTS) or "" in parts:
        found = parts_found(parts, len(_PARTS))
        form, count = " ".join(_PARTS), len(_PARTS)
        raise NotationError("jfn_form", form=form, count=count, text=text, found=found)
    try:
        board = Board.parse(parts[0])
    except BoardError as error:
        raise error.at("board_part") from None
    colours, left = _read_left(parts[2])
    if parts[3] not in tuple(colours):
        raise NotationError("jfn_turn", text=parts[3], letters=list(colours), left=parts[2])
    stock, ordered = _read_stock(parts[5])
    return Written(
        board,
        _read_stones(parts[1], board, colours),
        colours,
        left,
        colours.index(parts[3]),
        _read_hands(parts[4], colours),
        stock,
        ordered,
        _read_braces(parts[6], "DISCARDS") if parts[6] != "-" else (),
    )


def write_jfn(written: Written) -> str:
    """Return the JFN line of this content.

    Examples:
        >>> write_jfn(read_jfn("1,2 2:r1b1 r2b0 r r1.3,b? {2} -"))
        '1x2 2:r1b1 r2b0 r r1.3,b? {2} -'
    """
    colours = written.colours
    stones = ",".join(
        f"{field}:{_write_counts(colours, counts)}"
        for field, counts in enumerate(written.stones, 1)
        if any(counts)
    )
    left = "".join(
        f"{colour}{number}" for colour, number in zip(colours, written.left, strict=True)
    )
    hands = ",".join(
        colour + ("?" if hand is None else write_cards(hand) or "-")
        for colour, hand in zip(colours, written.hands, strict=True)
    )
    stock = write_cards(written.stock)
    if stock and not written.ordered:
        stock = f"{{{stock}}}"
    discards = f"{{{write_cards(written.discards)}}}" if written.discards else "-"
    turn = colours[written.seat]
    return f"{written.board} {stones or '-'} {left} {turn} {hands} {stock or '-'} {discards}"


def _write_counts(colours: str, counts: tuple[int, ...]) -> str:
    return "".join(f"{c}{number}" for c, number in zip(colours, counts, strict=True) if number)


def _read_counts(text: str, what: str) -> list[tuple[str, int]]:
    """Return pairs of a colour letter and a number, no letter twice."""
    if not _COUNTS.fullmatch(text):
        raise NotationError("counts_form", what=what, text=text, letters=" ".join(COLOURS))
    pairs = _COUNT.findall(text)
    for colour, number in pairs:
        if colour not in COLOURS:
            raise NotationError(
                "counts_colour", what=what, colour=colour, letters=" ".join(COLOURS)
            )
        if len(number) > 1 and number[0] == "0":
            raise NotationError(
                "counts_leading_zero", what=what, colour=colour, number=number, right=int(number)
            )
        if [name for name, _ in pairs].count(colour) > 1:
            raise NotationError("counts_twice", what=what, colour=colour)
    return [(colour, int(number)) for colour, number in pairs]


def _read_left(text: str) -> tuple[str, tuple[int, ...]]:
    pairs = _read_counts(text, "LEFT")
    if not 2 <= len(pairs) <= len(COLOURS):
        raise NotationError("left_one_player", text=text, letters=" ".join(COLOURS))
    return "".join(colour for colour, _ in pairs), tuple(number for _, number in pairs)


def _read_stones(text: str, board: Board, colours: str) -> tuple[tuple[int, ...], ...]:
    none = (0,) * len(colours)
    stones = [none] * board.fields
    if text == "-":
        return tuple(stones)
    entries = text.split(",", _MAX_STONES)
    if len(entries) > board.fields:
        raise NotationError("stones_too_many", fields=board.fields)
    before = 0
    for entry in entries:
        number, colon, counts = entry.partition(":")
        if not colon or not _FIELD.fullmatch(number):
            raise NotationError("stones_form", text=entry)
        field = int(number)
        try:
            board.checked_field(field)
        except BoardError as error:
            raise error.at("stones_part") from None
        if field <= before:
            raise NotationError("stones_not_rising", field=field, before=before)
        before = field
        stones[field - 1] = _read_entry(counts, field, colours)
    return tuple(stones)


def _read_entry(text: str, field: int, colours: str) -> tuple[int, ...]:
    what = Phrase("stones_of", field=field)
    pairs = _read_counts(text, what)
    for colour, number in pairs:
        if colour not in colours:
            raise NotationError("stones_of_nobody", what=what, colour=colour, colours=colours)
        if not number:
            raise NotationError("stones_none", what=what, colour=colour)
    order = [colours.index(colour) for colour, _ in pairs]
    if order != sorted(order):
        raise NotationError("stones_order", what=what, text=text)
    counts = dict(pairs)
    return tuple(counts.get(colour, 0) for colour in colours)


def _read_hands(text: str, colours: str) -> tuple[tuple[int, ...] | None, ...]:
    words = text.split(",", len(COLOURS))
    if [word[:1] for word in words] != list(colours):
        raise NotationError("hands_form", text=text, letters=" ".join(colours))
    hands: list[tuple[int, ...] | None] = []
    for word in words:
        what = Phrase("hand_of", side=COLOURS[word[0]])
        if word[1:] == "":
            raise NotationError("hand_empty", what=what, word=word)
        if word[1:] == "?":
            hands.append(None)
        else:
            hands.append(() if word[1:] == "-" else read_cards(word[1:], what, rising=True))
    return tuple(hands)


def _read_stock(text: str) -> tuple[tuple[int, ...], bool]:
    if text == "-":
        return (), True
    if text.startswith("{"):
        return _read_braces(text, "STOCK"), False
    return read_cards(text, "STOCK", rising=False), True


def _read_braces(text: str, what: str) -> tuple[int, ...]:
    if len(text) < 3 or text[0] != "{" or text[-1] != "}":
        raise NotationError("braces_form", what=what, text=text)
    return read_cards(text[1:-1], what, rising=True)
