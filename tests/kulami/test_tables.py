"""The tables of solved boards, and files made of their rows: each is what its script makes."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import build_boards
import pytest
import tiny_proof_checker as tiny
from build_boards import EVERY_SCORING, TABLES, case_of, rows_of

import kulami_solver as ks
from kulami_solver.core.files import file_sha256


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


def script(repository: Path, name: str, *asked: object) -> str:
    command = [sys.executable, str(repository / "scripts" / "data" / name), *map(str, asked)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_a_table_is_begun_completed_and_checked(repository: Path, tmp_path: Path) -> None:
    table = tmp_path / "boards.csv"
    asked = ("larger", "--family", "4x4-0", "--table", table, "--boards")
    script(repository, "build_boards.py", *asked, "2")
    begun = rows_of(table)
    header, *lines = table.read_text(encoding="ascii").splitlines(keepends=True)
    table.write_text(header + lines[0], encoding="ascii")
    # A run that was killed leaves rows behind, the last one cut short.
    building = tmp_path / "boards.csv.building"
    building.write_text(header + lines[1] + lines[0][:10], encoding="ascii")
    script(repository, "build_boards.py", *asked, "3")
    whole = rows_of(table)
    assert not building.exists()
    assert (len(begun), len(whole)) == (2, 3)
    assert [row for row in whole if row in begun] == begun
    for row in whole:
        root = ks.Position(ks.Layout.parse(row["layout"]))
        worth = {move.field: move.margin for move in ks.solve(root, every_move=True).moves}
        keeping = {field for field, margin in worth.items() if margin == int(row["value"])}
        assert {*row["best_first_fields"].split()} == keeping
    checked = script(repository, "build_boards.py", *asked, "3", "--check", "3")
    assert "3 rows solved again, 0 differ" in checked


@pytest.mark.parametrize("kind", ["databases", "proofs"])
def test_a_folder_is_made_of_rows_and_taken_up_again(
    kind: str, repository: Path, tmp_path: Path
) -> None:
    asked = [tmp_path, "--family", "4x4", "--rows", "6"]
    if kind == "proofs":
        # The threads of a search race: with two of them, a second proof may be another one.
        asked += ["--proofs", "--threads", "1"]
    script(repository, "build_folder.py", *asked)
    manifest = tmp_path / "MANIFEST.json"
    entries = json.loads(manifest.read_bytes())
    assert len(entries) == 6
    table = {case_of(row): row["value"] for row in rows_of(TABLES["small"].path)}
    for entry in entries:
        path = tmp_path / entry["file"]
        assert table[case_of(entry)] == str(entry["value"])
        assert (path.stat().st_size, file_sha256(path)) == (entry["bytes"], entry["sha256"])
        if kind == "proofs":
            assert tiny.check_file(path.read_bytes()) == entry["value"]
        else:
            with ks.open_database(path) as database:
                assert (database.positions, database.value) == (entry["positions"], entry["value"])
    # One is missing, one is damaged, one is of another board; the others are left alone.
    missing, damaged, other, whole = (tmp_path / entry["file"] for entry in entries[:4])
    missing.unlink()
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"x")
    other.write_bytes((tmp_path / entries[5]["file"]).read_bytes())
    before = whole.stat().st_mtime_ns
    command = [sys.executable, str(repository / "scripts" / "data" / "build_folder.py")]
    compared = subprocess.run(
        [*command, str(tmp_path), "--check"], check=False, capture_output=True, text=True
    )
    assert compared.returncode == 1
    names = [missing.name, damaged.name, other.name]
    assert compared.stdout.splitlines() == [f"{name} is not as the manifest says" for name in names]
    script(repository, "build_folder.py", *asked)
    assert json.loads(manifest.read_bytes()) == entries
    assert script(repository, "build_folder.py", tmp_path, "--check") == ""
    assert whole.stat().st_mtime_ns == before
