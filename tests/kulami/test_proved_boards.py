"""The proofs of small boards: each row of the table is proved, by a run that may be ended."""

from __future__ import annotations

import csv
from pathlib import Path

import build_small_boards
import prove_boards
import tiny_proof_checker as tiny

from kulami_solver.core.files import file_sha256

ROWS = build_small_boards.rows_of(build_small_boards.TABLE)


def manifest(folder: Path) -> list[dict[str, str]]:
    """What a run says that it has proved."""
    with open(folder / "manifest.csv", encoding="ascii", newline="") as file:
        return list(csv.DictReader(file))


def test_rows_are_proved_and_taken_up_again(tmp_path: Path) -> None:
    listed = ROWS[:4] + ROWS[100:316:54]
    prove_boards.prove_rows(listed, tmp_path)
    made = manifest(tmp_path)
    assert [(one["layout"], one["scoring"], one["value"]) for one in made] == [
        (row["layout"], row["scoring"], row["value"]) for row in listed
    ]
    for one in made:
        path = tmp_path / one["file"]
        assert (path.stat().st_size, file_sha256(path)) == (int(one["bytes"]), one["sha256"])
    for one in made[:4]:
        assert tiny.check_file((tmp_path / one["file"]).read_bytes()) == int(one["value"])
    # One is missing, one is damaged, one is of another board; the others are left alone.
    missing, damaged, other, whole = (tmp_path / one["file"] for one in made[:4])
    missing.unlink()
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"x")
    other.write_bytes((tmp_path / made[7]["file"]).read_bytes())
    before = whole.stat().st_mtime_ns
    (tmp_path / "manifest.csv").unlink()
    prove_boards.prove_rows(listed, tmp_path)
    assert manifest(tmp_path) == made
    assert whole.stat().st_mtime_ns == before
