"""The command as a process: start-up, Ctrl-C, pipes and terminals."""

from __future__ import annotations

import json
import os
import platform
import pty
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import FINISHED, SMALL, interrupted, process

import kulami_solver as ks

EMPTY = f"{SMALL} - r -"
# Seconds of the processor: a fraction of one, and what slower machines may add to it.
SOON = 1.0
# What the installed script does.
SCRIPT = "sys.argv[0] = 'bin/kulami'; from kulami_solver.__main__ import main; sys.exit(main())"
ENDLESS = ["--layout", "square"]


@pytest.mark.parametrize("words", ["score", "solve --threads 3"])
def test_an_answer_comes_before_the_next_position_is_written(words: str) -> None:
    """Also where many positions may be searched at the same time, and lines come in pieces."""
    with process(*words.split(), "--input", "-") as running:
        assert running.stdin is not None
        assert running.stdout is not None
        for kfn in (EMPTY, FINISHED, EMPTY):
            for piece in (kfn[:7], kfn[7:], "\n"):
                running.stdin.write(piece)
                running.stdin.flush()
                time.sleep(0.02)
            assert json.loads(running.stdout.readline())["kfn"] == kfn
        out, err = running.communicate(f"{EMPTY}\n{FINISHED}\nx\n{EMPTY}\n", timeout=60)
    answered = [json.loads(line).get("kfn") for line in out.splitlines()]
    assert answered == [EMPTY, FINISHED, None, EMPTY]
    assert running.returncode == 2
    assert "standard input line 6" in err
    with process(*words.split(), "--input", "-") as running:
        out, err = running.communicate(f"{EMPTY}\n{FINISHED}", timeout=60)
    assert (len(out.splitlines()), running.returncode) == (2, 0)


def test_version_is_quick() -> None:
    command = [sys.executable, "-m", "kulami_solver", "--version"]
    spent = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ran = subprocess.run(command, capture_output=True, text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        # Not the time on the clock: that is also the other processes'.
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        version, python, compiler, processor = ran.stdout.splitlines()
        assert version.startswith(f"kulami {ks.__version__}")
        assert python.startswith(f"Python {platform.python_version()}")
        assert re.fullmatch(r"compiler \S+ \S.*", compiler)
        assert re.fullmatch(r"processor \S.*", processor)
    assert min(spent) < 0.4, "it is meant to take 0.15 s"


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_search_prints_the_bounds_so_far(by: signal.Signals) -> None:
    name, expected = ("Ctrl-C", 130) if by == signal.SIGINT else ("SIGTERM", 143)
    code, out, err, spent = interrupted("solve", *ENDLESS, "--json", by=by)
    answer = json.loads(out)
    assert (code, answer["exact"]) == (expected, False)
    assert answer["lower"] <= answer["upper"]
    note, *estimated, said = err.splitlines()
    assert "exact from about 41 free fields" in note
    assert all("a proof takes about" in one for one in estimated)  # if there was time to say so
    assert len(estimated) <= 1
    assert said == f"kulami: interrupted: {name}; these are the bounds so far"
    assert spent < SOON


def test_sigterm_keeps_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("build", "square.kdb", "--layout", "AABCD/AABCD/EEFFD/GGHHI")
    code, _, err, _ = interrupted(*words, by=signal.SIGTERM)
    said = "the work so far is in square.kdb.building; the same command goes on with it\n"
    assert (code, err) == (143, f"kulami: interrupted: SIGTERM; {said}")


def test_ctrl_c_ends_whatever_else_takes_long(tmp_path: Path) -> None:
    """Bounds of all that is searched, counts of plies, and no word while it waits for input."""
    square = f"{ks.Layout.square()} - r -"
    file = tmp_path / "positions.kfn"
    file.write_text("".join(f"{kfn}\n" for kfn in (FINISHED, square, FINISHED, square, FINISHED)))
    words = ("solve", "--input", str(file), "--threads", "2", "--memory", "256M")
    code, out, err, spent = interrupted(*words)
    answers = [json.loads(line) for line in out.splitlines()]
    assert [answer["kfn"] for answer in answers] == [FINISHED, square, FINISHED, square]
    assert [answer["exact"] for answer in answers] == [True, False, True, False]
    assert (code, "Traceback" in err, spent < SOON) == (130, False, True)
    code, out, err, spent = interrupted("perft", *ENDLESS, "--depth", "30", "--json")
    answer = json.loads(out)
    assert (answer["complete"], answer["counts"][0]) == (False, 64)
    assert (code, "Traceback" in err, spent < SOON) == (130, False, True)
    for threads in ("1", "2"):
        words = ("solve", "--input", "-", "--threads", threads)
        code, out, err, spent = interrupted(*words, waits=True)
        assert (code, out, "Traceback" in err, spent < SOON) == (130, "", False, True)


@pytest.mark.parametrize(
    ("begin", "module"),
    [
        (SCRIPT, "kulami_solver.core.files"),
        (SCRIPT, "kulami_solver.errors"),
        (SCRIPT, "kulami_solver.cli"),
        (SCRIPT, "kulami_solver.cli.kulami.boards"),
        ("import runpy; runpy.run_module('kulami_solver', None, '__main__')", "kulami_solver.cli"),
    ],
)
def test_ctrl_c_while_it_starts(begin: str, module: str, repository: Path) -> None:
    program = f"""\
import sys
class CtrlC:
    def find_spec(self, name, *_):
        if name == "{module}":
            raise KeyboardInterrupt
sys.meta_path.insert(0, CtrlC())
{begin}
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=repository, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout) == (130, "")
    assert ran.stderr == "kulami: interrupted: Ctrl-C\n"


@pytest.mark.parametrize(
    ("changes", "colored"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"PYTHONIOENCODING": "ascii"}, False)],
)
def test_a_terminal_gets_colours(changes: dict[str, str], colored: bool) -> None:
    environment = {**os.environ, "TERM": "xterm", "PYTHONIOENCODING": "utf-8", **changes}
    if "NO_COLOR" not in changes:
        environment.pop("NO_COLOR", None)
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb", buffering=0) as screen:
        running = process("show", "--layout", "square", stdout=theirs, env=environment)
        os.close(theirs)
        shown = screen.read(2000)
        while shown.count(b"\n") < 4:
            shown += screen.read(2000)
        # What is left unread must not keep the process waiting.
        running.communicate(timeout=60)
    assert running.returncode == 0
    assert (b"\x1b[" in shown) == colored
    assert "PYTHONIOENCODING" not in changes or shown.isascii()
