"""A file that is read by slices because it has no path, as in a browser.

`container.py` describes its format, and checks its header. A section's checksum is verified before
anything in it is used.
"""

from __future__ import annotations

import hashlib
from typing import Any, Final, Generic, Protocol, TypeVar

from . import container
from .container import (
    DatabaseError,
    Header,
    LaterVersionError,
    OtherGameError,
    OtherKindError,
    checked_header,
    descriptor_of,
)

_READ_AT_ONCE: Final = 1 << 20  # bytes
#: Codes of errors for readers of a page, who have no shell; all other errors count as damage.
_CODES: Final[dict[type[DatabaseError], str]] = {
    OtherKindError: "chosen_other",
    LaterVersionError: "chosen_version",
    OtherGameError: "chosen_game",
}

H = TypeVar("H", bound=Header)


class FileChangedError(DatabaseError):
    """A file has changed since it was chosen."""


class Readable(container.Readable, Protocol):
    """A file that is read by slices, like an `mmap.mmap`, and that knows its size."""

    def size(self) -> int:
        """The present size of the file in bytes."""

    def close(self) -> None:
        """Release the file."""


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
        try:
            self.header, self.said, self._begin = checked_header(name, self, self._size, schema)
        except FileChangedError:
            raise
        except DatabaseError as error:
            game = descriptor_of(schema.__struct_config__.tag)
            raise DatabaseError(
                _CODES.get(type(error), "chosen_damaged"),
                path=name,
                game=game.title,
                command=f"{game.command} build",
            ) from None

    def __getitem__(self, part: slice) -> bytes:
        """The bytes of a slice of the whole file."""
        try:
            return self._file[part]
        except OSError:
            raise FileChangedError("chosen_changed", path=self.name) from None
        except MemoryError:  # no header is so long
            raise self.damaged() from None

    def damaged(self) -> DatabaseError:
        """The error for impossible contents."""
        return DatabaseError("chosen_damaged", path=self.name)

    def check_open(self) -> None:
        """Check that the size of the file has not changed.

        Raises:
            DatabaseError: if it has changed.
        """
        if self._file.size() != self._size:
            raise FileChangedError("chosen_changed", path=self.name)

    def content(self, section: dict[str, Any]) -> Window:
        """A section, after its checksum has been verified.

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
        return Window(self, begin, end)

    def close(self) -> None:
        """Release the file."""
        self._file.close()


class Window:
    """A part of a file, read by slices as if it were a file.

    Args:
        file: the whole file.
        begin, end: the bounds of the part in it.
    """

    def __init__(self, file: container.Readable, begin: int, end: int) -> None:
        self._file: Final = file
        self._places: Final = range(begin, end)

    def __getitem__(self, part: slice) -> bytes:
        """The bytes of a slice, fewer at the end."""
        places = self._places[part]
        return self._file[places.start : places.stop]
