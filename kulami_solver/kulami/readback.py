"""Reading back: before a database appears under its name, is it what was meant to be written?

Checksums show that the bytes are still those that were written. They do not show that a reader gets
out what was put in. So the finished file is opened as anyone will open it, and compared with what
the builder had before it packed anything:

    records     of a group of parts, read from the first to the last, against the fingerprint of
                the arrays that were handed to the encoder
    look-ups    of records of each group, by search in the index, against some that were handed to
                the encoder, and against those that were read
    games       positions of random games from the root, looked up by the rules' way to a record:
                each is worth what its best move leads to

Groups are those of the build's tasks; a large part is one by itself. Reading all records takes more
than a tenth of a build, so only one in four of the groups with large parts is read. Looking all of
them up takes as long as building. `docs/databases.md` gives the shares.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ..storage.container import DatabaseError
from .parts import Records
from .position import Position
from .probe import Database

Meaning = dict[str, Any]
"""The fingerprint of a group's records, None if they are not to be read, and some of them."""

# All groups whose parts have so many records at most, on an average, are read; of those with larger
# parts one in `_PARTS`.
_ALL_READ: Final = 1 << 15
_PARTS: Final = 4
# Records for each part that are handed on to be looked up.
_SAMPLES: Final = 64
# All records of a group whose parts have so many at most, on an average, are looked up; of groups
# with larger parts every `_STRIDE`th.
_ALL_LOOKED_UP: Final = 1024
# Odd, so that each place in a block of 64 records has its turn.
_STRIDE: Final = 251
# Positions in a database for each game that is played, and the most games.
_POSITIONS_A_GAME: Final = 100_000
_MOST_GAMES: Final = 50


def fingerprint(arrays: Sequence[Any]) -> int:
    """Return the CRC-32 of arrays, one after the other."""
    crc = 0
    for array in arrays:
        crc = zlib.crc32(array, crc)
    return crc


def meaning(ply: int, group: int, parts: int, records: Records) -> Meaning:
    """Return what is kept of the records of a group as they are packed, to compare with the file.

    Args:
        ply, group: which group.
        parts: how many parts of the file it makes.
        records: all of them.
    """
    frames, starts, details, values = records
    mean = len(details) / parts
    is_read = mean <= _ALL_READ or (ply + group) % _PARTS == 0
    meant = {"crc": fingerprint(records) if is_read else None}
    # Of small parts all that is read is looked up: that is more than any sample.
    if mean <= _ALL_LOOKED_UP:
        return {**meant, "frames": [], "details": [], "values": []}
    # Odd steps, so that each place in a block of 64 records has its turn.
    step = len(details) // (_SAMPLES * parts) | 1
    return {
        **meant,
        "frames": _frames_of(frames, starts, step).tolist(),
        "details": details[::step].tolist(),
        "values": values[::step].tolist(),
    }


def check_parts(database: Database, ply: int, parts: Sequence[int], meant: Meaning) -> None:
    """Look records of a group up as its parts lie in the file, and read all if its turn is.

    Args:
        database: the file, open.
        ply, parts: which parts.
        meant: what `meaning` gave of the records that were packed.

    Raises:
        DatabaseError: if they are not what is read, or what is looked up is not found.
    """
    if meant["values"]:
        keys = np.array(meant["frames"], np.uint64), np.array(meant["details"], np.uint64)
        _look_up(database, ply, *keys, np.array(meant["values"], np.int16))
    if meant["crc"] is None:
        return
    frames, starts, details, values = records = database._parts.records(ply, parts)
    if fingerprint(records) != meant["crc"]:
        raise DatabaseError("parts_other_records", first=parts[0], last=parts[-1], ply=ply)
    step = 1 if len(details) / len(parts) <= _ALL_LOOKED_UP else _STRIDE
    keys = _frames_of(frames, starts, step), np.ascontiguousarray(details[::step])
    _look_up(database, ply, *keys, values[::step])


def _frames_of(frames: Any, starts: Any, step: int) -> Any:
    """The frame of each `step`-th record, from the first on."""
    if step == 1:
        return frames.repeat((starts[1:] - starts[:-1]).astype(np.int64))
    at = np.arange(0, int(starts[-1]), step, dtype=np.uint64)
    return frames[starts.searchsorted(at, side="right") - 1]


def _look_up(database: Database, ply: int, frames: Any, details: Any, values: Any) -> None:
    looked_up, found = database._parts.sorted_values(ply, frames, details)
    if not found.all() or (looked_up != values).any():
        wrong = np.flatnonzero((found == 0) | (looked_up != values))[0]
        raise DatabaseError("record_not_found", frame=frames[wrong], detail=details[wrong], ply=ply)


def check_games(database: Database) -> None:
    """Play random games, and compare each position's value with those its moves lead to.

    Raises:
        DatabaseError: if a position is missing, or is not worth what its best move is.
    """
    if database.get(database.root) != database.value:
        raise DatabaseError("root_value")
    draw = random.Random(database.positions)
    for _ in range(1 + min(_MOST_GAMES, database.positions // _POSITIONS_A_GAME)):
        position = database.root
        while not position.is_over:
            children = [position.play(field) for field in position.legal_fields]
            if _value(database, position) != max(-_value(database, child) for child in children):
                raise DatabaseError("best_move_value", position=position.kfn())
            position = draw.choice(children)


def _value(database: Database, position: Position) -> int:
    value = database.get(position)
    if value is None:
        raise DatabaseError("position_not_found", position=position.kfn())
    return value
