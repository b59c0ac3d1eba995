"""Reading back: before a database appears under its name, is it what was meant to be written?

Checksums tell that bytes are still those that were written; they cannot tell that whoever reads
them gets out what was put in. So the finished file is opened as anyone will open it, and compared
with what the builder had before it packed anything:

    records     of each part, read from its first to its last, against the fingerprint of the
                arrays that were handed to the encoder
    look-ups    of records of each part, by search in its index, against the records read
    games       positions of random games from the root, looked up by the rules' way to a record:
                each is worth what its best move leads to

All records are read, in large databases, too: that takes a fraction of the build. To look all of
them up takes as long as building, so in large parts some are. `docs/databases.md` gives the shares.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ..storage.container import DatabaseError
from .position import Position
from .probe import Database

__all__ = ["check_games", "check_part", "fingerprint"]

#: Of parts with more records, every `_STRIDE`th is looked up; of others all are.
_ALL_LOOKED_UP: Final = 1024
# Odd, so that each place in a block of 64 records has its turn.
_STRIDE: Final = 251
# Positions in a database for each game that is played, and the most games.
_POSITIONS_A_GAME: Final = 20_000
_MOST_GAMES: Final = 50


def fingerprint(arrays: Sequence[Any]) -> int:
    """Return the CRC-32 of arrays, one after the other."""
    crc = 0
    for array in arrays:
        crc = zlib.crc32(np.ascontiguousarray(array).data, crc)
    return crc


def check_part(database: Database, ply: int, part: int, meant: int) -> None:
    """Read a part as it lies in the file, and look records of it up.

    Args:
        database: the file, open.
        ply, part: which part.
        meant: the fingerprint of the frames, starts, details and values that were packed.

    Raises:
        DatabaseError: if they are not what is read, or what is looked up is not found.
    """
    frames, starts, details, values = records = database.records(ply, part)
    if fingerprint(records) != meant:
        raise DatabaseError(f"part {part} of ply {ply} has other records than were to be written")
    step = 1 if len(details) <= _ALL_LOOKED_UP else _STRIDE
    chosen = np.arange(0, len(details), step)
    of_record = np.searchsorted(starts, chosen.astype(np.uint64), side="right") - 1
    looked_up, found = np.empty(len(chosen), np.int16), np.empty(len(chosen), np.uint8)
    opened = database._part(ply, part)  # what probes and searches ask
    try:
        opened.get_many(frames[of_record], details[chosen], looked_up, found)
    except ValueError as error:
        raise DatabaseError(f"part {part} of ply {ply}: {error}") from None
    wrong = np.flatnonzero((found == 0) | (looked_up != values[chosen]))
    if len(wrong):
        raise DatabaseError(
            f"record {chosen[wrong[0]]} of part {part} of ply {ply} is not found as it was written"
        )


def check_games(database: Database) -> None:
    """Play random games, and compare each position's value with those its moves lead to.

    Raises:
        DatabaseError: if a position is missing, or is not worth what its best move is.
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
