"""Reading back: before a database appears under its name, is it what was meant to be written?

Checksums show that the bytes are still those that were written. They do not show that a reader gets
out what was put in. So the finished file is opened as anyone will open it, and compared with what
the builder had before it packed anything:

    records     of a part, read from its first to its last, against the fingerprint of the arrays
                that were handed to the encoder
    look-ups    of records of each part, by search in its index, against some that were handed to
                the encoder, and against those that were read
    games       positions of random games from the root, looked up by the rules' way to a record:
                each is worth what its best move leads to

Reading all records takes more than a tenth of a build, so only one in four of the large parts is
read. Looking all of them up takes as long as building. `docs/databases.md` gives the shares.
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
"""The fingerprint of a part's records, None if they are not to be read, and some of them."""

# All parts with so many records at most are read; of larger ones one in `_PARTS`.
_ALL_READ: Final = 1 << 15
_PARTS: Final = 4
# Records of each part that are handed on to be looked up.
_SAMPLES: Final = 64
# All records of a part with so many at most are looked up; of larger parts every `_STRIDE`th.
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


def meaning(ply: int, part: int, records: Records) -> Meaning:
    """Return what is kept of a part's records, as they are packed, to compare with what is read."""
    frames, starts, details, values = records
    is_read = len(details) <= _ALL_READ or (ply + part) % _PARTS == 0
    # Odd steps, so that each place in a block of 64 records has its turn. Of a small part all that
    # is read is looked up, and compared with the fingerprint: that is more than any sample.
    crc = fingerprint(records) if is_read else None
    if len(details) <= _ALL_LOOKED_UP:
        return {"crc": crc, "frames": [], "details": [], "values": []}
    step = len(details) // _SAMPLES | 1
    return {
        "crc": crc,
        "frames": frames_of(frames, starts, step).tolist(),
        "details": details[::step].tolist(),
        "values": values[::step].tolist(),
    }


def check_part(database: Database, ply: int, part: int, meant: Meaning) -> None:
    """Look records of a part up as it lies in the file, and read all of it if its turn is.

    Args:
        database: the file, open.
        ply, part: which part.
        meant: what `meaning` gave of the records that were packed.

    Raises:
        DatabaseError: if they are not what is read, or what is looked up is not found.
    """
    if meant["values"]:
        keys = np.array(meant["frames"], np.uint64), np.array(meant["details"], np.uint64)
        _look_up(database, ply, part, *keys, np.array(meant["values"], np.int16))
    if meant["crc"] is None:
        return
    frames, starts, details, values = records = database.records(ply, part)
    if fingerprint(records) != meant["crc"]:
        raise DatabaseError("part_other_records", part=part, ply=ply)
    step = 1 if len(details) <= _ALL_LOOKED_UP else _STRIDE
    keys = frames_of(frames, starts, step), np.ascontiguousarray(details[::step])
    _look_up(database, ply, part, *keys, values[::step])


def frames_of(frames: Any, starts: Any, step: int) -> Any:
    """Return the frame of each `step`-th record, from the first on."""
    if step == 1:
        return frames.repeat((starts[1:] - starts[:-1]).astype(np.int64))
    at = np.arange(0, int(starts[-1]), step, dtype=np.uint64)
    return frames[starts.searchsorted(at, side="right") - 1]


def _look_up(
    database: Database, ply: int, part: int, frames: Any, details: Any, values: Any
) -> None:
    looked_up, found = np.empty(len(details), np.int16), np.empty(len(details), np.uint8)
    opened = database._parts.open(ply, part)  # what probes and searches ask
    try:
        opened.get_many(frames, details, looked_up, found)
    except ValueError as error:
        raise DatabaseError("part_unreadable", part=part, ply=ply, why=str(error)) from None
    if not found.all() or (looked_up != values).any():
        wrong = np.flatnonzero((found == 0) | (looked_up != values))
        raise DatabaseError(
            "record_not_found", frame=frames[wrong[0]], detail=details[wrong[0]], part=part, ply=ply
        )


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
