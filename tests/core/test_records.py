"""Packed records: what was packed is read again, by the package and a plain Python reader.

The records are made up, with as much of the degenerate among them as fits: digits with one symbol
or with none, first records of blocks (whose digits the key tells, not the codes) with digits that
no code has, frames far apart, keys of one and of two words, blocks just full or just begun.
"""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import plain_reader
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kulami_solver.core.records import (
    Codec,
    PackedRecords,
    alphabets,
    code_lengths,
    count_symbols,
    look_up,
    unpack,
)

BLOCK = 64
SIZES = [1, 2, 31, 32, 33, 34, 63, 64, 65, 66, 95, 96, 97, 127, 128, 129, 160, 161, 300]
Digits = list[tuple[int, int, int]]
Record = tuple[int, int, int]  # frame, detail, value


@dataclass(frozen=True)
class Ply:
    """Sorted records, cut into parts that have their codes in common, as those of a ply."""

    digits: Digits
    frame_bits: int
    records: list[Record]
    cuts: tuple[int, ...] = ()  # frames that begin a part, but for the first

    @property
    def detail_bits(self) -> int:
        """Bits of a detail."""
        return self.digits[0][0] + self.digits[0][1].bit_length() if self.digits else 0

    @property
    def lowest(self) -> int:
        """The least value."""
        return min(value for _, _, value in self.records)

    @property
    def values(self) -> int:
        """How many values there are from the least to the greatest."""
        return max(value for _, _, value in self.records) - self.lowest + 1

    @functools.cached_property
    def parts(self) -> list[list[Record]]:
        """The records of each part."""
        cuts = [0, *self.cuts, 1 << 64]
        parts = [
            [record for record in self.records if low <= record[0] < high]
            for low, high in itertools.pairwise(cuts)
        ]
        return [part for part in parts if part]

    @functools.cached_property
    def codes(self) -> tuple[list[int], list[int]]:
        """The lengths of all code words, and of each code its only symbol or 0."""
        counts = sum(
            count_symbols(self.digits, self.lowest, self.values, *arrays_of(part))
            for part in self.parts
        )
        ends = np.cumsum(alphabets(self.digits, self.values))
        lengths: list[int] = []
        only = []
        for code in np.split(counts, ends[:-1]):
            lengths += code_lengths([int(count) for count in code])
            used = np.flatnonzero(code)
            only.append(int(used[0]) if len(used) == 1 else 0)
        return lengths, only

    @property
    def codec(self) -> Codec:
        """A codec that suits the records."""
        lengths, only = self.codes
        return Codec(
            self.digits,
            self.frame_bits,
            self.lowest,
            self.values,
            np.array(lengths, np.uint8),
            np.array(only, np.uint16),
        )


def arrays_of(records: list[Record]) -> tuple[Any, Any, Any, Any]:
    """Records as `Codec.pack` takes them."""
    frames = sorted({frame for frame, _, _ in records})
    begin = {frame: i for i, (frame, _, _) in reversed(list(enumerate(records)))}
    return (
        np.array(frames, np.uint64),
        np.array([*(begin[frame] for frame in frames), len(records)], np.uint64),
        np.array([detail for _, detail, _ in records], np.uint64),
        np.array([value for _, _, value in records], np.int16),
    )


def listed(unpacked: tuple[Any, Any, Any, Any]) -> list[Record]:
    """Records that were read from the first on."""
    frames, starts, details, values = unpacked
    assert starts[0] == 0
    return [
        (int(frames[i]), int(details[j]), int(values[j]))
        for i in range(len(frames))
        for j in range(int(starts[i]), int(starts[i + 1]))
    ]


def read_plainly(ply: Ply, content: bytes, records: list[Record]) -> list[Record]:
    """The records of a part as docs/file-format.md says they are to be read."""
    lengths, only = ply.codes
    codes = plain_reader._Codes(
        bytes(lengths) + np.array(only, np.uint16).tobytes(),
        {"lowest": ply.lowest, "values": [0] * ply.values},
        ply.digits,
    )
    section = plain_reader._Section(content, 0, len(content))
    part = plain_reader._Part(section, len(records), codes, ply.frame_bits, ply.detail_bits)
    assert all(part.find((frame, detail)) == value for frame, detail, value in records)
    return [(*key, value) for key, value in part.records()]


