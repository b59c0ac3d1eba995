"""What the notations of all games share: names of fields, sides, and what is wrong with a text.

A field is a column letter from the left and a row number from the top:

   a  b  c          a1 is the top left square, p16 the bottom right one of the largest grid.
1  .  .  .
2  .  .  .          b2 is the second square of the second row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from ..errors import NotationError, Phrase

RED: Final = "red"
BLACK: Final = "black"

MAX_SIDE = 16
"""The widest and the highest a layout may be, in squares."""

COLUMNS = "abcdefghijklmnop"

SQUARES: Final = tuple([f"{column}{row}" for column in COLUMNS] for row in range(1, MAX_SIDE + 1))
"""The names of all squares, by row and column."""

# A list of fields is longer than this only by mistake: a game has at most 64 marbles.
_MOST_LISTED = 10_000

_FIELD = re.compile(r"([a-p])([1-9]|1[0-6])")

QUOTES: Final = "\"'`\u2018\u2019\u201c\u201d\u201e"
"""The marks that people copy along with a text."""

# Blanks of other widths, and signs without any, which programs put into what people copy.
_PASTED: Final = {
    **dict.fromkeys(map(ord, "\t\xa0\u1680\u202f\u205f\u3000"), " "),
    **dict.fromkeys(map(ord, "\v\f\x85\u2028\u2029"), "\n"),
    **dict.fromkeys(range(0x2000, 0x200B), " "),
    **dict.fromkeys([0xAD, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F)], ""),
    **dict.fromkeys(range(0x2060, 0x2070), ""),
}


def plain_signs(text: str) -> str:
    """Return a text that people wrote or pasted with plain blanks and line ends.

    Examples:
        >>> plain_signs("1.\\xa0a1\\u200b\\r2. c1")
        '1. a1\\n2. c1'
    """
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_PASTED)


def plain_lines(text: str) -> str:
    """Return a text with plain signs, single blanks, and without the `>` of a quoted mail.

    Examples:
        >>> plain_lines("> AAB/AAC\\t1r  r   c2,\\xa0b1 ")
        'AAB/AAC 1r r c2, b1'
    """
    return "\n".join(" ".join(line.lstrip("> ").split()) for line in plain_signs(text).split("\n"))


def field_name(column: int, row: int) -> str:
    """Return the name of the square in `column` and `row`, both counted from 0.

    Raises:
        NotationError: outside 0..15.

    Examples:
        >>> field_name(0, 0), field_name(8, 15)
        ('a1', 'i16')
    """
    if not (0 <= column < MAX_SIDE and 0 <= row < MAX_SIDE):
        raise NotationError("unnamed_square", column=column, row=row, most=MAX_SIDE - 1)
    return f"{COLUMNS[column]}{row + 1}"


def parse_field(name: str) -> tuple[int, int]:
    """Return the column and the row, both counted from 0, of a field's name.

    Raises:
        NotationError: if it is not a letter a-p and a number 1-16 without leading zero.

    Examples:
        >>> parse_field("d4")
        (3, 3)
        >>> parse_field("D4")
        Traceback (most recent call last):
        ...
        kulami_solver.errors.NotationError: 'D4' is not a field: write a column letter in \
lower case, then a row number, like d4
    """
    match = _FIELD.fullmatch(name) if isinstance(name, str) else None
    if match is None:
        raise NotationError("no_field_name", text=name)
    return COLUMNS.index(match[1]), int(match[2]) - 1


def parse_fields(text: str | Iterable[str]) -> tuple[str, ...]:
    """Return the field names of a list, in order: text with spaces or commas, or an iterable.

    Raises:
        NotationError: if one is not the name of a field; the message counts where it stands.

    Examples:
        >>> parse_fields("d4 d7, a7")
        ('d4', 'd7', 'a7')
        >>> parse_fields("d4 d0")
        Traceback (most recent call last):
        ...
        kulami_solver.errors.NotationError: number 2 of the list: 'd0' is not a field: write \
a column letter in lower case, then a row number, like d4
    """
    if isinstance(text, str):
        names: list[str] = re.split(r"[ \t\r\n,]+", text.strip(" \t\r\n,"))
        if names == [""]:
            return ()
    else:
        try:
            names = list(text)
        except TypeError:
            raise NotationError("no_list_of_fields", text=text) from None
    if len(names) > _MOST_LISTED:
        raise NotationError("too_many_fields_listed", count=len(names))
    for number, name in enumerate(names, 1):
        try:
            parse_field(name)
        except NotationError as error:
            raise error.at("listed", number=number) from None
    return tuple(names)


def parse_turn(value: object, name: str = "turn") -> str:
    """Return "red" or "black" for a colour's name or first letter.

    Args:
        value: "red", "black", "r" or "b".
        name: of the argument, for the message.

    Raises:
        NotationError: for anything else.

    Examples:
        >>> parse_turn("b")
        'black'
        >>> parse_turn("white")
        Traceback (most recent call last):
        ...
        kulami_solver.errors.NotationError: turn 'white' is no colour: use 'red' or 'black'
    """
    if isinstance(value, str):
        if value in (RED, "r"):
            return RED
        if value in (BLACK, "b"):
            return BLACK
    raise NotationError("no_colour", name=name, value=value)


def other_side(side: str) -> str:
    """Return the other one of "red" and "black".

    Examples:
        >>> other_side("red"), other_side("black")
        ('black', 'red')
    """
    return BLACK if side == RED else RED


def parts_found(parts: Sequence[str], most: int) -> Phrase:
    """Return the fault in the number of parts of a text.

    Args:
        parts: the text split at each space.
        most: the required number of parts.

    Examples:
        >>> str(parts_found(["a"], 4)), str(parts_found(["a", "", "b", "c"], 4))
        ('has 1 part', 'has several in a row')
    """
    if list(parts) == [""]:
        return Phrase("text_is_empty")
    if "" in parts:
        return Phrase("text_has_gaps")
    if len(parts) > most:
        return Phrase("text_has_more_parts", most=most)
    return Phrase("text_has_parts", count=len(parts))


def so_many(count: int, thing: str) -> str:
    """Return a number of things in words.

    Args:
        count: how many.
        thing: the singular word; the plural adds an "s".

    Examples:
        >>> so_many(1, "bead"), so_many(0, "bead"), so_many(1000, "bead")
        ('1 bead', '0 beads', '1,000 beads')
    """
    return f"{count:,} {thing}{'s' * (count != 1)}"


def joined(names: Sequence[str], word: str) -> str:
    """Return names with commas between them, and a word before the last.

    Examples:
        >>> joined(("a1", "c1", "d4"), "or"), joined(["a1"], "and")
        ('a1, c1 or d4', 'a1')
    """
    *most, last = names
    return f"{', '.join(most)} {word} {last}" if most else last
