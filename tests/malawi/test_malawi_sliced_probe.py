"""Databases of Malawi that are read by slices, as in a browser."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import crafted
import pytest

from kulami_solver import malawi
from kulami_solver.malawi.probe import SlicedDatabase
from kulami_solver.storage.container import DatabaseError, NotInDatabaseError

BOARD = malawi.Board(2, 5)


class Bytes:
    """A file in memory, whose longest slice is noted."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.longest = 0
        self.gone = False

    def size(self) -> int:
        return len(self.content)

    def __getitem__(self, part: slice) -> bytes:
        if self.gone:
            raise OSError("gone")
        found = self.content[part]
        self.longest = max(self.longest, len(found))
        return found

    def close(self) -> None:
        self.gone = True


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of a board."""
    path = tmp_path_factory.mktemp("malawi") / "small.kdb"
    malawi.build(path, BOARD, threads=1)
    return path


def games(count: int) -> Iterator[malawi.Position]:
    """The positions of random games."""
    draw = random.Random(3)
    for _ in range(count):
        here = malawi.Position.start(BOARD)
        for _ in range(60):
            yield here
            if here.is_over:
                break
            here = here.play(draw.choice(here.legal_turns))


def test_every_answer_is_the_databases(path: Path) -> None:
    sliced = SlicedDatabase("x", Bytes(path.read_bytes()))
    with malawi.open_database(path) as database:
        assert (sliced.board, sliced.positions) == (database.board, database.positions)
        drawn = over = 0
        for position in games(8):
            found, wanted = (one.probe(position, every_move=True) for one in (sliced, database))
            assert (found.value, found.line) == (wanted.value, wanted.line)
            assert found.turns == wanted.turns
            drawn += found.value.outcome == "draw"
            over += position.is_over
        assert drawn > 10
        assert over > 2


def test_every_slot_is_found(path: Path) -> None:
    """All positions of the file, and their mirror images with black to move."""
    sliced = SlicedDatabase("x", Bytes(path.read_bytes()))
    with malawi.open_database(path) as database:
        seen = 0
        for slot in range(database.index.slots):
            number = database.reader.value_at(slot)
            if number is not None:
                view = database.index.position(slot)
                for turn in ("red", "black"):
                    position = malawi.Position.seen(BOARD, turn, view)
                    assert sliced.get(position) == database.get(position)
                seen += 1
        assert seen > 3_000


def test_what_it_does_not_hold(path: Path) -> None:
    sliced = SlicedDatabase("small.kdb", Bytes(path.read_bytes()))
    for board in (malawi.Board(2, 4), malawi.Board(2, 5, 3)):
        other = malawi.Position.start(board)
        assert sliced.get(other) is None
        assert other not in sliced
        with pytest.raises(NotInDatabaseError, match=r"small\.kdb"):
            sliced.probe(other)


def test_it_is_never_held_as_a_whole(path: Path) -> None:
    file = Bytes(path.read_bytes())
    sliced = SlicedDatabase("x", file)
    sliced.probe(malawi.Position.start(BOARD))
    assert file.longest < 1 << 20


def wrong_files(path: Path, repository: Path) -> Iterator[tuple[str, bytes]]:
    """Codes, and files that are refused by them."""
    content = path.read_bytes()
    yield "chosen_game", (repository / "data" / "3x4-level2.kdb").read_bytes()
    yield "chosen_other", b""
    yield "chosen_other", b"x" * 1000
    yield "chosen_other", content[:63]
    yield "chosen_version", content[:8] + b"\2\0\0\0" + content[12:]
    yield "chosen_damaged", content[:-1]
    yield "chosen_damaged", content[:70] + b"x" + content[71:]


def test_what_is_no_database_is_refused(path: Path, repository: Path) -> None:
    for code, content in wrong_files(path, repository):
        with pytest.raises(DatabaseError) as refused:
            SlicedDatabase("x", Bytes(content))
        assert refused.value.code == code


def test_damage_is_noticed_where_it_is_read(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-100] ^= 1
    sliced = SlicedDatabase("x", Bytes(bytes(content)))
    played = list(games(8))
    with pytest.raises(DatabaseError) as refused:
        list(map(sliced.get, played))
    assert refused.value.code == "chosen_damaged"


def test_a_file_that_goes_or_changes_is_said(path: Path) -> None:
    file = Bytes(path.read_bytes())
    sliced = SlicedDatabase("x", file)
    file.content += b"x"
    with pytest.raises(DatabaseError) as refused:
        sliced.get(malawi.Position.start(BOARD))
    assert refused.value.code == "chosen_changed"
    file.content = file.content[:-1]
    sliced.close()
    with pytest.raises(DatabaseError) as refused:
        sliced.get(malawi.Position.start(BOARD))
    assert refused.value.code == "chosen_changed"


def test_whatever_a_file_says_it_is_answered_or_refused(path: Path) -> None:
    refused = 0
    for _, wrong in crafted.crafted_files(path.read_bytes(), 100, 7):
        try:
            sliced = SlicedDatabase("x", Bytes(wrong))
            sliced.probe(malawi.Position.start(BOARD))
            for position in games(1):
                sliced.get(position)
        except (DatabaseError, NotInDatabaseError):
            refused += 1
    assert 30 < refused <= 100


def test_neither_numpy_nor_a_path_is_needed(path: Path) -> None:
    code = f"""
import sys
for name in ("numpy", "psutil"):
    sys.modules[name] = None
from kulami_solver import malawi
from kulami_solver.malawi.probe import SlicedDatabase
import mmap
with open({str(path)!r}, "rb") as file:
    mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    print(SlicedDatabase("x", mapped).get(malawi.Position.start(malawi.Board(2, 5))))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert "outcome='loss', plies=10" in done.stdout
