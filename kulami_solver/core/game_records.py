"""Records of games in files: JSON, one a line; and the names of records in messages.

Messages name a record by the number of its line, and a game by its place among the records, from 1.
Blank lines, lines that begin with `#`, and the first line of a journal are no records; in a file
with such lines messages give both numbers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

from ..errors import IllegalMoveError, KulamiError, NotationError, Phrase, checked_kind

Start = TypeVar("Start")


class Verdict(NamedTuple):
    """The result of checking one record of a game.

    Attributes:
        number: of its line.
        reason: why record and rules do not agree; empty if they do.
        position: the position after the last move that could be played.
        game: the record's place among the records, from 1.
    """

    number: int
    reason: str
    position: Any
    game: int = 1

    @property
    def agrees(self) -> bool:
        """Whether record and rules agree."""
        return not self.reason


class RecordedGame(NamedTuple):
    """The game in a record, whole or not.

    Attributes:
        start: the state in which it begins.
        moves: in order; all of them are legal.
        end: the state after the last of them, with its history.
    """

    start: Any
    moves: tuple[str, ...]
    end: Any


def is_record(line: str) -> bool:
    """Whether a line of a file is a record: not blank, no comment, no first line of a journal.

    Examples:
        >>> [is_record(line) for line in ('{"moves": []}', "", "# mine", '{"journal": "match"}')]
        [True, False, False, False]
    """
    return bool(line.strip()) and not line.startswith(("#", '{"journal":'))


def numbered_records(lines: Iterable[str]) -> Iterator[tuple[int, int, str]]:
    """Yield the lines that are records: the line's number, the game's, and the text.

    Lines that are no records are counted as lines, not as games. A text is cut into its lines.

    Raises:
        NotationError: if they are no lines of text.

    Examples:
        >>> list(numbered_records(["# two games", "{}", "", "[]"]))
        [(2, 1, '{}'), (4, 2, '[]')]
    """
    game = 0
    given = lines.splitlines() if isinstance(lines, str) else lines
    listed = checked_kind(given, Iterable, "records are lines of text", NotationError)
    for number, line in enumerate(listed, 1):
        checked_kind(line, str, f"line {number} is text", NotationError)
        if is_record(line):
            game += 1
            yield number, game, line


def parse_record(line: str, number: int = 1, game: int | None = None) -> object:
    """Return the object in a line of JSON; the numbers, of the line and the game, are for messages.

    Raises:
        NotationError: if the line is not JSON.

    Examples:
        >>> parse_record("{", 3, 2)
        Traceback (most recent call last):
        ...
        kulami_solver.errors.NotationError: game record 3 (game 2) is not JSON at character 2: \
write one object a line
    """
    called = _called(number, game)
    try:
        record: object = json.loads(line)
    except RecursionError:
        raise NotationError("record_too_deep", record=called) from None
    except ValueError as error:
        # The message gives the place of the error only; Python's own message for numbers of
        # thousands of digits would speak of Python's settings.
        if isinstance(error, json.JSONDecodeError):
            raise NotationError("record_no_json_at", record=called, place=error.pos + 1) from None
        raise NotationError("record_no_json", record=called) from None
    return record


def parsed_records(lines: Iterable[str]) -> Iterator[tuple[int, int, object]]:
    """Yield the records in lines of JSON: the line's number, the game's, and the object.

    In place of an object that is not JSON comes the error that says so.

    Examples:
        >>> [(number, type(found).__name__) for number, _, found in parsed_records(["{", "", "{}"])]
        [(1, 'NotationError'), (3, 'dict')]
    """
    for number, game, line in numbered_records(lines):
        found: object
        try:
            found = parse_record(line, number, game)
        except NotationError as error:
            found = error
        yield number, game, found


def _called(number: int, game: int | None) -> Phrase:
    if game in (None, number):
        return Phrase("game_record", number=number)
    return Phrase("game_record_of", number=number, game=game)


@contextmanager
def record_named(number: int, game: int | None) -> Iterator[None]:
    """Add the record to the message of an error.

    Args:
        number: of its line.
        game: its place among the records, None if that is the same.
    """
    try:
        yield
    except KulamiError as error:
        raise error.at(_called(number, game)) from None


def positions_after(start: Start, moves: str | Iterable[Any], code: str = "move") -> list[Start]:
    """Return a position, or a state, and those after each of some moves; a text has blanks.

    Raises:
        KulamiError: if a move is not legal; the message gives its number, in the words of `code`.
    """
    given = moves.split() if isinstance(moves, str) else moves
    listed = checked_kind(given, Iterable, "moves are a text or an iterable", NotationError)
    found, refused = played(start, ((move,) for move in listed), code, KulamiError)
    if refused is not None:
        raise refused
    return found


def played(
    start: Start,
    turns: Iterable[tuple[Any, ...]],
    code: str = "move",
    refusal: type[KulamiError] = IllegalMoveError,
) -> tuple[list[Start], KulamiError | None]:
    """Return what `positions_after` does, as far as the turns are legal, and the refusal of one.

    A turn has the arguments of `play`: a move, and the cards drawn after it.
    """
    found: list[Any] = [start]
    for number, turn in enumerate(turns, 1):
        try:
            found.append(found[-1].play(*turn))
        except refusal as error:
            return found, error.at(code, number=number)
    return found, None


def before_move(record: object, error: KulamiError) -> dict[str, Any] | None:
    """Return a record up to the move that an error refuses, and without a forfeit.

    Args:
        record: the record that raised the error, or another.
        error: what it raised.

    Returns:
        None if the error is about something else, or there is no move before it.

    Examples:
        >>> record = {"moves": "1. a1 z9", "forfeit": "red"}
        >>> before_move(record, NotationError("over").at("move", number=2))
        {'moves': '1. a1', 'forfeit': None}
    """
    codes = {place.code: place.values for place in error.places}
    number: Any = (codes.get("move") or codes.get("listed") or {}).get("number", 0)
    if not isinstance(record, dict) or "variation_of" in codes or number < 2:
        return None
    moves = record.get("moves")
    if isinstance(moves, str):  # with the numbers before them, if any
        words = re.finditer(r"[^\s,]+", moves)
        ends = [found.end() for found in words if re.search("[A-Za-z]", found[0])]
        moves = moves[: ends[number - 2]]
    else:
        moves = list(moves or ())[: number - 1]
    return {**record, "moves": moves, "forfeit": None}


def record_part(record: Mapping[Any, Any], name: str, remedy: str) -> Any:
    """Return the value of a name in a record.

    Raises:
        NotationError: if the record has no such name.
    """
    if name not in record:
        raise NotationError("part_missing", name=name, remedy=remedy)
    return record[name]
