"""Databases that are closed, shortened, asked by many threads or in the way of a build."""

from __future__ import annotations

import concurrent.futures
import contextlib
import copy
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
import pytest
from command_line import good, kulami

import kulami_solver as ks
from kulami_solver import malawi
from kulami_solver.core.certificate import first_wrong
from kulami_solver.core.dense import Reached
from kulami_solver.core.records import Codec, PackedRecords, alphabets, code_lengths, count_symbols
from kulami_solver.core.retrograde import Expansion, Layer
from kulami_solver.kulami import plain_reader
from kulami_solver.kulami.database.building import build
from kulami_solver.kulami.database.collection import Collection
from kulami_solver.kulami.database.probe import ABSENT
from kulami_solver.kulami.database.shape import Shape
from kulami_solver.malawi.index import Index
from kulami_solver.storage.container import (
    MAGIC,
    PROOF_MAGIC,
    OpenFile,
    beginning,
    refuse_to_replace,
)
from kulami_solver.storage.database import open_proof

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


KULAMI_CALLS: list[Callable[[ks.Database], Any]] = [
    lambda database: database.get(ROOT),
    lambda database: ROOT in database,
    lambda database: database.probe(ROOT),
    lambda database: database.move_values(ROOT),
    lambda database: database.probe_many([0], [0], [-1], [-1]),
    lambda database: database.records(2, 0),
    lambda database: list(database.check_sections()),
    lambda database: database.oracle(ROOT, ks.Scoring.LEVEL0),
    lambda database: ks.verify(database),
    lambda database: ks.solve(ROOT, database=database),
    pickle.dumps,
]
MALAWI_CALLS: list[Callable[[malawi.Database], Any]] = [
    lambda database: database.get(START),
    lambda database: START in database,
    lambda database: database.probe(START),
    lambda database: database.turn_values(START),
    lambda database: database.check_sections(),
    lambda database: malawi.verify(database),
    pickle.dumps,
]


