"""The benchmarks run, on a few small positions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

RUNS = [
    ["bench", "--free", "16", "--scorings", "0,chains", "--count", "2"],
    ["bench", "--late", "--free", "10", "--count", "2"],
    ["bench", "--beside", ".", "--free", "16", "--count", "2"],
    ["bench_database"],
    ["walks"],
]


@pytest.mark.nightly
@pytest.mark.parametrize("words", RUNS, ids=" ".join)
def test_it_runs(words: list[str], repository: Path) -> None:
    program = repository / "scripts" / "bench" / f"{words[0]}.py"
    command = [sys.executable, str(program), *words[1:]]
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) > 2
