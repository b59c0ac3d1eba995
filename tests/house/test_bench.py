"""The benchmarks run, on a few small positions."""

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
    ["bench_visitors", "--visitors", "4", "--time", "0.5"],
    ["walks"],
]


@pytest.mark.nightly
@pytest.mark.parametrize("words", RUNS, ids=" ".join)
def test_it_runs(words: list[str], repository: Path, tmp_path: Path) -> None:
    file = tmp_path / "bench.json"
    options = ["--json", str(file)] if words[0] == "bench" else []
    program = repository / "scripts" / "bench" / f"{words[0]}.py"
    done = subprocess.run(
        [sys.executable, str(program), *words[1:], *options],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) > 2
    assert not options or json.loads(file.read_text(encoding="ascii"))["rows"]
