"""Databases that are closed, shortened, asked by many threads or in the way of a build."""

from __future__ import annotations

import concurrent.futures
import contextlib
import copy
import functools
import itertools
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
import tracemalloc
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import crafted
import numpy as np
import plain_reader
import pytest
from command_line import completed, good

import kulami_solver as ks
from kulami_solver import malawi
from kulami_solver.kulami.database.building import build
from kulami_solver.kulami.database.collection import Collection
from kulami_solver.kulami.database.probe import ABSENT
from kulami_solver.kulami.database.shape import Shape
from kulami_solver.storage.container import (
    MAGIC,
    PROOF_MAGIC,
    OpenFile,
    beginning,
    refuse_to_replace,
)
from kulami_solver.storage.database import open_source

LAYOUT = "AABC/AABC/DDEE"
ROOT = ks.Position(ks.Layout.parse(LAYOUT))
BOARD = malawi.Board(2, 4)
START = malawi.Position.start(BOARD)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    """Small databases of Kulami, in many parts, and of Malawi."""
    folder = tmp_path_factory.mktemp("built")
    ks.build(folder / "k.kdb", ROOT, shard=100)
    malawi.build(folder / "m.kdb", BOARD, threads=1)
    return (folder / "k.kdb").read_bytes(), (folder / "m.kdb").read_bytes()


@pytest.fixture
def kdb(built: tuple[bytes, bytes], tmp_path: Path) -> Path:
    """A database of Kulami that a test may spoil."""
    (tmp_path / "k.kdb").write_bytes(built[0])
    return tmp_path / "k.kdb"


@pytest.fixture
def mdb(built: tuple[bytes, bytes], tmp_path: Path) -> Path:
    """A database of Malawi that a test may spoil."""
    (tmp_path / "m.kdb").write_bytes(built[1])
    return tmp_path / "m.kdb"


CALLS: list[tuple[str, Callable[[Any], Any]]] = [
    ("k.kdb", lambda database: database.get(ROOT)),
    ("k.kdb", lambda database: ROOT in database),
    ("k.kdb", lambda database: database.probe(ROOT)),
    ("k.kdb", lambda database: database.move_values(ROOT)),
    ("k.kdb", lambda database: database.probe_many([0], [0], [-1], [-1])),
    ("k.kdb", lambda database: database.records(2, 0)),
    ("k.kdb", lambda database: list(database.check_sections())),
    ("k.kdb", lambda database: database.oracle(ROOT, ks.Scoring.LEVEL0)),
    ("k.kdb", lambda database: ks.verify(database)),
    ("k.kdb", lambda database: ks.solve(ROOT, database=database)),
    ("k.kdb", pickle.dumps),
    ("m.kdb", lambda database: database.get(START)),
    ("m.kdb", lambda database: START in database),
    ("m.kdb", lambda database: database.probe(START)),
    ("m.kdb", lambda database: database.turn_values(START)),
    ("m.kdb", lambda database: database.check_sections()),
    ("m.kdb", lambda database: malawi.verify(database)),
    ("m.kdb", pickle.dumps),
]
#: What a database is asked, of Kulami and of Malawi.
each_call = pytest.mark.parametrize("number", range(len(CALLS)))


def asked(path: Path) -> Any:
    """An open database that has been asked for its root."""
    database: Any = ks.open_database(path)
    database.get(ROOT if path.name == "k.kdb" else START)
    return database


