"""Databases without keys: open one, and ask it for positions."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Final, NoReturn

import numpy as np
import numpy.typing as npt

from ...storage.container import DatabaseError, game_of
from ..position.position import Position
from ..position.scoring import Scoring
from .compact_header import COMPACT_GAME, CompactHeader, compact_sections_of
from .compact_parts import CompactParts
from .compact_reader import CompactReader
from .header import Contents
from .parts import Records
from .probe import ABSENT, Database
from .shape import Shape


class CompactDatabase(Database):
    """An open database without keys, as `compact` makes it; get one from `open_database`.

    It gives the value of each position that moves lead to from its root, and first searches for
    such moves: for a position that was not in the full database it may have some value, too, with a
    probability of 2 to the power of -`fingerprint`. `solve` does not take it as `database`.

    Attributes:
        fingerprint: bits of each position's fingerprint.
        wrong: the probability that it has a value for a position that was not in the full one.

    Examples:
        >>> import tempfile
        >>> import kulami_solver as ks
        >>> folder = tempfile.TemporaryDirectory()
        >>> _ = ks.compact("data/3x4-level2.kdb", folder.name + "/small.kdb", fingerprint=8)
        >>> with ks.open_database(folder.name + "/small.kdb") as db:
        ...     db.get(db.root), db.positions, db.fingerprint
        (0, 629, 8)
        >>> folder.cleanup()
    """

    keyless = True
    _schema: type[Contents] = CompactHeader
    _sections_of = staticmethod(compact_sections_of)

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__(path)
        header: CompactHeader = self._file.header
        self.fingerprint: Final = header.fingerprint
        self.wrong: Final = 2.0**-header.fingerprint

    def _open_parts(self, shape: Shape) -> None:
        self._parts = CompactParts(self._file, self._classes, self.contexts[0])

    @property
    def _reader(self) -> CompactReader:
        reader: CompactReader = self._parts.reader
        return reader

    def first_other(self, ply: int, records: Records) -> int:
        """Return the number of the first record with another value than the file has, or -1.

        Args:
            ply: one that is kept.
            records: of the full database.

        Raises:
            DatabaseError: if the file is damaged where it is read, or was closed.
        """
        self.check_open()
        try:
            return self._reader.first_other(ply, *records)
        except ValueError as error:
            raise DatabaseError("ply_damaged", path=self.path, ply=ply, why=error) from None

    def _margins(self, owns: Any, others: Any, lasts: Any, befores: Any) -> npt.NDArray[np.int16]:
        margins, led = np.empty(len(owns), np.int16), np.empty(len(owns), np.uint8)
        self._reader.get_many(owns, others, lasts, befores, margins, ABSENT)
        self._ways.lead_to_many(owns, others, lasts, befores, led)
        # Of positions that nothing leads to, those that are over keep the margin that was counted.
        strange = np.flatnonzero((led == 0) & (margins != ABSENT))
        if len(strange):
            given = (array[strange] for array in (owns, others, lasts, befores))
            margins[strange[self.locate_many(*given)[0] != -1]] = ABSENT
        return margins

    # Methods that need the keys

    def records(self, ply: int, part: int) -> NoReturn:
        """Raise a `DatabaseError`: the positions in the file cannot be listed."""
        raise self._no_keys()

    def check(self, ply: int, records: Records, following: Sequence[Records]) -> NoReturn:
        """Raise a `DatabaseError`, as `records` does."""
        raise self._no_keys()

    def oracle(self, position: Position, scoring: Scoring | str | int) -> NoReturn:
        """Raise a `DatabaseError`: a search reaches positions that may be absent."""
        raise DatabaseError("compact_not_searched", path=self.path)

    def _no_keys(self) -> DatabaseError:
        return DatabaseError("compact_needs_keys", path=self.path)


def open_database(path: str | os.PathLike[str]) -> Database:
    """Open a database of Kulami, with its keys or without.

    Args:
        path: the file, as `build` or `compact` makes it.

    Raises:
        DatabaseError: if it is no database, is of a later version, of another game, truncated or
            damaged.
        OSError: if it cannot be read.

    Examples:
        >>> with open_database("data/3x4-level2.kdb") as database:
        ...     database.keyless
        False
    """
    return CompactDatabase(path) if game_of(path) == COMPACT_GAME else Database(path)
