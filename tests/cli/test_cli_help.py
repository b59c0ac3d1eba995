"""Help pages: as wide as a terminal, whole, and honest about where they went."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import good

from kulami_solver.cli import build_parser

FULL = Path("/dev/full")
needs_a_full_device = pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """The parser of a command, and those of all that belong to it."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from parsers(command)


def names() -> list[str]:
    return [page.prog for page in parsers(build_parser())]


@pytest.mark.parametrize("name", names())
def test_help_fits_a_terminal_of_80_columns(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = good(*name.split()[1:], "--help").out
    assert shown.startswith(f"usage: {name} ")
    assert [line for line in shown.splitlines() if len(line) > 79] == []


def test_every_command_stands_below_one_head(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = good("--help").out
    heads = re.findall(r"^(\w.*):$", shown, re.MULTILINE)
    known = ["solve and store", "judge bots", "games of people", "play", "other games", "options"]
    assert heads == known
    (commands,) = (one for one in build_parser()._actions if isinstance(one.choices, dict))
    assert isinstance(commands.choices, dict)
    below, _, _ = shown.partition("\noptions:\n")
    assert sorted(re.findall(r"^  (\w+) +\w", below, re.MULTILINE)) == sorted(commands.choices)
    assert len(shown.splitlines()) <= 60


@pytest.mark.parametrize("columns", [60, 40, 38, 36, 20])
def test_a_wrapped_usage_loses_nothing(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for page in parsers(build_parser()):
        monkeypatch.setenv("COLUMNS", "300")
        wide = page.format_usage()
        monkeypatch.setenv("COLUMNS", str(columns))
        assert page.format_usage().split() == wide.split()


@needs_a_full_device
@pytest.mark.parametrize(
    "words",
    ["--version", "malawi solve --help", "show --layout square", "engine"],
)
def test_an_answer_that_is_lost_is_an_error(words: str) -> None:
    with FULL.open("w") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "kulami_solver", *words.split()],
            input="ugi\n",
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert ran.returncode == 2
    assert ran.stderr == "kulami: error: standard output: No space left on device\n"


@pytest.mark.parametrize("words", ["--help", "solve --help", "layout square"])
def test_a_reader_that_has_left_is_no_error(words: str) -> None:
    running = subprocess.Popen(
        [sys.executable, "-m", "kulami_solver", *words.split()],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stdout is not None
    assert running.stderr is not None
    running.stdout.close()
    assert running.stderr.read() == ""
    running.stderr.close()
    assert running.wait(timeout=60) == 0
