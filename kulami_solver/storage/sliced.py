"""A file that is read by slices, where there is no path to it: a browser is such a place.

`container.py` shows what it is like, and checks its header. A section is compared with its checksum
before anything in it is used.
"""

from __future__ import annotations

import hashlib
from typing import Any, Final, Generic, Protocol, TypeVar

from . import container
from .container import COMMANDS, DatabaseError, Header, checked_header

_READ_AT_ONCE: Final = 1 << 20  # bytes
#: What readers of a page are told instead, who have no shell; all else is damage to them.
_CODES: Final = {
    "no_database": "chosen_other",
    "no_database_so_short": "chosen_other",
    "proof_for_database": "chosen_other",
    "database_version": "chosen_version",
    "compact_needs_keys": "chosen_game",
    "database_of_known_game": "chosen_game",
    "database_of_other_game": "chosen_game",
    "chosen_changed": "chosen_changed",
}

H = TypeVar("H", bound=Header)


class Readable(container.Readable, Protocol):
    """A file that is read as an `mmap.mmap` is: by slices, and it knows its size."""

    def size(self) -> int:
        """How many bytes the file has now."""

    def close(self) -> None:
        """Let go of the file."""


class SlicedFile(Generic[H]):
    """An open file of solved positions.

    Args:
        name: the file's, for messages.
        file: the file.
        schema: the header of the game that is wanted.

    Attributes:
        header: as the schema has it.
        said: the same as plain JSON.

    Raises:
        DatabaseError: if it is none, is of another game or a later version, or damaged.
    """

    header: H

    def __init__(self, name: str, file: Readable, schema: type[H]) -> None:
        self.name: Final = name
        self._file: Final = file
        self._size: Final = file.size()
        game = str(schema.__struct_config__.tag)
        try:
            self.header, self.said, self._begin = checked_header(name, self, self._size, schema)
        except DatabaseError as error:
            raise DatabaseError(
                _CODES.get(str(error.code), "chosen_damaged"),
                path=name,
                game=game.capitalize(),
                command=f"{COMMANDS[game]} build",
            ) from None

    def __getitem__(self, part: slice) -> bytes:
        """The bytes of a slice of the whole file."""
        try:
            return self._file[part]
        except OSError:
            raise DatabaseError("chosen_changed", path=self.name) from None
        except MemoryError:  # no header is so long
            raise self.damaged() from None

    def damaged(self) -> DatabaseError:
        """What to raise if something in it cannot be."""
        return DatabaseError("chosen_damaged", path=self.name)

    def check_open(self) -> None:
        """Look whether the file is as long as it was.

        Raises:
            DatabaseError: if it has changed.
        """
        if self._file.size() != self._size:
            raise DatabaseError("chosen_changed", path=self.name)

    def content(self, section: dict[str, Any]) -> Part:
        """A section, once it has been compared with its checksum.

        Raises:
            DatabaseError: if it is damaged, or the file has changed.
        """
        begin = self._begin + section["offset"]
        end = begin + section["bytes"]
        digest = hashlib.sha256()
        for at in range(begin, end, _READ_AT_ONCE):
            digest.update(self[at : min(at + _READ_AT_ONCE, end)])
        if digest.hexdigest() != section["sha256"]:
            raise self.damaged()
        return Part(self, begin, end)

    def close(self) -> None:
        """Let go of it."""
        self._file.close()


class Part:
    """Some of a file's bytes, read by slices as if they were a file.

    Args:
        file: the whole.
        begin, end: where they lie in it.
    """

    def __init__(self, file: container.Readable, begin: int, end: int) -> None:
        self._file: Final = file
        self._places: Final = range(begin, end)

    def __getitem__(self, part: slice) -> bytes:
        """The bytes of a slice, fewer at the end."""
        places = self._places[part]
        return self._file[places.start : places.stop]
