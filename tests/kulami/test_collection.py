"""A folder of databases: which is asked for a position, and what it says of its image."""

from __future__ import annotations

import errno
import pickle
import random
import sys
from pathlib import Path
from typing import Any

import late_roots
import pytest
from command_line import completed, kulami

import kulami_solver as ks
from kulami_solver.kulami.database import collection, probe
from kulami_solver.kulami.database.building import build
from kulami_solver.kulami.database.collection import Collection
from kulami_solver.kulami.position.layout import canonical_images
from kulami_solver.storage.container import DatabaseError

# One is its own image under a half turn, one has a gap, one is higher than wide.
BOARDS = ["AABB/AABB/CCDD", "AAB/CCB", "AA./BBC/DDC", "AB/AB/CC/DE"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Databases of small boards at two scorings, and a file that is none."""
    folder = tmp_path_factory.mktemp("databases")
    for number, layout in enumerate(BOARDS):
        for scoring in ("0", "2"):
            path = folder / f"{number}-{scoring}.kdb"
            ks.build(path, ks.Position(ks.Layout.parse(layout)), scoring)
    ks.malawi.build(folder / "malawi.kdb", ks.malawi.Board(2, 3))
    (folder / "notes.txt").write_text("not a database", encoding="ascii")
    return folder


@pytest.mark.parametrize("layout", BOARDS)
@pytest.mark.parametrize("scoring", ["0", "2"])
def test_every_image_of_a_board(layout: str, scoring: str, folder: Path) -> None:
    """Mirrored, turned, with other names, empty edges and colours: as a search says."""
    draw = random.Random(layout + scoring)
    with Collection(folder, scoring) as databases:
        for symmetry in range(8):
            image = ks.Layout.parse(layout).image(symmetry)[0]
            names = draw.sample("abcdefgh", 8)
            rows = [
                "." + "".join(names["ABCDE".index(name)] if name != "." else name for name in row)
                for row in image.rows
            ]
            position = ks.Position(ks.Layout.parse("/".join(rows)), draw.choice(["red", "black"]))
            for _ in range(draw.randrange(5)):
                if not position.is_over:
                    position = position.play(draw.choice(position.legal_fields))
            found = databases.probe(position, every_move=True)
            wanted = ks.solve(position, scoring, every_move=True)
            assert (found.position, found.margin) == (position, wanted.margin)
            values = {move.field: move.margin for move in wanted.moves}
            assert {move.field: move.margin for move in found.moves} == values
            assert found.best is None or values[found.best] == found.margin
            end = position.play_all(found.line)
            assert end.is_over
            assert end.margin(ks.Scoring.parse(scoring)) == wanted.margin * (-1) ** len(found.line)


def test_a_late_root_is_found_in_each_of_its_images(tmp_path: Path) -> None:
    """A board that is its own image goes onto it in several ways, and one of them fits."""
    root = ks.Position(ks.Layout.parse("AABB/AABB/CCDD")).play_all("a1 a3")
    ks.build(tmp_path / "late.kdb", root)
    with Collection(tmp_path) as databases:
        for image in (root, root.mirrored(), root.mirrored().rotated()):
            assert databases.probe(image).margin == ks.solve(image).margin
        with pytest.raises(ks.NotInDatabaseError, match="that counts by scoring 0 holds"):
            databases.probe(ks.Position(root.layout))


@pytest.mark.parametrize(
    "begin", [0, *(pytest.param(n, marks=pytest.mark.nightly) for n in range(1, 41))]
)
def test_folders_of_late_roots_know_what_they_hold(begin: int, tmp_path: Path) -> None:
    """Five roots of a board: 50 positions, some of them of other games, are right or refused."""
    draw = random.Random(begin)
    scoring = draw.choice(list(ks.Scoring))
    layout = late_roots.random_layout(draw)
    held: set[tuple[int, int, int, int]] = set()
    asked: list[ks.Position] = []
    games: list[list[ks.Position]] = []
    while len(games) < 5:
        game = [ks.Position(layout, draw.choice(["red", "black"]))]
        while not game[-1].is_over:
            game.append(game[-1].play(draw.choice(game[-1].legal_fields)))
        below = (late_roots.reachable(one, 300) for one in game[:-1] if one.free_count <= 32)
        found = next((reached for reached in below if reached is not None), ())
        if len(found) < 10:
            layout = late_roots.random_layout(draw)
            for begun in (held, asked, games):
                begun.clear()
            continue
        games.append(game)
        path = tmp_path / f"{len(games)}.kdb"
        build(path, found[0], scoring, executor=late_roots.Inline(), overwrite=True)
        asked += draw.choices(found, k=8)
        held.update(_canonical(position) for position in found)
    for _ in range(10):
        position = draw.choice(games)[0]
        while position.free_count > 12 and not position.is_over:
            position = position.play(draw.choice(position.legal_fields))
        asked.append(position)
    with Collection(tmp_path, scoring) as databases:
        for position in asked:
            try:
                margin = databases.probe(position).margin
            except ks.NotInDatabaseError:
                assert _canonical(position) not in held, position.kfn()
            else:
                assert margin == ks.solve(position, scoring).margin, position.kfn()


def _canonical(position: ks.Position) -> tuple[int, int, int, int]:
    """The least view of a position's images: without colours, and the same for all images."""
    images = (position._imaged(*image) for image in canonical_images(position.layout))
    return min(image.view for image in images)


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Collection(tmp_path / "absent")


def test_what_is_no_sound_database_silences_no_other(tmp_path: Path) -> None:
    """Hidden files, folders, links to nowhere are left aside; a damaged file is told of once."""
    start = ks.Position(ks.Layout.parse("AAB/CCB"))
    build(tmp_path / "z.kdb", start)
    content = (tmp_path / "z.kdb").read_bytes()
    (tmp_path / "._z.kdb").write_bytes(b"\0\5\26\7\0\2\0\0Mac OS X        ")
    (tmp_path / "a.kdb").symlink_to("nowhere")
    (tmp_path / "b.kdb").mkdir()
    words = ["probe", "--database", str(tmp_path), "--layout", "AAB/CCB"]
    told = kulami(*words, "--json")
    assert (told.code, told.answer["margin"], told.err) == (0, 0, "")
    (tmp_path / "cut.kdb").write_bytes(content[:-64])
    begin = 64 + int.from_bytes(content[12:16], "little")  # of the first section
    (tmp_path / "flipped.kdb").write_bytes(content[:begin] + b"x" + content[begin + 1 :])
    (tmp_path / "text.kdb").write_text("not a database", encoding="ascii")
    told = kulami(*words)
    assert told.code == 0
    for name in ("cut", "flipped", "text"):
        assert told.err.count(f"left aside: {tmp_path}/{name}.kdb") == 1, told.err
    with Collection(tmp_path) as databases:
        for position in (start, start.play("a1")):
            assert databases.probe(position).margin == ks.solve(position).margin
        assert sorted(Path(path).stem for path in databases.refused) == ["cut", "flipped", "text"]


def test_what_the_system_does_not_let_be_read_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the fault comes when the folder is opened, or when it is asked."""

    def refuse(path: str, *_: object) -> Any:
        raise OSError(errno.EMFILE, "Too many open files", path)

    start = ks.Position(ks.Layout.parse("AAB/CCB"))
    build(tmp_path / "x.kdb", start)
    with monkeypatch.context() as faulty:
        faulty.setattr(collection, "entries_of", refuse)
        databases = Collection(tmp_path)
        assert len(databases.refused) == 1
        assert databases.get(start) is None
    with databases:
        with monkeypatch.context() as faulty:
            faulty.setattr(collection, "Database", refuse)
            with pytest.raises(OSError, match="Too many open files"):
                databases.get(start)
        assert databases.get(start) == 0
        assert not databases.refused
        build(tmp_path / "y.kdb", start)
    with Collection(tmp_path) as databases:  # another file answers
        opening = probe.Database
        one_only = lambda path: refuse(path) if "x.kdb" in path else opening(path)  # noqa: E731
        monkeypatch.setattr(collection, "Database", one_only)
        assert databases.get(start) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="descriptors are not limited so")
def test_an_error_has_its_sentence_where_no_file_can_be_opened() -> None:
    program = """
import os, resource, kulami_solver as ks
resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))
start = ks.Position(ks.Layout.square())
try:
    while True: os.open(os.devnull, os.O_RDONLY)
