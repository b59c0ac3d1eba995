"""Databases of Malawi that are read by slices, without NumPy or a path, as in a browser."""

from __future__ import annotations

from typing import ClassVar, Final

from ..storage.container import DatabaseError
from ..storage.dense import DenseReader
from ..storage.sliced import Readable, SlicedFile
from .header import Header, index_by
from .look_up import LookUp
from .position import Position


class SlicedDatabase(LookUp):
    """An open database that is read by slices.

    Args:
        name: the file's, for messages.
        file: the file.

    Attributes:
        positions: the number of positions, a position and its mirror image counted apart.

    Raises:
        DatabaseError: if it is no database of Malawi, is of a later version, or damaged.
    """

    position_type: ClassVar = Position

    def __init__(self, name: str, file: Readable) -> None:
        self.path = name
        self._file = SlicedFile(name, file, Header)
        try:
            self.board, self.index = index_by(name, self._file.header)
        except DatabaseError:
            raise self._implausible("header_impossible") from None
        self.positions: Final = self._file.header.positions
        self.reader = DenseReader(name, self._file.said["sections"], self._file.content)

    def close(self) -> None:
        """Close the file."""
        self.reader.close()
        self._file.close()

    def __contains__(self, position: object) -> bool:
        return isinstance(position, Position) and self.get(position) is not None

    def _implausible(self, code: str, **said: object) -> DatabaseError:
        return DatabaseError("chosen_damaged", path=self.path)
