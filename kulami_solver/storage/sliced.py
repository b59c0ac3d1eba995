"""A file that is read by slices, where there is no path to it: a browser is such a place.

`container.py` shows what it is like. Nothing in it is used before it is compared with its checksum:
the header when it is opened, a section when something in it is read for the first time.
"""

from __future__ import annotations

import hashlib
import struct
from typing import Any, Final, Protocol

import msgspec

from .container import ALIGNMENT, MAGIC, VERSION, DatabaseError

_FIXED: Final = struct.Struct("<8sIIQQ32s")
_READ_AT_ONCE: Final = 1 << 20  # bytes


class Readable(Protocol):
    """A file that is read as an `mmap.mmap` is: by slices, and it knows its size."""

    def size(self) -> int:
        """How many bytes the file has now."""

    def __getitem__(self, part: slice, /) -> bytes:
        """The bytes of a slice, fewer at the end of the file."""

    def close(self) -> None:
        """Let go of the file."""


class SlicedFile:
    """An open file of solved positions.

    Args:
        name: the file's, for messages.
        file: the file.
        game: whose it is to be, as its header says.
        noun: that game's name, and the command that makes its files, for messages.

    Attributes:
        header: all that it says of itself; only that its sections fill it has been looked at.

    Raises:
        DatabaseError: if it is none, is of another game or a later version, or damaged.
    """

    def __init__(self, name: str, file: Readable, game: str, noun: tuple[str, str]) -> None:
        self.name: Final = name
        self._file: Final = file
        self._checked: Final[set[int]] = set()
        title, command = noun
        fixed = self._read(0, _FIXED.size)
        if fixed[:8] != MAGIC or len(fixed) < _FIXED.size:
            raise DatabaseError("chosen_other", path=name, game=title, command=command)
        _, version, length, size, zero, digest = _FIXED.unpack(fixed)
        if version != VERSION:
            raise DatabaseError("chosen_version", path=name)
        self._begin: Final[int] = ALIGNMENT + length
        text = self._read(ALIGNMENT, self._begin)
        found = hashlib.sha256(fixed[:32] + text).digest()
        if zero or size != file.size() or len(text) != length or found != digest:
            raise self.damaged()
        try:
            self.header: Final[dict[str, Any]] = msgspec.json.decode(text, type=dict[str, Any])
            found_game = self.header["game"]
            end, follows = 0, True
            for section in self.header["sections"]:
                follows = follows and section["offset"] == end and section["bytes"] > 0
                end += section["bytes"]
        except (LookupError, TypeError, ValueError, RecursionError):
            raise self.damaged() from None
        if found_game != game:
            raise DatabaseError("chosen_game", path=name, game=title)
        if self._begin + end != size or not follows:
            raise self.damaged()
        self._size: Final[int] = size

    def damaged(self) -> DatabaseError:
        """What to raise if something in it cannot be."""
        return DatabaseError("chosen_damaged", path=self.name)

    def read(self, section: dict[str, Any], begin: int, end: int) -> bytes:
        """Return some bytes of a section.

        Args:
            section: as the header has it.
            begin, end: where they lie in it.

        Raises:
            DatabaseError: if the section is damaged or has not that many, or the file has changed.
        """
        first, size = self._begin + section["offset"], section["bytes"]
        if not 0 <= begin <= end <= size:
            raise self.damaged()
        if self._file.size() != self._size:
            raise DatabaseError("chosen_changed", path=self.name)
        if first not in self._checked:
            digest = hashlib.sha256()
            for at in range(0, size, _READ_AT_ONCE):
                digest.update(self._read(first + at, first + min(at + _READ_AT_ONCE, size)))
            if digest.hexdigest() != section["sha256"]:
                raise self.damaged()
            self._checked.add(first)
        return self._read(first + begin, first + end)

    def close(self) -> None:
        """Let go of it."""
        self._file.close()

    def _read(self, begin: int, end: int) -> bytes:
        try:
            return self._file[begin:end]
        except OSError:
            raise DatabaseError("chosen_changed", path=self.name) from None
        except MemoryError:  # no header is so long
            raise self.damaged() from None
