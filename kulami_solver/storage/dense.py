"""Sections of kind "dense": the reached slots of a layer, and their values.

A section is cut into blocks of `BLOCK` slots, each compressed on its own, so that a probe opens one
of them. `docs/file-format.md` shows how a block lies in the file, `core/dense.pxd` what slots and
values are. It knows no game. Whole layers need NumPy, looking slots up does not.
"""

from __future__ import annotations

import bisect
import concurrent.futures
import functools
import operator
import threading
import zlib
from array import array
from collections.abc import Iterator, Sized
from typing import TYPE_CHECKING, Any, Final

from ..core.locks import free_in_forks
from .container import ALIGNMENT, DatabaseError, padded, size_and_checksum

if TYPE_CHECKING:
    from ..core.dense import Reached

#: Slots in a block: 8 KiB of presence, and up to 64 KiB of values.
BLOCK: Final = 1 << 16
# Higher levels take five times as long for one byte in a hundred.
_LEVEL: Final = 6
# Blocks that stay open: they take some megabytes, and a line of play needs only a few of them.
_OPEN: Final = 64
_OTHER_VALUES: Final = "its values are not those of its slots"


def pack_layer(
    reached: Reached, layer: int, executor: concurrent.futures.Executor
) -> tuple[dict[str, Any], bytes]:
    """Pack a solved layer.

    Returns:
        The header's entries for the section, and the section.
    """
    import numpy as np

    begin, end = reached.game.bounds[layer : layer + 2]
    directory = reached.directory
    values = reached.values[directory[begin // 512] : directory[end // 512]]
    occurs = np.zeros(1 << 16, bool)
    for at in range(0, len(values), BLOCK):  # NumPy makes eight bytes of each index.
        occurs[values[at : at + BLOCK]] = True
    used = np.flatnonzero(occurs)
    symbols = np.zeros(1 << 16, f"<u{_width(used)}")
    symbols[used] = np.arange(len(used))

    def pack(at: int) -> bytes:
        until = min(at + BLOCK, end)
        first, last = directory[at // 512], directory[until // 512]
        if first == last:
            return b""
        presence = reached.bitmap[at >> 6 : until >> 6].astype("<u8", copy=False).tobytes()
        return zlib.compress(presence + symbols[reached.values[first:last]].tobytes(), _LEVEL)

    packed = list(executor.map(pack, range(begin, end, BLOCK)))
    offsets = np.cumsum([0, *map(len, packed)]).astype("<u8")
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


def _width(values: Sized) -> int:
    """The bytes of a symbol."""
    return 1 if len(values) <= 256 else 2


class _Section:
    """A packed layer to read."""

    def __init__(self, name: str, about: dict[str, Any], content: Any) -> None:
        self.name = name
        self.begin: Final[int] = about["begin"]
        self.slots: Final[int] = about["slots"]
        self.reached: Final[int] = about["reached"]
        self.values: Final[list[int]] = about["values"]
        self.blocks: Final = -(-self.slots // BLOCK)
        self.width: Final = _width(self.values)
        self._content = content
        head = 8 * (self.blocks + 1)
        room = about["bytes"] - head
        if room < 0:
            raise DatabaseError(f"{name}: layer {about['layer']} is shorter than its header says")
        ends = array("Q", bytes(content[:head]))
        if (
            ends[0]
            or not all(map(operator.le, ends, memoryview(ends)[1:]))
            or not 0 <= room - ends[-1] < ALIGNMENT
        ):
            raise DatabaseError(
                f"{name}: the blocks of layer {about['layer']} do not lie one after the other"
            )
        self._ends: Final = ends

    def block(self, number: int) -> tuple[bytes, bytes] | None:
        """The presence of a block's slots, and the symbols of the present slots; None if empty.

        Raises:
            DatabaseError: if it is damaged.
        """
        begin, end = (8 * (self.blocks + 1) + at for at in self._ends[number : number + 2])
        if begin == end:
            return None
        size = min(BLOCK, self.slots - number * BLOCK) // 8
        opened = zlib.decompressobj()
        try:
            # At most one byte more than can be right: a few bytes may unpack to very many.
            raw = opened.decompress(self._content[begin:end], size + self.width * 8 * size + 1)
        except zlib.error as error:
            raise self.damaged(number, str(error)) from None
        if not opened.eof or opened.unused_data or len(raw) < size:
            raise self.damaged(number, "no whole stream")
        presence, symbols = raw[:size], raw[size:]
        if self.width * int.from_bytes(presence, "little").bit_count() != len(symbols):
            raise self.damaged(number, _OTHER_VALUES)
        return presence, symbols

    def damaged(self, number: int, why: str) -> DatabaseError:
        """The error for a damaged block."""
        at = self.begin + number * BLOCK
        return DatabaseError(f"{self.name}: the block of slot {at} is damaged ({why})")


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
        about: the header's entries for the section.
        content: its bytes.
        executor: runs the slow parts.
        bitmap: of all slots, in 64-bit words; the words of the layer are written.

    Returns:
        The values of the layer's reached slots, in their order.

    Raises:
        DatabaseError: if it is damaged.
    """
    import numpy as np

    section = _Section(name, about, content)
    words = bitmap[section.begin >> 6 : section.begin + section.slots >> 6]
    words[:] = 0
    known = np.array(section.values, np.uint16)
    values = np.empty(section.reached, np.uint16)
    filled = 0
    for number, block in enumerate(executor.map(section.block, range(section.blocks))):
        if block is None:
            continue
        presence, symbols = block
        at = number * (BLOCK // 64)
        words[at : at + len(presence) // 8] = np.frombuffer(presence, "<u8")
        found = np.frombuffer(symbols, f"<u{section.width}")
        if np.max(found, initial=0) >= len(known):
            raise section.damaged(number, _OTHER_VALUES)
        if filled + len(found) > section.reached:
            break
        values[filled : filled + len(found)] = known[found]
        filled += len(found)
    if filled != section.reached:
        raise DatabaseError(f"{name}: layer {about['layer']} has other slots than its header says")
    return values


class DenseReader:
    """The dense sections of a file, for looking slots up.

    Args:
        name: of the file, for messages.
        listed: the header's entries for the sections.
        content: gives a section's bytes, after verifying its checksum.
    """

    def __init__(self, name: str, listed: list[dict[str, Any]], content: Any) -> None:
        self._name = name
        self._listed = sorted(listed, key=lambda about: int(about["begin"]))
        self._begins = [int(about["begin"]) for about in self._listed]
        self._content = content
        self._lock = free_in_forks(threading.Lock())
        self._sections: dict[int, _Section] = {}
        # Each reader has its own cache: a cache of the class would keep closed files open.
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
        before = int.from_bytes(presence[:byte], "little").bit_count()
        before += (presence[byte] & (1 << bit) - 1).bit_count()
        section = self._section(number)
        symbol = symbols[section.width * before : section.width * (before + 1)]
        try:
            return section.values[int.from_bytes(symbol, "little")]
        except IndexError:
            raise section.damaged(at // BLOCK, _OTHER_VALUES) from None

    def layers(
        self, executor: concurrent.futures.Executor, bitmap: Any
    ) -> Iterator[tuple[int, Any]]:
        """Unpack all sections; yield each one's layer and values, and write `bitmap`.

        Raises:
            DatabaseError: if one is damaged.
        """
        for about in self._listed:
            values = read_layer(self._name, about, self._content(about), executor, bitmap)
            yield about["layer"], values

    def close(self) -> None:
        """Release the file."""
        self._sections.clear()
        self._block.cache_clear()

    def _section(self, number: int) -> _Section:
        section = self._sections.get(number)
        if section is None:
            with self._lock:
                section = self._sections.get(number)  # Another thread may have opened it.
                if section is None:
                    about = self._listed[number]
                    section = _Section(self._name, about, self._content(about))
                    self._sections[number] = section
        return section

    def _open_block(self, number: int, block: int) -> tuple[bytes, bytes] | None:
        return self._section(number).block(block)
