"""A game that has no commands of its own has those of any game, by being in the registry."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import good, kulami
from toy_game import Dice

from kulami_solver import cli
from kulami_solver.registry import GAMES


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "dice", "toy_game")


def test_its_name_is_a_command() -> None:
    parser = cli.build_parser("--help")
    assert "Dice: play, match" in parser.format_help()
    said = good("dice", "--help").out
    for command in ("show", "moves", "play", "match", "check", "grade"):
        assert f"\n    {command} " in said


def test_show_and_moves() -> None:
    assert good("dice", "show", "--moves", "1 take 2").out == "1 take 2\n1 take 2\n"
    answer = good("dice", "show", "--position", "1 take", "--moves", "2", "--json").answer
    known = {"turn": "bob", "over": False, "returns": None}
    assert answer == {"position": "1 take 2", "text": "1 take 2", **known}
    assert good("dice", "moves", "--moves", "1").out == "take pass\n"
    assert good("dice", "moves", "--json").answer["turn"] is None
    ran = kulami("dice", "moves", "--moves", "1 steal")
    said = "kulami: error: --moves: move 2: steal is not among ('take', 'pass')\n"
    assert (ran.code, ran.err) == (2, said)


def test_a_game_is_played_by_lines_from_a_pipe() -> None:
    words = ["dice", "play", "--side", "bob", "--seed", "4"]
    ran = good(*words, "--json", stdin=b"moves\ntake\nundo\ntake\npass\nquit\n")
    told = ran.answers
    by = ["start", "computer", None, "you", "computer", "computer"]
    assert [one.get("by") for one in told[:6]] == by
    assert told[2] == {"moves": ["take", "pass"]}
    assert told[-1]["over"]
    assert [one["by"] for one in told if "by" in one].count("undo") == 1
    # Nobody is shown what the others hold.
    assert all("take" not in one["position"] for one in told if "by" in one and not one["over"])
    left = good(*words, stdin=b"take\n").out.splitlines()[-1]
    assert left.startswith("to go on: --moves ")
    assert left.endswith(" --side bob --seed 4")


def test_a_game_is_saved_and_graded(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    words = ["dice", "play", "--position", "1 take", "--moves", "2", "--side", "bob"]
    told = good(*words, "--save", str(path), "--grade", "--json", stdin=b"take\npass\n").answers
    (record,) = map(json.loads, path.read_text("utf-8").splitlines())
    assert (record["start"], record["moves"][:2]) == ("1 take", ["2", "take"])
    assert record["ann"] == "random"
    assert good("dice", "grade", str(path), "--json").answer["moves"] == told[-2]["grade"]["moves"]


def test_a_match_a_check_and_a_grade(tmp_path: Path) -> None:
    games = str(tmp_path / "games.jsonl")
    words = ["dice", "match", "random", "random", "--games", "4", "--workers", "1"]
    assert good(*words, "--save", games, "--json").answer["games"] == 4
    words = ["dice", "check", "random", "--positions", "5", "--workers", "1", "--json"]
    assert good(*words).answer["positions"] == 5
    answers = good("dice", "grade", games, "--json").answers
    assert [answer["game"] for answer in answers] == [1, 2, 3, 4]
    assert all(len(answer["moves"]) == 6 for answer in answers)
    assert json.loads(Path(games).read_text("utf-8").splitlines()[1])["moves"]
    assert Dice.seats[0] in good("dice", "grade", games, "--game", "2").out
