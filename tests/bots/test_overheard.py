"""What a bot prints is not lost, and where it fails is told."""

from __future__ import annotations

import io
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import Ran, kulami
from test_engine import unruly

from kulami_solver import Position
from kulami_solver.bots import Greedy, Player
from kulami_solver.bots.arena import Opening, play_game
from kulami_solver.bots.check import check
from kulami_solver.bots.kulami.suite import read_suite
from kulami_solver.bots.overheard import NamedLines, exception_lines
from kulami_solver.bots.report import text

BOTS = """
import os
import sys

print("imported")


class Talks:
    def choose(self, position):
        print("  indented", position.legal_fields[0])
        print("to stderr", file=sys.stderr)
        os.write(1, b"past python\\n")
        assert sys.stdin.read() == ""
        return position.legal_fields[0]

    def close(self):
        print("good bye", end="")


class Raises:
    def choose(self, position):
        print("before")
        return self.deeper(position.legal_fields[0])

    def deeper(self, field):
        raise ValueError(f"not {field}")


class Interrupts:
    def choose(self, position):
        raise KeyboardInterrupt


class Sometimes(Raises):
    def choose(self, position):
        if position.free_count % 2:
            return super().choose(position)
        return position.legal_fields[0]


class Unmade:
    def __init__(self):
        print("being made")
        raise RuntimeError("no weights")
"""
TRACE = ("in choose", "in deeper", 'raise ValueError(f"not {field}")')


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with bots in Python."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "talking.py").write_text(BOTS, encoding="ascii")
    (tmp_path / "broken.py").write_text('print("so far")\n1 / 0\n', encoding="ascii")
    return tmp_path