except OSError: pass
try: start.play("z9")
except ks.KulamiError as error: print(error)
"""
    told = completed([sys.executable, "-c", program])
    assert told.returncode == 0, told.stderr
    assert "z9" in told.stdout


def test_a_folder_opened_in_python(tmp_path: Path) -> None:
    """Its name may be bytes; a damaged file is told of; once closed, it answers no more."""
    start = ks.Position(ks.Layout.parse("AAB/CCB"))
    ks.build(tmp_path / "small.kdb", start)
    (tmp_path / "wrong.kdb").write_bytes(b"KULAMIDB and no more")
    with pytest.warns(RuntimeWarning, match=r"left aside: .*wrong\.kdb"):
        databases = ks.open_folder(bytes(tmp_path))
    assert databases.get(start) == 0
    assert repr(databases) == f"<Collection {tmp_path}: 1 files of scoring 0>"
    databases.close()
    for asked in (databases.get, databases.probe, databases.__contains__):
        with pytest.raises(DatabaseError, match="the folder is closed; open it again"):
            asked(start)


def test_a_file_is_let_go_of_while_it_is_asked(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by another thread, when too many files are open."""
    first, second = (ks.Position(ks.Layout.parse(layout)) for layout in BOARDS[:2])
    ways_onto = collection._ways_onto

    def meanwhile(*boards: ks.Layout) -> Any:
        monkeypatch.setattr(collection, "_ways_onto", ways_onto)
        assert databases.get(second) == ks.solve(second).margin
        return ways_onto(*boards)

    monkeypatch.setattr(collection, "_MOST_OPEN", 1)
    monkeypatch.setattr(collection, "_ways_onto", meanwhile)
    with Collection(folder) as databases:
        assert databases.get(first) == ks.solve(first).margin
        assert not databases.refused
        assert pickle.loads(pickle.dumps(databases)).get(first) == ks.solve(first).margin
