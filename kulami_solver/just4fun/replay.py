"""Game records, and their check against the rules here.

A record is an object of JSON, one a line in a file:

    {"game": "just4fun", "start": "3x3 - r1b1 r r1.2,b2.3 {4.4} -", "line": 3, "hand": 2,
     "moves": ["3=1+2", "2=2"], "draws": [[4, 4], []], "winner": "red"}

`start` is a position with open hands, `moves` are in order, and `draws` has the cards drawn after
each of them. `line` and `hand` are 4 if they are missing. A record is a whole game: it agrees if
every move is legal, the cards could be drawn, the game is over after the last move, and the winner
is the same, null if it is drawn. With `"forfeit": "red"` that player gave up or was late: the game
may have stopped early, and then no winner is compared.

Which lines are no records, `core.game_records` says; a record goes by the number of its line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..core.game_records import (
    Verdict,
    numbered_records,
    parse_record,
    played,
    record_named,
    record_part,
)
from ..errors import NotationError, Phrase, PositionError
from .cards import Move
from .dealing import Turn
from .position import Position


def record_of(start: Position, turns: Iterable[Turn], end: Position) -> dict[str, Any]:
    """Return the record of a game, for JSON.

    Examples:
        >>> from kulami_solver.just4fun import Board, deal, random_game
        >>> start = deal(Board.parse("1x3"), 1, stones=1, line=3, hand=2, cards=(1, 1, 1, 2, 3))
        >>> played = list(random_game(start, 4))
        >>> record_of(start, [turn for turn, _ in played], played[-1][1])["moves"]
        ['1=1', '3=3']
    """
    made = list(turns)
    return {
        "game": "just4fun",
        "start": start.jfn(),
        "line": start.line,
        "hand": start.hand,
        "moves": [str(turn.move) for turn in made],
        "draws": [list(turn.drawn) for turn in made],
        "winner": end.winner,
    }


def check_record(record: object, number: int = 1) -> Verdict:
    """Play a record's moves and compare its end.

    Args:
        record: the parsed JSON.
        number: the record's number in messages.

    Raises:
        KulamiError: if this is no record: something is missing or malformed.

    Examples:
        >>> record = {"start": "3x3 - r1b1 r r1.2,b2.3 {4.4} -", "line": 3, "hand": 2,
        ...           "moves": ["3=1+2", "2=2"], "draws": [[4, 4], []], "winner": "red"}
        >>> check_record(record).agrees
        True
        >>> check_record(record | {"draws": [[4, 5], []]}).reason
        'move 1: 4.5 cannot be drawn: they have to be of 4.4'
    """
    with record_named(number, None):
        return _check(record, number)


def replay(lines: Iterable[str]) -> Iterator[Verdict]:
    """Check records given as lines of JSON; blank lines and comments are skipped, but counted.

    Raises:
        KulamiError: at the first line that is no record.

    Examples:
        >>> list(replay(["# no game", "{}"]))
        Traceback (most recent call last):
        ...
        kulami_solver.errors.NotationError: game record 2: 'start' is missing: give a position in \
seven parts
    """
    for number, _, line in numbered_records(lines):
        yield check_record(parse_record(line, number), number)


def _check(record: object, number: int) -> Verdict:
    if not isinstance(record, Mapping):
        raise NotationError("just4fun_record_no_object", given=record)
    game = record.get("game", "just4fun")
    # Matches number their games under this name.
    if game != "just4fun" and (not isinstance(game, int) or isinstance(game, bool)):
        raise NotationError("record_of_other_game", given=game)
    position = Position.from_jfn(
        record_part(record, "start", "a position in seven parts"),
        line=record.get("line", 4),
        hand=record.get("hand", 4),
    )
    if position.hidden:
        raise PositionError("record_hand_hidden")
    moves = [Move.parse(move) for move in _items(record, "moves", "a list of moves")]
    draws = _items(record, "draws", "a list of the cards drawn after each move")
    if len(draws) != len(moves):
        raise NotationError("record_draws_and_moves", draws=len(draws), moves=len(moves))
    winner = record_part(record, "winner", "the name of a player, or null for a draw")
    if winner is not None and winner not in position.players:
        raise NotationError("record_winner", given=winner, players=", ".join(position.players))
    forfeit = record.get("forfeit")
    if forfeit is not None and forfeit not in position.players:
        raise NotationError("record_forfeit", given=forfeit)
    for place, drawn in enumerate(draws, 1):
        if not isinstance(drawn, Sequence):
            raise NotationError("record_draw", number=place, given=drawn)
    (*_, end), refused = played(position, zip(moves, draws, strict=True))
    reason: str = ""
    if refused is not None:
        reason = str(refused)
    elif forfeit is None and not end.is_over:
        field = str(end.legal_moves[0])
        reason = Phrase("record_stops", played=len(moves), side=end.turn, field=field)
    elif forfeit is None and end.winner != winner:
        given = winner or "nobody"
        reason = Phrase("record_winner_differs", given=given, standing=end.standing())
    return Verdict(number, reason, end, number)


def _items(record: Mapping[Any, Any], name: str, remedy: str) -> Sequence[Any]:
    found = record_part(record, name, remedy)
    if isinstance(found, str) or not isinstance(found, Sequence):
        raise NotationError("record_part", name=name, given=found, remedy=remedy)
    return found
