"""Unfinished work on labels: a folder beside the file, with the groups of games done so far.

The folder is that of `storage.build_folder`: a process that works in it holds its lock. `groups`
has a record for each group that is done, in the order of completion:

    magic "kulg"   4 bytes
    group          u32      number
    length         u32      bytes that follow the header
    checksum       u32      CRC-32 of number, length and those bytes
    layout         as text, ends with a line feed
    rows           as `rows.ROW` has them

An unfinished record, and any bytes after it, are cut off.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np

from ...core.closing import Closing
from ...storage.build_folder import BuildFolder
from .rows import ROW, Rows

_NAME: Final = "groups"
_MAGIC: Final = b"kulg"
_HEADER: Final = struct.Struct("<4sIII")


class Groups(Closing):
    """The groups that are done.

    Args:
        target: the file to be written.
        plan: the part of the plan that must agree for work to be continued.
        force: throw away the work on another plan.

    Attributes:
        folder: the folder that keeps them.

    Raises:
        DatabaseError: if the folder holds other work, or another process is working in it.
        OSError: if the folder cannot be used.
    """

    def __init__(self, target: Path, plan: dict[str, Any], force: bool) -> None:
        self._folder: Final = BuildFolder(target, plan)
        self._folder.open(force)
        self.folder: Final = self._folder.path
        self._places: dict[int, tuple[int, int]] = {}
        try:
            opened = os.open(self.folder / _NAME, os.O_RDWR | os.O_CREAT, 0o666)
            self._file: BinaryIO = open(opened, "r+b")  # noqa: SIM115  (closed by close)
        except BaseException:
            self._folder.close()
            raise
        try:
            self._end = self._scan()  # of the last whole record
            self._file.truncate(self._end)
        except BaseException:
            self.close()
            raise

    def __contains__(self, group: object) -> bool:
        return group in self._places

    def __len__(self) -> int:
        return len(self._places)

    def _scan(self) -> int:
        """Note the places of the records; return the end of the last complete one."""
        self._file.seek(0)
        place = 0
        while len(header := self._file.read(_HEADER.size)) == _HEADER.size:
            magic, group, length, checksum = _HEADER.unpack(header)
            if magic != _MAGIC:
                break
            content = self._file.read(length)
            if len(content) < length or _checksum(group, content) != checksum:
                break
            self._places[group] = (place + _HEADER.size, length)
            place += _HEADER.size + length
        return place

    def add(self, group: int, layout: str, rows: Rows) -> None:
        """Keep a group; it is on its way to the disk when this returns."""
        content = f"{layout}\n".encode("ascii") + rows.tobytes()
        header = _HEADER.pack(_MAGIC, group, len(content), _checksum(group, content))
        self._file.seek(self._end)  # over a record cut short by Ctrl-C
        self._file.write(header + content)
        self._file.flush()
        self._places[group] = (self._end + len(header), len(content))
        self._end += len(header) + len(content)

    def read(self, group: int) -> tuple[str, Rows]:
        """Return the layout, as text, and the rows of a group that is done."""
        place, length = self._places[group]
        self._file.seek(place)
        layout, _, rows = self._file.read(length).partition(b"\n")
        return layout.decode("ascii"), np.frombuffer(rows, ROW)

    def in_order(self) -> Iterator[tuple[str, Rows]]:
        """Yield the groups from the first on, up to one that is not done."""
        group = 0
        while group in self._places:
            yield self.read(group)
            group += 1

    def close(self) -> None:
        """Release the folder; it stays with its contents, or goes if it is empty."""
        if not self._file.closed and not self._places:
            self.clear()
        if not self._file.closed:
            os.fsync(self._file.fileno())
            self._file.close()
        self._folder.close()

    def clear(self) -> None:
        """Remove the folder."""
        self._file.close()
        self._folder.clear()


def _checksum(group: int, content: bytes) -> int:
    return zlib.crc32(content, zlib.crc32(struct.pack("<II", group, len(content))))
