"""A reader of Malawi's databases, written from docs/file-format.md without the package."""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from math import comb
from pathlib import Path
from typing import Any


class TinyMalawiReader:
    """The values of a file, one position at a time."""

    def __init__(self, path: Path) -> None:
        raw = path.read_bytes()
        magic, version, length, size = struct.unpack_from("<8sIIQ", raw)
        assert (magic, version, size) == (b"KULAMIDB", 1, len(raw))
        self.begin = 64 + length
        assert hashlib.sha256(raw[:32] + raw[64 : self.begin]).digest() == raw[32:64]
        self.raw = raw
        self.header: dict[str, Any] = json.loads(raw[64 : self.begin])
        assert self.header["game"] == "malawi"
        self.columns: int = self.header["columns"]
        self.rows: int = self.header["rows"]
        self.parts = {(own, other): first for own, other, first in self.header["parts"]}
        self.own_sets: dict[int, int] = {}
        masks = (m for m in range(1 << self.columns * self.rows) if m.bit_count() == self.columns)
        for mask in masks:  # rising masks have rising ranks
            if mask <= self.mirrored_mask(mask):
                self.own_sets[mask] = len(self.own_sets)

    def mirrored(self, square: int) -> int:
        row, column = divmod(square, self.columns)
        return row * self.columns + self.columns - 1 - column

    def mirrored_mask(self, mask: int) -> int:
        squares = range(self.columns * self.rows)
        return sum(1 << self.mirrored(square) for square in squares if mask >> square & 1)

    def value(self, own: dict[int, int], other: dict[int, int]) -> int | None:
        """The value of a position: of each side, the beads on each of its figures' squares."""
        slots = [
            slot
            for slot in (self.slot(own, other), self.slot(self.image(own), self.image(other)))
            if slot is not None
        ]
        return self.value_at(min(slots)) if slots else None

    def image(self, figures: dict[int, int]) -> dict[int, int]:
        return {self.mirrored(square): beads for square, beads in figures.items()}

    def slot(self, own: dict[int, int], other: dict[int, int]) -> int | None:
        """Where the position lies; None if only its mirror image has a slot, or neither."""
        own_set = self.own_sets.get(sum(1 << square for square in own))
        first = self.parts.get((sum(own.values()), sum(other.values())))
        if own_set is None or first is None:
            return None
        n = self.columns
        places = [square - sum(taken < square for taken in own) for square in sorted(other)]
        others = comb(n * self.rows - n, n)
        vectors = [comb(sum(side.values()) + n - 1, n - 1) for side in (own, other)]
        at = own_set * others + rank(places)
        at = at * vectors[0] + rank(bars(own))
        return int(first) + at * vectors[1] + rank(bars(other))

    def value_at(self, slot: int) -> int | None:
        for section in self.header["sections"]:
            if 0 <= slot - section["begin"] < section["slots"]:
                break
        else:
            return None
        at = self.begin + section["offset"]
        content = self.raw[at : at + section["bytes"]]
        assert hashlib.sha256(content).hexdigest() == section["sha256"]
        block, bit = divmod(slot - section["begin"], 65536)
        blocks = -(-section["slots"] // 65536)
        start, end = struct.unpack_from("<2Q", content, 8 * block)
        if start == end:
            return None
        unpacked = zlib.decompress(content[8 * (blocks + 1) + start : 8 * (blocks + 1) + end])
        size = min(65536, section["slots"] - 65536 * block) // 8
        present = int.from_bytes(unpacked[:size], "little")
        if not present >> bit & 1:
            return None
        number = (present & (1 << bit) - 1).bit_count()
        wide = len(section["values"]) > 256
        (symbol,) = struct.unpack_from("<H" if wide else "<B", unpacked, size + number * (1 + wide))
        value: int = section["values"][symbol]
        return value

    def values(self) -> dict[int, int]:
        """The values of all slots in the file."""
        found: dict[int, int] = {}
        for section in self.header["sections"]:
            found |= section_values(section, self.raw[self.begin + section["offset"] :])
        return found


def section_values(section: dict[str, Any], content: bytes) -> dict[int, int]:
    """The values of all slots of a section."""
    blocks = -(-section["slots"] // 65536)
    ends = struct.unpack_from(f"<{blocks + 1}Q", content)
    streams = content[8 * (blocks + 1) :]
    found: dict[int, int] = {}
    for block in range(blocks):
        if ends[block] == ends[block + 1]:
            continue
        unpacked = zlib.decompress(streams[ends[block] : ends[block + 1]])
        size = min(65536, section["slots"] - 65536 * block) // 8
        slots = [bit for bit in range(8 * size) if unpacked[bit // 8] >> bit % 8 & 1]
        wide = len(section["values"]) > 256
        symbols = struct.unpack_from(f"<{len(slots)}{'H' if wide else 'B'}", unpacked, size)
        for slot, symbol in zip(slots, symbols, strict=True):
            found[section["begin"] + 65536 * block + slot] = section["values"][symbol]
    return found


def rank(members: list[int]) -> int:
    """The rank of a set, its members rising."""
    return sum(comb(member, i) for i, member in enumerate(members, 1))


def bars(side: dict[int, int]) -> list[int]:
    """Where the beads of each figure end, if all of a side's lie in a row with bars between."""
    beads = [side[square] for square in sorted(side)]
    return [sum(beads[: i + 1]) + i for i in range(len(beads) - 1)]
