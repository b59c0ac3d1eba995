"""How well players did, in a game and over several."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import good, kulami

from kulami_solver import Layout, Position
from kulami_solver.bots.accuracy import GradedGame, accuracies, accuracy_table, players_of
from kulami_solver.bots.grade import Grade, grade
from kulami_solver.kulami.game import state_of

BOARD = "AABBC/AABBC/DDEEC"
BAD = {
    "board": "AAB/CCB",
    "level": 0,
    "first": "red",
    "moves": ["a1", "a2", "c2"],
    "score": {"red": 4, "black": 2},
}


@pytest.fixture(scope="module")
def found() -> Grade:
    """A whole game, solved from its first move: the last legal field each time."""
    position = Position(Layout.parse(BOARD))
    moves = []
    while not position.is_over:
        moves.append(position.legal_fields[-1])
        position = position.play(moves[-1])
    graded = grade(state_of(Position(Layout.parse(BOARD))), moves)
    assert graded.first_ply == 1
    assert len(moves) >= 6
    return graded


def test_players_are_counted_over_their_games(found: Grade) -> None:
    games = [
        GradedGame("a 1", replace(found, players={"red": "Ann", "black": "Bob"})),
        GradedGame("a 2", replace(found, players={"red": "Bob", "black": "Ann"})),
        GradedGame("a 3", replace(found, players={"red": "Cleo", "black": "Cleo"})),
    ]
    both = [found.of(seat) for seat in ("red", "black")]
    counted = accuracies(games)
    assert [counted[name]["games"] for name in ("Ann", "Bob", "Cleo")] == [2, 2, 1]
    for player in counted.values():
        for key in ("moves", "optimal", "lost"):
            assert player[key] == sum(seat[key] for seat in both)
    text = accuracy_table(games).splitlines()
    assert text[0] == "3 games"
    assert sum(line.endswith(", 2 games") for line in text) == 2


def test_names_are_those_of_the_record() -> None:
    seats = ("red", "black")
    assert players_of({"red": "x", "headers": {"Red": "y"}}, seats)["red"] == "x"
    assert players_of({"red": 7, "headers": []}, seats) == {"red": "red", "black": "black"}
    assert players_of(None, seats) == {"red": "red", "black": "black"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = [json.dumps(BAD | {"red": "Ann"}), json.dumps(BAD | {"black": "Ann"})]
    (tmp_path / "b.jsonl").write_text("\n".join(lines))
    (tmp_path / "a.jsonl").write_text(lines[0])
    (tmp_path / "README.md").write_text("no games")
    # What is no file of games: other systems put hidden files beside each file.
    (tmp_path / "._a.jsonl").write_bytes(b"\0\5\26\7\0\2\0\0Mac OS X        ")
    (tmp_path / "c.jsonl").symlink_to("nowhere")
    (tmp_path / "d.json").mkdir()
    return tmp_path


def test_a_folder_of_games(folder: Path) -> None:
    *games, last = good("grade", str(folder), "--json").answers
    files = [Path(game["file"]).name for game in games]
    assert files == ["a.jsonl", "b.jsonl", "b.jsonl"]
    assert [game["game"] for game in games] == [1, 1, 2]
    assert last["games"] == 3
    assert (last["players"]["Ann"]["games"], last["players"]["Ann"]["lost"]) == (3, 2)
    assert good("grade", f"{folder}/a.jsonl", f"{folder}/b.jsonl", "--json").answers[-1] == last
    out = good("grade", str(folder)).out
    assert "b.jsonl, game 2: 3 moves" in out
    assert out.splitlines()[-1].startswith("red ")


@pytest.mark.parametrize("form", ["text", "json", "key"])
def test_players_are_named(form: str) -> None:
    start = json.dumps(BAD)[:-1]
    text = {
        "text": '[Layout "AAB/CCB"]\n[Red "Anna"]\n1. a1 a2 2. c2 4-2',
        "json": start + ', "headers": {"Red": "Anna"}}',
        "key": start + ', "red": "Anna"}',
    }[form]
    out = good("grade", "-", stdin=text.encode()).out
    assert re.search(r"^  1  Anna +a1 ", out, re.MULTILINE)
    assert re.search(r"^  2  black +a2 ", out, re.MULTILINE)
    assert re.search(r"^Anna \(red\) +100 %", out, re.MULTILINE)


TAKEN = "a1 c1 c3 a1 b3"  # the fourth is taken

UNFINISHED = {
    "text": f"Layout: {BOARD}\n1. {TAKEN} 3-2\n\nLayout: {BOARD}\n1. a1 c1 *\n",
    "moves": json.dumps({"board": BOARD.split("/"), "level": 0, "first": "red", "moves": TAKEN}),
    "list": json.dumps({**BAD, "board": BOARD, "moves": TAKEN.split()}),
    "malawi": json.dumps({"board": "2x3", "moves": ["a3xa1", "zz"], "winner": "red"}),
}


@pytest.mark.parametrize("form", UNFINISHED)
def test_what_is_before_an_illegal_move_is_judged(form: str, tmp_path: Path) -> None:
    """Then the move is told of, and the games after it are judged as always."""
    path = tmp_path / "games.txt"
    path.write_text(UNFINISHED[form], encoding="utf-8")
    ran = kulami(*["malawi"] * (form == "malawi"), "grade", str(path), "--json")
    judged = [json.loads(line) for line in ran.out.splitlines()]
    plies = {"text": [3, 2], "malawi": [1]}.get(form, [3])
    assert ran.code == 2
    assert [game["plies"] for game in judged] == plies
    assert [len(game["moves"]) for game in judged] == plies
    (error,) = ran.err.splitlines()
    assert f"game record 1: move {plies[0] + 1}: " in error
