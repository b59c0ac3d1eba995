"""The first thing a user sees: the solved position of scripts/quickstart.sh."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def test_quickstart_solves_its_position_at_all_scorings(repository: Path) -> None:
    done = subprocess.run(
        [sys.executable, repository / "scripts" / "quickstart.py"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    values = re.findall(r"(black|red) wins by (\d+) +[\d,]+ nodes", done.stdout)
    assert values == [("black", "4"), ("black", "1"), ("red", "5"), ("red", "2")]
    assert "1,000,151 positions" in done.stdout
    assert re.search(r"red wins by 2 .*\bd3\b", done.stdout)
    assert "kulami --help" in done.stdout


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_of_quickstart_installs_nothing(option: str, repository: Path, tmp_path: Path) -> None:
    copy = tmp_path / "scripts"
    copy.mkdir()
    shutil.copy(repository / "scripts" / "quickstart.sh", copy)
    done = subprocess.run(
        ["bash", "scripts/quickstart.sh", option],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "bash scripts/quickstart.sh" in done.stdout
    assert "--help" in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["scripts"]


def test_quickstart_takes_no_other_arguments(repository: Path) -> None:
    done = subprocess.run(
        ["bash", repository / "scripts" / "quickstart.sh", "--dry"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "'--dry'" in done.stderr
