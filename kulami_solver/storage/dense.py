"""Sections of kind "dense": which slots of a layer can be reached, and what they are worth.

A section is cut into blocks of `BLOCK` slots, each compressed on its own, so that a probe opens one
of them. `docs/file-format.md` shows how a block lies in the file, `core/dense.pxd` what slots and
values are. It knows no game.
"""

from __future__ import annotations

import bisect
import concurrent.futures
import functools
import threading
import zlib
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from ..core.dense import Reached
from .container import ALIGNMENT, DatabaseError, padded, size_and_checksum

#: Slots in a block: 8 KiB of presence, and up to 64 KiB of values.
BLOCK: Final = 1 << 16
# Higher levels take five times as long for one byte in a hundred.
_LEVEL: Final = 6
# Blocks that stay open: some megabytes, and a line of play goes to and fro between few.
_OPEN: Final = 64


def pack_layer(
    reached: Reached, layer: int, executor: concurrent.futures.Executor
) -> tuple[dict[str, Any], bytes]:
    """Pack a solved layer.

    Returns:
        What the header says of the section, and the section.
    """
    begin, end = reached.game.bounds[layer : layer + 2]
    directory = reached.directory
    values = reached.values[directory[begin // 512] : directory[end // 512]]
    occurs = np.zeros(1 << 16, bool)
    for at in range(0, len(values), BLOCK):  # NumPy makes eight bytes of each index.
        occurs[values[at : at + BLOCK]] = True
    used = np.flatnonzero(occurs)
    symbols = np.zeros(1 << 16, np.uint8 if len(used) <= 256 else np.uint16)
    symbols[used] = np.arange(len(used))

    def pack(at: int) -> bytes:
        until = min(at + BLOCK, end)
        first, last = directory[at // 512], directory[until // 512]
        if first == last:
            return b""
        presence = reached.bitmap[at >> 6 : until >> 6].tobytes()
        return zlib.compress(presence + symbols[reached.values[first:last]].tobytes(), _LEVEL)

    packed = list(executor.map(pack, range(begin, end, BLOCK)))
    offsets = np.cumsum([0, *map(len, packed)], dtype=np.uint64)
    content = padded(offsets.tobytes() + b"".join(packed))
    section = {
        "kind": "dense",
        "layer": layer,
        "begin": begin,
        "slots": end - begin,
        "reached": len(values),
        "values": used.tolist(),
        **size_and_checksum(content),
    }
    return section, content


class _Section:
    """A packed layer to read."""

    def __init__(self, name: str, about: dict[str, Any], content: Any) -> None:
        self.name = name
        self.begin: Final = int(about["begin"])
        self.slots: Final = int(about["slots"])
        self.reached: Final = int(about["reached"])
        self.values: Final = np.array(about["values"], np.uint16)
        self.blocks: Final = -(-self.slots // BLOCK)
        self._content = content
        if len(content) < 8 * (self.blocks + 1):
            raise DatabaseError("layer_short", path=name, layer=about["layer"])
        self._offsets = np.frombuffer(content, np.uint64, self.blocks + 1)
        room = len(content) - 8 * (self.blocks + 1)
        if (
            self._offsets[0]
            or (self._offsets[1:] < self._offsets[:-1]).any()
            or not 0 <= room - int(self._offsets[-1]) < ALIGNMENT
        ):
            raise DatabaseError("layer_blocks_apart", path=name, layer=about["layer"])
        self._symbol = np.dtype(np.uint8 if len(self.values) <= 256 else np.uint16)

    def block(self, number: int) -> tuple[Any, Any] | None:
        """The presence of a block's slots, as bytes, and the symbols of those; None if empty.

        Raises:
            DatabaseError: if it is damaged.
        """
        ends = 8 * (self.blocks + 1) + self._offsets[number : number + 2].astype(np.int64)
        if ends[0] == ends[1]:
            return None
        size = min(BLOCK, self.slots - number * BLOCK) // 8
        opened = zlib.decompressobj()
        try:
            # As much as there can be and a byte more: a few bytes may unpack to very many.
            most = size + self._symbol.itemsize * 8 * size
            raw = opened.decompress(self._content[ends[0] : ends[1]], most + 1)
            if not opened.eof or opened.unused_data:
                raise ValueError("no whole stream")
            presence = np.frombuffer(raw, np.uint8, size)
            symbols = np.frombuffer(raw, self._symbol, -1, size)
        except (zlib.error, ValueError) as error:
            raise self._damaged(number, str(error)) from None
        if int.from_bytes(presence.tobytes(), "little").bit_count() != len(symbols) or (
            np.max(symbols, initial=0) >= len(self.values)
        ):
            raise self._damaged(number, "its values are not those of its slots")
        return presence, symbols

    def _damaged(self, number: int, why: str) -> DatabaseError:
        at = self.begin + number * BLOCK
        return DatabaseError("block_damaged", path=self.name, slot=at, why=why)


def read_layer(
    name: str,
    about: dict[str, Any],
    content: Any,
    executor: concurrent.futures.Executor,
    bitmap: Any,
) -> Any:
    """Unpack a section.

    Args:
        name: of the file, for messages.
        about: what the header says of the section.
        content: its bytes.
        executor: runs what takes time.
        bitmap: of all slots, in 64-bit words; those of the layer are written.

    Returns:
        The values of its reached slots, in their order.

    Raises:
        DatabaseError: if it is damaged.
    """
    section = _Section(name, about, content)
    words = bitmap[section.begin >> 6 : section.begin + section.slots >> 6]
    octets = words.view(np.uint8)
    octets[:] = 0
    values = np.empty(section.reached, np.uint16)
    filled = 0
    for number, block in enumerate(executor.map(section.block, range(section.blocks))):
        if block is None:
            continue
        presence, symbols = block
        at = number * (BLOCK // 8)
        octets[at : at + len(presence)] = presence
        if filled + len(symbols) > section.reached:
            break
        values[filled : filled + len(symbols)] = section.values[symbols]
        filled += len(symbols)
    if filled != section.reached:
        raise DatabaseError("layer_other_slots", path=name, layer=about["layer"])
    return values


class DenseReader:
    """The dense sections of a file, to look slots up in.

    Args:
        name: of the file, for messages.
        listed: what the header says of them.
        content: gives a section's bytes, compared with its checksum.
    """

    def __init__(self, name: str, listed: list[dict[str, Any]], content: Any) -> None:
        self._name = name
        self._listed = sorted(listed, key=lambda about: int(about["begin"]))
        self._begins = [int(about["begin"]) for about in self._listed]
        self._content = content
        self._lock = threading.Lock()
        self._sections: dict[int, _Section] = {}
        # Each reader has a cache of its own: one of the class would keep closed files open.
        self._block = functools.lru_cache(maxsize=_OPEN)(self._open_block)

    def value_at(self, slot: int) -> int | None:
        """The value of a slot, as `core/dense.pxd` has it; None if it is not in the file.

        Raises:
            DatabaseError: if the file is damaged there.
        """
        number = bisect.bisect_right(self._begins, slot) - 1
        if number < 0 or slot >= self._begins[number] + int(self._listed[number]["slots"]):
            return None
        at = slot - self._begins[number]
        block = self._block(number, at // BLOCK)
        if block is None:
            return None
        presence, symbols = block
        byte, bit = divmod(at % BLOCK, 8)
        if not presence[byte] >> bit & 1:
            return None
        before = int.from_bytes(presence[:byte].tobytes(), "little").bit_count()
        before += (int(presence[byte]) & (1 << bit) - 1).bit_count()
        return int(self._section(number).values[symbols[before]])

    def layers(
        self, executor: concurrent.futures.Executor, bitmap: Any
    ) -> Iterator[tuple[int, Any]]:
        """Unpack all sections: of each its layer and the values; `bitmap` is written.

        Raises:
            DatabaseError: if one is damaged.
        """
        for about in self._listed:
            yield (
                about["layer"],
                read_layer(self._name, about, self._content(about), executor, bitmap),
            )

    def close(self) -> None:
        """Let go of the file."""
        self._sections.clear()
        self._block.cache_clear()

    def _section(self, number: int) -> _Section:
        section = self._sections.get(number)
        if section is None:
            with self._lock:
                section = self._sections.get(number)  # Another thread may have been here.
                if section is None:
                    about = self._listed[number]
                    section = _Section(self._name, about, self._content(about))
                    self._sections[number] = section
        return section

    def _open_block(self, number: int, block: int) -> tuple[Any, Any] | None:
        return self._section(number).block(block)
