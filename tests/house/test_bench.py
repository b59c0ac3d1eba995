"""The benchmark runs, and says what its header promises."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SMALL = ["--free", "16,18", "--scorings", "0,chains", "--count", "2", "--textbook-memory", "1M"]


def bench(repository: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A run of the script."""
    return subprocess.run(
        [sys.executable, str(repository / "scripts" / "bench" / "bench.py"), *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_table_and_json(repository: Path, tmp_path: Path) -> None:
    file = tmp_path / "bench.json"
    done = bench(repository, *SMALL, "--json", str(file))
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()[2:6]]
    assert [row[:3] for row in rows] == [
        ["16", "0", "2"],
        ["18", "0", "2"],
        ["16", "chains", "2"],
        ["18", "chains", "2"],
    ]
    assert not any(">=" in word for row in rows for word in row)
    report = json.loads(file.read_text(encoding="ascii"))
    assert os.listdir(tmp_path) == ["bench.json"]
    assert [len(row["solved"]) for row in report["rows"]] == [2, 2, 2, 2]
    for row in report["rows"]:
        assert row["textbook"]["positions"] == 2
        assert not row["textbook"]["lower_bound"]
        assert row["seconds"]["worst"] >= row["seconds"]["median"] > 0
        for one in row["solved"]:
            assert one["lower"] == one["upper"]
            assert one["textbook"]["finished"]


def test_a_textbook_that_gives_up_is_marked(repository: Path) -> None:
    done = bench(repository, "--free", "20", "--count", "2", "--textbook", "50")
    assert done.returncode == 0, done.stderr
    assert ">=" in done.stdout.splitlines()[2]


def test_without_a_textbook(repository: Path) -> None:
    done = bench(
        repository,
        "--free",
        "16",
        "--count",
        "1",
        "--textbook",
        "0",
        "--goal",
        "outcome",
        "--memory",
        "1M",
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[2].split()[-3:] == ["-", "-", "-"]


def test_late_positions(repository: Path, tmp_path: Path) -> None:
    file = tmp_path / "late.json"
    options = ["--late", "--free", "10,16", "--count", "3", "--many", "40", "--json", str(file)]
    done = bench(repository, *options)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.split()[:3] for line in lines[2:4]] == [["10", "0", "3"], ["16", "0", "3"]]
    report = json.loads(file.read_text(encoding="ascii"))
    for row in report["rows"]:
        assert len(row["wall"]) == len(row["processor"]) == len(row["first"]) == 3
        assert 0 < row["median"] <= max(row["wall"])
        assert set(row["shares"]) == {"set up", "value", "line", "rest"}
    many = report["solve_many"]
    assert [one["workers"] for one in many] == ["threads", "processes"]
    assert all(one["per_second"] > 0 for one in many)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--free", "8"], "8 free fields: give 9 to 64"),
        (["--free", "x"], "'x': give numbers like 20,24,28"),
        (["--scorings", "3"], "'3' is not a scoring"),
        (["--count", "0"], "'0': give a whole number from 1 on"),
        (["--memory", "lots"], "'lots' is no memory size"),
        (["--textbook-memory", "lots", "--free", "9", "--count", "1"], "'lots' is no memory size"),
    ],
)
def test_bad_options(repository: Path, arguments: list[str], message: str) -> None:
    done = bench(repository, *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_just4fun(repository: Path, tmp_path: Path) -> None:
    file = tmp_path / "bench.json"
    options = ["--count", "2", "--textbook", "2000", "--rows", "3x3,3,1", "--json", str(file)]
    done = bench(repository, "--game", "just4fun", *options)
    assert done.returncode == 0, done.stderr
    report = json.loads(file.read_text(encoding="ascii"))
    assert [row["row"] for row in report["rows"]] == ["3x3", "3x3 low", "3 each", "1 each"]
    assert all(len(row.get("solved") or row["found"]) == 2 for row in report["rows"])
    assert report["odds"]["hands"] == 341_055
    assert "341,055 hands" in done.stdout


def test_walks_are_counted(repository: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(repository / "scripts" / "bench" / "walks.py")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rows = [line.rsplit(maxsplit=4) for line in done.stdout.splitlines()[1:]]
    counts = {way: [*map(int, numbers)] for way, *numbers in rows}
    ways = ["kulami solve", "solve", "kulami build", "build", "page", "probe"]
    assert [*counts] == ["kulami solve, cold", *ways]
    for functions, calls, files, deep in counts.values():
        assert calls >= functions >= max(files, deep)
        assert min(files, deep) >= 1
    cold, warm = counts["kulami solve, cold"], counts["kulami solve"]
    assert all(one > other for one, other in zip(cold[:3], warm[:3], strict=True))


def test_evaluations_are_compared_with_exact_values(repository: Path) -> None:
    script = repository / "scripts" / "bench" / "bench_evaluation.py"
    options = ["--free", "9", "--positions", "3", "--scoring", "0", "2"]
    done = subprocess.run(
        [sys.executable, script, *options],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = done.stdout.splitlines()
    assert sum(line.startswith("chance") for line in lines) == 6
    assert sum(line.startswith("learned") for line in lines) == 6
    assert sum("of a look at 50,000" in line for line in lines) == 2
