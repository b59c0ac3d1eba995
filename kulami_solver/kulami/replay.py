"""Game records, and whether the rules here agree with them.

A record is an object of JSON, one a line in a file:

    {"board": ["AAB", "AAC"], "level": 0, "first": "red", "moves": ["a1", "c1", "c2", "a2"],
     "score": {"red": 1, "black": 1}}

`board` may also be the layout's text, `AAB/AAC`, or its name, and `moves` a text, `1. a1 c1`.
`level` is a scoring: 0, 1, 2 or "chains". The options of `position.edition` may be added. A game
that does not begin with the empty board has `start`, a KFN line, instead of `board` and `first`. A
record is a whole game: it agrees if every move is legal, no move is left after the last one, and
the score is the same. One that stops before its end disagrees whether it has a score or not. With
`"forfeit": "red"` or `"black"` that side gave up or was late: the game may have stopped early, and
the score is that of the board as it stood.

How records go by numbers in a file is in `core.game_records`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from ..core.game_records import RecordedGame, Verdict, positions_after, record_named, record_part
from ..core.game_records import numbered_records as numbered_records
from ..core.notation import parse_fields, parse_turn
from ..errors import IllegalMoveError, NotationError, Phrase
from .position.edition import chosen
from .position.layout import Layout, named_layout
from .position.position import Position
from .position.scoring import Scoring
from .state import state_of

_MOVE_NUMBER: Final = re.compile(r"\b[0-9]{1,3}\.+")


def read_game(record: object, number: int = 1, game: int | None = None) -> RecordedGame:
    """Return the game in a record, which may have stopped early, and then needs no score.

    Args:
        record: what JSON made of the record.
        number: what the record is called in messages.
        game: its place among the records, from 1, if that is not `number`.

    Raises:
        KulamiError: if this is no record, if a move is not legal, or if a game that is over, or
            forfeited, has not the score that it has by the rules.

    Examples:
        >>> record = {"board": "AAB/AAC", "level": 0, "first": "red", "moves": ["a1", "c1"]}
        >>> read_game(record).end.moves
        ('c2',)
    """
    with record_named(number, game):
        start, scoring, moves = _read_record(record)
        end = positions_after(start, moves)[-1]
        assert isinstance(record, Mapping)
        if end.is_over or record.get("forfeit") is not None:
            verdict = _check(record, number, game or number)
            if not verdict.agrees:
                raise NotationError(verdict.reason)
    return RecordedGame(state_of(start, scoring), moves, state_of(end, scoring))


def check_record(record: object, number: int = 1, game: int | None = None) -> Verdict:
    """Play a record's moves and compare its end and its score.

    Args:
        record: what JSON made of the record.
        number: what the record is called in messages.
        game: its place among the records, from 1, if that is not `number`.

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
    with record_named(number, game):
        return _check(record, number, game or number)


def _read_record(record: object) -> tuple[Position, Scoring, tuple[str, ...]]:
    """Return where a record begins, the scoring and the fields of a record, not played yet."""
    if not isinstance(record, Mapping):
        raise NotationError("record_no_object", given=record)
    start = begun(record)
    scoring = Scoring.parse(record_part(record, "level", "0, 1, 2 or 'chains'"))
    return start, scoring, _moves(record_part(record, "moves", "a list of fields"))


def begun(record: Mapping[Any, Any]) -> Position:
    """Return the position in which the game of a record begins."""
    kfn = record.get("start")
    if kfn is not None:
        if not isinstance(kfn, str):
            raise NotationError("record_start", given=kfn)
        return Position.from_kfn(kfn, **chosen(record))
    board = record_part(record, "board", "a list of rows or 'AAB/AAC'")
    if isinstance(board, str):
        layout = named_layout(board.strip().lower()) or Layout.parse(board)
    else:
        layout = Layout.from_rows(board)
    first = record_part(record, "first", "'red' or 'black'")
    return Position(layout, first, **chosen(record))


def _moves(given: Any) -> tuple[str, ...]:
    """The moves of a record, which people may number and write with capitals."""
    if isinstance(given, str):
        given = _MOVE_NUMBER.sub(" ", given).lower()
    elif isinstance(given, list):
        given = [name.lower() if isinstance(name, str) else name for name in given]
    return parse_fields(given)


def _check(record: object, number: int, game: int) -> Verdict:
    position, scoring, moves = _read_record(record)
    assert isinstance(record, Mapping)
    points = _points(record) if "score" in record else None
    forfeited = record.get("forfeit") is not None
    if forfeited:
        parse_turn(record["forfeit"], "forfeit")

    for played, field in enumerate(moves, 1):
        try:
            position = position.play(field)
        except IllegalMoveError as error:
            reason = Phrase("move_refused", number=played, why=error)
            return Verdict(number, reason, position, game)
    if not position.is_over and not forfeited:
        left = position.legal_fields
        stops = {"played": len(moves), "side": position.turn, "field": left[0]}
        reason = Phrase("record_stops", **stops)
        if len(left) > 1:
            reason = Phrase("record_stops_with", **stops, more=len(left) - 1)
        return Verdict(number, reason, position, game)
    score = position.score(scoring)
    points = points or _points(record)  # which says that there is none
    if [score.red, score.black] != points:
        red, black = points
        reason = Phrase(
            "record_other_score", red=red, black=black, right_red=score.red, right_black=score.black
        )
        return Verdict(number, reason, position, game)
    return Verdict(number, "", position, game)


def _points(record: Mapping[Any, Any]) -> list[int]:
    """Return the score that a record says, red's first."""
    given = record_part(record, "score", '{"red": 31, "black": 27}')
    if not isinstance(given, Mapping):
        raise NotationError("record_score", given=given)
    points = []
    for colour in ("red", "black"):
        if colour not in given:
            raise NotationError("record_score_lacks", side=colour)
        if not isinstance(given[colour], int) or isinstance(given[colour], bool):
            raise NotationError("record_score_of", side=colour, given=given[colour])
        points.append(given[colour])
    return points
