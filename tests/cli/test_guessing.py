"""Guess the move: a recorded game gone through from one side, at the terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import kulami

from kulami_solver import Layout, Position
from kulami_solver.bots import grade
from kulami_solver.cli import session
from kulami_solver.kulami.game_record import GameRecord

# Black's second marble spoils a draw: c1 keeps it.
SPOILT = ("--layout", "AAB/CCB", "--moves", "a1 a2")
LONGER = ("--layout", "AABB/AABB/CCDD", "--moves", "a1 c1 c3 a3 a2 c2")


def told(*command: str, typed: str) -> list[dict[str, object]]:
    ran = kulami("grade", *command, "--json", stdin=typed.encode())
    assert ran.code == 0
    return [json.loads(line) for line in ran.out.splitlines()]


def test_what_a_guess_and_the_move_of_the_game_are_worth() -> None:
    asked, guessed, end = told(*SPOILT, "--guess", "black", typed="c1\n")
    assert (asked["by"], asked["ply"], asked["colour"]) == ("position", 2, "black")
    assert (guessed["guess"], guessed["guess_margin"], guessed["guess_cost"]) == ("c1", 0, 0)
    (judged,) = (json.loads(line) for line in kulami("grade", *SPOILT, "--json").out.splitlines())
    assert judged["moves"][1].items() <= guessed.items()
    assert guessed["field"] == "a2"
    score = {"guessed": 1, "best": 1, "lost": 0, "game_best": 0, "game_lost": 2}
    assert end == {"by": "end", **score}


def test_ctrl_c_leaves_the_score(monkeypatch: pytest.MonkeyPatch) -> None:
    def typed(prompt: object) -> Iterator[str]:
        yield "c1"
        raise KeyboardInterrupt

    monkeypatch.setattr(session, "entered", typed)
    ran = kulami("grade", *LONGER, "--guess", "black")
    assert ran.code == 130
    assert ran.out.splitlines()[-1] == "1 of 1 guess best, lost 0; in the game 1, lost 0"
    assert ran.err == "kulami: interrupted: 2 moves were left\n"


def test_the_game_is_the_one_asked_for(tmp_path: Path) -> None:
    games = tmp_path / "games.jsonl"
    start = Position(Layout.parse("AAB/CCB"))
    lines = [GameRecord.played(start, moves, "0").to_json() for moves in ("a1 a2", "a1 c1")]
    games.write_text("".join(json.dumps(line) + "\n" for line in lines))
    for words, played in (((), "a2"), (("--game", "2"), "c1")):
        assert told(str(games), *words, "--guess", "black", typed="c1\n")[1]["field"] == played


def test_nothing_is_guessed_where_nothing_is_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grade, "NODES", 1)
    ran = kulami("grade", "--layout", "square", "--moves", "d4 d7", "--guess", "red")
    assert (ran.code, ran.out) == (2, "")
    assert "no move of red has both a choice and exact values" in ran.err
