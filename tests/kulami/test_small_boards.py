"""The collection of small boards: what is committed is what the script makes."""

from __future__ import annotations

import csv
import random
import subprocess
import sys
from pathlib import Path

import build_small_boards
import pytest

import kulami_solver as ks


def rows(repository: Path) -> list[dict[str, str]]:
    """The committed table."""
    with open(repository / "data" / "small-boards.csv", encoding="ascii", newline="") as file:
        return list(csv.DictReader(file))


def test_values_and_first_fields_are_those_of_search(repository: Path) -> None:
    listed = rows(repository)
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


def test_a_family_is_made_again(repository: Path) -> None:
    done = subprocess.run(
        [sys.executable, repository / "scripts/data/build_small_boards.py", "--family", "3x3"],
        capture_output=True,
        text=True,
        check=True,
    )
    made = list(csv.DictReader(done.stdout.splitlines()))
    assert made == rows(repository)[: len(made)]
    assert len(made) == 20


@pytest.mark.nightly
def test_what_is_there_is_made_again(repository: Path) -> None:
    script = repository / "scripts" / "data" / "build_small_boards.py"
    subprocess.run([sys.executable, script, "--check", "60"], check=True)


def test_a_run_that_was_ended_goes_on(repository: Path, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    begun = tmp_path / "table.csv.building"
    known = [row for row in rows(repository) if len(row["layout"]) == len("AAA/AAA/BBB")]
    words = ["--family", "3x3", "--table", str(path)]
    kept = [",".join(row.values()) for row in known]
    # What is there is taken up, even if it is wrong, but for a line that was cut short.
    kept[0] = kept[0].replace(",3,", ",4,")
    begun.write_text("\n".join([",".join(known[0]), *kept[:7], kept[7][:15]]), encoding="ascii")
    script = repository / "scripts" / "data" / "build_small_boards.py"
    subprocess.run([sys.executable, script, *words], check=True)
    assert path.read_text(encoding="ascii").splitlines()[1:] == kept
    assert not begun.exists()
    for others in ("layout,scoring\nAB,0\n", "notes"):
        begun.write_text(others, encoding="ascii")
        done = subprocess.run([sys.executable, script, *words], stderr=subprocess.PIPE, check=False)
        assert done.returncode == 1
        assert b"in the way; remove it" in done.stderr
        assert begun.read_text(encoding="ascii") == others
