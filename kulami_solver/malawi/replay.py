"""Records of games of Malawi, as `kulami malawi match --save` writes them.

A record is an object of JSON, one a line in a file:

    {"board": "2x3", "beads": 2, "moves": ["a3:b3", "b1xb3"], "winner": null}

`beads` (2) are those on each figure at the start. A game that began elsewhere has an MFN as `start`
in place of both. `winner` is "red", "black" or, for a draw, null;
it is checked if the game is over by the rules, and not because of a `forfeit`. The numbers of
records in a file are explained in `core.game_records`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..core.game_records import RecordedGame, positions_after, record_named, record_part
from ..errors import NotationError
from ..game import NOBODY
from .board import Board
from .position import Position
from .state import MalawiGame, MalawiState, state_of


def read_game(record: object, number: int = 1, game: int | None = None) -> RecordedGame:
    """Return the game in a record, which may have stopped early, and then needs no winner.

    Args:
        record: the parsed JSON.
        number: the record's number in messages.
        game: its place among the records, from 1, if that is not `number`.

    Raises:
        KulamiError: if this is no record, if a turn is not legal, or if a game that is over has
            another winner by the rules.

    Examples:
        >>> record = {"board": "2x3", "moves": ["a3:b3", "b1xb3"]}
        >>> read_game(record).end.notation()
        'b2b2/../r0r0 r'
    """
    with record_named(number, game):
        if not isinstance(record, Mapping):
            raise NotationError("malawi_record_no_object", given=record)
        start = _start(record)
        moves = record_part(record, "moves", "a list of turns")
        if not isinstance(moves, list) or not all(isinstance(move, str) for move in moves):
            raise NotationError("moves_no_list", given=moves)
        end = positions_after(start, moves)[-1]
        if end.to_move == NOBODY and record.get("forfeit") is None:
            _check_winner(end, record)
    return RecordedGame(start, tuple(moves), end)


def record_of(board: Board, start: Position, moves: Sequence[str]) -> dict[str, Any]:
    """Return the record of a game, without its result.

    Examples:
        >>> board = Board(2, 3)
        >>> record_of(board, Position.start(board), ["a3:b3"])
        {'board': '2x3', 'beads': 2, 'moves': ['a3:b3']}
        >>> record_of(board, Position.from_mfn("b2b2/../r2r2 b"), [])
        {'start': 'b2b2/../r2r2 b', 'moves': []}
    """
    if start == Position.start(board):
        return {"board": str(board), "beads": board.beads, "moves": list(moves)}
    return {"start": start.mfn(), "moves": list(moves)}


def _start(record: Mapping[str, Any]) -> MalawiState:
    if "start" in record:
        return state_of(Position.from_mfn(record["start"]))
    board = Board.parse(record_part(record, "board", "'3x4'"), record.get("beads", 2))
    return MalawiGame(board).start()


def _check_winner(end: MalawiState, record: Mapping[str, object]) -> None:
    if "winner" not in record:
        return
    winner = record["winner"]
    if winner != end.position.winner:
        raise NotationError(
            "record_other_winner", given=winner, winner=end.position.winner or "nobody"
        )
