"""Databases read by slices: as the compiled reader, without paths, and without strangers."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import crafted
import late_roots
import pytest
from late_roots import Slices

import kulami_solver as ks
from kulami_solver.errors import catalogue
from kulami_solver.kulami.database.building import build
from kulami_solver.kulami.database.sliced_probe import SlicedDatabase
from kulami_solver.kulami.position.ways import Ways
from kulami_solver.storage.container import DatabaseError


def sliced(path: Path) -> SlicedDatabase:
    return SlicedDatabase(path.name, Slices(path.read_bytes()))


def test_only_positions_that_come_from_the_root_are_asked_of_a_file_without_keys(
    tmp_path: Path,
) -> None:
    root = ks.Position(ks.Layout.parse("AABC/AABC/DDEE")).play("a1")
    build(tmp_path / "full.kdb", root)
    ks.compact(tmp_path / "full.kdb", tmp_path / "small.kdb")
    start = ks.Position(root.layout)
    beside = [start.play(field) for field in start.legal_fields[1:]]
    beside += [after.play(field) for after in beside for field in after.legal_fields]
    below = late_roots.reachable(root, 1_000_000)
    assert below is not None
    views = {position.view for position in below}
    beside = [position for position in beside if position.view not in views]
    with ks.open_database(tmp_path / "small.kdb") as compiled:
        assert any(compiled._margin(position) is not None for position in beside)
        assert not any(position in compiled for position in beside)
    database = sliced(tmp_path / "small.kdb")
    assert not any(position in database for position in beside)
    assert all(position in database for position in below)
    assert ks.Position(ks.Layout.parse("AABC/AABC/DDEF")) not in database


def test_it_is_read_by_slices(repository: Path) -> None:
    """Sections are compared with their checksums first; a look-up reads some hundred bytes."""
    file = Slices((repository / "data" / "4x5-level0.kdb").read_bytes())
    database = SlicedDatabase("4x5", file)
    assert file.read < 50_000
    database.probe(database.root, every_move=True)
    assert file.longest <= 1 << 20
    before = file.read
    other = database.root.play("a1")
    database.probe(other, every_move=True)
    assert file.read - before < 300_000
    database.close()
    assert file.closed


@pytest.mark.parametrize("number", range(3))
def test_a_way_from_the_root_is_found_where_there_is_one(number: int) -> None:
    root = ks.Position(ks.Layout.parse(("AABC/AABC/DDEE", "AAB/CCB/DDD", "AAB/AAC/DDC")[number]))
    reached = late_roots.reachable(root, 1_000_000)
    assert reached is not None
    drawn = random.Random(number)
    for position in drawn.choices(reached, k=200):
        assert leads_to(root, position)
        assert leads_to(root, position.exchanged())
    # Whatever else lies on the board with as many marbles has come about in no way.
    views = {position.view for position in reached}
    strangers = [one for one in _arranged(root.layout, drawn) if one.view not in views]
    assert len(strangers) > 100
    assert not any(leads_to(root, position) for position in strangers)
    begun = root.play(root.legal_fields[0])
    after = late_roots.reachable(begun, 1_000_000)
    assert after is not None
    below = {position.view for position in after}
    for position in drawn.choices(reached, k=200):
        assert leads_to(begun, position) == (position.view in below)


BOARDS = (
    "AABBCC/AABBCC/DDDEEE/FFFGGG/HHIIJJ/HHIIJJ",
    "AAABBC/AAABBC/DDEEFC/DDEEFG/HHIIIG/HHIIIG",
)


@pytest.mark.parametrize("games", [1, pytest.param(20, marks=pytest.mark.nightly)])
def test_a_way_is_found_on_larger_boards(games: int) -> None:
    """To every position of random games, and from each position to the end."""
    draw = random.Random(5)
    for board in BOARDS:
        for _ in range(games):
            played = [ks.Position(ks.Layout.parse(board))]
            while not played[-1].is_over:
                played.append(played[-1].play(draw.choice(played[-1].legal_fields)))
            assert all(leads_to(played[0], position) for position in played)
            assert all(leads_to(position, played[-1]) for position in played)


def leads_to(root: ks.Position, position: ks.Position) -> bool | None:
    return Ways(root.layout.geometry, *root.view).lead_to(*position.view)


def _arranged(layout: ks.Layout, drawn: random.Random) -> Iterator[ks.Position]:
    """Positions as they can be put on a board by hand."""
    for _ in range(500):
        count = drawn.randrange(3, len(layout))
        fields = drawn.sample(range(len(layout)), count)
        red = sum(1 << field for field in fields[::2])
        black = sum(1 << field for field in fields[1::2])
        turn = "red" if count % 2 == 0 else "black"
        last = [layout.fields[fields[-1]], layout.fields[fields[-2]]]
        yield ks.Position.arranged(layout, red, black, turn, last)


def test_what_is_no_database_is_refused_in_every_language(repository: Path, tmp_path: Path) -> None:
    content = (repository / "data" / "3x4-level2.kdb").read_bytes()
    ks.malawi.build(tmp_path / "m.kdb", ks.malawi.Board(2, 3))
    other = (tmp_path / "m.kdb").read_bytes()
    for code, wrong in crafted.files_that_are_none(content, other):
        with pytest.raises(DatabaseError) as refused:
            SlicedDatabase("x.kdb", Slices(wrong))
        assert refused.value.code == code
        sentences = {refused.value.said(language) for language in ("en", "de", "fr", "es", "nl")}
        assert len(sentences) == 5
        assert all("x.kdb" in said and "\n" not in said for said in sentences)
        assert all(code in catalogue(language) for language in ("de", "fr", "es", "nl"))


def test_damage_is_found_where_it_is_read(repository: Path) -> None:
    content = (repository / "data" / "3x4-level2.kdb").read_bytes()
    database = SlicedDatabase("x.kdb", Slices(content[:-70] + b"x" + content[-69:]))
    positions = late_roots.reachable(database.root, 1_000_000)
    assert positions is not None
    with pytest.raises(DatabaseError, match="damaged or cut off"):
        [database.get(position) for position in positions]


def test_a_file_that_has_changed_is_said(repository: Path) -> None:
    file = Slices((repository / "data" / "3x4-level2.kdb").read_bytes())
    database = SlicedDatabase("x.kdb", file)
    file.content = file.content[:-64]
    with pytest.raises(DatabaseError, match="has changed or gone since it was chosen"):
        database.get(database.root)
