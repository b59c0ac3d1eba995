"""The tables of solved boards: each is what its script makes."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import build_first_fields
import build_larger_boards
import pytest
from build_small_boards import EVERY_SCORING, case_of, rows_of

import kulami_solver as ks

FIRST_FIELDS = build_first_fields.table()


@pytest.mark.parametrize("script", [build_first_fields, build_larger_boards])
def test_the_page_says_what_the_tables_say(repository: Path, script: Any) -> None:
    text = (repository / "docs" / "explanation" / "findings.md").read_text(encoding="utf-8")
    assert "\n".join(script.summary(script.table())) in text


# All 5x5 boards


@pytest.mark.parametrize(
    ("seed", "scorings", "count"),
    [(3, ("0",), 5), pytest.param(4, EVERY_SCORING, 60, marks=pytest.mark.nightly)],
)
def test_rows_are_solved_again(seed: int, scorings: Any, count: int) -> None:
    rows = [row for row in FIRST_FIELDS if row["scoring"] in scorings]
    chosen = sorted(random.Random(seed).sample(rows, count), key=rows.index)
    assert list(build_first_fields.solved([case_of(row) for row in chosen])) == chosen


# Larger boards


def test_the_larger_boards_are_rows_of_the_script() -> None:
    listed = [
        case
        for family in build_larger_boards.FAMILIES
        for case in build_larger_boards.cases(family)
    ]
    rows = rows_of(build_larger_boards.TABLE)
    assert rows
    assert {case_of(row) for row in rows} <= set(listed)
    for row in rows:
        layout = ks.Layout.parse(row["layout"])
        assert set(row["best_first_fields"].split()) - {build_larger_boards.OTHERS} <= {
            *layout.fields
        }
        assert 0 < int(row["plies"]) <= len(layout.fields)


def larger_boards(repository: Path, table: Path, *asked: str) -> str:
    script = repository / "scripts" / "data" / "build_larger_boards.py"
    command = [sys.executable, str(script), "--family", "4x4-0", "--table", str(table), *asked]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout


def test_rows_of_one_field_are_completed(repository: Path, tmp_path: Path) -> None:
    table = tmp_path / "boards.csv"
    larger_boards(repository, table, "--boards", "2", "--one-field")
    begun = rows_of(table)
    larger_boards(repository, table, "--boards", "3")
    whole = rows_of(table)
    assert (len(begun), len(whole)) == (2, 3)
    for row in begun:
        assert row["best_first_fields"].split()[1] == build_larger_boards.OTHERS
        (same,) = [other for other in whole if case_of(other) == case_of(row)]
        root = ks.Position(ks.Layout.parse(same["layout"]))
        worth = {move.field: move.margin for move in ks.solve(root, every_move=True).moves}
        keeping = {field for field, margin in worth.items() if margin == int(same["value"])}
        assert {*same["best_first_fields"].split()} == keeping
        assert {**same, "best_first_fields": ""} == {**row, "best_first_fields": ""}
    assert "3 rows solved again, 0 differ" in larger_boards(
        repository, table, "--boards", "3", "--check", "3"
    )
