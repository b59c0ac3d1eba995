"""Databases without keys: each position they were made from is worth what the full one says."""

from __future__ import annotations

import concurrent.futures
import functools
import itertools
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import crafted
import numpy as np
import pytest
from command_line import good, kulami

import kulami_solver as ks
from kulami_solver.bots import make_player
from kulami_solver.kulami.database.probe import ABSENT, CompactDatabase
from kulami_solver.kulami.database.readback import check_games

NIGHTLY = pytest.mark.nightly
FOURS = "data/4x4-level0.kdb"

Arrays = tuple[Any, Any, Any, Any]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Makes a database without keys out of one that comes with the package."""
    folder = tmp_path_factory.mktemp("compact")

    @functools.cache
    def make(**options: Any) -> Path:
        path = folder / f"{len(list(folder.iterdir()))}.kdb"
        ks.compact(FOURS, path, **options)
        return path

    return make


def strangers(database: ks.Database, seed: int) -> Arrays:
    """Positions that may stand for a record, as far as one can see, and are in no file.

    Args:
        database: with its keys.
        seed: of what is drawn.
    """
    draw = np.random.default_rng(seed)
    count, fields = 200_000, len(database.layout)
    every = np.uint64((1 << fields) - 1)
    own, other = (draw.integers(0, 1 << fields, count).astype(np.uint64) for _ in range(2))
    other &= every & ~own
    spare = draw.integers(0, 1 << fields, count).astype(np.uint64)
    own &= spare
    last, before = (draw.integers(-1, fields, count).astype(np.int8) for _ in range(2))
    plies = database.locate_many(own, other, last, before)[0]
    absent = database.probe_many(own, other, last, before) == ABSENT
    chosen = np.flatnonzero(absent & (plies >= 0) & (plies < len(database.plies)))
    return own[chosen], other[chosen], last[chosen], before[chosen]


@pytest.mark.parametrize("bits", [0, 4, 16])
def test_strangers_have_values_as_seldom_as_is_said_and_are_not_answered(
    bits: int, made: Callable[..., Path]
) -> None:
    with ks.open_database(FOURS) as full, ks.open_database(made(fingerprint=bits)) as small:
        arrays = strangers(full, bits)
        asked = len(arrays[0])
        values = np.empty(asked, np.int16)
        small._parts.reader.get_many(*arrays, values, ABSENT)
        assert (small.probe_many(*arrays) == ABSENT).all()
        assert isinstance(small, CompactDatabase)
        assert (small.keyless, full.keyless, small.fingerprint) == (True, False, bits)
    assert asked > 10_000
    valued, expected = int((values != ABSENT).sum()), asked / 2**bits
    # A context that never occurs, and a ply that is too far, are told apart besides.
    assert expected / 2 < valued <= expected + 5 * expected**0.5 + 1


def test_a_search_asks_no_database_without_keys(made: Callable[..., Path]) -> None:
    path = made(fingerprint=16)
    with ks.open_database(path) as small:
        for ask in (
            lambda: ks.solve(small.root, database=small),
            lambda: list(ks.solve_many([small.root], database=small)),
            lambda: small.oracle(small.root, "0"),
            lambda: small.records(0, 0),
            lambda: ks.compact(small, path.with_name("again.kdb")),
        ):
            with pytest.raises(ks.DatabaseError):
                ask()
    with pytest.raises(ks.DatabaseError, match="without keys"):
        ks.compact(path, path.with_name("again.kdb"))
    with pytest.raises(ks.KulamiError, match="without keys"):
        make_player(f"perfect:{path}")


def test_it_has_the_same_bytes_whoever_makes_it(tmp_path: Path) -> None:
    one, two = tmp_path / "one.kdb", tmp_path / "two.kdb"
    several: list[dict[str, Any]] = [{}, {"fingerprint": 3, "every": 2, "until": 2}]
    for options in several:
        ks.compact(FOURS, one, threads=1, **options)
        ks.compact(FOURS, two, threads=2, **options)
        assert one.read_bytes() == two.read_bytes()
        ks.compact(FOURS, two, threads=2, **options)  # over the file that is there
        assert one.read_bytes() == two.read_bytes()
        two.unlink()
        with concurrent.futures.ProcessPoolExecutor(2) as processes:
            ks.compact(FOURS, two, executor=processes, **options)
        assert one.read_bytes() == two.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.kdb", "two.kdb"]


@pytest.mark.parametrize(
    "steps",
    [1, 4, 99, *(pytest.param(n, marks=NIGHTLY) for n in (2, 3, *range(5, 13)))],
)
def test_what_was_killed_goes_on_to_the_same_bytes(
    steps: int, made: Callable[..., Path], tmp_path: Path
) -> None:
    """It is killed at its checkpoint of that number; 99: while the file is read back."""
    whole = made(fingerprint=5).read_bytes()
    path = tmp_path / "small.kdb"
    program = f"""
