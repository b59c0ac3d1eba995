"""Compressed text files, known by their names: `.gz` and `.zst`.

    file -> pieces of 1 KiB -> inflated pieces -> lines

A piece is small, since 1 KiB of Zstandard may stand for 32 MiB. Whatever reads lines has its own
limit for each; here is one for the whole of a file that blows up, see `inflated`.
"""

from __future__ import annotations

import io
import os
import zlib
from importlib import import_module
from typing import Any, BinaryIO, Final

from ..errors import KulamiError

ENDINGS: Final = (".gz", ".zst")

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
    return os.fspath(path).lower().endswith(ENDINGS)


def check_compression(path: str | os.PathLike[str]) -> None:
    """Refuse a name that ends in `.zst` if no module for it is there.

    Raises:
        KulamiError: with the remedy.
    """
    if os.fspath(path).lower().endswith(".zst"):
        _zstandard(path)


def open_text(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file for reading; its content is inflated if its name says that it is compressed.

    Raises:
        OSError: if it cannot be opened.
        KulamiError: here or while it is read: no module for it is there, it is damaged, or blows
            up.

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
    check_compression(path)
    return io.BufferedReader(_Inflating(path))


def packed(path: str | os.PathLike[str], content: bytes) -> bytes:
    """Return the content for a file: compressed, if the file's name says so.

    Raises:
        KulamiError: if no module for it is there.
    """
    if not is_compressed(path):
        return content
    if os.fspath(path).lower().endswith(".gz"):
        import gzip

        return gzip.compress(content, mtime=0)  # the same bytes each time
    return bytes(_zstandard(path).compress(content))


class _Inflating(io.RawIOBase):
    """The content of a compressed file, of one frame or several one after the other."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._name = os.fspath(path)
        self._file = open(path, "rb")  # noqa: SIM115  (closed by close)
        self._frame: Any = None  # what inflates the frame that is being read
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
            if not data and self._frame is None:
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
        if self._frame is None:
            gzip = self._name.lower().endswith(".gz")
            if gzip and not data.strip(b"\0"):
                return  # gzip lets zeros stand behind the last frame
            self._frame = zlib.decompressobj(31) if gzip else _frame(_zstandard(self._name))
        try:
            inflated = self._frame.decompress(data)
        except Exception as error:  # each module has a class of its own for it
            if isinstance(error, MemoryError):
                raise
            raise KulamiError("compressed_damaged", path=self._name) from None
        self._given += len(inflated)
        if self._given > max(_HARMLESS, _RATIO * self._taken):
            raise KulamiError("compressed_too_far", path=self._name, ratio=_RATIO)
        self._ready = memoryview(inflated)
        if self._frame.eof:
            self._rest = self._frame.unused_data
            self._taken -= len(self._rest)
            self._frame = None


def _zstandard(path: str | os.PathLike[str]) -> Any:
    """The module for Zstandard: Python's own since 3.14, or `zstandard`."""
    for name in ("compression.zstd", "zstandard"):
        try:
            return import_module(name)
        except ImportError:
            continue
    raise KulamiError("zstandard_missing", path=os.fspath(path))


def _frame(module: Any) -> Any:
    """What inflates one frame: it has `decompress`, `eof` and `unused_data`."""
    decompressor = module.ZstdDecompressor()
    return decompressor.decompressobj() if module.__name__ == "zstandard" else decompressor
