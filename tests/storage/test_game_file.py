"""Files of games: what is kept stays, whoever else writes; what is no such file is refused."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from kulami_solver.storage.container import DatabaseError
from kulami_solver.storage.game_file import GameFile, KeptGame


def game(name: str, changed: int = 1, more: str = "{}") -> KeptGame:
    return KeptGame(name, "kulami", changed, f"#{name}", '{"moves": []}', more)


def plies(keys: str) -> dict[str, int]:
    """The ply at which each position of a game came up first."""
    return {key: keys.index(key) for key in keys}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.sqlite"


def test_games_stay_and_are_found_by_position(path: Path) -> None:
    with GameFile(path) as games:
        assert games.keep(game("a", 1), plies("sxy"))
        assert games.keep(game("b", 3), plies("syxy"))
        assert games.keep(game("c", 2), plies("s"))
    with GameFile(path) as games:
        assert [one.name for one in games.listed()] == ["b", "c", "a"]
        assert [one.name for one in games.listed(1, 1)] == ["c"]
        assert games.count() == 3
        assert [(one.name, ply) for one, ply in games.holding("kulami", "y")] == [
            ("b", 1),
            ("a", 2),
        ]
        assert [one.name for one, _ in games.holding("kulami", "s", most=2)] == ["b", "c"]
        assert games.holding("malawi", "y") == games.holding("kulami", "z") == []
        assert games.listed()[2] == game("a", 1)


def test_a_game_of_the_same_name_takes_the_place_of_an_older_one(path: Path) -> None:
    with GameFile(path) as games:
        games.keep(game("a", 5), plies("sx"))
        assert games.keep(game("a", 5, '{"name": "A"}'), plies("sy"))
        assert not games.keep(game("a", 4, '{"name": "B"}'), plies("sz"))
        assert [one.more for one in games.listed()] == ['{"name": "A"}']
        assert games.holding("kulami", "x") == games.holding("kulami", "z") == []
        assert len(games.holding("kulami", "y")) == 1


def test_a_game_is_deleted_with_its_positions(path: Path) -> None:
    with GameFile(path) as games:
        games.keep(game("a"), plies("sx"))
        games.keep(game("b"), plies("s"))
        assert games.delete("a")
        assert not games.delete("a")
        assert [one.name for one, _ in games.holding("kulami", "s")] == ["b"]
        assert games.count() == 1
    with sqlite3.connect(path) as plain:
        assert plain.execute("SELECT count(*) FROM positions").fetchone() == (1,)


def refusal(path: object) -> str:
    with pytest.raises(DatabaseError) as refused:
        GameFile(str(path))
    said = str(refused.value)
    assert "\n" not in said
    return said


def test_what_is_no_file_of_games_is_refused_and_left_alone(path: Path, tmp_path: Path) -> None:
    for content in (b"no database", b"{}\n" * 5000, b"KULAMI" * 700):
        path.write_bytes(content)
        assert "this is no file of games" in refusal(path)
        assert path.read_bytes() == content
    path.unlink()
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE bookmarks (address TEXT)")
    other.close()
    before = path.read_bytes()
    assert "another application" in refusal(path)
    assert path.read_bytes() == before
    assert "games are kept in a file" in refusal(tmp_path)
    assert "games are kept in a file" in refusal(os.devnull)
    assert "make it first" in refusal(tmp_path / "none" / "games.sqlite")


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("PRAGMA user_version = 2", "newer version of kulami has written this file of games"),
        ("PRAGMA application_id = 7", "another application"),
        ("CREATE TRIGGER t AFTER INSERT ON games BEGIN DELETE FROM games; END", "damaged"),
        ("DROP TABLE positions", "damaged"),
        ("ALTER TABLE games ADD COLUMN x", "damaged"),
    ],
)
def test_a_file_that_was_changed_by_others_is_refused(
    path: Path, statement: str, said: str
) -> None:
    GameFile(path).close()
    with sqlite3.connect(path) as other:
        other.execute(statement)
    other.close()
    assert said in refusal(path)


def test_what_sqlite_itself_adds_is_no_damage(path: Path) -> None:
    with GameFile(path) as games:
        games.keep(game("a"), plies("s"))
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("ANALYZE")
    other.execute("VACUUM")
    other.close()
    with GameFile(path) as games:
        assert games.count() == 1


def test_a_damaged_file_is_refused(path: Path) -> None:
    with GameFile(path) as games:
        for number in range(20):
            games.keep(game(f"g{number}", more="{" + " " * 5000 + "}"), {str(number): 0})
    content = bytearray(path.read_bytes())
    content[8192:16384] = os.urandom(8192)
    path.write_bytes(content)
    assert "damaged" in refusal(path)


def test_a_full_file_says_so_and_keeps_what_it_has(path: Path) -> None:
    with GameFile(path, most_games=2) as games:
        games.keep(game("a"), {})
        games.keep(game("b"), {})
        with pytest.raises(DatabaseError, match="has 2 games, the most"):
            games.keep(game("c"), {})
        assert games.keep(game("b", 2), {})  # what is there may go on
        games.delete("a")
        assert games.keep(game("c"), {})
    with GameFile(path, most_bytes=64 << 10) as games:
        with pytest.raises(DatabaseError, match="no more room"):
            games.keep(game("b", 9, "{" + " " * (64 << 10) + "}"), {})
        assert games.count() == 2
        assert games.keep(game("d"), {})


def test_a_full_disk_lets_games_be_deleted(path: Path) -> None:
    """The journal writes over its own old bytes, so that it needs no more room."""
    with GameFile(path) as games:
        for number in range(30):
            games.keep(game(f"g{number}", more='{"x": "' + "y" * 3000 + '"}'), plies("stuvwxyz"))
    journal = path.with_name("games.sqlite-journal")
    before = journal.stat()
    with GameFile(path) as games:
        for number in range(30):
            assert games.delete(f"g{number}")
    after = journal.stat()
    assert (after.st_ino, after.st_size, after.st_blocks) == (
        before.st_ino,
        before.st_size,
        before.st_blocks,
    )
    path.rename(path.with_name("copy"))
    journal.unlink()
    with GameFile(path.with_name("copy")) as copy:
        assert copy.count() == 0


def test_a_file_may_have_a_name_that_means_something_to_sqlite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (":memory:", "file:x?mode=memory"):
        with GameFile(name) as games:
            games.keep(game("a"), plies("s"))
        with GameFile(name) as games:
            assert games.count() == 1
        assert (tmp_path / name).stat().st_size > 0


@pytest.mark.parametrize("fate", ["removed", "replaced", "emptied"])
def test_a_file_that_is_lost_while_it_is_open_keeps_nothing_more(path: Path, fate: str) -> None:
    with GameFile(path) as games:
        games.keep(game("a"), plies("s"))
        if fate == "emptied":
            path.write_bytes(b"")
        else:
            aside = path.rename(path.with_name("aside"))
            if fate == "replaced":
                path.write_bytes(aside.read_bytes())
        for question in (lambda: games.keep(game("b"), {}), lambda: games.delete("a"), games.count):
            with pytest.raises(DatabaseError, match="removed, replaced or emptied"):
                question()
        if fate != "emptied":
            aside.replace(path)
            assert games.keep(game("b"), {})
            assert games.count() == 2


def test_a_closed_file_says_so(path: Path) -> None:
    games = GameFile(path)
    games.close()
    games.close()
    with pytest.raises(DatabaseError, match="is closed"):
        games.count()


def test_threads_share_it(path: Path) -> None:
    with GameFile(path) as games:
        workers = [
            threading.Thread(
                target=lambda n=n: [games.keep(game(f"{n}-{i}"), plies("s")) for i in range(5)]
            )
            for n in range(4)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert games.count() == 20


WRITER = """
import sys
from kulami_solver.storage.game_file import GameFile, KeptGame
with GameFile(sys.argv[1]) as games:
    for number in range(int(sys.argv[3])):
        name = f"{sys.argv[2]}-{number}"
        games.keep(KeptGame(name, "kulami", number, "#", "{}", "{}"), {"s": 0, name: 1})
        print(name, flush=True)
"""


def writer(path: Path, name: str, count: int) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", WRITER, str(path), name, str(count)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)


def test_processes_that_begin_and_write_the_same_file_lose_nothing(path: Path) -> None:
    writers = [writer(path, name, 20) for name in "abc"]
    for one in writers:
        one.communicate()
        assert one.returncode == 0
    with GameFile(path) as games:
        assert games.count() == 60
        assert len(games.holding("kulami", "s", most=1000)) == 60


def test_a_process_that_is_killed_leaves_all_that_it_has_said(path: Path) -> None:
    killed = writer(path, "a", 100_000)
    assert killed.stdout is not None
    told = [killed.stdout.readline() for _ in range(25)]
    killed.kill()
    told += killed.stdout.readlines()
    killed.wait()
    with GameFile(path) as games:
        names = {one.name for one in games.listed(most=100_000)}
        assert {line.strip() for line in told if line.endswith("\n")} <= names
        assert len(games.holding("kulami", "s", most=100_000)) == len(names)
