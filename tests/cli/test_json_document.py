"""docs/reference/json.md names the keys of every command's JSON, in their order."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from command_line import good
from documents import ROOT
from transcripts import recorded

from kulami_solver.cli import build_parser

PAGE = ROOT / "docs" / "reference" / "json.md"
# What tests/transcripts.txt has no answers of.
ASKED = {
    "estimate": ("--layout", "AAB/CCB", "--moves", "a1"),
    "engine": ("--check", f"exec {sys.executable} -m kulami_solver engine"),
    "prove": ("small.kpf", "--layout", "AAB/CCB"),
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
            answer = json.loads(re.sub(r'": N\b', '": 0', said))
            found.setdefault(named[0], []).append([*answer])
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
