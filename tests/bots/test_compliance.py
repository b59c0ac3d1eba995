"""Engines that keep or break the promises of UGI, as `kulami engine --check` says."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from command_line import kulami

UNRULY = shlex.join([sys.executable, str(Path(__file__).parents[1] / "unruly_engine.py")])


@pytest.mark.parametrize(
    ("how", "broken"),
    [
        ("first", []),
        ("hang", ["go movetime 200"]),
        ("crash", ["go movetime 200"]),
        ("illegal", ["go movetime 200", "go nodes 100"]),
        ("nonsense", ["go movetime 200", "a clock", "skips words", "uginewgame"]),
        ("chatter", ["go movetime 200"]),
        ("twice", ["answers once"]),
        ("late", ["go movetime 200"]),
    ],
)
def test_what_is_broken_is_told(how: str, broken: list[str]) -> None:
    ran = kulami("engine", "--check", f"exec {UNRULY} {how}")
    lines = [line for line in ran.out.splitlines() if line.startswith("BROKEN")]
    for words in broken:
        assert any(words in line for line in lines), ran.out
    assert bool(lines) == bool(broken), ran.out
    assert ran.code == (1 if broken else 0)


def test_an_engine_that_does_not_start_is_told() -> None:
    ran = kulami("engine", "--check", f"exec {UNRULY} silent")
    assert ran.out.startswith("BROKEN says ugiok")
    assert len(ran.out.splitlines()) == 1
    missing = kulami("engine", "--check", "exec ./no-such-program")
    assert missing.code == 1
    assert "no-such-program" in missing.out
