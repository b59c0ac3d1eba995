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

from ..core.notation import parts_found
from ..errors import BoardError, NotationError, Phrase
from .board import Board
from .cards import read_cards, write_cards

COLOURS: Final = {"r": "red", "b": "blue", "g": "green", "y": "yellow"}
"""The names of the players by their letters."""

_PARTS: Final = ("BOARD", "STONES", "LEFT", "TURN", "HANDS", "STOCK", "DISCARDS")
_COUNTS: Final = re.compile(r"(?:[a-z][0-9]{1,3}){1,5}", re.ASCII)
_COUNT: Final = re.compile(r"([a-z])([0-9]{1,3})", re.ASCII)
_NUMBER: Final = re.compile(r"[1-9][0-9]?", re.ASCII)
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
        if not colon or not _NUMBER.fullmatch(number):
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
