"""Databases read by slices: as the compiled reader, without paths."""

from __future__ import annotations

from pathlib import Path

import crafted
import late_roots
import pytest
from late_roots import Slices
from translated import sentence

import kulami_solver as ks
from kulami_solver.kulami.database.sliced_probe import SlicedDatabase
from kulami_solver.storage.container import DatabaseError


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


def test_what_is_no_database_is_refused_in_every_language(repository: Path, tmp_path: Path) -> None:
    content = (repository / "data" / "3x4-level2.kdb").read_bytes()
    ks.malawi.build(tmp_path / "m.kdb", ks.malawi.Board(2, 3))
    other = (tmp_path / "m.kdb").read_bytes()
    for code, wrong in crafted.files_that_are_none(content, other):
        with pytest.raises(DatabaseError) as refused:
            SlicedDatabase("x.kdb", Slices(wrong))
        assert refused.value.code == code
        told = refused.value.told()
        sentences = {sentence(told, language) for language in ("en", "de", "fr", "es", "nl")}
        assert len(sentences) == 5
        assert all("x.kdb" in said and "\n" not in said for said in sentences)


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
