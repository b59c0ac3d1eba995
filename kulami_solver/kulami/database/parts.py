"""The parts of a database: sections of records, opened at the first question about them.

A ply consists of parts, cut between frames; each is a section with records, and another section,
the codes of the ply, says what their bits mean. Each section's checksum is compared once.
"""

from __future__ import annotations

import itertools
import struct
import threading
from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from ...core.locks import cached_over_forks, free_in_forks
from ...core.records import Codec, PackedRecords, alphabets, look_up, unpack
from ...storage.container import DatabaseError, OpenFile
from .classes import Classes
from .reader import Reader
from .shape import Header

Records = tuple[Any, Any, Any, Any]
"""Many positions: frames, where the details of each frame begin, details, values."""

_WORD: Final = struct.Struct("<Q")
_TWO_WORDS: Final = struct.Struct("<QQ")


class Parts:
    """All parts of an open file.

    Args:
        file: the file.
        classes: which positions its records stand for.
        frame_bits: length of a frame in bits.

    Attributes:
        plies: number of plies.
        first_frames: for each ply, the first frame of each part.
    """

    def __init__(self, file: OpenFile[Header], classes: Classes, frame_bits: int) -> None:
        self._file: Final = file
        self._header: Final = file.header
        self._classes: Final = classes
        self._digits = file.header.digits
        self._frame_bits = frame_bits
        self.plies: Final = len(self._header.plies)
        self._sections: Final[list[list[dict[str, Any]]]] = [[] for _ in range(self.plies)]
        self._codes: Final[dict[int, dict[str, Any]]] = {}
        for section in file.said["sections"]:
            if section["kind"] == "records":
                self._sections[section["ply"]].append(section)
            elif section["kind"] == "codes":
                self._codes[section["ply"]] = section
        self.first_frames: Final = [
            [int(section["first"][0]) for section in parts] for parts in self._sections
        ]
        self._lock = free_in_forks(threading.Lock())
        self._opened: dict[tuple[int, int], PackedRecords] = {}
        self._codecs: dict[int, Codec] = {}

    def close(self) -> None:
        """Let go of the file's memory."""
        self._opened.clear()
        self._codecs.clear()
        self.__dict__.pop("reader", None)

    def sizes(self, ply: int) -> list[int]:
        """Return how many records each part of a ply holds, as the header says."""
        return [int(section["records"]) for section in self._sections[ply]]

    def bytes_of(self, ply: int) -> int:
        """Return the bytes of a ply in the file."""
        return sum(int(section["bytes"]) for section in [self._codes[ply], *self._sections[ply]])

    def open(self, ply: int, number: int) -> PackedRecords:
        """Return a part, compared with its checksum when it is asked for the first time.

        Raises:
            DatabaseError: if it is damaged, or the file may not be read.
        """
        part = self._opened.get((ply, number))
        if part is None:
            with self._lock:
                part = self._opened.get((ply, number))  # Another thread may have been here.
                if part is None:
                    part = self._read(ply, self._sections[ply][number])
                    self._opened[ply, number] = part
        return part

    @cached_over_forks
    def reader(self) -> Reader:
        """The reader that looks up positions."""
        return Reader(
            self._classes,
            self.first_frames,
            self.open,
            lambda ply: self.damaged(ply, ValueError("a damaged block")),
        )

    def records(self, ply: int, numbers: Iterable[int], most: int | None = None) -> Records:
        """Return all records of adjacent parts, or only the blocks that hold the first `most`.

        Raises:
            DatabaseError: if the file is damaged there, or may not be read.
        """
        parts = [self.open(ply, number) for number in numbers]
        try:
            records: Records = unpack(parts, most)
        except ValueError as error:
            raise self.damaged(ply, error) from None
        if int(records[0][-1]) >> self._frame_bits:
            raise self.damaged(ply, ValueError("a frame that no position has"))
        return records

    def values(self, ply: int, frames: Any, details: Any) -> tuple[Any, Any]:
        """Return the values of many records, and for each whether the file has it.

        Raises:
            DatabaseError: as for `records`.
        """
        # In file order, neighbouring records are found in memory that has just been read.
        order = np.argsort(frames)
        values, found = np.empty(len(order), np.int16), np.empty(len(order), np.uint8)
        values[order], found[order] = self.sorted_values(ply, frames[order], details[order])
        return values, found

    def sorted_values(self, ply: int, frames: Any, details: Any) -> tuple[Any, Any]:
        """Return the same as `values`, for records sorted by frame."""
        values, found = np.empty(len(frames), np.int16), np.empty(len(frames), np.uint8)
        # Parts are cut between frames, so a frame tells its part. The first part also gets all
        # frames below its own.
        cuts = np.searchsorted(frames, np.array(self.first_frames[ply][1:], np.uint64)).tolist()
        bounds = itertools.pairwise([0, *cuts, len(frames)])
        asked = {begin: number for number, (begin, end) in enumerate(bounds) if begin < end}
        parts = [self.open(ply, number) for number in asked.values()]
        try:
            look_up(parts, list(asked), frames, details, values, found)
        except ValueError as error:
            raise self.damaged(ply, error) from None
        return values, found

    def damaged(self, ply: int, error: Exception) -> DatabaseError:
        """Return the error to raise for a damaged ply."""
        return DatabaseError(f"{self._file.name}: ply {ply} is damaged ({error}); build it again")

    def _codec(self, ply: int) -> Codec:
        codec = self._codecs.get(ply)
        if codec is None:
            about = self._header.plies[ply]
            sizes = alphabets(self._digits, len(about.values))
            raw = self._file.content(self._codes[ply])
            symbols = sum(sizes)
            try:
                codec = Codec(
                    self._digits,
                    self._frame_bits,
                    about.lowest,
                    len(about.values),
                    np.frombuffer(raw, np.uint8, symbols),
                    np.frombuffer(bytes(raw[symbols : symbols + 2 * len(sizes)]), np.uint16),
                )
            except ValueError as error:
                raise self.damaged(ply, error) from None
            self._codecs[ply] = codec
        return codec

    def _read(self, ply: int, section: dict[str, Any]) -> PackedRecords:
        raw = self._file.content(section)
        first = self._first_key(*section["first"])
        if raw[: len(first)] != first:
            raise self.damaged(ply, ValueError("a part that does not begin as the header says"))
        codec = self._codec(ply)
        try:
            return PackedRecords(codec, section["records"], raw)
        except ValueError as error:
            raise self.damaged(ply, error) from None

    def _first_key(self, frame: int, detail: int) -> bytes:
        if self._key_bits > 64:
            return _TWO_WORDS.pack(frame, detail)
        return _WORD.pack(frame << self._key_bits - self._frame_bits | detail)

    @cached_over_forks
    def _key_bits(self) -> int:
        shift, mask, _ = self._digits[0] if self._digits else (0, 0, 0)
        return self._frame_bits + shift + mask.bit_length()