def neighbours(ply: Ply, records: list[Record]) -> Iterator[tuple[int, int]]:
    """Keys beside those of the records, some of them present."""
    greatest = (1 << ply.detail_bits) - 1
    for frame, detail, _ in records:
        for other in (detail - 1, detail + 1, detail ^ 1, 0, greatest):
            if 0 <= other <= greatest:
                yield frame, other
        for other in (frame - 1, frame + 1, 0):
            if 0 <= other < 1 << ply.frame_bits:
                yield other, detail


def assert_read(ply: Ply) -> None:
    """Everything that reads says what was packed, and nothing more is there."""
    codec = ply.codec
    for records in ply.parts:
        (raw,) = codec.pack(*arrays_of(records))
        part = PackedRecords(codec, len(records), raw)
        assert listed(unpack([part])) == records
        assert listed(unpack([part], 65)) == records[:128]
        assert read_plainly(ply, raw, records) == records
        present = {(frame, detail): value for frame, detail, value in records}
        keys = [*present, *neighbours(ply, records)]
        # As they come, by frame alone as a batch is, each twice, few in a block, and one by one.
        by_frame = sorted(keys, key=lambda key: (key[0], hash(key)))
        alone = [[key] for key in keys[::17]]
        for asked in (keys, by_frame, sorted(keys * 2), sorted(keys)[::29], keys[::-1], *alone):
            values, found = np.empty(len(asked), np.int16), np.empty(len(asked), np.uint8)
            frames, details = np.array(asked, np.uint64).T.copy()
            look_up([part], [0], frames, details, values, found)
            answers = zip(values, found, strict=True)
            assert [value if there else None for value, there in answers] == [
                present.get(key) for key in asked
            ]


def drawn_digits(chance: random.Random, kind: str, frame_bits: int) -> Digits:
    """Digits of a detail: none, colours, or the differences of panels, up to bit 63."""
    if kind == "none":
        return []
    if kind == "colours":
        widths = [1] * chance.choice([1, 2, 12, 40, 63, 64])
    else:
        widths = [chance.choice([1, 2, 3, 4, 7, 8]) for _ in range(chance.randint(1, 12))]
    while sum(widths) > 64:
        widths.pop()
    digits = []
    shift = sum(widths)
    if kind == "top":
        shift = 64
    for width in widths:
        shift -= width
        members = chance.randrange(1 << frame_bits) & chance.randrange(1 << frame_bits)
        digits.append((shift, (1 << width) - 1, members))
    return digits


def drawn_frames(chance: random.Random, frame_bits: int) -> Iterator[int]:
    """Rising frames, by steps of all sizes."""
    frame = chance.choice([0, chance.randrange(1 << frame_bits)]) >> chance.randrange(64)
    while frame < 1 << frame_bits:
        yield frame
        bits = chance.randrange(chance.choice([1, 4, frame_bits + 1]) if frame_bits else 1)
        frame += chance.randrange(1 << bits, 2 << bits)


class Habits:
    """Which symbols a digit has, given the bits its `given` shares with the frame: often one."""

    def __init__(self, chance: random.Random, digits: Digits) -> None:
        self._chance = chance
        self._digits = digits
        self._single = chance.random()
        self._known: dict[tuple[int, int], list[int]] = {}

    def detail(self, frame: int) -> int:
        """A detail that such a frame may have."""
        detail = 0
        for number, (shift, mask, members) in enumerate(self._digits):
            key = number, (frame & members).bit_count()
            if key not in self._known:
                several = self._chance.random() >= self._single
                count = self._chance.randint(2, 4) if several else 1
                self._known[key] = [self._chance.randint(0, mask) for _ in range(count)]
            detail |= self._chance.choice(self._known[key]) << shift
        return detail

    def stray(self, detail: int) -> int:
        """A detail that differs in some digits, whatever their habits are."""
        for shift, mask, _ in self._digits:
            if self._chance.random() < 0.3:
                detail = detail & ~(mask << shift) | self._chance.randint(0, mask) << shift
        return detail


