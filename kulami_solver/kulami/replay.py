"""Game records, and whether the rules here agree with them.

A record is an object of JSON, one a line in a file:

    {"board": ["AAB", "AAC"], "level": 0, "first": "red", "moves": ["a1", "c1", "c2", "a2"],
     "score": {"red": 1, "black": 1}}

`board` may also be the layout's text, `AAB/AAC`. `level` is a scoring: 0, 1, 2 or "chains".
`marbles` (28) and `short_end` (false) may be added. A record is a whole game: it agrees if every
move is legal, no move is left after the last one, and the score is the same. With `"forfeit":
"red"` or `"black"` that side gave up or was late: the game may have stopped early, and the score is
that of the board as it stood.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.sides import parse_turn
from ..errors import IllegalMoveError, KulamiError, NotationError, quoted
from .layout import Layout
from .notation import parse_fields
from .position import MARBLES, Position
from .scoring import Scoring

__all__ = ["Verdict", "check_record", "replay", "replay_file"]


@dataclass(frozen=True)
class Verdict:
    """What came of one record: its number in the file, whether it agrees, or why not.

    `position` is where the game stands after the last move that could be played.
    """

    number: int
    agrees: bool
    reason: str
    position: Position


def check_record(record: object, number: int = 1) -> Verdict:
    """Play a record's moves and compare its end and its score.

    Args:
        record: what JSON made of the record.
        number: what the record is called in messages.

    Returns:
        Whether record and rules agree. A move the rules forbid, moves that stop before the game
        is over and another score are disagreement.

    Raises:
        KulamiError: if this is no record: something is missing or malformed.

    Examples:
        >>> record = {"board": "AAB/AAC", "level": 0, "first": "red",
        ...           "moves": ["a1", "c1", "c2", "a2"], "score": {"red": 1, "black": 1}}
        >>> check_record(record).agrees
        True
        >>> check_record(record | {"moves": ["a1", "a2"]}).reason
        'move 2: black cannot play a2: it is on the panel of the last marble, a1'
    """
    try:
        return _check(record, number)
    except KulamiError as error:
        raise type(error)(f"game record {number}: {error}") from None


def replay(lines: Iterable[str]) -> Iterator[Verdict]:
    """Check records given as lines of JSON; blank lines are skipped, but counted.

    Raises:
        KulamiError: at the first line that is no record.

    Examples:
        >>> line = '{"board": "A", "level": 0, "first": "red", "moves": [], "score": {}}'
        >>> list(replay([line]))
        Traceback (most recent call last):
        ...
        kulami_solver.errors.NotationError: game record 1: 'score' lacks 'red': \
write {"red": 31, "black": 27}
    """
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except RecursionError:
            raise NotationError(
                f"game record {number} is nested too deeply: write one object of JSON a line"
            ) from None
        except ValueError as error:
            # Where the line breaks off counts; Python's message for numbers of thousands of
            # digits speaks of its own settings.
            place = f" at character {error.pos + 1}" if hasattr(error, "pos") else ""
            raise NotationError(
                f"game record {number} is not JSON{place}: write one object a line"
            ) from None
        yield check_record(record, number)


def replay_file(path: str | Path) -> Iterator[Verdict]:
    """Check the records of a JSON Lines file, numbered by line.

    Raises:
        OSError: if the file cannot be read.
        KulamiError: at the first line that is no record, or no text.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "games.jsonl"
        ...     _ = path.write_text("\\n")
        ...     list(replay_file(path))
        []
    """
    with open(path, "rb") as file:
        yield from replay(_decoded(file))


def _decoded(lines: Iterable[bytes]) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        try:
            yield line.decode()
        except UnicodeDecodeError as error:
            raise NotationError(
                f"game record {number} is not UTF-8 text at byte {error.start + 1}: "
                "write it as JSON in UTF-8"
            ) from None


def _check(record: object, number: int) -> Verdict:
    if not isinstance(record, Mapping):
        raise NotationError(
            f"it is {quoted(record)}: write an object with board, level, first, moves and score"
        )
    board = _part(record, "board", "a list of rows or 'AAB/AAC'")
    layout = Layout.parse(board) if isinstance(board, str) else Layout.from_rows(board)
    scoring = Scoring.parse(_part(record, "level", "0, 1, 2 or 'chains'"))
    position = Position(
        layout,
        first=_part(record, "first", "'red' or 'black'"),
        marbles=record.get("marbles", MARBLES),
        short_end=record.get("short_end", False),
    )
    moves = parse_fields(_part(record, "moves", "a list of fields"))
    given = _part(record, "score", '{"red": 31, "black": 27}')
    if not isinstance(given, Mapping):
        raise NotationError(f'\'score\' is {quoted(given)}: write {{"red": 31, "black": 27}}')
    points = []
    for colour in ("red", "black"):
        if colour not in given:
            raise NotationError(f"'score' lacks '{colour}': write {{\"red\": 31, \"black\": 27}}")
        if not isinstance(given[colour], int) or isinstance(given[colour], bool):
            raise NotationError(
                f"{colour}'s score is {quoted(given[colour])}: write a whole number"
            )
        points.append(given[colour])

    forfeited = record.get("forfeit") is not None
    if forfeited:
        parse_turn(record["forfeit"], "forfeit")

    for played, field in enumerate(moves, 1):
        try:
            position = position.play(field)
        except IllegalMoveError as error:
            return Verdict(number, False, f"move {played}: {error}", position)
    if not position.is_over and not forfeited:
        left = position.legal_fields
        return Verdict(
            number,
            False,
            f"the record stops after move {len(moves)}, but {position.turn} can still play "
            f"{left[0]}" + (f" and {len(left) - 1} more" if len(left) > 1 else ""),
            position,
        )
    score = position.score(scoring)
    if [score.red, score.black] != points:
        return Verdict(
            number,
            False,
            f"the record's score is red {quoted(points[0])}, black {quoted(points[1])}; "
            f"by the rules it is red {score.red}, black {score.black}",
            position,
        )
    return Verdict(number, True, "", position)


def _part(record: Mapping[Any, Any], name: str, remedy: str) -> Any:
    if name not in record:
        raise NotationError(f"'{name}' is missing: give {remedy}")
    return record[name]
