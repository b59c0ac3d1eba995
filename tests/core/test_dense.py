"""Dense sections: whatever was packed is read again, by the package and by a plain reader.

The layers are those of real boards of Malawi, their contents made up: layers without a slot, with
one, with all; slots at the edges of words, blocks and layers; one value, 256 of them and 257.
"""

from __future__ import annotations

import concurrent.futures
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny_malawi_reader
from late_roots import Inline

import kulami_solver as ks
from kulami_solver import malawi
from kulami_solver.core.dense import Reached
from kulami_solver.core.retrograde_driver import Analysis
from kulami_solver.malawi.index import Index
from kulami_solver.storage.dense import BLOCK, DenseReader, pack_layer, read_layer

little_endian = pytest.mark.skipif(
    sys.byteorder == "big", reason="no database is built where numbers are big-endian"
)

# Layers within one block, ending with it or not, and of several blocks.
BOARDS = [(2, 3, 1), (2, 4, 2), (2, 6, 2)]


@pytest.fixture(scope="module", params=BOARDS, ids=str)
def index(request: pytest.FixtureRequest) -> Index:
    """The slots of a board."""
    return Index(*request.param)


def edges(index: Index) -> list[int]:
    """Slots at which words, blocks and layers begin and end."""
    around = [0, *index.bounds[:-1]]
    around += range(0, index.slots, BLOCK)
    around += range(0, min(index.slots, 4096), 512)
    around += [64, index.slots]
    beside = {slot for at in around for slot in (at - 1, at, at + 1)}
    return sorted(slot for slot in beside if 0 <= slot < index.slots)


def fillings(index: Index) -> Iterator[list[int]]:
    """Slots that are to be reached."""
    draw = random.Random(index.slots)
    last = index.slots - 1
    yield from ([0], [last], [0, last], edges(index))
    yield list(range(0, index.slots, 3))
    yield sorted(draw.sample(range(index.slots), min(index.slots, 1000)))
    yield list(range(min(index.slots, 2 * BLOCK + 700)))


def spread(count: int, values: list[int]) -> Any:
    """So many values, each of the list among them if there is room, the last first."""
    return np.array([values[-1 - i % len(values)] for i in range(count)], np.uint16)


VALUES = [
    [0],
    [0xFFFF],
    [0x8000, 0xC000],
    list(range(100, 356)),  # as many symbols as a byte has
    list(range(100, 357)),
    list(range(0, 65536, 7)),
]


@pytest.mark.parametrize("values", VALUES, ids=len)
def test_what_was_packed_is_read(index: Index, values: list[int]) -> None:
    for slots in fillings(index):
        reached = Reached(index)
        bits = np.zeros(index.slots, np.uint8)
        bits[slots] = 1
        reached.bitmap[:] = np.packbits(bits, bitorder="little").view("<u8")
        assert reached.number() == len(slots)
        reached.values[:] = spread(len(slots), values)
        expected = dict(zip(slots, reached.values.tolist(), strict=True))
        sections, contents = packed(reached)
        plain = [
            tiny_malawi_reader.section_values(section, content)
            for section, content in zip(sections, contents, strict=True)
        ]
        assert {slot: value for part in plain for slot, value in part.items()} == expected
        bitmap = np.full_like(reached.bitmap, 0xFFFF_FFFF_FFFF_FFFF)
        for section, content, part in zip(sections, contents, plain, strict=True):
            read = read_layer("x", section, content, Inline(), bitmap)
            assert read.tolist() == list(part.values())
        assert (bitmap == reached.bitmap).all()
        reader = DenseReader("x", sections, dict_of(sections, contents))
        asked = {*slots[:500], *slots[-500:], *edges(index)}
        asked |= {slot + 1 for slot in slots[:500] if slot + 1 < index.slots}
        for slot in sorted(asked):
            assert reader.value_at(slot) == reached.value_at(slot) == expected.get(slot)
        assert reader.value_at(index.slots) is None


def packed(reached: Reached) -> tuple[list[dict[str, Any]], list[bytes]]:
    """All layers, packed."""
    layers = range(len(reached.game.bounds) - 1)
    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        both = [pack_layer(reached, layer, executor) for layer in layers]
    return [section for section, _ in both], [content for _, content in both]


def dict_of(
    sections: list[dict[str, Any]], contents: list[bytes]
) -> Callable[[dict[str, Any]], bytes]:
    """What gives the bytes of a section."""
    by_layer = {
        section["layer"]: content for section, content in zip(sections, contents, strict=True)
    }
    return lambda section: by_layer[section["layer"]]


@little_endian
@pytest.mark.parametrize("board", [(2, 3, 1), (2, 4, 2), (2, 3, 5), (3, 3, 1)], ids=str)
def test_every_slot_of_a_board(board: tuple[int, int, int], tmp_path: Path) -> None:
    """Slot by slot, present or not, the database says what the plain reader does."""
    path = tmp_path / "a.kdb"
    malawi.build(path, malawi.Board(*board), threads=1)
    plain = tiny_malawi_reader.TinyMalawiReader(path).values()
    step = 1 if len(plain) < 20_000 else 13
    with malawi.Database(path) as database:
        assert set(plain) < set(range(database.index.slots))
        for slot in range(0, database.index.slots, step):
            assert database.reader.value_at(slot) == plain.get(slot)


@little_endian
class TestReadBack:
    """A file that does not say what was to be written never appears."""

    @pytest.mark.parametrize(
        ("spoilt", "why"),
        [
            ("values", "layer .* has other values"),
            ("slots", "it holds other slots"),
            ("look-up", "slot .* is not found"),
            ("solving", "is not worth what its best turn"),
        ],
    )
    def test_nothing_is_written(
        self, spoilt: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The build ends with an error, and only its work is left."""
        unpack, find, solve = DenseReader.layers, DenseReader.value_at, Analysis.solve

        def misread(self: DenseReader, executor: Any, bitmap: Any) -> Iterator[tuple[int, Any]]:
            for layer, values in unpack(self, executor, bitmap):
                values[-1] ^= spoilt == "values"
                yield layer, values
            bitmap[-1] ^= np.uint64(spoilt == "slots")

        def missolve(self: Any, layer: int) -> Any:
            """Every value is written and read alike, and contradicts the rules."""
            counts = solve(self, layer)
            begin, end = self.reached.game.bounds[layer : layer + 2]
            directory = self.reached.directory
            values = self.reached.values[directory[begin // 512] : directory[end // 512]]
            values[values != 0] += 1
            return np.concatenate([counts[:1], np.roll(counts[1:], 1)])

        if spoilt == "look-up":
            monkeypatch.setattr(DenseReader, "value_at", lambda self, slot: find(self, slot ^ 1))
        elif spoilt == "solving":
            monkeypatch.setattr(Analysis, "solve", missolve)
        else:
            monkeypatch.setattr(DenseReader, "layers", misread)
        path = tmp_path / "a.kdb"
        with pytest.raises(ks.DatabaseError, match=f"{path}: was not written, .*{why}.*remove "):
            malawi.build(path, malawi.Board(2, 4))
        assert [left.name for left in tmp_path.iterdir()] == ["a.kdb.building"]
