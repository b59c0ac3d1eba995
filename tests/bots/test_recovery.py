"""`kulami match --recover`: games in which a bot crashes go on, or are played once more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import good, kulami
from test_engine import unruly

from kulami_solver.bots.match import Result
from kulami_solver.bots.tournament import Tournament

SHORT = ("--layout", "AABBCC/DDDEEE/FFGGHH", "--plies", "10", "--games", "2")

#: It crashes at its first move of all, and at no other.
UNLUCKY = """\
import os


class Unlucky:
    def choose(self, position):
        if not os.path.exists("crashed"):
            open("crashed", "w").close()
            os._exit(3)
        return position.legal_fields[0]
"""


@pytest.fixture
def unlucky(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "unlucky.py").write_text(UNLUCKY, encoding="ascii")
    monkeypatch.chdir(tmp_path)
    return "unlucky.py"


def records_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines() if line[0] != "#"]


def test_without_it_a_crash_loses_the_game(unlucky: str) -> None:
    found = good("match", unlucky, "greedy", *SHORT, "--json").answer
    assert [fault["game"] for fault in found["faults"]] == [1]
    assert found["crashes"] == [1, 0]


@pytest.mark.parametrize("how", ["move", "game"])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_one_crash_costs_nothing(how: str, workers: str, unlucky: str, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    words = ["match", unlucky, "greedy", *SHORT, "--recover", how, "--workers", workers]
    ran = good(*words, "--save", str(path))
    assert "crashes  unlucky.py: 1 time in all, 0 of its games lost by them" in ran.out
    (crashed,) = [record for record in records_of(path) if "crashes" in record]
    assert crashed["crashes"]["red" if crashed["red"] == unlucky else "black"] == 1
    assert good("replay", str(path), "--json").answer["disagree"] == 0
    again = good(*words, "--save", str(path), "--json").answer
    assert (again["from_file"], again["crashes"], again["faults"]) == (2, [1, 0], [])


def test_a_program_goes_on_after_each_crash() -> None:
    """This one crashes at every second move."""
    words = ["match", "greedy", unruly("second"), *SHORT, "--json"]
    found = good(*words, "--recover", "move").answer
    assert found["faults"] == []
    assert found["crashes"][1] >= 2
    found = kulami(*words, "--recover", "game").answer
    assert [fault["fault"] for fault in found["faults"]] == ["crash", "crash"]
    assert found["crashes"] == [0, 4]  # each game was tried twice


def test_who_crashes_at_once_again_loses() -> None:
    ran = kulami("match", "greedy", unruly("crash"), *SHORT, "--recover", "move", "--json")
    assert ran.code == 1
    assert [fault["fault"] for fault in ran.answer["faults"]] == ["crash", "crash"]


def test_a_tournament_counts_crashes_by_bot() -> None:
    tournament = Tournament(["a", "b", "c"])
    tournament.add(0, [Result(0, 9, 1, crashes=(0, 2)), Result(0, 9, 1, crashes=(1, 0))])
    tournament.add(2, [Result(0, 9, 1), Result(1, 9, 1, forfeit=0, fault="crash", crashes=(0, 3))])
    assert tournament.crashes == tournament.to_json()["crashes"] == [0, 6, 1]
    assert "crashes  b: 6 times in all, 0 of its games lost by them" in tournament.text()
    assert "crashes  c" not in tournament.text()