@st.composite
def plies(draw: st.DrawFn) -> Ply:
    """Records of up to three parts; half of the first records of blocks keep to no habit."""
    chance = random.Random(draw(st.integers(0, 2**32 - 1)))
    size = draw(st.sampled_from(SIZES))
    kind = draw(st.sampled_from(["none", "colours", "panels", "panels", "top"]))
    frame_bits = draw(st.sampled_from([0, 1, 5, 12, 24, 40, 63, 64]))
    digits = drawn_digits(chance, kind, frame_bits)
    habits = Habits(chance, digits)
    keys: list[tuple[int, int]] = []
    for frame in drawn_frames(chance, frame_bits):
        wanted = chance.choice([1, 1, 3, 10, 100])
        keys += sorted({(frame, habits.detail(frame)) for _ in range(wanted)})
        if len(keys) >= size:
            break
    keys = keys[:size]
    frames = sorted({frame for frame, _ in keys})
    cuts = chance.sample(frames, min(len(frames), chance.choice([0, 0, 1, 2])))
    begin = 0
    for i, (frame, detail) in enumerate(keys):
        if frame in cuts and frame != keys[i - 1][0]:
            begin = i
        if (i - begin) % BLOCK:
            continue
        for _ in range(8):
            key = frame, habits.stray(detail)
            before = keys[i - 1] if i else (-1, 0)
            after = keys[i + 1] if i + 1 < len(keys) else (1 << 64, 0)
            if before < key < after and chance.random() < 0.5:
                keys[i] = key
                break
    span = draw(st.sampled_from([1, 2, 5, 300]))
    lowest = draw(st.sampled_from([-511, -40, 0, 3]))
    records = [(*key, lowest + chance.randrange(span)) for key in keys]
    return Ply(digits, frame_bits, records, tuple(sorted(cuts)))


@settings(max_examples=120)
@given(plies())
def test_what_was_packed_is_read(ply: Ply) -> None:
    assert_read(ply)


@pytest.mark.nightly
@settings(max_examples=20_000)
@given(plies())
def test_what_was_packed_is_read_many(ply: Ply) -> None:
    assert_read(ply)


@given(plies())
def test_parts_at_once(ply: Ply) -> None:
    """Parts that follow each other are counted, packed and read as each of them by itself."""
    arrays = frames, _, _, values = arrays_of(ply.records)
    bounds = np.searchsorted(frames, np.array(ply.cuts, np.uint64)).tolist()[
        bool(ply.cuts and ply.cuts[0] == frames[0]) :
    ]
    at_once = count_symbols(ply.digits, ply.lowest, ply.values, *arrays, bounds)
    each = [
        count_symbols(ply.digits, ply.lowest, ply.values, *arrays_of(part)) for part in ply.parts
    ]
    assert np.array_equal(at_once, sum(each))
    codec = ply.codec
    packed = codec.pack(*arrays, bounds)
    assert packed == [codec.pack(*arrays_of(part))[0] for part in ply.parts]
    parts = [
        PackedRecords(codec, len(part), raw) for part, raw in zip(ply.parts, packed, strict=True)
    ]
    assert listed(unpack(parts)) == ply.records
    first = len(ply.parts[0])
    assert listed(unpack(parts, 1)) == ply.records[: min(first, BLOCK)]
    assert listed(unpack(parts, first)) == ply.parts[0]
    begins = [0, *itertools.accumulate(len(part) for part in ply.parts[:-1])]
    keys = np.array([record[:2] for record in ply.records], np.uint64).T.copy()
    for wrong in (np.uint64(0), np.uint64(1)):
        found, values_found = np.empty(len(values), np.uint8), np.empty(len(values), np.int16)
        look_up(parts, begins, keys[0], keys[1] ^ wrong, values_found, found)
        there = {record[:2]: record[2] for record in ply.records}
        for frame, detail, value, is_found in zip(
            keys[0], keys[1] ^ wrong, values_found, found, strict=True
        ):
            assert (value if is_found else None) == there.get((frame, detail))


def test_parts_that_overlap() -> None:
    ply = Ply([(0, 1, 0)], 3, [(frame, frame & 1, 0) for frame in range(8)])
    arrays = arrays_of(ply.records)
    for bounds in ([3, 2], [9], [-1]):
        with pytest.raises(ValueError, match="do not follow each other"):
            ply.codec.pack(*arrays, bounds)
    part = PackedRecords(ply.codec, 8, ply.codec.pack(*arrays)[0])
    keys = arrays[0], arrays[2], np.empty(8, np.int16), np.empty(8, np.uint8)
    for begins in ([0], [0, 9], [5, 3], [1, 4], [0, 4, 8]):
        with pytest.raises(ValueError, match="do not follow each other"):
            look_up([part] * 2, begins, *keys)


