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
        ("crash", ["go movetime 200"]),
        ("nonsense", ["go movetime 200", "go nodes 100", "a clock", "skips words", "uginewgame"]),
        ("twice", ["answers once"]),
        ("few", []),
        # These wait for the patience of an arena again and again: some ten seconds each.
        pytest.param("hang", ["go movetime 200"], marks=pytest.mark.nightly),
        pytest.param("chatter", ["go movetime 200"], marks=pytest.mark.nightly),
        pytest.param("late", ["go movetime 200"], marks=pytest.mark.nightly),
        pytest.param("silent", ["says ugiok"], marks=pytest.mark.nightly),
    ],
)
def test_what_is_broken_is_told(how: str, broken: list[str]) -> None:
    ran = kulami("engine", "--check", f"exec {UNRULY} {how}")
    lines = [line for line in ran.out.splitlines() if line.startswith("BROKEN")]
    for words in broken:
        assert any(words in line for line in lines), ran.out
    assert bool(lines) == bool(broken), ran.out
    assert ran.code == (1 if broken else 0)


def test_a_program_that_does_not_start_is_told() -> None:
    ran = kulami("engine", "--check", "exec ./no-such-program")
    assert ran.code == 1
    assert ran.out.startswith("BROKEN says ugiok")
    assert "no-such-program" in ran.out
    assert len(ran.out.splitlines()) == 1
