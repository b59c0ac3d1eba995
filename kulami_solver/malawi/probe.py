"""Probing: open a database of Malawi and ask it for positions."""

from __future__ import annotations

import os
from typing import Any, Final

from ..storage.container import DatabaseError
from ..storage.database import Database as AnyDatabase
from ..storage.dense import DenseReader
from .header import Header, index_by
from .look_up import LookUp
from .position import Position
from .values import Value, value_of


class Database(LookUp, AnyDatabase[Header]):
    """An open database; get one from `open_database`.

    Each layer's checksum is verified before the layer is used.

    Attributes:
        path: the file.
        board: the board of its positions.
        value: the value of the start for the side that begins.
        positions: the number of positions, a position and its mirror image counted apart.
        bytes: the size of the file.
        header: the file's header.

    Examples:
        >>> import tempfile
        >>> from kulami_solver.malawi import Board, Position
        >>> from kulami_solver.malawi.building import build
        >>> folder = tempfile.TemporaryDirectory()
        >>> path = folder.name + "/small.kdb"
        >>> _ = build(path, Board(2, 4))
        >>> start = Position.start(Board(2, 4))
        >>> with open_database(path) as db:
        ...     db.get(start), len(db.probe(start).line), start in db
        (Value(outcome='loss', plies=11, within=None), 11, True)
        >>> folder.cleanup()
    """

    position_type = Position

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__(path, Header)
        with self._closed_on_failure():
            header = self._file.header
            self.board, self.index = index_by(self.path, header)
            self.value: Final = Value(header.outcome, header.plies)
            self.sections: Final[list[dict[str, Any]]] = self.header["sections"]
            self.reader = DenseReader(self.path, self.sections, self._file.content)

    def close(self) -> None:
        super().close()
        self.reader.close()

    def _board_text(self) -> str:
        return str(self.board)

    def counts(self) -> dict[Value, int]:
        """Return how many positions have each value, a position and its mirror image apart."""
        return {value_of(number): count for number, count in self.header["values"]}


def checked_database(database: object) -> Database:
    """Return `database` if it is one of Malawi; raise a `DatabaseError` otherwise."""
    if not isinstance(database, Database):
        raise DatabaseError("no_open_malawi_database", given=database)
    return database


def open_database(path: str | os.PathLike[str]) -> Database:
    """Open a database of Malawi.

    Args:
        path: the file, as `build` makes it.

    Raises:
        DatabaseError: if the file is not a database, is of a later version or of another
            game, truncated or damaged.
        OSError: if it cannot be read.

    Examples:
        >>> open_database("data/3x4-level2.kdb")
        Traceback (most recent call last):
        ...
        kulami_solver.storage.container.DatabaseError: data/3x4-level2.kdb: a database of Kulami, \
not of Malawi: read it with kulami probe, info or verify (open_database(path))
    """
    return Database(path)
