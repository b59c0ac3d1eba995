"""Databases are little-endian: a machine that is not says so, before anything is built."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kulami_solver as ks
from kulami_solver import malawi
from kulami_solver.storage import database as storage

START = ks.Position(ks.Layout.parse("AAB/CCB"))
DATABASE = "data/3x4-level2.kdb"


@pytest.mark.parametrize(
    "work",
    [
        lambda folder: ks.build(folder / "a.kdb", START),
        lambda folder: malawi.build(folder / "a.kdb", malawi.Board(2, 3)),
        lambda folder: ks.open_database(DATABASE),
        lambda folder: malawi.Database(DATABASE),
        lambda folder: storage.open_database(DATABASE),
    ],
)
def test_a_big_endian_machine_is_told_what_is_the_matter(
    work: Callable[[Path], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, repository: Path
) -> None:
    monkeypatch.chdir(repository)
    monkeypatch.setattr(sys, "byteorder", "big")
    with pytest.raises(ks.DatabaseError, match="this machine is big-endian"):
        work(tmp_path)
    assert not list(tmp_path.iterdir())