class TestOneSymbol:
    """The lower digit is always 1 where a code tells it, and 0 where the key of a block does."""

    DIGITS: ClassVar[Digits] = [(1, 127, 0), (0, 1, 0)]

    def test_after_the_first_record_of_a_block(self) -> None:
        """In one frame the upper digit rises, and the lower one is the same but in block keys."""
        for size in SIZES:
            records = [(i // 120, i % 120 << 1 | (i % BLOCK > 0), i * i % 5) for i in range(size)]
            assert_read(Ply(self.DIGITS, 8, records))
            each = [(i, 6 | (i % BLOCK > 0), i % 3) for i in range(size)]
            assert_read(Ply(self.DIGITS, 10, each))

    @pytest.mark.parametrize("at", [1, 31, 32, 33, 63])
    def test_uppermost_of_all(self, at: int) -> None:
        """Bit 63, in a key of two words; a record each far away from the others."""
        digits = [(63, 1, 0), (60, 7, 1 << 63), (0, 1, 0)]
        records = [(i << 57, int(i != 0) << 63 | (i == at) << 60 | (i & 1), 0) for i in range(64)]
        assert_read(Ply(digits, 64, records))

    def test_no_symbol_at_all(self) -> None:
        """A block's first record alone is in its frame: no code ever tells its digits."""
        records = [(1 + (i > 0), 9 if i == 0 else i % 2, i % 2) for i in range(3)]
        records[1:] = [(2, 0, 1), (2, 1, 0)]
        assert_read(Ply([(0, 15, 3)], 2, records))


@pytest.mark.parametrize("power", range(64))
def test_gaps_of_frames(power: int) -> None:
    """Steps by 2^power, one less and one more."""
    gaps = [gap for gap in (1 << power, (1 << power) - 1, (1 << power) + 1) if 0 < gap < 1 << 64]
    for gap in gaps:
        for first in (0, (1 << 64) - 1 - gap):
            records = [(first, 0, 0), (first + gap, 1, 1)]
            if first == 0 and 2 * gap < 1 << 64:
                records.append((2 * gap, 0, 2))
            assert_read(Ply([(0, 1, 1)], 64, records))


def test_a_way_into_a_second_half_that_leads_elsewhere() -> None:
    """Look-ups go by it and reading all does not: it would be believed, verified or not."""
    ply = Ply([(0, 1, 0)], 8, [(i, i & 1, i * 7 % 5) for i in range(100)])
    (raw,) = ply.codec.pack(*arrays_of(ply.records))
    half = 2 * (8 + 4)  # behind keys and offsets of two blocks
    for by in (1, -1, 8):
        wrong = bytearray(raw)
        there = int.from_bytes(raw[half : half + 2], "little") + by
        wrong[half : half + 2] = there.to_bytes(2, "little")
        with pytest.raises(ValueError, match="a damaged block"):
            unpack([PackedRecords(ply.codec, 100, wrong)])


def test_arrays_that_do_not_go_together() -> None:
    """They would be read or written beyond their ends."""
    ply = Ply([(0, 1, 0)], 3, [(0, 0, 0)])
    (raw,) = ply.codec.pack(*arrays_of(ply.records))
    with pytest.raises(ValueError, match="does not fit its records"):
        PackedRecords(ply.codec, 1, raw[:29])
    part = PackedRecords(ply.codec, 1, raw)
    for place in range(4):
        given: list[Any] = [
            np.zeros(3 if at == place else 9, kind)
            for at, kind in enumerate((np.uint64, np.uint64, np.int16, np.uint8))
        ]
        with pytest.raises(ValueError, match="differ in length"):
            look_up([part], [0], *given)
    frames, details = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    for starts, values in (([0], [0]), ([0, 2], [0]), ([1, 0], [0]), ([0, 1], [0, 0])):
        arrays = (frames, np.array(starts, np.uint64), details, np.array(values, np.int16))
        with pytest.raises(ValueError, match=r"go together|more details|do not follow"):
            ply.codec.pack(*arrays)
        with pytest.raises(ValueError, match=r"go together|more details|do not follow"):
            count_symbols([], 0, 1, *arrays)
