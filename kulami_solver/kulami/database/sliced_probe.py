"""Databases of Kulami that are read by slices, without NumPy and without a path to the file.

A browser has neither. `plain_reader` finds the records; positions and solutions are as for every
database.
"""

from __future__ import annotations

from typing import ClassVar, Final

from ...errors import KulamiError
from ...storage.container import DatabaseError
from ..plain_reader import FileError, PlainDatabase, Readable
from ..position.position import Position
from ..position.scoring import Scoring
from .look_up import LookUp

#: Margins to remember: a line, or the values of all moves, need many positions twice.
_REMEMBERED: Final = 50_000
#: The error codes of faults of a file, by the kind of the `FileError`.
_CODES: Final = {
    "other": "chosen_other",
    "game": "chosen_game",
    "version": "chosen_version",
    "damaged": "chosen_damaged",
    "closed": "chosen_changed",
}
_SAID: Final = {
    "chosen_other": {"game": "Kulami", "command": "kulami build"},
    "chosen_game": {"game": "Kulami"},
}


class SlicedDatabase(LookUp):
    """An open database that is read by slices, as `PlainDatabase` reads it.

    Args:
        name: the file's, for messages.
        file: the file.

    Attributes:
        positions: number of positions it holds, up to equivalence.

    Raises:
        DatabaseError: if it is no database of Kulami, is of a later version, or damaged.

    Examples:
        >>> import mmap
        >>> with open("data/3x4-level2.kdb", "rb") as file:
        ...     database = SlicedDatabase("3x4", mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ))
        >>> database.probe(database.root).margin
        0
    """

    position_type: ClassVar = Position

    def __init__(self, name: str, file: Readable) -> None:
        self.path = name
        try:
            self._plain: Final = PlainDatabase(name, file)
            self.root = Position.from_kfn(
                self._plain.root, self._plain.marbles, self._plain.short_end
            )
            self.scoring = Scoring.parse(self._plain.scoring)
        except FileError as error:
            raise self._refused(error) from None
        except OSError:
            raise DatabaseError("chosen_changed", path=name) from None
        except KulamiError:
            raise DatabaseError("chosen_damaged", path=name) from None
        self.layout = self.root.layout
        self.positions: Final = self._plain.positions
        self._margins: Final[dict[tuple[int, int, int, int], int | None]] = {}

    def close(self) -> None:
        """Close the file."""
        self._plain.close()

    def __contains__(self, position: object) -> bool:
        return isinstance(position, Position) and self.get(position) is not None

    def get(self, position: Position) -> int | None:
        """Return a position's margin for the side to move, None if it is not in the file.

        Args:
            position: any position.

        Raises:
            DatabaseError: if the file is damaged where it is read, or has changed.
        """
        return self._margin(position) if self.may_hold(position) else None

    def _margin(self, position: Position) -> int | None:
        view = position.view
        if view not in self._margins:
            if len(self._margins) >= _REMEMBERED:
                self._margins.clear()
            self._margins[view] = self._read(position)
        return self._margins[view]

    def _read(self, position: Position) -> int | None:
        try:
            return self._plain.get(position.kfn())
        except FileError as error:
            raise self._refused(error) from None
        except OSError:
            raise DatabaseError("chosen_changed", path=self.path) from None

    def _refused(self, error: FileError) -> DatabaseError:
        code = _CODES[error.kind]
        return DatabaseError(code, path=self.path, **_SAID.get(code, {}))

    def _implausible(self, why: str) -> DatabaseError:
        return DatabaseError("chosen_damaged", path=self.path)
