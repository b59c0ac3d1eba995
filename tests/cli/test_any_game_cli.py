"""A game that has no commands of its own has those of any game, by being in the registry."""

from __future__ import annotations

import pytest
from command_line import good, kulami

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
    assert answer == {
        "position": "1 take 2",
        "text": "1 take 2",
        "turn": "bob",
        "over": False,
        "returns": None,
    }
    assert good("dice", "moves", "--moves", "1").out == "take pass\n"
    assert good("dice", "moves", "--json").answer["turn"] is None
    ran = kulami("dice", "moves", "--moves", "1 steal")
    assert (ran.code, ran.err) == (
        2,
        "kulami: error: --moves: steal is not among ('take', 'pass')\n",
    )
