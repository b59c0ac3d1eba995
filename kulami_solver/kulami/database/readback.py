"""Reading back: check a finished database before it appears under its name.

Checksums show that the bytes are still those that were written. They do not show that a reader gets
the records that were packed. So the finished file is opened as any user will open it, and compared
with the records the builder had before it packed them:

    records     all records of a group of parts are read, and their fingerprint is compared with
                that of the arrays handed to the encoder
    look-ups    records of each group are searched for by the index, and compared with a sample of
                the encoder's records, and with the records read
    games       positions of random games from the root are looked up by the rules: the value of
                each equals the value of its best move

The groups are those of the build's tasks; a large part is a group by itself. Reading all records
takes more than a tenth of a build, so only one in four of the groups with large parts is read.
Looking up all records takes as long as building. `docs/databases.md` gives the shares.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ...storage.container import DatabaseError
from ..position.position import Position
from .parts import Records
from .probe import Database

Meaning = dict[str, Any]
"""A fingerprint of a group's records, None if they are not to be read, and a sample of them."""

# A group is always read if its parts have at most this number of records on average. One in
# `_PARTS` of the groups with larger parts is read.
_ALL_READ: Final = 1 << 15
_PARTS: Final = 4
# Records in the sample of a group, for each of its parts.
_SAMPLES: Final = 64
# All records of a group are looked up if its parts have at most this number on average. In groups
# with larger parts that are read, every `_STRIDE`th record is.
_ALL_LOOKED_UP: Final = 1024
# Odd, so that each place in a block of 64 records has its turn.
_STRIDE: Final = 251
# One game is played for each of this number of positions in the database, up to the most games.
_POSITIONS_A_GAME: Final = 100_000
_MOST_GAMES: Final = 50


def crc_of(arrays: Sequence[Any]) -> int:
    """Return the CRC-32 of arrays, one after the other."""
    crc = 0
    for array in arrays:
        crc = zlib.crc32(array, crc)
    return crc


def meaning(ply: int, group: int, parts: int, records: Records) -> Meaning:
    """Return a fingerprint and a sample of a group's records, to compare with the file.

    Args:
        ply, group: numbers of the ply and the group.
        parts: number of parts of the file that the group makes.
        records: all records of the group.
    """
    frames, starts, details, values = records
    mean = len(details) / parts
    is_read = mean <= _ALL_READ or (ply + group) % _PARTS == 0
    meant = {"crc": crc_of(records) if is_read else None}
    # For small parts `check_parts` looks up every record, so no sample is kept.
    if mean <= _ALL_LOOKED_UP:
        return {**meant, "frames": [], "details": [], "values": []}
    # Odd steps, so that each place in a block of 64 records has its turn.
    step = len(details) // (_SAMPLES * parts) | 1
    return {
        **meant,
        "frames": frames_of(frames, starts, step).tolist(),
        "details": details[::step].tolist(),
        "values": values[::step].tolist(),
    }


def check_parts(database: Database, ply: int, parts: Sequence[int], meant: Meaning) -> None:
    """Look up sampled records of a group in the file; read all if it has a fingerprint.

    Args:
        database: the file, open.
        ply, parts: numbers of the ply and of its parts.
        meant: the result of `meaning` for the records that were packed.

    Raises:
        DatabaseError: if other records are read, or a look-up does not find its record.
    """
    if meant["values"]:
        keys = np.array(meant["frames"], np.uint64), np.array(meant["details"], np.uint64)
        _look_up(database, ply, *keys, np.array(meant["values"], np.int16))
    if meant["crc"] is None:
        return
    frames, starts, details, values = records = database._parts.records(ply, parts)
    if crc_of(records) != meant["crc"]:
        raise DatabaseError(
            f"ply {ply} has other records, in part {parts[0]} or up to part {parts[-1]}, than were "
            "to be written"
        )
    step = 1 if len(details) / len(parts) <= _ALL_LOOKED_UP else _STRIDE
    keys = frames_of(frames, starts, step), np.ascontiguousarray(details[::step])
    _look_up(database, ply, *keys, values[::step])


def frames_of(frames: Any, starts: Any, step: int) -> Any:
    """The frame of each `step`-th record, from the first on."""
    if step == 1:
        return frames.repeat((starts[1:] - starts[:-1]).astype(np.int64))
    at = np.arange(0, int(starts[-1]), step, dtype=np.uint64)
    return frames[starts.searchsorted(at, side="right") - 1]


def _look_up(database: Database, ply: int, frames: Any, details: Any, values: Any) -> None:
    looked_up, found = database._parts.sorted_values(ply, frames, details)
    if not found.all() or (looked_up != values).any():
        wrong = np.flatnonzero((found == 0) | (looked_up != values))[0]
        raise DatabaseError(
            f"frame {frames[wrong]}, detail {details[wrong]} of ply {ply} is not found as it was "
            "written"
        )


def check_games(database: Database) -> None:
    """Play random games, and compare each position's value with the value of its best move.

    Raises:
        DatabaseError: if a position is missing, or its value is not that of its best move.
    """
    if database.get(database.root) != database.value:
        raise DatabaseError("the root is not worth what the header says")
    draw = random.Random(database.positions)
    for _ in range(1 + min(_MOST_GAMES, database.positions // _POSITIONS_A_GAME)):
        position = database.root
        while not position.is_over:
            children = [position.play(field) for field in position.legal_fields]
            if _value(database, position) != max(-_value(database, child) for child in children):
                raise DatabaseError(f"{position.kfn()} is not worth what its best move leads to")
            position = draw.choice(children)


def _value(database: Database, position: Position) -> int:
    value = database.get(position)
    if value is None:
        raise DatabaseError(f"{position.kfn()} is not found")
    return value
