"""The benchmarks run, on a few small positions, and refuse what makes no sense in one sentence."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

JUST4FUN = ["--game", "just4fun", "--count", "2", "--textbook", "2000", "--rows", "3x3,3,1"]
RUNS = [
    ["bench", "--free", "16", "--scorings", "0,chains", "--count", "2", "--textbook-memory", "1M"],
    ["bench", "--late", "--free", "10", "--count", "2", "--many", "20"],
    ["bench", *JUST4FUN],
    ["bench_evaluation", "--free", "9", "--positions", "3", "--scoring", "0"],
    ["bench_threads", "--bot", "mcts:5", "--games", "1", "--rounds", "1"],
    ["walks"],
]


def bench(repository: Path, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A run of a script."""
    return subprocess.run(
        [sys.executable, str(repository / "scripts" / "bench" / f"{name}.py"), *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("words", RUNS, ids=" ".join)
def test_it_runs(words: list[str], repository: Path, tmp_path: Path) -> None:
    file = tmp_path / "bench.json"
    options = ["--json", str(file)] if words[0] == "bench" else []
    done = bench(repository, *words, *options)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) > 2
    assert not options or json.loads(file.read_text(encoding="ascii"))["rows"]


def test_bad_options(repository: Path) -> None:
    done = bench(repository, "bench", "--free", "8")
    assert done.returncode == 2
    assert "8 free fields: give 9 to 64" in done.stderr
    assert "Traceback" not in done.stderr
