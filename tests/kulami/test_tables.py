"""The tables of solved boards, and files made of their rows: each is what its script makes."""

from __future__ import annotations

import random
from pathlib import Path

import build_boards
import pytest
from build_boards import EVERY_SCORING, TABLES, case_of, rows_of

import kulami_solver as ks


@pytest.mark.parametrize("name", TABLES)
def test_rows_are_of_the_boards_that_the_script_solves(name: str) -> None:
    table = TABLES[name]
    listed = [case for family in table.families for case in build_boards.cases(family)]
    found = [case_of(row) for row in rows_of(table.path)]
    assert found == sorted(set(found), key=table.place)
    assert set(found) <= set(listed)
    assert name == "larger" or len(found) == len(listed)


@pytest.mark.parametrize(
    ("seed", "scorings", "count"),
    [(3, ("0",), 5), pytest.param(4, EVERY_SCORING, 60, marks=pytest.mark.nightly)],
)
def test_rows_of_5x5_are_solved_again(seed: int, scorings: tuple[str, ...], count: int) -> None:
    table = TABLES["5x5"]
    rows = [row for row in rows_of(table.path) if row["scoring"] in scorings]
    for row in random.Random(seed).sample(rows, count):
        assert table.solved(case_of(row)) == row


def test_values_and_best_first_fields_are_those_of_the_search() -> None:
    small, larger = (rows_of(TABLES[name].path) for name in ("small", "larger"))
    for row in random.Random(7).sample(small, 20):
        start = ks.Position(ks.Layout.parse(row["layout"]))
        moves = ks.analyse(start, ks.Scoring.parse(row["scoring"]))
        assert moves[0].margin == int(row["value"])
        best = {move.field for move in moves if move.margin == moves[0].margin}
        assert best == set(row["best_first_fields"].split())
    for row in larger:
        fields = ks.Layout.parse(row["layout"]).fields
        assert set(row["best_first_fields"].split()) <= {*fields}
        assert 0 < int(row["plies"]) <= len(fields)


@pytest.mark.parametrize("name", ["3x4-level2.kdb", "4x4-level0.kdb", "4x5-level0.kdb"])
def test_committed_databases_verify(repository: Path, name: str) -> None:
    path = repository / "data" / name
    assert path.stat().st_size < 5_000_000
    with ks.open_database(path) as database:
        assert ks.verify(database, sample=3).problems == ()
