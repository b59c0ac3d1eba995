"""JFN: a position of Just 4 Fun as one line of text, seven fields with single spaces between.

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
from typing import Final, NamedTuple

from ..errors import BoardError, NotationError, quoted
from .board import Board
from .cards import read_cards, write_cards

__all__ = ["COLOURS", "Written", "read_jfn", "write_jfn"]

COLOURS: Final = {"r": "red", "b": "blue", "g": "green", "y": "yellow"}
"""The names of the players by their letters."""

_PARTS: Final = ("BOARD", "STONES", "LEFT", "TURN", "HANDS", "STOCK", "DISCARDS")
_COUNTS: Final = re.compile(r"(?:[a-z][0-9]{1,3}){1,5}", re.ASCII)
_COUNT: Final = re.compile(r"([a-z])([0-9]{1,3})", re.ASCII)
_NUMBER: Final = re.compile(r"[1-9][0-9]?", re.ASCII)
_MAX_STONES: Final = 64  # lists longer than any board are cut here


class Written(NamedTuple):
    """What a line says. `Position` decides if it is a position."""

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
        raise NotationError(f"a JFN is text, not {quoted(text)}")
    parts = text.strip(" \t\r\n").split(" ", len(_PARTS))
    if len(parts) != len(_PARTS) or "" in parts:
        if parts == [""]:
            found = "is empty"
        elif "" in parts:
            found = "has several in a row"
        elif len(parts) > len(_PARTS):
            found = f"has more than {len(_PARTS)} parts"
        else:
            found = f"has {len(parts)}"
        raise NotationError(
            f"a JFN is '{' '.join(_PARTS)}', {len(_PARTS)} parts with a single space between: "
            f"{quoted(text)} {found}"
        )
    try:
        board = Board.parse(parts[0])
    except BoardError as error:
        raise BoardError(f"BOARD: {error}") from None
    colours, left = _read_left(parts[2])
    if parts[3] not in tuple(colours):
        names = " or ".join([", ".join(colours[:-1]), colours[-1]])
        raise NotationError(
            f"TURN is {quoted(parts[3])}: write {names}, a player of LEFT {parts[2]}"
        )
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
    """Return the line that says this.

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
        raise NotationError(
            f"{what} is {quoted(text)}: write a letter of {' '.join(COLOURS)} and a number for "
            "each player, like r2b1"
        )
    pairs = _COUNT.findall(text)
    for colour, number in pairs:
        if colour not in COLOURS:
            raise NotationError(
                f"{what} has the colour {quoted(colour)}: colours are {' '.join(COLOURS)}"
            )
        if len(number) > 1 and number[0] == "0":
            raise NotationError(
                f"{what} has {colour}{number} with a leading zero: write {colour}{int(number)}"
            )
        if [name for name, _ in pairs].count(colour) > 1:
            raise NotationError(f"{what} has {colour} twice: write each colour once")
    return [(colour, int(number)) for colour, number in pairs]


def _read_left(text: str) -> tuple[str, tuple[int, ...]]:
    pairs = _read_counts(text, "LEFT")
    if not 2 <= len(pairs) <= len(COLOURS):
        raise NotationError(
            f"LEFT {quoted(text)} has 1 player: two to four of {' '.join(COLOURS)} play"
        )
    return "".join(colour for colour, _ in pairs), tuple(number for _, number in pairs)


def _read_stones(text: str, board: Board, colours: str) -> tuple[tuple[int, ...], ...]:
    none = (0,) * len(colours)
    stones = [none] * board.fields
    if text == "-":
        return tuple(stones)
    entries = text.split(",", _MAX_STONES)
    if len(entries) > board.fields:
        raise NotationError(
            f"STONES has more entries than the board has fields, which is {board.fields}: write "
            "each field once"
        )
    before = 0
    for entry in entries:
        number, colon, counts = entry.partition(":")
        if not colon or not _NUMBER.fullmatch(number):
            raise NotationError(
                f"STONES has {quoted(entry)}: write - or fields with their stones, like 12:r2b1"
            )
        field = int(number)
        try:
            board.checked_field(field)
        except BoardError as error:
            raise BoardError(f"STONES: {error}") from None
        if field <= before:
            raise NotationError(
                f"STONES has field {field} after {before}: write the fields rising, each once"
            )
        before = field
        stones[field - 1] = _read_entry(counts, field, colours)
    return tuple(stones)


def _read_entry(text: str, field: int, colours: str) -> tuple[int, ...]:
    what = f"STONES of field {field}"
    pairs = _read_counts(text, what)
    for colour, number in pairs:
        if colour not in colours:
            raise NotationError(f"{what} has {colour}, who is not in LEFT: players are {colours}")
        if not number:
            raise NotationError(f"{what} has {colour}0: leave out who has no stone there")
    order = [colours.index(colour) for colour, _ in pairs]
    if order != sorted(order):
        raise NotationError(f"{what} is {quoted(text)}: write colours in the order of LEFT")
    counts = dict(pairs)
    return tuple(counts.get(colour, 0) for colour in colours)


def _read_hands(text: str, colours: str) -> tuple[tuple[int, ...] | None, ...]:
    words = text.split(",", len(COLOURS))
    if [word[:1] for word in words] != list(colours):
        raise NotationError(
            f"HANDS is {quoted(text)}: write one hand for each of {' '.join(colours)} in this "
            "order, with commas between, like r1.4.12"
        )
    hands: list[tuple[int, ...] | None] = []
    for word in words:
        what = f"the hand of {COLOURS[word[0]]}"
        if word[1:] == "":
            raise NotationError(f"{what} is empty: write {word}- for no card, {word}? for hidden")
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
        raise NotationError(
            f"{what} is {quoted(text)}: write - for none, or the cards in braces, like {{3.5.12}}"
        )
    return read_cards(text[1:-1], what, rising=True)