@pytest.fixture
def ran(folder: Path, capfd: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Runs a command in the folder; the processes of its bots are heard, too."""

    def run(*words: str) -> Ran:
        done = kulami(*words)
        return replace(done, err=capfd.readouterr().err + done.err)

    return run


def test_what_a_bot_prints(ran: Callable[..., Ran]) -> None:
    """On stderr, a line for a line; stdout has the answer alone."""
    words = ["check", "talking:Talks", "--positions", "4", "--workers", "1", "--json"]
    done = ran(*words)
    assert done.code == 0
    assert done.answer["faults"] == {"illegal": 0, "timeout": 0, "crash": 0}
    said = done.err.splitlines()
    for case in read_suite(count=4):
        assert f"talking:Talks|   indented {case.position.legal_fields[0]}" in said
    assert said[0] == "talking:Talks| imported"
    assert said.count("talking:Talks| imported") == 1
    assert said.count("to stderr") == 4
    assert said.count("past python") == 4
    assert said.count("talking:Talks| good bye") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_full_disk_is_not_the_bots_fault(folder: Path) -> None:
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run(
            [sys.executable, "-m", "kulami_solver", "engine", "--bot", "talking:Raises"],
            cwd=folder,
            input=b"position fen AAB/CCB r/3 b a1\ngo\nquit\n",
            stdout=subprocess.PIPE,
            stderr=full,
            timeout=60,
            check=False,
        )
    said = b"info string error: talking:Raises raises ValueError: not c1"
    assert done.stdout.splitlines() == [b"info string fault crash", said, b"bestmove none"]


def test_where_a_bot_fails(ran: Callable[..., Ran]) -> None:
    """The traceback comes once as it happens, and stands in the report and in the file."""
    words = ["check", "talking:Sometimes", "--positions", "12", "--workers", "1"]
    done = ran(*words, "--results", "kept.jsonl")
    assert done.code == 0
    assert done.err.count("Traceback (most recent call last):") == 1
    assert done.err.count("talking:Sometimes| before") > 1
    for part in TRACE:
        assert part in done.err
    assert "_choose" not in done.err  # the arena's own frames
    count = done.err.count("| before")
    assert f"\n{count} times crash: talking:Sometimes raises ValueError: not " in done.out
    assert "\n  Traceback (most recent call last):\n    File " in done.out
    report = ran(*words, "--results", "kept.jsonl", "--json").answer
    found = [blunder for blunder in report["blunders"] if "fault" in blunder]
    assert len(found) == count
    for blunder in found:
        assert blunder["details"][0] == "Traceback (most recent call last):"
        assert blunder["details"][-1] == blunder["message"].partition("raises ")[2]
        assert any("in deeper" in line for line in blunder["details"])


def test_a_match_says_where_a_bot_fails(ran: Callable[..., Ran]) -> None:
    words = ["match", "greedy", "talking:Raises", "--games", "2"]
    done = ran(*words, "--save", "games.jsonl")
    assert done.code == 1  # it has lost every game by forfeit
    assert done.out.count("    Traceback (most recent call last):\n      File ") == 1
    assert done.err.count("Traceback (most recent call last):") == 1
    report = ran(*words, "--save", "games.jsonl", "--json").answer
    assert report["from_file"] == 2
    for fault in report["faults"]:
        assert [part for part in TRACE if part in "\n".join(fault["details"])] == list(TRACE)
    assert ran("replay", "games.jsonl").code == 0


def test_a_bot_that_raises_what_ends_programs(ran: Callable[..., Ran]) -> None:
    done = ran("check", "talking:Interrupts", "--positions", "1")
    assert done.code == 1
    assert "talking.py" in done.out
    assert "KeyboardInterrupt" in done.err


@pytest.mark.parametrize(
    ("bot", "printed", "raised"),
    [
        ("broken:Bot", "so far", "ZeroDivisionError: division by zero"),
        ("talking:Unmade", "being made", "RuntimeError: no weights"),
    ],
)
def test_a_bot_that_cannot_be_made(
    bot: str, printed: str, raised: str, folder: Path, ran: Callable[..., Ran]
) -> None:
    """Where, and then in a line what; no frames but the bot's."""
    for words in (["check", bot, "--json"], ["match", bot, "greedy"]):
        done = ran(*words)
        assert (done.code, done.out) == (2, "")
        *trace, last = done.err.splitlines()
        assert f"{bot}| {printed}" in trace
        assert f"{bot}| {raised}" in trace
        assert f"{folder}/{bot.partition(':')[0]}.py" in done.err
        assert "importlib" not in done.err
        assert "naming.py" not in done.err
        assert last.startswith("kulami: error: ")


def test_the_last_words_of_a_program() -> None:
    """Of the move at which it failed, and of no other."""
    program = (
        "import sys\n"
        "print('begun', file=sys.stderr, flush=True)\n"
        "for number, line in enumerate(sys.stdin):\n"
        "    if line.startswith('ugi\\n'): print('ugiok', flush=True)\n"
        "    if line.startswith('isready'): print('readyok', flush=True)\n"
        "    if line.startswith('go'):\n"
        "        for place in range(50): print('thought', place, file=sys.stderr)\n"
        "        sys.exit('out of thoughts')\n"
    )
    bot = f"exec {shlex.quote(sys.executable)} -c {shlex.quote(program)}"
    report = kulami("match", "greedy", bot, "--games", "2", "--json").answer
    for fault in report["faults"]:
        assert fault["details"][-2:] == ["thought 49", "out of thoughts"]
        assert len(fault["details"]) == 30
        assert "begun" not in fault["details"]
    report = kulami("match", "greedy", unruly("nonsense"), "--games", "2", "--json").answer
    assert [fault["details"] for fault in report["faults"]] == [[], []]


class TestInThisProcess:
    """Bots given as objects."""

    class Bad:
        def choose(self, position: Position) -> str:
            return self.deeper()

        def deeper(self) -> str:
            raise LookupError("nothing")

    def test_check_and_arena(self) -> None:
        report = check(self.Bad(), read_suite(count=3))
        details = report.blunders[0].details
        assert details[0] == "Traceback (most recent call last):"
        assert "in choose" in details[1]
        assert details[-1] == "LookupError: nothing"
        assert "3 times crash: Bad raises LookupError: nothing\n  Traceback" in text(report)
        opening = Opening(read_suite(count=1)[0].state)
        game = play_game((Player(self.Bad()), Player(self.Bad())), opening)
        assert game.details == details
        game = play_game((Player(Greedy()), Player(Greedy())), opening)
        assert game.details == ()

    def test_deep_recursion_stays_short(self) -> None:
        def again(number: int) -> int:
            return again(number + 1) + again(number - 1)

        with pytest.raises(RecursionError) as caught:
            again(0)
        assert len(exception_lines(caught.value)) < 40

    def test_lines_are_whole(self) -> None:
        out = io.StringIO()
        with NamedLines("me", out) as said:
            print("a", end="", file=said)
            assert out.getvalue() == ""
            print("b\n\n c", end="", file=said)
            assert out.getvalue() == "me| ab\nme| \n"
        assert out.getvalue() == "me| ab\nme| \nme|  c\n"
        with NamedLines("me", None) as said:
            print("nowhere", file=said)
