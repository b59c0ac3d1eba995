"""Solved databases of Kulami, read in plain Python: no compiler, no NumPy, nothing but this file.

It stands alone: a copy of it works wherever Python 3.10 does, on machines of either byte order:

    with plain_reader.open_database("3x4.kdb") as database:
        database.probe("AABB/AABB/CCDD r b a1")     # the margin, for the side to move
        database.probe_moves("AABB/AABB/CCDD r b a1")   # that of every legal field

In the shell: `python plain_reader.py FILE "KFN"`. A look-up takes a fraction of a millisecond; the
`Database` of the package answers a hundred times as fast, and in batches.

It is written from `docs/file-format.md` and, for the texts, `docs/notation.md` alone. What is read
is compared with its checksum first. A file is read by slices, and never held as a whole.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import itertools
import json
import mmap
import os
import struct
import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["AbsentError", "Database", "FileError", "TextError", "open_database"]

_FIXED = struct.Struct("<8sIIQQ32s")
_ONE_KEY = struct.Struct("<Q")
_TWO_KEYS = struct.Struct("<QQ")
_OFFSET = struct.Struct("<I")
_HALF = struct.Struct("<H")

_BLOCK = 64  # records
_LONGEST_WORD = 12  # bits
_READ_AT_ONCE = 1 << 20  # bytes
_NO_PANEL = 64
# The errors of reading a file whose checksums are right but whose content makes no sense.
_SENSELESS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, struct.error)
_COLUMNS = "abcdefghijklmnop"
#: Whether the largest areas and the chains count besides the panels.
_SCORINGS = {"0": (False, False), "1": (True, False), "2": (True, True), "chains": (False, True)}
_KEYS = {
    *("game", "sections", "layout", "root", "marbles", "short_end", "scoring", "value"),
    *("positions", "fields", "context_bits", "contexts", "digits", "panels", "plies", "shard"),
}
#: Numbers in a header besides those of its sections: as a rule those of the values of 64 plies.
_MOST_NUMBERS = 1 << 17

_Key = tuple[int, int]  # frame and detail of a record


class FileError(ValueError):
    """A file is no database of Kulami, is damaged, or was closed."""


class TextError(ValueError):
    """A text is no position of Kulami."""


class AbsentError(LookupError):
    """A position is not in a database."""


class _Section:
    """Some of a file's bytes, read where they are needed.

    Args:
        file: the file.
        begin, size: where they lie in it.
    """

    def __init__(self, file: bytes | mmap.mmap, begin: int, size: int) -> None:
        self._file = file
        self._begin = begin
        self.size = size

    def read(self, at: int, size: int) -> bytes:
        """A number of bytes from a place on, fewer at the end."""
        if not 0 <= at <= self.size or size < 0:
            raise FileError("it leads beyond the end of a section")
        return self._file[self._begin + at : self._begin + min(at + size, self.size)]

    def unpack(self, form: struct.Struct, at: int) -> tuple[Any, ...]:
        """The numbers that begin at a place."""
        return form.unpack(self.read(at, form.size))

    def digest(self) -> str:
        """Their SHA-256, in hexadecimal."""
        found = hashlib.sha256()
        for at in range(0, self.size, _READ_AT_ONCE):
            found.update(self.read(at, _READ_AT_ONCE))
        return found.hexdigest()


@dataclass(frozen=True)
class _Position:
    """A position; sets of fields are masks, and fields that are not known are -1."""

    own: int  # marbles of the side to move
    other: int
    last: int  # field of the newest marble
    before: int  # and of the one before it

    @property
    def marbles(self) -> int:
        return (self.own | self.other).bit_count()

    def after(self, field: int) -> _Position:
        return _Position(self.other, self.own | 1 << field, field, self.last)


class _Board:
    """A layout: fields are numbered row by row, gaps skipped; panels by their first fields."""

    def __init__(self, text: str) -> None:
        rows = text.split("/")
        width = max(len(row) for row in rows)
        if max(width, len(rows)) > len(_COLUMNS):
            raise TextError(f"a layout has at most {len(_COLUMNS)} rows and columns")
        self.rows = [row.ljust(width, ".") for row in rows]
        self.number = {
            (column, row): number
            for number, (row, column) in enumerate(
                (row, column)
                for row, names in enumerate(self.rows)
                for column, name in enumerate(names)
                if name != "."
            )
        }
        squares = list(self.number)
        self.names = [f"{_COLUMNS[column]}{row + 1}" for column, row in squares]
        letters = [self.rows[row][column] for column, row in squares]
        order = list(dict.fromkeys(letters))
        self.panel_of = [order.index(letter) for letter in letters]
        self.panels = [
            sum(1 << field for field, panel in enumerate(self.panel_of) if panel == number)
            for number in range(len(order))
        ]
        #: For each field, the fields in its row and column that are not on its panel.
        self.cross = [
            sum(
                1 << other
                for other, (x, y) in enumerate(squares)
                if (x == column or y == row) and letters[other] != letters[field]
            )
            for field, (column, row) in enumerate(squares)
        ]

    def field(self, name: str) -> int:
        if name not in self.names:
            raise TextError(f"{name!r} is no field of {'/'.join(self.rows)}")
        return self.names.index(name)

    def legal(self, position: _Position) -> int:
        """The legal fields, whether or not marbles are left."""
        free = (1 << len(self.names)) - 1 & ~(position.own | position.other)
        if position.last < 0:
            return free
        if position.before >= 0:
            free &= ~self.panels[self.panel_of[position.before]]
        return free & self.cross[position.last]

    def live(self, position: _Position) -> int:
        """The free fields that can be reached from the legal ones."""
        free = (1 << len(self.names)) - 1 & ~(position.own | position.other)
        found = waiting = self.legal(position)
        while waiting:
            field = waiting & -waiting
            new = self.cross[field.bit_length() - 1] & free & ~found
            found |= new
            waiting = waiting ^ field | new
        return found

    def score(self, position: _Position, scoring: str) -> int:
        """The margin as the marbles lie, for the side to move."""
        areas, chains = _SCORINGS[scoring]
        margin = 0
        for panel in self.panels:
            lead = (panel & position.own).bit_count() - (panel & position.other).bit_count()
            margin += panel.bit_count() * ((lead > 0) - (lead < 0))
        for marbles, sign in ((position.own, 1), (position.other, -1)):
            held = {square for square, field in self.number.items() if marbles >> field & 1}
            if areas:
                margin += sign * _largest_area(held)
            if chains:
                margin += sign * _chains(held)
        return margin

    def read(self, marbles: str, turn: str, last: str) -> _Position:
        """The position of the last three parts of a KFN."""
        colours = self._marbles(marbles)
        if turn not in colours:
            raise TextError(f"the side to move is r or b, not {turn!r}")
        own, other = colours[turn], colours["b" if turn == "r" else "r"]
        if not 0 <= other.bit_count() - own.bit_count() <= 1:
            raise TextError("the side to move has as many marbles as the other, or one less")
        fields = [] if last == "-" else [self.field(name) for name in last.split(",")]
        if len(fields) > 2 or bool(fields) != bool(own | other):
            raise TextError(f"the last marbles are at most two, and - on an empty board: {last!r}")
        for field, marbles_there in zip(fields, (other, own), strict=False):
            if not marbles_there >> field & 1:
                raise TextError(f"the side that placed a last marble has none on {last}")
        newest, before = [*fields, -1, -1][:2]
        return _Position(own, other, newest, before)

    def _marbles(self, text: str) -> dict[str, int]:
        colours = {"r": 0, "b": 0}
        rows = [] if text == "-" else text.split("/")
        if len(rows) > len(self.rows):
            raise TextError(f"there are marbles in {len(rows)} rows of {len(self.rows)}")
        for row, squares in enumerate(rows):
            column = 0
            for is_number, run in itertools.groupby(squares, key="0123456789".__contains__):
                letters = "".join(run)
                if is_number:
                    column += int(letters[:9])
                    continue
                for letter in letters:
                    if letter not in colours or (column, row) not in self.number:
                        raise TextError(f"row {row + 1} of the marbles has {letter!r} off a field")
                    colours[letter] |= 1 << self.number[column, row]
                    column += 1
            if column > len(self.rows[0]):
                raise TextError(f"row {row + 1} of the marbles is too wide")
        return colours


def _largest_area(held: set[tuple[int, int]]) -> int:
    """How many of these squares are in the largest set that is connected by sides."""
    largest = 0
    left = set(held)
    while left:
        waiting = [left.pop()]
        size = 0
        while waiting:
            column, row = waiting.pop()
            size += 1
            beside = {(column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)}
            waiting += beside & left
            left -= beside
        largest = max(largest, size)
    return largest


def _chains(held: set[tuple[int, int]]) -> int:
    """The summed lengths of all straight runs of five or more of these squares."""
    total = 0
    for across, down in ((1, 0), (0, 1), (1, 1), (1, -1)):
        for column, row in held:
            if (column - across, row - down) in held:
                continue
            length = 1
            while (column + length * across, row + length * down) in held:
                length += 1
            total += length if length >= 5 else 0
    return total


class _Code:
    """A prefix code; a word has a 1 before its first bit, which tells its length.

    Args:
        lengths: (bits of its word, symbol) of each symbol that has one.
        only: the symbol of a code without words.
    """

    def __init__(self, lengths: Iterable[tuple[int, int]], only: int) -> None:
        self.only = only
        self.symbols: dict[int, int] = {}
        word, before = 0, 0
        for length, symbol in sorted(lengths):
            word <<= length - before
            before = length
            if not 0 < length <= _LONGEST_WORD or word >> length:
                raise FileError("a code has words that cannot be")
            self.symbols[1 << length | word] = symbol
            word += 1

    def read(self, bits: Iterator[int]) -> int:
        """The symbol of the next word."""
        if not self.symbols:
            return self.only
        word = 1
        while word not in self.symbols:
            if word >> _LONGEST_WORD:
                raise FileError("there is a word that is in no code")
            word = word << 1 | next(bits)
        return self.symbols[word]


class _Bits:
    """Bits to be taken one after the other, of each byte the lowest first; then zeros."""

    def __init__(self, content: bytes, at: int = 0) -> None:
        self._content = content
        self._begin = at >> 3  # the first byte not loaded yet
        self._loaded = self._count = 0
        self.take(at & 7)

    def __iter__(self) -> Iterator[int]:
        return self

    def __next__(self) -> int:
        if not self._count:
            self._load()
        bit = self._loaded & 1
        self._loaded >>= 1
        self._count -= 1
        return bit

    def _load(self) -> None:
        """Load 16 bytes: numbers of few bits are faster than those of a whole block."""
        more = self._content[self._begin : self._begin + 16]
        self._begin += 16
        self._loaded |= int.from_bytes(more, "little") << self._count
        self._count += 128

    def take(self, count: int) -> int:
        """The next bits, 64 at most, as a number, the first of them the lowest."""
        if count > self._count:
            self._load()
        taken = self._loaded & (1 << count) - 1
        self._loaded >>= count
        self._count -= count
        return taken


class _Codes:
    """The codes of a ply, each made when it is needed.

    Args:
        content: the section with all of them.
        about: what the header says of the ply.
        digits: of a detail, as in the header.
    """

    def __init__(
        self, content: bytes, about: dict[str, Any], digits: Sequence[Sequence[int]]
    ) -> None:
        self._content = content
        self._lowest = int(about["lowest"])
        self._digits = digits
        sizes = [len(digits) + 64, len(about["values"])]
        self._first_code = []
        for _, mask, given in digits:
            self._first_code.append(len(sizes))
            sizes += [mask + 1] * (1 + given.bit_count())
        self._begins = list(itertools.accumulate(sizes, initial=0))
        self._made: dict[int, _Code] = {}

    def _code(self, number: int) -> _Code:
        if number not in self._made:
            begin, end = self._begins[number : number + 2]
            (only,) = _HALF.unpack_from(self._content, self._begins[-1] + 2 * number)
            words = enumerate(self._content[begin:end])
            self._made[number] = _Code([(bits, symbol) for symbol, bits in words if bits], only)
        return self._made[number]

    def value(self, bits: _Bits) -> int:
        """The value of a record."""
        return self._lowest + self._code(1).read(bits)

    def following(self, bits: _Bits, key: _Key, count: int) -> Iterator[tuple[_Key, int]]:
        """Yield so many records after the one with a key: key and value of each."""
        frame, detail = key
        for _ in range(count):
            step = self._code(0).read(bits)
            if step >= len(self._digits):
                more = step - len(self._digits)
                frame += (1 << more) + bits.take(more)
                step = 0
            for number in range(step, len(self._digits)):
                shift, mask, given = self._digits[number]
                code = self._code(self._first_code[number] + (given & frame).bit_count())
                detail = detail & ~(mask << shift) | code.read(bits) << shift
            yield (frame, detail), self.value(bits)


class _Part:
    """Some records of a ply, in blocks, as they lie in a section.

    Args:
        content: the section.
        count: number of records.
        codes: of the ply.
        frame_bits, detail_bits: of a record's key.
    """

    def __init__(
        self, content: _Section, count: int, codes: _Codes, frame_bits: int, detail_bits: int
    ) -> None:
        self._content = content
        self._count = count
        self._codes = codes
        self._detail_bits = detail_bits
        self._keys = _TWO_KEYS if frame_bits + detail_bits > 64 else _ONE_KEY
        self._blocks = -(-count // _BLOCK)

    def records(self) -> Iterator[tuple[_Key, int]]:
        """Yield all records."""
        for block in range(self._blocks):
            for half in self._halves(block):
                yield from half

    def find(self, wanted: _Key) -> int | None:
        """The value of the record with a key, None if there is none."""
        low, high = 0, self._blocks
        while high - low > 1:
            middle = (low + high) // 2
            if self._key(middle) <= wanted:
                low = middle
            else:
                high = middle
        first, second = self._halves(low)
        for key, value in second:
            if key <= wanted:
                first = itertools.chain([(key, value)], second)
            break
        return next((value for key, value in first if key == wanted), None)

    def _key(self, block: int) -> _Key:
        """Frame and detail of a block's first record."""
        words = self._content.unpack(self._keys, self._keys.size * block)
        if len(words) == 2:
            return words[0], words[1]
        return words[0] >> self._detail_bits, words[0] & (1 << self._detail_bits) - 1

    def _halves(self, block: int) -> tuple[Iterator[tuple[_Key, int]], Iterator[tuple[_Key, int]]]:
        """The records of a block, and those of its second half, which can be read by itself."""
        offsets = self._keys.size * self._blocks
        stream = offsets + 6 * self._blocks
        (begin,) = self._content.unpack(_OFFSET, offsets + 4 * block)
        end = self._content.size - stream
        if block + 1 < self._blocks:
            (end,) = self._content.unpack(_OFFSET, offsets + 4 * (block + 1))
        (half,) = self._content.unpack(_HALF, offsets + 4 * self._blocks + 2 * block)
        raw = self._content.read(stream + begin, end - begin)
        size = min(_BLOCK, self._count - _BLOCK * block)
        key = self._key(block)
        bits = _Bits(raw)
        head = [(key, self._codes.value(bits))]
        rest = self._codes.following(bits, key, min(size, _BLOCK // 2) - 1)
        second = self._codes.following(_Bits(raw, half), key, max(0, size - _BLOCK // 2))
        return itertools.chain(head, rest), second


class _Ply:
    """A ply: what the header says of it, its parts, and its codes once they are needed."""

    def __init__(self, about: dict[str, Any]) -> None:
        self.about = about
        self.parts: list[dict[str, Any]] = []
        self.firsts: list[_Key] = []
        self.codes_section: dict[str, Any] = {}
        self.codes: _Codes | None = None


class Database:
    """An open database; get one from `open_database`.

    Attributes:
        path: the file.
        root: the root in KFN, which begins with the layout.
        marbles, short_end: marbles of each colour; whether the game ends when one side has placed
            all. Positions that are asked for have as many.
        scoring: "0", "1", "2" or "chains".
        value: the root's margin, for its side to move.
        positions: how many the file holds, up to equivalence.
        plies: how many plies after the root have positions that are not over.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._file = self._mapped()
        try:
            self._read_header(self._text())
        except (FileError, TextError) as error:
            self.close()
            raise self._wrong(error) from None
        except (*_SENSELESS, RecursionError) as error:
            self.close()
            raise self._wrong(f"its header makes no sense: {error!r}") from None

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    # Asking

    def get(self, position: str) -> int | None:
        """Return a position's margin for the side to move, None if it is not in the file.

        Args:
            position: in KFN, with the layout of the file. A game that is over has the margin its
                marbles have.

        Raises:
            TextError: if it is no position.
            FileError: if the file is damaged where it is read, was closed, or has another size
                than when it was opened.
        """
        read = self._position(position)
        return None if read is None else self._margin(read)

    def probe(self, position: str) -> int:
        """Return a position's margin for the side to move.

        Raises:
            AbsentError: if it is not in the file.
            TextError, FileError: as for `get`.
        """
        margin = self.get(position)
        if margin is None:
            raise AbsentError(f"{self.path}: {position} is not below the root, {self.root}")
        return margin

    def probe_moves(self, position: str) -> dict[str, int]:
        """Return the margin that each legal field leads to, for the side to move; best first.

        Raises:
            AbsentError, TextError, FileError: as for `probe`.
        """
        self.probe(position)  # so its layout is the one of the file
        read = self._board.read(*position.split()[1:])
        margins = {}
        for field in _members(self._legal(read)):
            margin = self._margin(read.after(field))
            if margin is None:
                raise self._wrong(f"what follows on {position} is missing")
            margins[self._board.names[field]] = -margin
        return dict(sorted(margins.items(), key=lambda item: -item[1]))

    def records(self, ply: int) -> Iterator[tuple[int, int, int]]:
        """Yield all records of a ply after the root: frame, detail and value of each.

        Raises:
            FileError: as for `get`.
        """
        self._check_open()
        for section in self._each[ply].parts:
            with self._told(ply):
                records = list(self._part(ply, section).records())
            yield from ((*key, value) for key, value in records)

    # Opening

    def _wrong(self, what: object) -> FileError:
        return FileError(f"{self.path}: {what}")

    def _mapped(self) -> mmap.mmap:
        """The file itself, in memory as far as it is read."""
        with open(self.path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size < _FIXED.size:
                raise self._wrong(f"no database: it has only {size} bytes")
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    def _text(self) -> bytes:
        fixed = self._file[: _FIXED.size]
        if fixed[:8] != b"KULAMIDB":
            raise FileError("no database of Kulami")
        _, version, length, total, zero, digest = _FIXED.unpack(fixed)
        self._size = self._file.size()
        self._begin = _FIXED.size + length
        if version != 1:
            raise FileError(f"it has version {version}; this reader knows version 1")
        if total != self._size or zero or self._begin > total:
            raise FileError("damaged or cut off")
        text = self._file[_FIXED.size : self._begin]
        if hashlib.sha256(fixed[:32] + text).digest() != digest:
            raise FileError("damaged or cut off")
        # A list in JSON takes some thirty times its text, and a long header is one of sections.
        if sum(map(text.count, (b"[", b"{", b","))) > _MOST_NUMBERS + length // 12:
            raise FileError("its header has more entries than sections")
        return text

    def _read_header(self, text: bytes) -> None:
        header = json.loads(text)
        if header["game"] != "kulami":
            raise FileError(f"a database of another game, {header['game']}")
        if header.keys() != _KEYS or header["scoring"] not in _SCORINGS:
            raise FileError("its header has other keys or values than version 1")
        self._layout: str = header["layout"]
        self.root: str = header["root"]
        self.marbles: int = header["marbles"]
        self.short_end: bool = header["short_end"]
        self.scoring: str = header["scoring"]
        self.value: int = header["value"]
        self.positions: int = header["positions"]
        self.plies = len(header["plies"])
        self._context_bits: int = header["context_bits"]
        if not 0 < self._context_bits < 64 or self.plies > 64:
            raise FileError("its header contradicts its root")
        self._digits: list[list[int]] = header["digits"]
        self._detail_bits = max((at + mask.bit_length() for at, mask, _ in self._digits), default=0)
        self._board = _Board(self._layout)
        self._supply = 2 * self.marbles - self.short_end
        self._checked: set[int] = set()
        root = self._position(self.root)
        if root is None:
            raise FileError("its root has another layout")
        self._root = root
        self._live_at_root = self._board.live(self._root)
        self._spots = header["fields"]
        self._spot_of = {field: spot for spot, field in enumerate(self._spots)}
        self._panels = {panel: (shift, room) for panel, shift, room in header["panels"]}
        if self._spots != list(_members(self._live_at_root)) or (
            (self._panels, self._digits) != self._digits_of_root()
        ):
            raise FileError("its header contradicts its root")
        self._each = [_Ply(about) for about in header["plies"]]
        self._read_sections(header)

    def _digits_of_root(self) -> tuple[dict[int, tuple[int, int]], list[list[int]]]:
        """The panels with a digit, and the digits, as they follow from the root."""
        if any(_SCORINGS[self.scoring]):
            top = len(self._spots) - 1
            return {}, [[top - i, 1, 1 << self._context_bits + i] for i in range(top + 1)]
        panels: dict[int, tuple[int, int]] = {}
        digits = []
        shift = 0
        for panel in range(len(self._board.panels) - 1, -1, -1):
            fields = self._board.panels[panel]
            room = (fields & self._live_at_root).bit_count()
            if room and abs(_lead(fields, self._root.own, self._root.other)) <= room:
                width = (2 * room + 1).bit_length()
                given = self._to_spots(fields & self._live_at_root) << self._context_bits
                panels[panel] = (shift, room)
                digits.append([shift, (1 << width) - 1, given])
                shift += width
        return panels, digits[::-1]

    def _read_sections(self, header: dict[str, Any]) -> None:
        end = 0
        for section in header["sections"]:
            if section["offset"] != end or section["bytes"] % 64:
                raise FileError("its sections do not follow on each other")
            end += section["bytes"]
            if section["kind"] == "codes":
                self._each[section["ply"]].codes_section = section
            elif section["kind"] == "records":
                self._each[section["ply"]].parts.append(section)
                self._each[section["ply"]].firsts.append(tuple(section["first"]))
        if self._begin + end != self._size or header["sections"][0]["kind"] != "contexts":
            raise FileError("its sections do not fill it")
        count = header["contexts"]
        contexts = self._content(header["sections"][0])
        content = contexts.read(0, contexts.size)
        legal = struct.unpack_from(f"<{count}Q", content)
        barred = content[8 * count : 9 * count]
        pairs = enumerate(zip(legal, barred, strict=True))
        self._contexts = {pair: number for number, pair in pairs}

    # Finding

    def _position(self, text: str) -> _Position | None:
        """The position of a KFN; None if it has another layout."""
        parts = text.strip(" \t\r\n").split(" ") if isinstance(text, str) else []
        if len(parts) != 4:
            raise TextError(f"a position is four words, LAYOUT MARBLES TURN LAST: {text!r}")
        board = self._board if parts[0] == self._layout else _Board(parts[0])
        position = board.read(*parts[1:])
        if max(position.own.bit_count(), position.other.bit_count()) > self.marbles:
            raise TextError(f"there are at most {self.marbles} marbles of each colour: {text}")
        return position if board.rows == self._board.rows else None

    def _legal(self, position: _Position) -> int:
        return self._board.legal(position) if position.marbles < self._supply else 0

    def _margin(self, position: _Position) -> int | None:
        self._check_open()
        legal = self._legal(position)
        if not legal:
            return self._board.score(position, self.scoring)
        ply = position.marbles - self._root.marbles
        if not 0 <= ply < self.plies:
            return None
        sign = 1 if ply % 2 == 0 else -1
        first, second = (position.own, position.other)[::sign]
        panels_alone = not any(_SCORINGS[self.scoring])
        if panels_alone:
            live = self._board.live(position)
        else:
            live = self._live_at_root & ~(first | second)
            if (first & ~self._live_at_root, second & ~self._live_at_root) != (
                self._root.own,
                self._root.other,
            ):
                return None
        context = self._contexts.get((self._to_spots(legal), self._barred(position, live)))
        if live & ~self._live_at_root or context is None:
            return None
        frame = self._to_spots(live) << self._context_bits | context
        if not panels_alone:
            top = len(self._spots) - 1
            marbles = _members(first & self._live_at_root)
            detail = sum(1 << top - self._spot_of[field] for field in marbles)
            return self._value(ply, (frame, detail))
        detail = decided = 0
        for number, fields in enumerate(self._board.panels):
            lead, room_left = _lead(fields, first, second), (fields & live).bit_count()
            if abs(lead) > room_left:
                decided += fields.bit_count() * (1 if lead > 0 else -1)
            if not room_left:
                continue
            if number in self._panels:
                shift, room = self._panels[number]
                detail |= (2 * room + 1 if abs(lead) > room_left else lead + room) << shift
            elif abs(lead) <= room_left:
                return None
        value = self._value(ply, (frame, detail))
        return None if value is None else sign * decided + value

    def _check_open(self) -> None:
        if self._file.closed:
            raise self._wrong("the database is closed; open it again")
        if self._file.size() != self._size:
            raise self._wrong("the file has another size than when it was opened")

    def _to_spots(self, fields: int) -> int:
        return sum(1 << self._spot_of[field] for field in _members(fields & self._live_at_root))

    def _barred(self, position: _Position, live: int) -> int:
        """The panel of the newest marble, if it has a live field."""
        if position.last < 0:
            return _NO_PANEL
        panel = self._board.panel_of[position.last]
        return panel if self._board.panels[panel] & live else _NO_PANEL

    def _content(self, section: dict[str, Any]) -> _Section:
        """A section, once it has been compared with its checksum."""
        begin = self._begin + section["offset"]
        content = _Section(self._file, begin, section["bytes"])
        if begin not in self._checked:
            if content.digest() != section["sha256"]:
                raise FileError(f"damaged: a section of {section['kind']} at byte {begin}")
            self._checked.add(begin)
        return content

    def _value(self, ply: int, record: _Key) -> int | None:
        """The value of a record, None if there is none."""
        here = self._each[ply]
        number = bisect_right(here.firsts, record) - 1
        if number < 0:
            return None
        with self._told(ply):
            return self._part(ply, here.parts[number]).find(record)

    def _part(self, ply: int, section: dict[str, Any]) -> _Part:
        """A part of a ply."""
        here = self._each[ply]
        if here.codes is None:
            codes = self._content(here.codes_section)
            here.codes = _Codes(codes.read(0, codes.size), here.about, self._digits)
        content, bits = self._content(section), len(self._spots) + self._context_bits
        return _Part(content, section["records"], here.codes, bits, self._detail_bits)

    @contextlib.contextmanager
    def _told(self, ply: int) -> Iterator[None]:
        """Tell of what makes no sense in the records of a ply."""
        try:
            yield
        except FileError as error:
            raise self._wrong(error) from None
        except _SENSELESS as error:
            raise self._wrong(f"the records of ply {ply} make no sense: {error!r}") from None


def _members(mask: int) -> Iterator[int]:
    """The members of a set, rising."""
    return (i for i in range(mask.bit_length()) if mask >> i & 1)


def _lead(fields: int, first: int, second: int) -> int:
    return (fields & first).bit_count() - (fields & second).bit_count()


def open_database(path: str | os.PathLike[str]) -> Database:
    """Open a database of Kulami.

    Args:
        path: the file, as `kulami build` makes it.

    Raises:
        FileError: if it is no database of Kulami, is of another version, or damaged.
        OSError: if it cannot be read.

    Examples:
        >>> with open_database("data/3x4-level2.kdb") as database:
        ...     database.probe("AABB/AABB/CCDD - r -")
        0
    """
    return Database(path)


def main() -> int:
    """Look a position up: `plain_reader.py FILE KFN`."""
    parser = argparse.ArgumentParser(description="Look a position up in a database of Kulami.")
    parser.add_argument("file", help="the database, as `kulami build` makes it")
    parser.add_argument("position", nargs="?", help="in KFN; the root if none is given")
    arguments = parser.parse_args()
    try:
        with open_database(arguments.file) as database:
            given = arguments.position
            position = database.root if given is None else given
            print(f"margin {database.probe(position)}")
            for field, margin in database.probe_moves(position).items():
                print(f"{field} {margin}")
    except (FileError, TextError, AbsentError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