class TestClosed:
    @pytest.mark.parametrize("number", range(len(KULAMI_CALLS)))
    def test_a_closed_database_says_so(self, kdb: Path, number: int) -> None:
        database = ks.open_database(kdb)
        database.get(ROOT)
        database.close()
        database.close()
        with pytest.raises(ks.DatabaseError, match=r"the database is closed; open it again"):
            KULAMI_CALLS[number](database)

    @pytest.mark.parametrize("number", range(len(MALAWI_CALLS)))
    def test_a_closed_one_of_malawi_says_so(self, mdb: Path, number: int) -> None:
        database = malawi.open_database(mdb)
        database.get(START)
        database.close()
        database.close()
        with pytest.raises(ks.DatabaseError, match=r"the database is closed; open it again"):
            MALAWI_CALLS[number](database)

    def test_closing_while_it_is_read(self, mdb: Path) -> None:
        """As after Ctrl-C, when a traceback still refers to what was being read."""
        database = malawi.open_database(mdb)
        content = database._file.content(database.header["sections"][0])
        database.close()
        assert len(bytes(content)) == database.header["sections"][0]["bytes"]
        with pytest.raises(ks.DatabaseError, match="closed"):
            database.get(START)

    def test_what_is_unpickled_is_open(self, kdb: Path) -> None:
        with ks.open_database(kdb) as database:
            packed = pickle.dumps(database)
            value = database.value
        first = pickle.loads(packed)
        assert pickle.loads(packed) is first
        first.close()
        assert pickle.loads(packed).get(ROOT) == value

    def test_what_is_unpickled_is_the_same_of_any_game(self, kdb: Path, mdb: Path) -> None:
        for path in (kdb, mdb):
            with ks.open_database(path) as database:
                packed = pickle.dumps(database)
                found = pickle.loads(packed)
                assert (type(found), found.value) == (type(database), database.value)
                assert not found.closed
                found.close()
                assert found.closed
            malawi.build(path, malawi.Board(2, 3))
            with pytest.raises(ks.DatabaseError):
                pickle.loads(packed)

    def test_the_working_folder_may_change(
        self, kdb: Path, mdb: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What was opened by a relative name stays what it was: copies, workers, further work."""
        monkeypatch.chdir(tmp_path)
        ks.compact(kdb, "small.kdb")
        (tmp_path / "elsewhere").mkdir()
        opened = [ks.open_database(name) for name in (kdb.name, mdb.name, "small.kdb")]
        full = opened[0]
        with Collection(".") as databases, contextlib.ExitStack() as stack:
            monkeypatch.chdir("elsewhere")
            assert databases.probe(ROOT).margin == full.value
            for database in opened:
                stack.enter_context(database)
                root = START if database.position_type is malawi.Position else ROOT
                for other in (copy.copy(database), pickle.loads(pickle.dumps(database))):
                    assert other.get(root) == database.get(root) is not None
            assert ks.compact(full, "again.kdb").positions == full.positions
            assert ks.verify(full, threads=1).ok
            assert ks.verify(opened[2], against=full, threads=1).ok
        assert os.listdir(".") == ["again.kdb"]

    def test_they_say_what_they_hold(self, kdb: Path, mdb: Path) -> None:
        for path, board in ((kdb, LAYOUT), (mdb, "2x4")):
            with ks.open_database(path) as database:
                said = f"<Database {path}: {database.positions} positions of {board}>"
                assert repr(database) == said

    def test_what_is_no_position_is_not_in_it(self, kdb: Path, mdb: Path) -> None:
        for path, other in ((kdb, START), (mdb, ROOT)):
            with ks.open_database(path) as database:
                assert other not in database
                assert "a1" not in database

    @pytest.mark.parametrize("path", [0, None, b"k.kdb", "a\0b", 1.5])
    def test_what_is_no_name_of_a_file(self, path: Any) -> None:
        for opened in (ks.open_database, malawi.open_database, ks.Database):
            with pytest.raises(ks.DatabaseError, match="is no name of a database"):
                opened(path)


class TestShortened:
    """On POSIX systems alone may a mapped file be truncated."""

    pytestmark = pytest.mark.skipif(os.name != "posix", reason="truncation of mapped files")

    @pytest.mark.parametrize("number", range(len(KULAMI_CALLS)))
    def test_another_size_is_noticed(self, kdb: Path, number: int) -> None:
        with ks.open_database(kdb) as database:
            database.get(ROOT)
            os.truncate(kdb, 4096)
            with pytest.raises(ks.DatabaseError, match=r"has 4096 bytes now, and had \d+ when"):
                KULAMI_CALLS[number](database)

    @pytest.mark.parametrize("number", range(len(MALAWI_CALLS)))
    def test_another_size_is_noticed_by_malawi(self, mdb: Path, number: int) -> None:
        with malawi.open_database(mdb) as database:
            database.get(START)
            os.truncate(mdb, 100)
            with pytest.raises(ks.DatabaseError, match=r"has 100 bytes now, and had \d+ when"):
                MALAWI_CALLS[number](database)

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

    def test_a_part_is_opened_once(self, kdb: Path, opened: Counter[int]) -> None:
        with ks.open_database(kdb) as database:
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                values = list(pool.map(database.get, [ROOT] * 4))
            assert values == [database.value] * 4
        assert set(opened.values()) == {1}

    def test_a_section_of_malawi_is_opened_once(self, mdb: Path, opened: Counter[int]) -> None:
        with malawi.open_database(mdb) as database:
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                values = list(pool.map(database.get, [START] * 4))
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
        fresh = multiprocessing.get_context("spawn")
        refused = "the tasks of a (build|verification) of Malawi share memory"
        with concurrent.futures.ProcessPoolExecutor(2, fresh) as pool:
            assert ks.verify(kdb, executor=pool) == ks.verify(kdb)
            with pytest.raises(ks.KulamiError, match=refused):
                malawi.verify(mdb, executor=pool)
            with pytest.raises(ks.KulamiError, match=refused):
                malawi.build(tmp_path / "b.kdb", BOARD, executor=pool)
        assert {path.name for path in tmp_path.iterdir()} == {"k.kdb", "m.kdb"}

    def test_processes_find_what_is_wrong(self, kdb: Path) -> None:
        content = crafted.Crafted.of(kdb.read_bytes())
        content.header["plies"][1]["moves"] += 1
        crafted.write(kdb, content.whole())
        fresh = multiprocessing.get_context("spawn")
        with concurrent.futures.ProcessPoolExecutor(1, fresh) as pool:
            (problem,) = ks.verify(kdb, executor=pool).problems
        assert problem == f"{kdb}: ply 1 is not what the header says"
        assert [path.name for path in kdb.parent.iterdir()] == ["k.kdb"]

    def test_what_is_none(self, kdb: Path, mdb: Path, tmp_path: Path) -> None:
        wrong: Any = 3
        calls: list[Callable[[], Any]] = [
            lambda: ks.build(tmp_path / "b.kdb", ROOT, executor=wrong),
            lambda: malawi.build(tmp_path / "b.kdb", BOARD, executor=wrong),
            lambda: ks.verify(kdb, executor=wrong),
            lambda: malawi.verify(mdb, executor=wrong),
        ]
        for call in calls:
            with pytest.raises(ks.KulamiError, match=r"executor is 3: give a concurrent\.futures"):
                call()


class TestVerification:
    def test_a_path_will_do(self, kdb: Path, mdb: Path) -> None:
        assert ks.verify(kdb).ok
        assert malawi.verify(mdb).ok

    def test_the_other_game_is_named(self, kdb: Path, mdb: Path) -> None:
        (problem,) = ks.verify(mdb).problems
        assert "a database of Malawi, not of Kulami" in problem
        (problem,) = malawi.verify(kdb).problems
        assert "a database of Kulami, not of Malawi" in problem

    @pytest.mark.parametrize("verify", [ks.verify, malawi.verify])
    def test_what_is_no_database(self, verify: Callable[[Any], Any]) -> None:
        with pytest.raises(ks.DatabaseError, match="3"):
            verify(3)


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
            with (
                ks.open_database(kdb) as database,
                pytest.raises(ks.DatabaseError) as caught,
            ):
                ask(database)
            assert str(caught.value).count(str(kdb)) == 1
            assert str(caught.value).count("damaged") == 1

    @pytest.mark.parametrize("threads", [0, -1, 257, True, 1.5, "x"])
    def test_threads_of_a_verification(self, kdb: Path, threads: Any) -> None:
        with (
            ks.open_database(kdb) as database,
            pytest.raises(ks.BudgetError, match=r"threads is .*: give 1 to 256"),
        ):
            ks.verify(database, threads=threads)

    @pytest.mark.parametrize("sample", [-1, True, 1.5, None])
    def test_samples_of_a_verification(self, kdb: Path, sample: Any) -> None:
        with (
            ks.open_database(kdb) as database,
            pytest.raises(ks.BudgetError, match=r"sample is .*: give 0 or more"),
        ):
            ks.verify(database, sample=sample)


class TestBatches:
    @pytest.mark.parametrize(
        "wrong",
        [
            [0.5],
            [1.0],
            ["1"],
            [True],
            [None],
            [-2],
            [1 << 64],
            [[0]],
            [[0], [0, 1]],
            0,
            np.array([0.0]),
            np.array([np.nan]),
        ],
    )
    @pytest.mark.parametrize("place", range(4))
    def test_what_is_no_whole_number(self, kdb: Path, wrong: Any, place: int) -> None:
        arrays: list[Any] = [[0], [0], [-1], [-1]]
        arrays[place] = wrong
        with (
            ks.open_database(kdb) as database,
            pytest.raises(ks.KulamiError, match=r"^(own|other|last|before): "),
        ):
            database.probe_many(*arrays)

    def test_fields_that_no_byte_holds(self, kdb: Path) -> None:
        with (
            ks.open_database(kdb) as database,
            pytest.raises(ks.KulamiError, match="last: 256 is none: give -1 to 127"),
        ):
            database.probe_many([1], [0], [256], [-1])

    @pytest.mark.parametrize("kind", [np.int8, np.int64, np.uint64])
    def test_whole_numbers_of_any_kind(self, kdb: Path, kind: Any) -> None:
        nothing = np.array([0], kind)
        with ks.open_database(kdb) as database:
            assert database.probe_many(nothing, nothing, [-1], [-1]).tolist() == [database.value]
            assert database.probe_many([], [], [], []).tolist() == []
            assert database.probe_many([(1 << 64) - 1], [0], [0], [-1]).tolist() == [ABSENT]


class TestOverwriting:
    def test_another_database_is_not_overwritten(self, kdb: Path, mdb: Path) -> None:
        for path in (kdb, mdb):
            whole = path.read_bytes()
            for words in (
                ["build", str(path), "--layout", "AAB/CCB"],
                ["build", str(path), "--layout", LAYOUT, "--scoring", "2"],
                ["build", str(path), "--layout", LAYOUT, "--marbles", "3"],
                ["malawi", "build", str(path), "--board", "2x3"],
                ["malawi", "build", str(path), "--board", "2x4", "--beads", "1"],
            ):
                ran = kulami(*words)
                said = [line for line in ran.err.splitlines() if "warning" not in line]
                assert (ran.code, len(said)) == (2, 1)
                assert f"{path}: a finished database of other positions is there" in ran.err
                assert "--force" in ran.err
                assert path.read_bytes() == whole
                assert not path.with_name(path.name + ".building").exists()
        with pytest.raises(ks.DatabaseError, match="overwrite=True"):
            ks.build(mdb, ROOT, overwrite=False)
        with pytest.raises(ks.DatabaseError, match="overwrite=True"):
            malawi.build(kdb, BOARD, overwrite=False)

    def test_force_replaces_it(self, kdb: Path, mdb: Path) -> None:
        assert good("build", str(mdb), "--layout", "AAB/CCB", "--force", "--json").answer
        assert good("malawi", "build", str(kdb), "--board", "2x3", "--force", "--json").answer
        assert ks.open_database(mdb).positions == 19
        assert malawi.open_database(kdb).positions == 156

    def test_the_same_one_is_built_again(self, kdb: Path, mdb: Path) -> None:
        assert good("build", str(kdb), "--layout", LAYOUT, "--json").answer
        assert good("malawi", "build", str(mdb), "--board", "2x4", "--json").answer

    @pytest.mark.parametrize("content", ["cut", "flipped", "empty"])
    def test_a_damaged_one_is_built_again(self, kdb: Path, content: str) -> None:
        whole = bytearray(kdb.read_bytes())
        whole[70] ^= 1
        contents = {"cut": bytes(whole[:200]), "flipped": bytes(whole), "empty": b""}
        kdb.write_bytes(contents[content])
        assert good("build", str(kdb), "--layout", "AAB/CCB", "--json").answer["positions"] == 19

    def test_another_file_is_not_overwritten(self, tmp_path: Path) -> None:
        path = tmp_path / "notes.txt"
        path.write_text("mine", encoding="ascii")
        for words in (
            ["build", str(path), "--layout", "AAB/CCB"],
            ["malawi", "build", str(path), "--board", "2x3"],
        ):
            ran = kulami(*words)
            assert ran.code == 2
            assert f"{path}: a file that is no database is in the way" in ran.err
        assert path.read_text(encoding="ascii") == "mine"


class TestCompiled:
    """Compiled entries refuse what they would otherwise read or write beyond memory."""

    def test_none_is_refused(self) -> None:
        words = np.zeros(1, np.uint64)
        codec = Codec([], 1, 0, 1, np.zeros(65, np.uint8), np.zeros(2, np.uint16))
        made: Any = PackedRecords
        for arguments in ((None, 1, bytes(30)), (codec, 1, None)):
            with pytest.raises(TypeError):
                made(*arguments)
        part = PackedRecords(codec, 1, bytes(30))
        with pytest.raises(ValueError, match="does not fit its records"):
            PackedRecords(codec, 1, bytes(29))
        for place in range(4):
            given: list[Any] = [words, words, np.zeros(1, np.int16), np.zeros(1, np.uint8)]
            given[place] = None
            with pytest.raises(TypeError):
                part.get_many(*given)
        none: Any = None
        for refused in (
            lambda: Codec([], 1, 0, 1, none, np.zeros(2, np.uint16)),
            lambda: Codec([], 1, 0, 1, np.zeros(65, np.uint8), none),
            lambda: Reached(none),
            lambda: Expansion(none, 0),
            lambda: Layer(none, 0),
            lambda: first_wrong(none, 0, 0, np.zeros(1 << 16, np.uint64)),
        ):
            with pytest.raises(TypeError):
                refused()

    def test_arrays_that_differ_in_length(self) -> None:
        codec = Codec([], 1, 0, 1, np.zeros(65, np.uint8), np.zeros(2, np.uint16))
        part = PackedRecords(codec, 1, bytes(30))
        for place in range(4):
            given: list[Any] = [
                np.zeros(9, kind) for kind in (np.uint64, np.uint64, np.int16, np.uint8)
            ]
            given[place] = given[place][:3].copy()
            with pytest.raises(ValueError, match="differ in length"):
                part.get_many(*given)
        frames, details = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
        for starts, values in (([0], [0]), ([0, 2], [0]), ([1, 0], [0]), ([0, 1], [0, 0])):
            arrays = (frames, np.array(starts, np.uint64), details, np.array(values, np.int16))
            with pytest.raises(ValueError, match=r"go together|more details|do not follow"):
                codec.pack(*arrays)
            with pytest.raises(ValueError, match=r"go together|more details|do not follow"):
                count_symbols([], 0, 1, *arrays)

    def test_a_way_into_a_second_half_that_leads_elsewhere(self) -> None:
        """Look-ups go by it and reading all does not: it would be believed, verified or not."""
        count = 100
        digits, frames = [(0, 1, 0)], np.arange(count, dtype=np.uint64)
        starts, details = np.arange(count + 1, dtype=np.uint64), frames & np.uint64(1)
        values = (np.arange(count) * 7 % 5).astype(np.int16)
        counts = count_symbols(digits, 0, 5, frames, starts, details, values)
        ends = np.cumsum(alphabets(digits, 5))
        codes = [part.tolist() for part in np.split(counts, ends[:-1])]
        lengths = np.array([bits for code in codes for bits in code_lengths(code)], np.uint8)
        only = [[i for i, n in enumerate(code) if n] for code in codes]
        alone = np.array([used[0] if len(used) == 1 else 0 for used in only], np.uint16)
        codec = Codec(digits, 8, 0, 5, lengths, alone)
        (raw,) = codec.pack(frames, starts, details, values)
        assert np.array_equal(PackedRecords(codec, count, raw).unpack()[3], values)
        half = 2 * (8 + 4)  # behind keys and offsets of two blocks
        for by in (1, -1, 8):
            wrong = bytearray(raw)
            wrong[half : half + 2] = (int.from_bytes(raw[half : half + 2], "little") + by).to_bytes(
                2, "little"
            )
            with pytest.raises(ValueError, match="a damaged block"):
                PackedRecords(codec, count, wrong).unpack()

    @pytest.mark.parametrize(
        "digits",
        [
            [(64, 1, 0)],
            [(200, 255, 0)],
            [(60, 255, 0)],
            [(-1, 1, 0)],
            [(0, 0, 0)],
            [(0, 5, 0)],
            [(0, 256, 0)],
            [(0, 1, 0), (1, 1, 0)],
            [(1, 3, 0), (0, 3, 0)],
            [(0, 1, 1 << 64)],
            [(0, 1, -1)],
        ],
    )
    def test_digits_that_do_not_lie_in_a_word(self, digits: list[tuple[int, int, int]]) -> None:
        sizes = [len(digits) + 64, 1] + [
            (mask + 1) * (abs(given).bit_count() + 1) for _, mask, given in digits
        ]
        lengths = np.zeros(sum(sizes), np.uint8)
        with pytest.raises(ValueError, match=r"digit [01] "):
            Codec(digits, 10, 0, 1, lengths, np.zeros(len(sizes) + 100, np.uint16))

    @pytest.mark.parametrize(("lowest", "values"), [(32767, 2), (-32769, 1), (0, 0)])
    def test_values_that_16_bits_do_not_hold(self, lowest: int, values: int) -> None:
        sizes = alphabets([], values)
        with pytest.raises(ValueError, match="do not fit 16 bits"):
            Codec([], 8, lowest, values, np.zeros(sum(sizes), np.uint8), np.zeros(2, np.uint16))

    def test_slots_that_are_none(self) -> None:
        index = Index(2, 3, 1)
        reached = Reached(index)
        counts = np.zeros(1 << 16, np.uint64)
        for early in (
            lambda: reached.value_at(0),
            lambda: first_wrong(reached, 0, 512, counts),
            lambda: Layer(reached, 0),
        ):
            with pytest.raises(ValueError, match="have not been numbered"):
                early()
        reached.number()
        layer, expansion = Layer(reached, 0), Expansion(reached, 0)
        for begin, end in ((1, 512), (0, 511), (512, 0), (0, index.slots + 512)):
            for ask in (
                lambda begin, end: first_wrong(reached, begin, end, counts),
                layer.prepare,
                layer.finish,
                lambda begin, end: layer.wave(0, begin, end),
                expansion.sweep,
            ):
                with pytest.raises(ValueError, match="give multiples of 512"):
                    ask(begin, end)
        with pytest.raises(ValueError, match="are not all of the layer"):
            expansion.sweep(0, index.slots)
        with pytest.raises(ValueError, match="100 counts: give one for each of 65,536"):
            first_wrong(reached, 0, 512, counts[:100])
        for number in (-1, len(index.bounds) - 1):
            for kind in (Layer, Expansion):
                with pytest.raises(ValueError, match=f"no layer {number}"):
                    kind(reached, number)
        with pytest.raises(ValueError, match="16 bits and"):
            Layer(reached, 0, bits=16)


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
        "    with malawi.open_database(sys.argv[1]) as database:\n"
        "        database.get(malawi.Position.start(database.board))\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, str(mdb)], capture_output=True, text=True, check=False
    )
    assert (ran.stdout, ran.stderr, ran.returncode) == ("interrupted\n", "", 0)


@pytest.mark.parametrize("shard", [0, -1, 1.5, "5", True, None, (1 << 32) + 1])
def test_shards_of_no_size_are_refused_before_anything_is_written(
    tmp_path: Path, shard: Any
) -> None:
    with pytest.raises(
        ks.BudgetError, match=r"shard is .* give a whole number from 1 to 4294967296"
    ):
        ks.build(tmp_path / "a.kdb", ROOT, shard=shard)
    assert list(tmp_path.iterdir()) == []


def test_a_table_of_another_kind_is_refused_by_its_own_name(
    built: tuple[bytes, bytes], tmp_path: Path
) -> None:
    path = tmp_path / "k.kdb"
    path.write_bytes(built[0])
    said = kulami("export", str(path), str(tmp_path / "x.png")).err
    assert f"{tmp_path / 'x.png'}: name a table that ends in .csv or .parquet" in said
    assert os.listdir(tmp_path) == ["k.kdb"]


@pytest.mark.parametrize("magic", [MAGIC, PROOF_MAGIC])
@pytest.mark.parametrize("key", ["x", "layout", "fields", "digits", "plies", "parts", "values"])
@pytest.mark.parametrize("game", ["kulami", "kulami-compact", "malawi"])
def test_the_size_of_a_file_bounds_the_memory_that_its_header_takes(
    magic: bytes, key: str, game: str, tmp_path: Path
) -> None:
    """Whatever a header of empty lists says, a reader keeps none of them."""
    path = tmp_path / "big.kdb"
    content, size = beginning(magic, {"game": game, key: [[]] * 100_000}, [])
    path.write_bytes(content)
    opened: list[Callable[[Path], Any]] = [plain_reader.open_database, open_proof]
    if magic == MAGIC:
        opened += [ks.open_database, lambda path: Collection(path.parent).probe(ROOT)]
        opened += [lambda path: refuse_to_replace(path, {"game": "kulami", "layout": LAYOUT})]
    tracemalloc.start()
    try:
        for one in opened:
            with contextlib.suppress(ks.KulamiError, plain_reader.FileError):
                one(path)
            assert tracemalloc.get_traced_memory()[1] < 4 * size
            tracemalloc.reset_peak()
    finally:
        tracemalloc.stop()


def test_no_number_of_a_header_makes_a_reader_take_much_memory(
    kdb: Path, mdb: Path, tmp_path: Path
) -> None:
    build(kdb, ks.Position(ks.Layout.parse("AAB/CCB")), overwrite=True)
    ks.compact(kdb, tmp_path / "small.kdb")
    tracemalloc.start()
    try:
        for path in (kdb, mdb, tmp_path / "small.kdb"):
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
    for _ in range(5):
        subprocess.run([sys.executable, "-c", TOGETHER, path], check=True, timeout=60)
