"""Help pages: as wide as a terminal, whole, and honest about where they went."""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import FINISHED, good, process
from documents import ROOT
from transcripts import recorded

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
    assert len(shown.splitlines()) <= 60
    assert re.match(r"usage: .*\n(  .*\n)*\n.*\n\nexamples?\n", shown)


def test_every_command_stands_below_one_head(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = good("--help").out
    heads = re.findall(r"^(\w.*):$", shown, re.MULTILINE)
    known = ["solve and store", "judge bots", "games of people", "play", "other games", "options"]
    assert heads == known
    (commands,) = (one for one in build_parser()._actions if isinstance(one.choices, dict))
    assert isinstance(commands.choices, dict)
    below, _, _ = shown.partition("\noptions:\n")
    assert sorted(re.findall(r"^  (\w+)  +\w", below, re.MULTILINE)) == sorted(commands.choices)


@pytest.mark.parametrize("columns", [60, 40, 38, 36, 20])
def test_a_wrapped_usage_loses_nothing(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for page in parsers(build_parser()):
        monkeypatch.setenv("COLUMNS", "300")
        wide = page.format_usage()
        monkeypatch.setenv("COLUMNS", str(columns))
        assert page.format_usage().split() == wide.split()


@needs_a_full_device
@pytest.mark.parametrize(
    "words", ["--version", "malawi solve --help", "show --layout square", "engine"]
)
def test_an_answer_that_is_lost_is_an_error(words: str) -> None:
    with FULL.open("w") as full:
        running = process(*words.split(), stdout=full)
        _, err = running.communicate("ugi\n")
    assert running.returncode == 2
    assert err == "kulami: error: standard output: No space left on device\n"


@pytest.mark.parametrize("words", ["--help", "layout square", "moves --input -"])
def test_a_reader_that_has_left_is_no_error(words: str) -> None:
    """Neither before the first answer nor after it."""
    with process(*words.split()) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        assert running.stderr is not None
        if "--input" in words:
            running.stdin.write(f"{FINISHED}\n")
            running.stdin.flush()
            running.stdout.readline()
        running.stdout.close()
        with contextlib.suppress(BrokenPipeError):
            running.stdin.write(f"{FINISHED}\n")
            running.stdin.close()
        assert running.stderr.read() == ""
        assert running.wait(timeout=60) == 0


PAGE = ROOT / "docs" / "reference" / "json.md"
# What tests/transcripts.txt has no answers of.
ASKED = {
    "estimate": ("--layout", "AAB/CCB", "--moves", "a1"),
    "engine": ("--check", f"exec {sys.executable} -m kulami_solver engine"),
    "prove": ("small.kpf", "--layout", "AAB/CCB"),
    "rules": (),
    "match": ("greedy", "random", "--games", "2", "--layout", "AAB/CCB", "--plies", "1"),
    "malawi match": ("greedy", "random", "--games", "2", "--board", "2x3"),
    "labels": ("late.parquet", "--layout", "AAB/CCB", "--count", "2", "--free", "5"),
}


def keys_of() -> dict[str, list[str]]:
    """What the pages say, by command."""
    text = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`kulami .*?) \| `(.*?)`", text, re.M)
    found = {name: keys for names, keys in rows for name in re.findall(r"`kulami (\w+)`", names)}
    for game in ("malawi", "just4fun"):
        text = (PAGE.parent.parent / f"{game}.md").read_text(encoding="utf-8")
        rows = re.findall(r"^\| `(?:kulami \w+|\.\.\.) (\w+).*\| `(\w+ .*)` \|$", text, re.M)
        found |= {f"{game} {name}": re.sub(r":\[\{.*?\}\]", "", keys) for name, keys in rows}
        (found[f"{game} play"],) = re.findall(r"`(by [^`]*)`", text)
    return {name: keys.split() for name, keys in found.items()}


def answers() -> dict[str, list[list[str]]]:
    """The keys of recorded answers, by command."""
    found: dict[str, list[list[str]]] = {}
    for section in recorded().values():
        for line, said in re.findall(r"^\$ kulami (.*--json.*)\n\| (\{.*)$", section, re.M):
            named = re.match(r"(?:malawi |just4fun )?\w+", line)
            assert named is not None
            found.setdefault(named[0], []).append([*json.loads(re.sub(r'": N\b', '": 0', said))])
    return found


def test_every_command_is_there() -> None:
    (commands,) = (a for a in build_parser()._actions if isinstance(a.choices, dict))
    assert isinstance(commands.choices, dict)
    elsewhere = {"malawi", "just4fun", "hagen"}  # games; records
    named = keys_of().keys()
    assert {name for name in named if " " not in name} == set(commands.choices) - elsewhere
    unasked = named - ASKED.keys() - answers().keys()
    assert unasked == {"serve"}, unasked


def test_recorded_answers_have_these_keys() -> None:
    """An answer of each command has; those to other questions may have others."""
    recorded = answers()
    for name, keys in keys_of().items():
        assert name not in recorded or keys in recorded[name], name


def test_every_command_says_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, words in ASKED.items():
        answer = json.loads(good(*name.split(), *words, "--json").out.splitlines()[0])
        assert [*answer] == keys_of()[name], name
