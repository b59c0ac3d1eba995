"""The proofs of small boards: each row of the table is proved, by a run that may be ended."""

from __future__ import annotations

import csv
import signal
import subprocess
import sys
from pathlib import Path

import build_small_boards
import prove_boards
import pytest
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


def test_a_wrong_table_is_told(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="proves 3, and the table says 4"):
        prove_boards.prove_rows([{**ROWS[0], "value": "4"}], tmp_path)
    assert not (tmp_path / "manifest.csv").exists()


def test_a_killed_run_goes_on(repository: Path, tmp_path: Path) -> None:
    script = repository / "scripts" / "data" / "prove_boards.py"
    words = [sys.executable, str(script), "--small", "40", "--folder", str(tmp_path)]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL) as begun:
        while begun.poll() is None and len(list(tmp_path.glob("*.kpf"))) < 3:
            pass
        begun.send_signal(signal.SIGKILL)
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("40 proofs, ")
    assert {one["file"] for one in manifest(tmp_path)} == {
        path.name for path in tmp_path.glob("*.kpf")
    }
