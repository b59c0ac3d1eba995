"""docs/examples/nim, a game in one file: installed as another package, and asked for everything."""

from __future__ import annotations

import functools
import itertools
import json
import operator
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from installed_game import install

Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def nim(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Command:
    """Runs Python where the game is installed, as pip would leave it."""
    folder = tmp_path_factory.mktemp("installed")
    environment = install(repository / "docs" / "examples" / "nim", folder)

    def run(*words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *words],
            input=stdin,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def asked(nim: Command, *words: str) -> dict[str, object]:
    ran = nim("-m", "kulami_solver", "nim", *words, "--json")
    assert (ran.returncode, ran.stderr) == (0, "")
    found: dict[str, object] = json.loads(ran.stdout.splitlines()[-1])
    return found


def test_its_values_are_those_of_bouton(nim: Command) -> None:
    """Who is to move loses if the sizes of the heaps, as binary numbers without carry, add to 0."""
    program = (
        "import itertools, json\n"
        "from kulami_solver.game import Budget, load_game\n"
        "game = load_game('nim')\n"
        "heaps = [one for one in itertools.product(range(6), repeat=3) if any(one)]\n"
        "states = [game.read(f'{a},{b},{c} first') for a, b, c in heaps]\n"
        "print(json.dumps([state.evaluate(Budget()).lower for state in states]))\n"
    )
    ran = nim("-c", program)
    assert ran.stderr == ""
    heaps = [one for one in itertools.product(range(6), repeat=3) if any(one)]
    expected = [1 if functools.reduce(operator.xor, one) else -1 for one in heaps]
    assert json.loads(ran.stdout) == expected


def test_it_is_played_matched_checked_and_graded(nim: Command, tmp_path: Path) -> None:
    assert asked(nim, "moves", "--heaps", "1,2")["moves"] == ["a1", "b1", "b2"]
    answer = asked(nim, "match", "perfect", "random", "--games", "6", "--heaps", "1,2,4")
    assert answer["games"] == 6
    report = asked(nim, "check", "perfect", "--positions", "20")
    assert (report["positions"], report["optimal_rate"]) == (20, 1.0)
    record = tmp_path / "game.jsonl"
    play = ("-m", "kulami_solver", "nim", "play", "--bot", "perfect", "--side", "first")
    ran = nim(*play, "--heaps", "2,1", "--save", str(record), stdin="a1\nb1\n")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "a1" in ran.stdout
    graded = asked(nim, "grade", str(record))
    assert graded["finished"] is True
    assert graded["turning_points"] == []


def test_what_is_none_is_refused(nim: Command) -> None:
    for words in (("show", "--heaps", "0"), ("show", "--heaps", "x"), ("play", "--moves", "a9")):
        ran = nim("-m", "kulami_solver", "nim", *words)
        assert ran.returncode == 2
        assert "Traceback" not in ran.stderr
        assert ran.stderr.startswith("kulami")
