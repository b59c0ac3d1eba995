"""The parts of an open database without keys: sections, each compared with its checksum once."""

from __future__ import annotations

import threading
from typing import Any, Final

import numpy as np

from ...core.codebook import Codebook
from ...core.locks import cached_over_forks, free_in_forks
from ...core.static_function import StaticFunction
from ...storage.container import DatabaseError, OpenFile
from .classes import Classes
from .compact_header import WIDEST_SYMBOL, CompactHeader, FunctionSection
from .compact_reader import CompactReader
from .predictor import Predictor


class CompactParts:
    """All parts of an open file.

    Args:
        file: the file.
        classes: finds the records that stand for positions.
        legal: the legal spots of each context of a frame.

    Attributes:
        plies: how many plies there are, including those left out.
    """

    def __init__(self, file: OpenFile[CompactHeader], classes: Classes, legal: Any) -> None:
        self._file: Final = file
        self._header: Final = file.header
        self._classes: Final = classes
        self._legal: Final = legal
        self.plies: Final = len(self._header.plies)
        self._said: Final[list[dict[str, Any]]] = file.said["sections"]
        self._sections: Final[list[list[int]]] = [[] for _ in range(self.plies)]
        for number, section in enumerate(self._header.sections):
            if isinstance(section, FunctionSection):
                self._sections[section.ply].append(number)
        self._lock: Final = free_in_forks(threading.RLock())
        self._opened: dict[tuple[int, int], StaticFunction] = {}

    def close(self) -> None:
        """Let go of the file's memory."""
        self._opened.clear()
        self.__dict__.pop("reader", None)

    def sizes(self, ply: int) -> list[int]:
        """Return how many records each part of a ply holds, as the header says."""
        return [int(self._said[number]["records"]) for number in self._sections[ply]]

    def bytes_of(self, ply: int) -> int:
        """Return the bytes of a ply in the file, 0 if it is left out."""
        return sum(int(self._said[number]["bytes"]) for number in self._sections[ply])

    @cached_over_forks
    def reader(self) -> CompactReader:
        """The reader that answers positions.

        Raises:
            DatabaseError: if weights or codes are damaged, or the file may not be read.
        """
        firsts = [[int(self._said[number]["first"]) for number in ply] for ply in self._sections]
        fingerprint = self._header.fingerprint
        return CompactReader(
            self._classes, self._predictor(), self._codebook(), firsts, self.open, fingerprint
        )

    def open(self, ply: int, number: int) -> StaticFunction:
        """Return a part, compared with its checksum when it is asked for the first time.

        Raises:
            DatabaseError: if it is damaged, or the file may not be read.
        """
        with self._lock:
            found = self._opened.get((ply, number))
            if found is None:
                section = self._said[self._sections[ply][number]]
                raw = self._file.content(section)
                try:
                    found = StaticFunction(raw, section["records"], section["salt"])
                except ValueError as error:
                    raise self._damaged(f"function of ply {ply}", error) from None
                self._opened[ply, number] = found
            return found

    def _predictor(self) -> Predictor:
        header = self._header
        cells = Predictor(self._classes, self._legal).cells
        weights = np.frombuffer(self._file.content(self._said[1]), np.int32, cells)
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
        section = self._said[2]
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
        return DatabaseError("section_wrong", path=self._file.name, section=part, why=error)