import itertools, os, signal
import kulami_solver as ks
from kulami_solver.kulami.database import compacting
calls = itertools.count(1)
def kill(*_):
    os.kill(os.getpid(), signal.SIGKILL)
def save(path, content):
    if next(calls) == {steps}:
        kill()
    true_save(path, content)
true_save, compacting.save = compacting.save, save
compacting.check_games = kill
ks.compact({FOURS!r}, {str(path)!r}, fingerprint=5, threads=1)
"""
    done = subprocess.run([sys.executable, "-c", program], check=False)
    assert done.returncode == -signal.SIGKILL
    assert not path.exists()
    said: set[str] = set()
    ks.compact(FOURS, path, fingerprint=5, progress=lambda _done, _total, what: said.add(what))
    assert path.read_bytes() == whole
    assert [one.name for one in tmp_path.iterdir()] == ["small.kdb"]
    assert ("counting" in said) == (steps <= 3), "what was counted is not counted again"


def test_64_open_files_are_enough(tmp_path: Path) -> None:
    """To build, to verify and to compact a database of many parts."""
    pytest.importorskip("resource")
    program = """
import resource, sys
import kulami_solver as ks
from kulami_solver.kulami.database import build_tasks
build_tasks._LEAST = 1  # many files
folder = sys.argv[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
full, small = folder + "/full.kdb", folder + "/small.kdb"
ks.build(full, ks.Position(ks.Layout.parse("AABB/AABB/CCDD/CCDD")), threads=4, shard=20)
with ks.open_database(full) as database:
    assert max(database.parts(ply) for ply in range(len(database.plies))) > 64
    assert ks.verify(database, threads=4).ok
    ks.compact(database, small, threads=4)
"""
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True)


def test_work_that_was_changed_is_done_again(made: Callable[..., Path], tmp_path: Path) -> None:
    whole = made(fingerprint=5).read_bytes()
    path = tmp_path / "small.kdb"

    def stop(done: int, total: int, said: str) -> None:
        if said == "reading back":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ks.compact(FOURS, path, fingerprint=5, progress=stop)
    folder = tmp_path / "small.kdb.building"
    for kind in ("weights", "codebook", "function-09-00000"):
        raw = bytearray((folder / kind).read_bytes())
        raw[len(raw) // 2] ^= 1
        (folder / kind).write_bytes(bytes(raw))
    with pytest.raises(ks.DatabaseError, match="another build"):
        ks.compact(FOURS, path, fingerprint=4)
    ks.compact(FOURS, path, fingerprint=5)
    assert path.read_bytes() == whole


def test_corrupted_files_are_not_believed(made: Callable[..., Path], tmp_path: Path) -> None:
    content = made(fingerprint=2, every=2).read_bytes()
    draw = random.Random(5)
    for _ in range(250):
        raw = bytearray(content)
        for _ in range(draw.choice([1, 1, 3])):
            raw[draw.randrange(len(raw))] ^= 1 << draw.randrange(8)
        if bytes(raw) == content:
            continue
        path = crafted.write(tmp_path / "spoilt.kdb", bytes(raw))
        assert not ks.verify(path, threads=1, sample=0).ok


@pytest.mark.parametrize(
    ("scoring", "every", "count"),
    [("2", 1, 100), pytest.param("1", 2, 5000, marks=NIGHTLY)],
)
def test_crafted_files_are_not_believed(
    scoring: str, every: int, count: int, tmp_path: Path
) -> None:
    """Each is refused somewhere, or gives the values of the full one."""
    full, small = tmp_path / "full.kdb", tmp_path / "small.kdb"
    ks.build(full, ks.Position(ks.Layout.parse("AABB/CCDD/CCDD"), marbles=4), scoring)
    ks.compact(full, small, fingerprint=2, every=every)
    content = small.read_bytes()
    several = crafted.crafted_files(content, count, seed=6)
    with ks.open_database(full) as known:
        for said, spoilt in itertools.chain(crafted.every_number(content), several):
            path = crafted.write(tmp_path / "crafted.kdb", spoilt)
            if not ks.verify(path, against=known, threads=1, sample=0).ok:
                continue
            with ks.open_database(path) as database:
                assert isinstance(database, CompactDatabase)
                check_games(database)
                assert (database.root, database.value) == (known.root, known.value), said


def test_numbers_that_make_no_sense(tmp_path: Path) -> None:
    wrong = {
        "fingerprint": (17, -1, 0.5),
        "every": (0, 5),
        "until": (13, None),
        "threads": (0,),
        "memory": ("1M",),
    }
    for option, values in wrong.items():
        for value in values:
            options: dict[str, Any] = {option: value}
            with pytest.raises(ks.BudgetError):
                ks.compact(FOURS, tmp_path / "small.kdb", **options)
    assert not list(tmp_path.iterdir())


def test_what_is_no_full_database_of_kulami(tmp_path: Path) -> None:
    small = tmp_path / "small.kdb"
    board = tmp_path / "malawi.kdb"
    ks.malawi.build(board, ks.malawi.Board(2, 3))
    for given, said in ((board, "Malawi"), ("README.md", "not a Kulami"), (3, "no database")):
        with pytest.raises(ks.DatabaseError, match=said):
            ks.compact(given, small)  # type: ignore[arg-type]
    copy = tmp_path / "copy.kdb"
    copy.write_bytes(Path(FOURS).read_bytes())
    with pytest.raises(ks.DatabaseError, match="name another file"):
        ks.compact(copy, copy)
    assert copy.read_bytes() == Path(FOURS).read_bytes()
    with pytest.raises(ks.DatabaseError):
        ks.compact(FOURS, copy, overwrite=False)


def test_a_damaged_source_leaves_no_work_in_the_way(tmp_path: Path) -> None:
    bad, small = tmp_path / "bad.kdb", tmp_path / "small.kdb"
    raw = bytearray(Path(FOURS).read_bytes())
    raw[-65] ^= 1
    bad.write_bytes(raw)
    refused = kulami("compact", str(bad), str(small))
    assert (refused.code, "damaged" in refused.err) == (2, True), refused.err
    assert [path.name for path in tmp_path.iterdir()] == ["bad.kdb"]
    good("compact", FOURS, str(small), "--fingerprint", "8")


def test_one_of_other_options_is_not_replaced_by_mistake(tmp_path: Path) -> None:
    small = tmp_path / "small.kdb"
    good("compact", FOURS, str(small), "--every", "2")
    content = small.read_bytes()
    for words in ([], ["--every", "3"], ["--every", "2", "--until", "1"], ["--fingerprint", "1"]):
        refused = kulami("compact", FOURS, str(small), *words)
        assert refused.code == 2
        assert "other options" in refused.err
        assert small.read_bytes() == content
    good("compact", FOURS, str(small), "--every", "2")
    good("compact", FOURS, str(small), "--force")
    assert small.read_bytes() != content


def test_commands_say_that_strangers_have_values_and_are_not_answered(tmp_path: Path) -> None:
    small = str(tmp_path / "small.kdb")
    with ks.open_database(FOURS) as full:
        board = str(full.layout)
    made = good("compact", FOURS, small, "--fingerprint", "3", "--every", "2", "--json").answer
    assert (made["fingerprint"], made["wrong"]) == (3, 0.125)
    assert made["kept"] < made["positions"]
    assert "one in 8" in good("compact", FOURS, small, "--fingerprint", "3", "--force").out
    for words in (["probe", small, "--layout", board], ["info", small], ["verify", small]):
        assert "one in 8 positions that were never in it has a value, a wrong" in good(*words).out
        assert good(*words, "--json").answer["wrong"] == 0.125
    checked = good("verify", small, "--against", FOURS, "--json").answer
    assert (checked["ok"], checked["positions"]) == (True, made["positions"])
    assert "compared with the full" in good("verify", small, "--against", FOURS).out
    good("compact", FOURS, small, "--force")
    assert "answers only those that moves lead to" in good("info", small).out
    absent = kulami("probe", small, "--layout", "AAB/CCB", "--json")
    assert (absent.code, absent.answer["margin"], absent.answer["wrong"]) == (1, None, 1)


@pytest.mark.parametrize(
    "command",
    [
        "solve --layout AAB/CCB --database SMALL",
        "export SMALL table.csv",
        "compact SMALL other.kdb",
        f"verify {FOURS} --against SMALL",
        "verify SMALL --against SMALL",
        "verify SMALL --against data/3x4-level2.kdb",
        "malawi probe SMALL --board 2x3",
        f"compact {FOURS} other.kdb --every 9",
        "compact none.kdb other.kdb",
        f"compact {FOURS} README.md",
        "serve --database SMALL",
    ],
)
def test_commands_that_have_no_use_for_it(command: str, made: Callable[..., Path]) -> None:
    ran = kulami(*command.replace("SMALL", str(made())).split())
    assert ran.code in (1, 2)
    assert len(ran.err.strip().splitlines()) <= 4
    assert "Traceback" not in ran.err
