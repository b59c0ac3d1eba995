"""docs/reference/json.md names the keys of every command's JSON, in their order."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
from documents import ROOT

from kulami_solver.cli import build_parser, main

PAGE = ROOT / "docs" / "reference" / "json.md"
SMALL = ("--layout", "AAB/CCB", "--moves", "a1")
ASKED = {
    "solve": ("solve", *SMALL, "--all"),
    "probe": ("probe", "small.kdb", *SMALL),
    "score": ("score", *SMALL),
    "moves": ("moves", *SMALL),
    "perft": ("perft", *SMALL, "--depth", "1"),
    "layout": ("layout", "AAB/CCB"),
    "show": ("show", *SMALL),
    "replay": ("replay", "games.jsonl"),
    "build": ("build", "small.kdb", *SMALL),
    "compact": ("compact", "small.kdb", "smaller.kdb"),
    "info": ("info", "small.kdb"),
    "verify": ("verify", "small.kdb"),
    "export": ("export", "small.kdb", "small.csv"),
    "prove": ("prove", "small.kpf", *SMALL),
    "estimate": ("estimate", *SMALL),
    "check": ("check", "greedy", "--positions", "2", "--workers", "1"),
    "match": ("match", "greedy", "random", "--games", "2", "--layout", "AAB/CCB", "--plies", "1"),
    "grade": ("grade", "games.jsonl"),
    "about": ("about",),
    "puzzles": ("puzzles", "puzzles.jsonl", "--count", "2"),
    "labels": ("labels", "late.npz", "--layout", "AAB/CCB", "--count", "2", "--free", "5"),
}


def keys_of() -> dict[str, list[str]]:
    """What the page says, by command."""
    rows = re.findall(r"^\| (`kulami .*?) \| `(.*?)`", PAGE.read_text(encoding="utf-8"), re.M)
    return {
        command: keys.split()
        for commands, keys in rows
        for command in re.findall(r"`kulami (\w+)`", commands)
    }


def test_every_command_is_there() -> None:
    (commands,) = (a for a in build_parser()._actions if isinstance(a.choices, dict))
    assert isinstance(commands.choices, dict)
    elsewhere = {"malawi", "just4fun", "hagen", "engine"}  # games; records; no answers
    assert set(keys_of()) == set(commands.choices) - elsewhere
    assert set(ASKED) == set(keys_of()) - {"play", "serve", "completion"}


def test_every_command_says_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    start = {"board": ["AAB", "CCB"], "level": 0, "first": "red", "moves": ["a1", "c1"]}
    Path("games.jsonl").write_text(json.dumps(start | {"score": {"red": 2, "black": 2}}) + "\n")
    keys = keys_of()
    for name in sorted(ASKED, key=lambda name: name != "build"):
        assert main([*ASKED[name], "--json"]) == 0, name
        answer = json.loads(capsys.readouterr().out.splitlines()[0])
        assert list(answer) == keys[name], name
    for asked in (["small.kdb"], ["--database", "."]):  # of a position that is not there
        assert main(["probe", *asked, "--layout", "AAB/AAC", "--json"]) == 1
        answer = json.loads(capsys.readouterr().out)
        assert list(answer) == keys["probe"]
        assert not any(answer[key] for key in set(keys["probe"]) - {"kfn", "scoring", "goal"})


SIBLINGS: dict[str, list[tuple[str, ...]]] = {
    "malawi": [
        ("solve", "--board", "2x3"),
        ("solve", "--board", "2x3", "--all"),
        ("solve", "--mfn", "b2b2/../r2r2 r"),
        ("build", "small.kdb", "--board", "2x3"),
        ("probe", "small.kdb", "--board", "2x3"),
        ("info", "small.kdb"),
        ("verify", "small.kdb"),
        ("match", "greedy", "random", "--games", "2", "--board", "2x3"),
        ("check", "greedy", "--board", "2x3", "--positions", "2", "--workers", "1"),
    ],
    "just4fun": [
        ("solve", "--deal", "7", *(tiny := ("--board", "2x2", "--stones", "1", "--line", "2"))),
        ("expect", "--deal", "7", *tiny),
        ("odds",),
        ("show", "--deal", "7"),
        ("advise", "--deal", "7", *tiny),
    ],
}


def keys_of_sibling(game: str) -> dict[str, list[str]]:
    """What the page of a sibling says, by command."""
    text = (PAGE.parent.parent / f"{game}.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(?:kulami \w+|\.\.\.) (\w+).*\| `(\w+ .*)` \|$", text, re.M)
    return {name: re.sub(r":\[\{.*?\}\]", "", keys).split() for name, keys in rows}


@pytest.mark.parametrize("game", SIBLINGS)
def test_every_command_of_a_sibling_says_that(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    keys = keys_of_sibling(game)
    for words in SIBLINGS[game]:
        assert main([game, *words, "--json"]) == 0, words
        answer = json.loads(capsys.readouterr().out.splitlines()[0])
        assert list(answer) == keys[words[0]], words
    if game == "malawi":  # of a position that is not there
        assert main([game, "probe", "small.kdb", "--board", "2x4", "--json"]) == 1
        assert list(json.loads(capsys.readouterr().out)) == keys["probe"]


def test_play_says_that(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
    main(["play", *SMALL, "--bot", "greedy", "--json"])
    first = capsys.readouterr().out.splitlines()[0]
    assert list(json.loads(first)) == keys_of()["play"]


@pytest.mark.parametrize("words", [("malawi", "--board", "2x3"), ("just4fun", "--deal", "7")])
def test_play_of_a_sibling_says_that(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
    main([words[0], "play", *words[1:], "--json"])
    first = capsys.readouterr().out.splitlines()[0]
    page = (PAGE.parent.parent / f"{words[0]}.md").read_text(encoding="utf-8")
    (keys,) = re.findall(r"`(by [^`]*)`", page)
    assert list(json.loads(first)) == keys.split()
