"""Sorted records in few bits (compiled); `records.pxd` shows how they lie.

Arrays are given and returned as NumPy arrays: frames and details as uint64, values as int16.
"""

from collections.abc import Sequence
from typing import Any

def alphabets(digits: Sequence[tuple[int, int, int]], values: int) -> list[int]: ...
def count_symbols(
    digits: Sequence[tuple[int, int, int]],
    lowest: int,
    values: int,
    frames: Any,
    starts: Any,
    details: Any,
    value_of: Any,
    bounds: Sequence[int] = (),
) -> Any: ...
def code_lengths(counts: list[int]) -> list[int]: ...

class Codec:
    """The codes for writing and reading some records."""

    def __init__(
        self,
        digits: Sequence[tuple[int, int, int]],
        frame_bits: int,
        lowest: int,
        values: int,
        lengths: Any,
        only: Any,
    ) -> None: ...
    def pack(
        self, frames: Any, starts: Any, details: Any, values: Any, bounds: Sequence[int] = ()
    ) -> list[bytes]: ...

class PackedRecords:
    """Packed records to read."""

    def __init__(self, codec: Codec, records: int, raw: Any) -> None: ...

def unpack(
    parts: Sequence[PackedRecords], most: int | None = None
) -> tuple[Any, Any, Any, Any]: ...
def look_up(
    parts: Sequence[PackedRecords],
    begins: Sequence[int],
    frames: Any,
    details: Any,
    values: Any,
    found: Any,
) -> None: ...