class TestClosed:
    @each_call
    def test_a_closed_database_says_so(self, kdb: Path, mdb: Path, number: int) -> None:
        name, call = CALLS[number]
        database = asked(kdb.with_name(name))
        database.close()
        database.close()
        with pytest.raises(ks.DatabaseError, match=r"the file is closed; open it again"):
            call(database)

    def test_closing_while_it_is_read(self, mdb: Path) -> None:
        """As after Ctrl-C, when a traceback still refers to what was being read."""
        database = malawi.Database(mdb)
        content = database._file.content(database.header["sections"][0])
        database.close()
        assert len(bytes(content)) == database.header["sections"][0]["bytes"]
        with pytest.raises(ks.DatabaseError, match="closed"):
            database.get(START)

    def test_what_is_unpickled_is_open_and_the_same(self, kdb: Path, mdb: Path) -> None:
        for path, root in ((kdb, ROOT), (mdb, START)):
            with ks.open_database(path) as database:
                packed = pickle.dumps(database)
                value = database.value
            first = pickle.loads(packed)
            assert pickle.loads(packed) is first
            assert (type(first), first.value, first.closed) == (type(database), value, False)
            first.close()
            assert pickle.loads(packed).get(root) == value
            malawi.build(path, malawi.Board(2, 3))
            with pytest.raises(ks.DatabaseError):
                pickle.loads(packed)

    def test_the_working_folder_may_change(
        self, kdb: Path, mdb: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What was opened by a relative name stays what it was: copies, workers, further work."""
        monkeypatch.chdir(tmp_path)
        (tmp_path / "elsewhere").mkdir()
        opened = [ks.open_database(name) for name in (kdb.name, mdb.name)]
        full = opened[0]
        with Collection(".") as databases, contextlib.ExitStack() as stack:
            monkeypatch.chdir("elsewhere")
            assert databases.probe(ROOT).margin == full.value
            for database in opened:
                stack.enter_context(database)
                root = START if database.position_type is malawi.Position else ROOT
                for other in (copy.copy(database), pickle.loads(pickle.dumps(database))):
                    assert other.get(root) == database.get(root) is not None
            assert ks.verify(full, threads=1).ok
        assert os.listdir(".") == []

    def test_they_say_what_they_hold(self, kdb: Path, mdb: Path) -> None:
        for path, board, other in ((kdb, LAYOUT, START), (mdb, "2x4", ROOT)):
            with ks.open_database(path) as database:
                said = f"<Database {path}: {database.positions} positions of {board}>"
                assert repr(database) == said
                assert other not in database
                assert "a1" not in database


class TestShortened:
    """On POSIX systems alone may a mapped file be truncated."""

    pytestmark = pytest.mark.skipif(os.name != "posix", reason="truncation of mapped files")

    @each_call
    def test_another_size_is_noticed(self, kdb: Path, mdb: Path, number: int) -> None:
        name, call = CALLS[number]
        with asked(kdb.with_name(name)) as database:
            os.truncate(kdb.with_name(name), 100)
            with pytest.raises(ks.DatabaseError, match=r"has 100 bytes now, and had \d+ when"):
                call(database)

    def test_a_file_that_has_grown(self, kdb: Path) -> None:
        with ks.open_database(kdb) as database:
            with open(kdb, "ab") as file:
                file.write(b"more")
            with pytest.raises(ks.DatabaseError, match="when it was opened"):
                database.get(ROOT)


class TestThreads:
    @pytest.fixture
    def opened(self, monkeypatch: pytest.MonkeyPatch) -> Counter[int]:
        """How often each section is compared with its checksum."""
        counts: Counter[int] = Counter()
        sound = OpenFile.content
        meeting = threading.Barrier(4, timeout=0.2)

        def content(self: OpenFile[Any], section: dict[str, Any]) -> memoryview:
            counts[section["offset"]] += 1
            with contextlib.suppress(threading.BrokenBarrierError):
                meeting.wait()  # Whoever is let in at the same time is here at the same time.
            return sound(self, section)

        monkeypatch.setattr(OpenFile, "content", content)
        return counts

    @pytest.mark.parametrize("name", ["k.kdb", "m.kdb"])
    def test_a_part_is_opened_once(
        self, kdb: Path, mdb: Path, name: str, opened: Counter[int]
    ) -> None:
        with ks.open_database(kdb.with_name(name)) as database:
            root = ROOT if name == "k.kdb" else START
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                values = list(pool.map(database.get, [root] * 4))
            assert values == [database.value] * 4
        assert set(opened.values()) == {1}


class TestExecutors:
    """Builds and verifications of either game on what the caller brings, which stays open."""

    def test_threads(self, kdb: Path, mdb: Path, tmp_path: Path) -> None:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            ks.build(tmp_path / "b.kdb", ROOT, shard=100, executor=pool)
            assert (tmp_path / "b.kdb").read_bytes() == kdb.read_bytes()
            malawi.build(tmp_path / "b.kdb", BOARD, executor=pool)
            assert (tmp_path / "b.kdb").read_bytes() == mdb.read_bytes()
            assert ks.verify(kdb, executor=pool) == ks.verify(kdb)
            assert malawi.verify(mdb, executor=pool) == malawi.verify(mdb)
            assert pool.submit(pow, 2, 3).result() == 8
        assert {path.name for path in tmp_path.iterdir()} == {"k.kdb", "m.kdb", "b.kdb"}

    def test_processes(self, kdb: Path, mdb: Path, tmp_path: Path) -> None:
        """Those of Kulami share files alone; those of Malawi share memory, and say so."""
        content = crafted.Crafted.of(kdb.read_bytes())
        content.header["plies"][1]["moves"] += 1
        wrong = crafted.write(tmp_path / "wrong.kdb", content.whole())
        fresh = multiprocessing.get_context("spawn")
        refused = "the tasks of a (build|verification) of Malawi share memory"
        with concurrent.futures.ProcessPoolExecutor(2, fresh) as pool:
            assert ks.verify(kdb, executor=pool) == ks.verify(kdb)
            (problem,) = ks.verify(wrong, executor=pool).problems
            assert problem == f"{wrong}: ply 1 is not what the header says"
            with pytest.raises(ks.KulamiError, match=refused):
                malawi.verify(mdb, executor=pool)
            with pytest.raises(ks.KulamiError, match=refused):
                malawi.build(tmp_path / "b.kdb", BOARD, executor=pool)
        assert {path.name for path in tmp_path.iterdir()} == {"k.kdb", "m.kdb", "wrong.kdb"}


class TestMessages:
    def test_a_checksum_is_complained_of_once(self, kdb: Path) -> None:
        content = bytearray(kdb.read_bytes())
        with ks.open_database(kdb) as database:
            section = next(s for s in database.header["sections"] if s["kind"] == "records")
            content[database._file._begin + section["offset"]] ^= 1
        kdb.write_bytes(content)
        asked: list[Callable[[ks.Database], Any]] = [
            lambda database: database.get(ROOT),
            lambda database: database.probe_many([0], [0], [-1], [-1]),
            lambda database: database.records(0, 0),
        ]
        for ask in asked:
            with ks.open_database(kdb) as database, pytest.raises(ks.DatabaseError) as caught:
                ask(database)
            assert str(caught.value).count(str(kdb)) == 1
            assert str(caught.value).count("damaged") == 1


class TestBatches:
    @pytest.mark.parametrize("kind", [np.int8, np.int64, np.uint64])
    def test_whole_numbers_of_any_kind(self, kdb: Path, kind: Any) -> None:
        nothing = np.array([0], kind)
        with ks.open_database(kdb) as database:
            assert database.probe_many(nothing, nothing, [-1], [-1]).tolist() == [database.value]
            assert database.probe_many([], [], [], []).tolist() == []
            assert database.probe_many([(1 << 64) - 1], [0], [0], [-1]).tolist() == [ABSENT]


class TestOverwriting:
    def test_a_damaged_one_is_built_again(self, kdb: Path) -> None:
        whole = bytearray(kdb.read_bytes())
        whole[70] ^= 1
        for content in (whole[:200], whole, b""):
            kdb.write_bytes(content)
            made = good("build", str(kdb), "--layout", "AAB/CCB", "--json").answer
            assert made["positions"] == 19


def test_a_reader_lists_no_more_contexts_than_a_file_has() -> None:
    with pytest.raises(ks.BudgetError, match="10 contexts: there are more"):
        Shape(ROOT, ks.Scoring.LEVEL0, 10)
    assert len(Shape(ROOT, ks.Scoring.LEVEL0, 10**6).contexts) > 10


def test_ctrl_c_leaves_a_database_of_malawi_to_be_closed(mdb: Path) -> None:
    """The traceback of an interrupted look-up refers to the file's memory."""
    program = (
        "import sys\n"
        "from kulami_solver import malawi\n"
        "from kulami_solver.storage import dense\n"
        "class Interrupted(dense._Section):\n"
        "    def block(self, number):\n"
        "        raise KeyboardInterrupt\n"
        "dense._Section = Interrupted\n"
        "try:\n"
        "    with malawi.Database(sys.argv[1]) as database:\n"
        "        database.get(malawi.Position.start(database.board))\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    ran = completed([sys.executable, "-c", program, str(mdb)])
    assert (ran.stdout, ran.stderr, ran.returncode) == ("interrupted\n", "", 0)


@pytest.mark.parametrize("game", ["kulami", "malawi"])
def test_the_size_of_a_file_bounds_the_memory_that_its_header_takes(
    game: str, tmp_path: Path
) -> None:
    """Whatever a header of empty lists says, a reader keeps none of them."""
    path = tmp_path / "big.kdb"
    keys = ("x", "layout", "fields", "digits", "plies", "parts", "values")
    tracemalloc.start()
    try:
        for magic, key in itertools.product((MAGIC, PROOF_MAGIC), keys):
            content, size = beginning(magic, {"game": game, key: [[]] * 100_000}, [])
            path.write_bytes(content)
            opened: list[Callable[[Path], Any]] = [
                plain_reader.open_database,
                functools.partial(open_source, kind="proof"),
            ]
            if magic == MAGIC:
                opened += [ks.open_database, lambda path: Collection(path.parent).probe(ROOT)]
                about = {"game": "kulami", "layout": LAYOUT}
                opened += [functools.partial(refuse_to_replace, about=about)]
            for one in opened:
                tracemalloc.reset_peak()
                before = tracemalloc.get_traced_memory()[0]
                with contextlib.suppress(ks.KulamiError, plain_reader.FileError):
                    one(path)
                assert tracemalloc.get_traced_memory()[1] - before < 4 * size
    finally:
        tracemalloc.stop()


def test_no_number_of_a_header_makes_a_reader_take_much_memory(
    kdb: Path, mdb: Path, tmp_path: Path
) -> None:
    build(kdb, ks.Position(ks.Layout.parse("AAB/CCB")), overwrite=True)
    tracemalloc.start()
    try:
        for path in (kdb, mdb):
            content = path.read_bytes()
            header = crafted.Crafted.of(content).header
            for place in crafted.places(header):
                number = crafted.at(header, place)
                others = [step for step in place if isinstance(step, int) and step > 0]
                if type(number) is not int or (
                    (others and place[:1] != ("sections",)) or others > [3]
                ):
                    continue  # the first of each list, and some sections
                made = crafted.Crafted.of(content)
                crafted.at(made.header, place[:-1])[place[-1]] = 1 << 28
                lying = crafted.write(tmp_path / "lying.kdb", made.whole())
                for opening in (ks.open_database, plain_reader.open_database)[: 1 + (path != mdb)]:
                    tracemalloc.reset_peak()
                    with contextlib.suppress(ks.DatabaseError, plain_reader.FileError):
                        opening(lying).close()
                    assert tracemalloc.get_traced_memory()[1] < 1 << 24, place
    finally:
        tracemalloc.stop()


TOGETHER = """
import sys, threading
from kulami_solver import open_database
sys.setswitchinterval(1e-6)
barrier = threading.Barrier(8)
def opened():
    barrier.wait()
    open_database(sys.argv[1]).close()
threads = [threading.Thread(target=opened) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


def test_the_first_databases_are_opened_by_threads_at_once(repository: Path) -> None:
    """As long as they did not wait for each other, six processes of ten ended in msgspec."""
    path = repository / "data" / "4x4-level0.kdb"
    for _ in range(3):
        subprocess.run([sys.executable, "-c", TOGETHER, path], check=True, timeout=60)
