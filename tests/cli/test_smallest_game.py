"""docs/examples/nim, a game in one file: installed as another package, and asked for everything."""

from __future__ import annotations

import functools
import itertools
import json
import operator
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import completed
from documents import ROOT, blocks
from installed_game import install

from kulami_solver.registry import GAMES

Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def nim(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Command:
    """Runs Python where the game is installed, as pip would leave it."""
    folder = tmp_path_factory.mktemp("installed")
    environment = install(repository / "docs" / "examples" / "nim", folder)

    def run(*words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return completed([sys.executable, *words], input=stdin, env=environment)

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
    solved = asked(nim, "solve", "--all")
    assert (solved["position"], solved["words"], solved["best"]) == ("3,4,5 first", "a win", "a2")
    assert asked(nim, "score")["scores"] is None
    assert asked(nim, "score", "--heaps", "1", "--moves", "a1")["scores"] == {
        "first": 1,
        "second": -1,
    }
    typed = asked(nim, "grade", "--heaps", "2,1", "--moves", "a1 b1 a1")
    assert (typed["finished"], typed["turning_points"]) == (True, [])
    pictured = nim("-m", "kulami_solver", "nim", "show", "--svg", "board.svg")
    assert "--svg: this game has no such picture" in pictured.stderr
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
    ran = nim(str(ROOT / "docs" / "examples" / "check_game.py"), "nim")
    assert (ran.stdout, ran.stderr) == ("nim keeps what a game promises\n", "")


def test_it_speaks_ugi(nim: Command) -> None:
    said = "ugi\nquery p1turn\ngo nodes 9\nposition fen 1 second moves a1\nquery result\nquit\n"
    ran = nim("-m", "kulami_solver", "nim", "engine", stdin=said)
    assert "option name heaps type string default 3,4,5" in ran.stdout
    assert ran.stdout.splitlines()[-3:] == ["response true", "bestmove a2", "response p2win"]


def test_a_game_that_cannot_be_loaded_ends_its_own_commands_only(
    repository: Path, tmp_path: Path
) -> None:
    environment = install(repository / "docs" / "examples" / "nim", tmp_path)
    (tmp_path / "nim.py").write_text("def make(:", encoding="utf-8")

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return completed([sys.executable, "-m", "kulami_solver", *words], env=environment)

    ran = run("--help")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "malawi" in ran.stdout
    assert "SyntaxError" in run("nim", "show").stderr


def test_nothing_is_answered_at_the_wrong_time(nim: Command) -> None:
    ran = nim("-m", "kulami_solver", "nim", "play", "--heaps", "1", "--moves", "a1 a1")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.endswith("--moves: move 2: a1 cannot be played: nothing can\n")
    program = (
        "from kulami_solver.errors import KulamiError\n"
        "from kulami_solver.game import Budget, load_game\n"
        "start = load_game('nim').start()\n"
        "end = load_game('nim', heaps='1').start().play('a1')\n"
        "for ask in (start.returns, lambda: end.evaluate(Budget())):\n"
        "    try:\n"
        "        ask()\n"
        "    except KulamiError as error:\n"
        "        print(error)\n"
    )
    said = nim("-c", program).stdout.splitlines()
    assert [one.partition(": ")[2] for one in said] == ["the game is not over", "the game is over"]


def test_the_bot_of_the_chapter_plays(
    nim: Command, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for block in blocks(repository / "docs" / "adding-a-game.md"):
        if block.language == "python":
            (tmp_path / block.name).write_text(block.text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    answer = asked(nim, "match", "mybot:Last", "random", "--games", "4", "--heaps", "1,3,5")
    assert (answer["games"], answer["faults"]) == (4, [])


def test_the_program_of_the_chapter_finds_what_is_wrong(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (repository / "docs" / "examples" / "nim" / "nim.py").read_text(encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(GAMES, "nim", "nim")
    program = runpy.run_path(str(repository / "docs" / "examples" / "check_game.py"))
    for number, (line, spoilt, said) in enumerate(SPOILT):
        assert line in text
        (tmp_path / f"nim{number}.py").write_text(text.replace(line, spoilt, 1), encoding="utf-8")
        monkeypatch.setitem(GAMES, "nim", f"nim{number}")
        with pytest.raises((AssertionError, SystemExit), match=said):
            program["check_game"]("nim")


SPOILT = (
    ("{','.join(map(str, self.heaps))} {self.game.seats[self.turn]}", "1 first", "read does"),
    ("return tuple(\n", "return 2 * tuple(\n", "a move is there twice"),
    ("reverse=True", "reverse=False", "another value"),
    ("self, best.lower, best.upper", "self, 1, -1", "another value"),
    ("self, best.lower, best.upper", "self, 1.0, 1.0", "whole number nor a Fraction"),
    ('f"{chr(97 + heap)}{stones}"', 'f"{chr(97 + heap)} {stones}"', "a move has a space"),
    ("best.upper, best.move, (", "best.upper, others[-1].move, (", "best"),
    ("if self.to_move == NOBODY:", "if False:", "ValueError"),
    ("if self.to_move != NOBODY:", "if False:", "returns answers before the end"),
    ('samples=({"heaps": "1,2"},),', "", "there are no samples"),
)
