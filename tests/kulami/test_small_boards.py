"""The collection of small boards: what is committed is what the script makes."""

from __future__ import annotations

import random
from pathlib import Path

import build_small_boards
import pytest

import kulami_solver as ks


def test_values_and_first_fields_are_those_of_search() -> None:
    listed = build_small_boards.rows_of(build_small_boards.TABLE)
    assert [build_small_boards.case_of(row) for row in listed] == build_small_boards.cases(
        build_small_boards.FAMILIES
    )
    for row in random.Random(7).sample(listed, 20):
        start = ks.Position(ks.Layout.parse(row["layout"]))
        moves = ks.analyse(start, ks.Scoring.parse(row["scoring"]))
        assert moves[0].margin == int(row["value"])
        best = {move.field for move in moves if move.margin == moves[0].margin}
        assert best == set(row["best_first_fields"].split())


@pytest.mark.parametrize("name", ["3x4-level2.kdb", "4x4-level0.kdb", "4x5-level0.kdb"])
def test_committed_databases_verify(repository: Path, name: str) -> None:
    path = repository / "data" / name
    assert path.stat().st_size < 5_000_000
    with ks.open_database(path) as database:
        assert ks.verify(database, sample=3).problems == ()
