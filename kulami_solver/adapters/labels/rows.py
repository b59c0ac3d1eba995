"""Positions with their values as rows of numbers, and a filter for repeated positions."""

from __future__ import annotations

import hashlib
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ...kulami.position.layout import Layout
from ...kulami.position.material import MAX_FIELDS
from ...kulami.position.position import Position, restored

NO_VALUE: Final = -32768
"""The value of a field that is not legal."""

ROW: Final = np.dtype(
    [
        ("game", "<i8"),
        ("red", "<u8"),
        ("black", "<u8"),
        ("legal", "<u8"),
        ("turn", "<u1"),
        ("last", "<i1"),
        ("before", "<i1"),
        ("supply", "<u1"),
        ("free", "<u1"),
        ("margin", "<i2"),
        ("values", "<i2", (MAX_FIELDS,)),
    ]
)

Rows = npt.NDArray[Any]
Keys = npt.NDArray[np.uint64]


def row_of(game: int, position: Position, margin: int, values: dict[int, int]) -> tuple[Any, ...]:
    """Return a position as a row.

    Args:
        game: number of the position's game.
        position: a position whose game is not over.
        margin: its exact margin, for the side to move.
        values: the exact margin of each legal field, for the side to move.
    """
    fields = [NO_VALUE] * MAX_FIELDS
    for field, value in values.items():
        fields[field] = value
    return (
        game,
        position.red,
        position.black,
        position.legal_mask,
        0 if position.turn == "red" else 1,
        position.last_field,
        position.barred_field,
        position.supply,
        position.free_count,
        margin,
        fields,
    )


def position_of(layout: Layout, row: Any, marbles: int, short_end: bool) -> Position:
    """Return the position of a row."""
    numbers = (int(row[name]) for name in ("red", "black", "turn", "last", "before"))
    red, black, turn, last, before = numbers
    return restored(layout, red, black, turn, last, before, marbles, short_end)


def keys_of(layout: str, rows: Rows) -> Keys:
    """Return 64 bits of hash for each position; equal positions have equal hashes.

    Two different positions have the same hash in one of 18 million runs of a million positions
    each. Then one of the two has no row.
    """
    digest = hashlib.blake2b(layout.encode("ascii"), digest_size=8).digest()
    key = np.full(len(rows), int.from_bytes(digest, "little"), np.uint64)
    lasts = rows["last"].astype(np.int64) + 1 << 8 | rows["before"].astype(np.int64) + 1
    lasts = lasts << 1 | rows["turn"]
    for part in (rows["red"], rows["black"], lasts.astype(np.uint64)):
        key = _mixed(key ^ part)
    return key


def _mixed(words: Keys) -> Keys:
    """SplitMix64, which maps different words to different words."""
    with np.errstate(over="ignore"):
        words = words + np.uint64(0x9E3779B97F4A7C15)
        words = (words ^ words >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
        words = (words ^ words >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
        mixed: Keys = words ^ words >> np.uint64(31)
    return mixed


class Seen:
    """Earlier keys, 8 bytes each.

    They lie in sorted arrays. Two arrays of about equal length are merged, so there are few arrays,
    and a few binary searches find a key.

    Examples:
        >>> seen = Seen()
        >>> seen.new(np.array([3, 5, 3], np.uint64)).tolist(), len(seen)
        ([True, True, False], 2)
        >>> seen.new(np.array([5, 6], np.uint64)).tolist(), len(seen)
        ([False, True], 3)
    """

    def __init__(self) -> None:
        self._sorted: list[Keys] = []

    def __len__(self) -> int:
        return sum(map(len, self._sorted))

    def new(self, keys: Keys) -> npt.NDArray[np.bool_]:
        """Return which keys are new, also compared with earlier ones in `keys`, and note them."""
        unique, first = np.unique(keys, return_index=True)
        fresh = np.ones(len(unique), np.bool_)
        for known in self._sorted:
            place = np.minimum(np.searchsorted(known, unique), len(known) - 1)
            fresh &= known[place] != unique
        found = np.zeros(len(keys), np.bool_)
        found[first[fresh]] = True
        if fresh.any():
            self._sorted.append(unique[fresh])
        while len(self._sorted) > 1 and len(self._sorted[-2]) < 2 * len(self._sorted[-1]):
            last = self._sorted.pop()
            self._sorted[-1] = np.sort(np.concatenate([self._sorted[-1], last]))
        return found
