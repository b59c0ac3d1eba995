"""Compressed text files, known by their names: `.gz`.

    file -> pieces of 1 KiB -> inflated pieces -> lines

A piece is small, since 1 KiB may stand for 1 MiB. Whatever reads lines has its own limit for each;
here is one for the whole of a file that blows up, see `inflated`.
"""

from __future__ import annotations

import io
import os
import zlib
from typing import Any, BinaryIO, Final

from ..errors import KulamiError

ENDING: Final = ".gz"

_PIECE: Final = 1 << 10

# What a file may hold however small it is, in bytes, and how many times its own length beyond that.
# Games and positions take a 3rd to a 30th of their length.
_HARMLESS: Final = 64 << 20
_RATIO: Final = 200


def is_compressed(path: str | os.PathLike[str]) -> bool:
    """Whether a file's name says that it is compressed.

    >>> is_compressed("games.jsonl.GZ"), is_compressed("games.jsonl")
    (True, False)
    """
    return os.fspath(path).lower().endswith(ENDING)


def open_text(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file for reading; its content is inflated if its name says that it is compressed.

    Raises:
        OSError: if it cannot be opened.
        KulamiError: while it is read: it is damaged, or blows up.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "a.gz")
        ...     with open(path, "wb") as file:
        ...         _ = file.write(packed(path, b"one\\ntwo\\n"))
        ...     with open_text(path) as file:
        ...         list(file)
        [b'one\\n', b'two\\n']
    """
    if not is_compressed(path):
        return open(path, "rb")
    return io.BufferedReader(_Inflating(path))


def packed(path: str | os.PathLike[str], content: bytes) -> bytes:
    """Return the content for a file: compressed, if the file's name says so."""
    if not is_compressed(path):
        return content
    import gzip

    return gzip.compress(content, mtime=0)  # the same bytes each time


class _Inflating(io.RawIOBase):
    """The content of a compressed file, of one member or several one after the other."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._name = os.fspath(path)
        self._file = open(path, "rb")  # noqa: SIM115  (closed by close)
        self._member: Any = None  # what inflates the member that is being read
        self.members = 0
        self._rest = b""  # read, but not inflated
        self._ready = memoryview(b"")  # inflated, but not handed out
        self._taken = self._given = 0  # bytes of the file, and of its content

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._file.close()
        super().close()

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            data = self._rest or self._file.read(_PIECE)
            self._rest = b""
            if not data and self._member is None:
                return 0
            if not data:
                raise KulamiError("compressed_short", path=self._name)
            self._take(data)
        count = min(len(buffer), len(self._ready))
        buffer[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def _take(self, data: bytes) -> None:
        self._taken += len(data)
        if self._member is None:
            if not data.strip(b"\0"):
                return  # zeros may stand behind the last member
            self._member = zlib.decompressobj(31)
            self.members += 1
        try:
            inflated = self._member.decompress(data)
        except zlib.error:
            raise KulamiError("compressed_damaged", path=self._name) from None
        self._given += len(inflated)
        if self._given > max(_HARMLESS, _RATIO * self._taken):
            raise KulamiError("compressed_too_far", path=self._name, ratio=_RATIO)
        self._ready = memoryview(inflated)
        if self._member.eof:
            self._rest = self._member.unused_data
            self._taken -= len(self._rest)
            self._member = None
