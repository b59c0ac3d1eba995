"""Ctrl-Z while bots think: the match stands still, and nobody loses a game on time by it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from unruly import engine as unruly

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Ctrl-Z stops nothing there")

# With 14 of 18 fields taken; a move may take 1.5 s, and a pause lasts longer.
SHORT = ("--layout", "AABBCC/DDDEEE/FFGGHH", "--plies", "14", "--games", "2", "--movetime", "1")
PAUSE = 2.0

SLOW = """\
import time


class Slow:
    def choose(self, position):
        with open("thinking", "a") as file:
            file.write("go")
        time.sleep(1)
        return position.legal_fields[0]
"""


@pytest.mark.parametrize(
    ("bot", "more"),
    [
        (unruly("late"), []),
        (unruly("late"), ["--workers", "2"]),
        ("slow_bot:Slow", []),
        ("mcts", []),
    ],
    ids=["a program", "in two processes", "a Python bot", "a built-in bot"],
)
def test_a_pause_costs_nobody_a_game(bot: str, more: list[str], tmp_path: Path) -> None:
    (tmp_path / "slow_bot.py").write_text(SLOW, encoding="ascii")
    thinking = tmp_path / "thinking"
    other = unruly("first")
    words = [sys.executable, "-m", "kulami_solver", "match", bot, other, *SHORT, *more, "--json"]
    with subprocess.Popen(
        words,
        cwd=tmp_path,
        env=os.environ | {"KULAMI_ENGINE_LOG": str(tmp_path / "said")},
        stdout=subprocess.PIPE,
        start_new_session=True,  # so that Ctrl-Z reaches all its processes, and this one not
    ) as run:
        try:
            begun = time.monotonic()
            while not _thinks(bot, thinking, tmp_path / "said"):
                assert time.monotonic() < begun + 30
                time.sleep(0.02)
            time.sleep(0.3)
            os.killpg(run.pid, signal.SIGTSTP)
            _, status = os.waitpid(run.pid, os.WUNTRACED)
            assert os.WIFSTOPPED(status)
            time.sleep(PAUSE)
            os.killpg(run.pid, signal.SIGCONT)
            out, _ = run.communicate(timeout=60)
        finally:
            if run.poll() is None:
                os.killpg(run.pid, signal.SIGKILL)
    found = json.loads(out)
    assert run.returncode == 0
    assert (found["games"], found["faults"]) == (2, [])


def _thinks(bot: str, marked: Path, said: Path) -> bool:
    """Whether the bot thinks about a move just now, or will at once."""
    if bot.startswith("slow"):
        return marked.exists()
    last = said.read_text(encoding="utf-8").splitlines()[-1] if said.exists() else ""
    return ("< bestmove" if bot == "mcts" else "late > go ") in last
