"""The parts of a database: sections of records, opened at the first question about them.

A ply consists of parts, cut between frames; each is a section. In a database with keys it has
records, and another section, the codes of the ply, says what their bits mean. In one without keys
it is a static function. Each section's checksum is compared once.
"""

from __future__ import annotations

import itertools
import struct
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Final, Generic, TypeVar

import numpy as np

from ...core.codebook import Codebook
from ...core.locks import cached_over_forks, free_in_forks
from ...core.records import Codec, PackedRecords, alphabets, look_up, unpack
from ...core.static_function import StaticFunction
from ...storage.container import DatabaseError, OpenFile
from .classes import Classes
from .header import WIDEST_SYMBOL, CompactHeader, Header
from .predictor import Predictor
from .reader import CompactReader, PackedReader

Records = tuple[Any, Any, Any, Any]
"""Many positions: frames, where the details of each frame begin, details, values."""

_WORD: Final = struct.Struct("<Q")
_TWO_WORDS: Final = struct.Struct("<QQ")

_Part = TypeVar("_Part")


class _AllParts(ABC, Generic[_Part]):
    """All parts of an open file, with keys or without.

    Args:
        file: the file.
        classes: which positions its records stand for.

    Attributes:
        plies: number of plies, including those left out.
    """

    _kind: str
    """Of the sections that are parts."""

    def __init__(self, file: OpenFile[Any], classes: Classes) -> None:
        self._file: Final = file
        self._header: Final = file.header
        self._classes: Final = classes
        self.plies: Final = len(self._header.plies)
        self._listed: Final[list[dict[str, Any]]] = file.said["sections"]
        self._sections: Final[list[list[dict[str, Any]]]] = [[] for _ in range(self.plies)]
        for section in self._listed:
            if section["kind"] == self._kind:
                self._sections[section["ply"]].append(section)
        self._lock = free_in_forks(threading.Lock())
        self._opened: dict[tuple[int, int], _Part] = {}

    def close(self) -> None:
        """Let go of the file's memory."""
        self._opened.clear()
        self.__dict__.pop("reader", None)

    def sizes(self, ply: int) -> list[int]:
        """Return how many records each part of a ply holds, as the header says."""
        return [int(section["records"]) for section in self._sections[ply]]

    def bytes_of(self, ply: int) -> int:
        """Return the bytes of a ply in the file, 0 if it is left out."""
        return sum(int(section["bytes"]) for section in self._sections[ply])

    def open(self, ply: int, number: int) -> _Part:
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

    @abstractmethod
    def _read(self, ply: int, section: dict[str, Any]) -> _Part:
        """Open a section of a ply."""


class Parts(_AllParts[PackedRecords]):
    """All parts of a file with keys.

    Args:
        file, classes: the file, and which positions its records stand for.
        frame_bits: length of a frame in bits.

    Attributes:
        first_frames: for each ply, the first frame of each part; empty for a ply left out.
    """

    _kind = "records"

    def __init__(self, file: OpenFile[Header], classes: Classes, frame_bits: int) -> None:
        super().__init__(file, classes)
        self._digits = file.header.digits
        self._frame_bits = frame_bits
        self._codes = {s["ply"]: s for s in self._listed if s["kind"] == "codes"}
        self.first_frames: Final = [
            [int(section["first"][0]) for section in parts] for parts in self._sections
        ]
        self._codecs: dict[int, Codec] = {}

    def close(self) -> None:
        super().close()
        self._codecs.clear()

    def bytes_of(self, ply: int) -> int:
        found = super().bytes_of(ply)
        return found + int(self._codes[ply]["bytes"]) if found else 0

    @cached_over_forks
    def reader(self) -> PackedReader:
        """The reader that looks up positions."""
        return PackedReader(
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


class CompactParts(_AllParts[StaticFunction]):
    """All parts of a file without keys.

    Args:
        file, classes: the file, and which positions its records stand for.
        legal: the legal spots of each context of a frame.
    """

    _kind = "function"

    def __init__(self, file: OpenFile[CompactHeader], classes: Classes, legal: Any) -> None:
        super().__init__(file, classes)
        self._legal: Final = legal

    @cached_over_forks
    def reader(self) -> CompactReader:
        """The reader that answers positions.

        Raises:
            DatabaseError: if the weights or the codes are damaged.
        """
        firsts = [[int(section["first"]) for section in parts] for parts in self._sections]
        fingerprint = self._header.fingerprint
        return CompactReader(
            self._classes, self._predictor(), self._codebook(), firsts, self.open, fingerprint
        )

    def _read(self, ply: int, section: dict[str, Any]) -> StaticFunction:
        raw = self._file.content(section)
        try:
            return StaticFunction(raw, section["records"], section["salt"])
        except ValueError as error:
            raise self._damaged(f"function of ply {ply}", error) from None

    def _predictor(self) -> Predictor:
        header = self._header
        cells = Predictor(self._classes, self._legal).cells
        weights = np.frombuffer(self._file.content(self._listed[1]), np.int32, cells)
        try:
            return Predictor(
                self._classes,
                self._legal,
                weights,
                header.dropped,
                header.by_live,
                header.by_legal,
            )
        except ValueError as error:
            raise self._damaged("weights", error) from None

    def _codebook(self) -> Codebook:
        section = self._listed[2]
        try:
            codebook = Codebook.from_bytes(self._file.content(section), section["contexts"])
            if np.abs(codebook.symbols.astype(np.int32)).max() > WIDEST_SYMBOL:
                raise ValueError("a value that is out of range")
        except DatabaseError:
            raise
        except ValueError as error:
            raise self._damaged("codebook", error) from None
        return codebook

    def _damaged(self, part: str, error: Exception) -> DatabaseError:
        return DatabaseError(
            f"{self._file.name}: damaged: {part}: {error}; copy the file again, or make it anew"
        )
