"""Databases of Malawi that are read by slices: where there is no NumPy, and no path to the file.

A browser is such a place. How positions are numbered is said once more here, as
`docs/file-format.md` says it; `index.pyx` has it in C, for all positions of a board at once.
"""

from __future__ import annotations

import bisect
import functools
import struct
import zlib
from collections.abc import Sequence
from math import comb
from typing import Any, ClassVar, Final

from ..errors import KulamiError
from ..storage.container import DatabaseError
from ..storage.sliced import Readable, SlicedFile
from .board import Board
from .look_up import LookUp
from .position import Position, checked_position
from .values import Value, value_of

_BLOCK: Final = 1 << 16  # slots
_OPEN: Final = 32  # blocks that stay open: some megabytes
_MOST_SETS: Final = 1 << 20  # of squares; a board that can be numbered has 36,000
_ENDS: Final = struct.Struct("<QQ")

Figures = tuple[tuple[int, int], ...]
"""A side's: of each the square and the beads, squares rising."""


class SlicedDatabase(LookUp):
    """An open database that is read by slices.

    Args:
        name: the file's, for messages.
        file: the file.

    Attributes:
        positions: how many it holds, a position and its mirror image counted apart.

    Raises:
        DatabaseError: if it is no database of Malawi, is of a later version, or damaged.
    """

    position_type: ClassVar = Position

    def __init__(self, name: str, file: Readable) -> None:
        self.path = name
        self._file: Final = SlicedFile(name, file, "malawi", ("Malawi", "kulami malawi build"))
        header = self._file.header
        try:
            self.board = Board(header["columns"], header["rows"], header["beads"])
            self.positions: Final = int(header["positions"])
            self._parts: Final = {(own, other): int(at) for own, other, at in header["parts"]}
            self._sections: Final[list[dict[str, Any]]] = header["sections"]
            self._begins: Final = [int(section["begin"]) for section in self._sections]
            self._sets: Final = own_sets(self.board)
        except (KulamiError, LookupError, TypeError, ValueError):
            raise self._file.damaged() from None
        if self._begins != sorted(self._begins) or self.positions < 1:
            raise self._file.damaged()
        self._block: Final = functools.lru_cache(_OPEN)(self._open_block)

    def close(self) -> None:
        """Close the file."""
        self._block.cache_clear()
        self._file.close()

    def __contains__(self, position: object) -> bool:
        return isinstance(position, Position) and self.get(position) is not None

    def get(self, position: Position) -> Value | None:
        """Return what a position is worth to its side to move; None if it is not in the file.

        Raises:
            DatabaseError: if the file is damaged where it is read, or has changed.
        """
        position = checked_position(position)
        if (position.columns, position.rows) != (self.board.columns, self.board.rows):
            return None
        own, other, beads = position.view
        sides = tuple(
            tuple((square, beads[square]) for square in range(len(beads)) if mask >> square & 1)
            for mask in (own, other)
        )
        slots = [
            slot
            for slot in (self._slot(*sides), self._slot(*map(self._image, sides)))
            if slot is not None
        ]
        if not slots:
            return None
        try:
            number = self._value_at(min(slots))
        except DatabaseError:
            raise
        except (ArithmeticError, LookupError, TypeError, ValueError, struct.error, zlib.error):
            raise self._file.damaged() from None
        return None if number is None else value_of(number)

    def _implausible(self, code: str, **said: object) -> DatabaseError:
        return self._file.damaged()

    # Slots

    def _image(self, figures: Figures) -> Figures:
        """The figures, left and right exchanged."""
        columns = self.board.columns
        return tuple(
            sorted(
                (square - 2 * (square % columns) + columns - 1, beads) for square, beads in figures
            )
        )

    def _slot(self, own: Figures, other: Figures) -> int | None:
        """Where a position lies; None if only its mirror image has a slot, or neither."""
        mask = sum(1 << square for square, _ in own)
        number = bisect.bisect_left(self._sets, mask)
        totals = sum(beads for _, beads in own), sum(beads for _, beads in other)
        first = self._parts.get(totals)
        if first is None or number == len(self._sets) or self._sets[number] != mask:
            return None
        n = self.board.columns
        places = [at - (mask & (1 << at) - 1).bit_count() for at, _ in other]
        slot = number * comb(self.board.squares - n, n) + _rank(places)
        for side, total in zip((own, other), totals, strict=True):
            slot = slot * comb(total + n - 1, n - 1) + _rank(_bars(side))
        return first + slot

    # Values

    def _value_at(self, slot: int) -> int | None:
        number = bisect.bisect_right(self._begins, slot) - 1
        if number < 0 or slot - self._begins[number] >= self._sections[number]["slots"]:
            return None
        values = self._sections[number]["values"]
        at, bit = divmod(slot - self._begins[number], _BLOCK)
        size, raw = self._block(number, at)
        byte, bit = divmod(bit, 8)
        if not raw or not raw[byte] >> bit & 1:
            return None
        before = int.from_bytes(raw[:byte], "little").bit_count()
        before += (raw[byte] & (1 << bit) - 1).bit_count()
        wide = 1 if len(values) <= 256 else 2
        symbol = raw[size + wide * before : size + wide * (before + 1)]
        value: int = values[int.from_bytes(symbol, "little")]
        if len(symbol) != wide or not 0 <= value < 1 << 16:
            raise ValueError("its values are not those of its slots")
        return value

    def _open_block(self, number: int, block: int) -> tuple[int, bytes]:
        """How many bytes say which slots are there, and these with what follows; none if empty."""
        section = self._sections[number]
        head = 8 * (-(-section["slots"] // _BLOCK) + 1)
        begin, end = _ENDS.unpack(self._file.read(section, 8 * block, 8 * block + _ENDS.size))
        if begin == end:
            return 0, b""
        size = min(_BLOCK, section["slots"] - _BLOCK * block) // 8
        opened = zlib.decompressobj()
        # A few bytes may unpack to very many.
        raw = opened.decompress(self._file.read(section, head + begin, head + end), 17 * size + 1)
        if not opened.eof or len(raw) < size:
            raise ValueError("no whole stream")
        return size, raw


def own_sets(board: Board) -> list[int]:
    """Return the sets of squares of the side to move that are numbered, as masks, in their order.

    Raises:
        ValueError: if there are more than those of any board that can be numbered.

    Examples:
        >>> from kulami_solver.malawi import Board
        >>> [f"{mask:b}" for mask in own_sets(Board(2, 3))][:4]
        ['11', '101', '110', '1100']
    """
    columns, rows = board.columns, board.rows
    if comb(board.squares, columns) > _MOST_SETS:
        raise ValueError("too many squares")
    flipped = [int(f"{row:0{columns}b}"[::-1], 2) for row in range(1 << columns)]
    found = []
    mask = (1 << columns) - 1
    while mask >> board.squares == 0:
        image = sum(
            flipped[mask >> row * columns & (1 << columns) - 1] << row * columns
            for row in range(rows)
        )
        if mask <= image:
            found.append(mask)
        low = mask & -mask  # the next mask with as many bits
        raised = mask + low
        mask = raised | ((mask ^ raised) >> 2) // low
    return found


def _rank(members: Sequence[int]) -> int:
    """The rank of a set, its members rising."""
    return sum(comb(member, i) for i, member in enumerate(members, 1))


def _bars(side: Figures) -> list[int]:
    """Where the beads of each figure end, if all of a side's lie in a row with bars between."""
    found, beads = [], 0
    for i, (_, more) in enumerate(side[:-1]):
        beads += more
        found.append(beads + i)
    return found
