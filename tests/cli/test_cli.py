"""What the commands answer, in JSON and in words."""

from __future__ import annotations

import json
import os
import pathlib
import re
import xml.etree.ElementTree as ET

import pytest
from command_line import FINISHED, RULEBOOK, SMALL, SQUARE, good, kulami

import kulami_solver as ks
from kulami_solver.drawing import text
from kulami_solver.kulami.drawing.render import board_ansi

EMPTY = f"{SMALL} - r -"
KEYS = "kfn scoring goal exact margin outcome lower upper best line moves nodes seconds"
ENDLESS = ["--layout", "square"]


# Positions


@pytest.mark.parametrize(
    ("moves", "legal"),
    [
        ("d6", "a6 e6 f6 g6 h6 d1 d2 d3 d4 d7 d8 d9"),
        ("d6 d3", "b3 c3 f3 g3 h3 i3 d1 d2 d7 d8 d9"),
        ("d6,d3, i3", "b3 c3 f3 g3 i8"),
    ],
)
def test_moves_of_the_rulebook(moves: str, legal: str) -> None:
    for name in (RULEBOOK, "rulebook"):
        ran = good("moves", "--layout", name, "--moves", moves, "--json")
        assert sorted(ran.answer["moves"]) == sorted(legal.split())
    ran = good("moves", "--layout", RULEBOOK, "--moves", moves)
    assert sorted(ran.out.split()) == sorted(legal.split())
    assert ran.err == ""


def test_every_way_to_give_a_position() -> None:
    played = ks.Position(ks.Layout.rulebook(), first="black").play_all("d6 d3")
    board = ["--layout", RULEBOOK, "--first", "black"]
    ways = [
        ["--kfn", played.kfn()],
        [*board, "--moves", "d6 d3"],
        ["--kfn", ks.Position(ks.Layout.rulebook(), first="black").kfn(), "--moves", "d6 d3"],
    ]
    for way in ways:
        assert good("moves", *way, "--json").answer["kfn"] == played.kfn()


def test_hagen_and_kbn() -> None:
    played = ks.Position(ks.Layout.rulebook(), first="red").play_all("d6 d3")
    hagen = good("show", "--kfn", played.kfn(), "--as", "hagen")
    assert "warning" in hagen.err, "what the notation loses is said"
    text = hagen.out.strip()
    assert len(text) == 200
    back = good("show", "--hagen", text, "--turn", "red", "--last", "d3,d6", "--as", "kbn")
    kbn = back.out.strip()
    assert len(kbn) == 200
    answer = good("moves", "--kbn", kbn, "--json").answer
    assert len(answer["moves"]) == len(played.legal_fields)
    assert answer["turn"] == "red"
    more = good("moves", "--kbn", kbn, "--moves", played.legal_fields[0], "--json").answer
    assert more["turn"] == "black"


def test_marbles_and_short_end() -> None:
    one_each = ["moves", "--kfn", EMPTY, "--marbles", "1", "--moves", "a1"]
    assert good(*one_each, "--json").answer["moves"]
    assert good(*one_each, "--short-end", "--json").answer["moves"] == []
    assert "over" in good(*one_each, "--short-end").out


def test_files_of_positions(tmp_path: pathlib.Path) -> None:
    lines = f"\N{ZERO WIDTH NO-BREAK SPACE}# two positions\n{EMPTY}\r\n\n  {FINISHED}".encode()
    file = tmp_path / "positions.kfn"
    file.write_bytes(lines)
    for ran in (good("moves", "--input", str(file)), good("moves", "--input", "-", stdin=lines)):
        assert [a["kfn"] for a in ran.answers] == [EMPTY, FINISHED]
        assert ran.answers[1]["moves"] == []
    assert good("moves", "--input", "-", stdin=b"").out == ""


def test_warnings_are_one_line_for_each_layout() -> None:
    parted = "AA.BB - r -"
    batch = f"{EMPTY}\n{parted}\n{parted}\nA.B - r -\nA - r -\n"
    lines = good("moves", "--input", "-", stdin=batch.encode()).err.splitlines()
    assert len(lines) == 2, "of small boards in one piece nothing is said"
    assert all(line.startswith("kulami: warning: not in one piece") for line in lines)
    assert good("moves", "--layout", "square").err == ""


# Commands


@pytest.mark.parametrize(
    ("scoring", "red", "black"), [("0", 31, 27), ("1", 31, 32), ("2", 31, 35), ("chains", 31, 30)]
)
def test_score_of_the_rulebook(scoring: str, red: int, black: int) -> None:
    answer = good("score", "--kfn", FINISHED, "--scoring", scoring, "--json").answer
    assert (answer["red"], answer["black"]) == (red, black)
    assert answer["margin"] == black - red, "black is to move"
    assert answer["over"] is True
    assert answer["panels"] == {"red": 31, "black": 27}
    assert answer["area"] == {"red": 12, "black": 17}
    assert answer["chains"] == {"red": 12, "black": 15}
    words = good("score", "--kfn", FINISHED, "--scoring", scoring).out
    leader = "red" if red > black else "black"
    assert f"{leader} wins by {abs(red - black)}" in words
    assert ("not counted" in words) == (scoring != "2")


def test_score_of_a_game_going_on() -> None:
    assert "level, red to move" in good("score", "--kfn", EMPTY).out
    ran = good("score", "--kfn", EMPTY, "--moves", "a1")
    assert "red leads by 3, black to move" in ran.out
    answer = good("score", "--kfn", EMPTY, "--moves", "a1", "--json").answer
    assert (answer["red"], answer["margin"], answer["over"]) == (3, -3, False)


def test_perft() -> None:
    counts = good("perft", "--layout", SQUARE, "--depth", "3", "--json").answer["counts"]
    assert counts == ks.Position(ks.Layout.square()).perft(3)
    assert counts[0] == 64
    words = good("perft", "--layout", SQUARE, "--depth", "3").out
    assert all(f"{count:,}" in words for count in counts)
    ran = good("perft", "--layout", "A", "--depth", "64", "--json")
    assert ran.answer["counts"] == [1] * 64


def test_solve_in_json() -> None:
    position = ks.Position.from_kfn(EMPTY)
    for scoring in ("0", "1", "2", "chains"):
        answer = good("solve", "--kfn", EMPTY, "--scoring", scoring, "--all", "--json").answer
        assert set(answer) >= set(KEYS.split())
        solution = ks.solve(position, scoring=ks.Scoring.parse(scoring))
        assert answer["exact"] is True
        assert answer["margin"] == answer["lower"] == answer["upper"] == solution.margin
        assert answer["kfn"] == EMPTY
        assert answer["scoring"] == scoring
        assert answer["goal"] == "margin"
        values = {move["field"]: move["margin"] for move in answer["moves"]}
        assert set(values) == set(position.legal_fields)
        assert max(values.values()) == values[answer["best"]] == answer["margin"]
        end = position.play_all(answer["line"])
        assert end.is_over
        assert end.score(ks.Scoring.parse(scoring)).margin == answer["margin"], "red began"


def test_solve_for_the_outcome() -> None:
    margin = good("solve", "--kfn", EMPTY, "--json").answer["margin"]
    answer = good("solve", "--kfn", EMPTY, "--goal", "outcome", "--json").answer
    assert answer["goal"] == "outcome"
    assert answer["outcome"] == ("win" if margin > 0 else "loss" if margin < 0 else "draw")
    assert answer["lower"] <= margin <= answer["upper"]
    words = good("solve", "--kfn", EMPTY, "--goal", "outcome").out
    assert ("red wins" if margin > 0 else "black wins" if margin < 0 else "draw") in words


def test_solve_in_words() -> None:
    answer = good("solve", "--kfn", EMPTY, "--all", "--json").answer
    ran = good("solve", "--kfn", EMPTY, "--all", "--threads", "1", "--memory", "1M")
    assert f"by {abs(answer['margin'])}" in ran.out or answer["margin"] == 0
    assert f"best      {answer['best']}" in ran.out
    assert "searched" in ran.out
    table = ran.out[ran.out.index("moves ") : ran.out.index("searched")].splitlines()
    assert len(table) == len(answer["moves"])
    over = good("solve", "--kfn", FINISHED).out
    assert "the game is over: red wins by 4" in over


def test_solve_many_side_by_side(tmp_path: pathlib.Path) -> None:
    start = ks.Position.from_kfn(EMPTY)
    children = [start.play(field).kfn() for field in start.legal_fields]
    lines = "".join(f"{kfn}\n" for kfn in children).encode()
    file = tmp_path / "positions.kfn"
    file.write_bytes(lines)
    in_turn = good("solve", "--input", str(file)).answers
    assert [answer["kfn"] for answer in in_turn] == children
    for ran in (
        good("solve", "--input", str(file), "--threads", "3"),
        good("solve", "--input", "-", "--threads", "2", "--memory", "1M", stdin=lines),
    ):
        assert [answer["kfn"] for answer in ran.answers] == children
        assert [a["margin"] for a in ran.answers] == [a["margin"] for a in in_turn]
        assert ran.err == ""
    said = kulami("solve", "--input", str(file), "--threads", "256", "--memory", "16T")
    assert said.code == 2
    assert said.err.startswith("kulami: error: --memory: 256 tables of ")


@pytest.mark.parametrize("budget", [["--nodes", "20000"], ["--time", "0.2"]])
def test_a_budget_gives_bounds(budget: list[str]) -> None:
    answer = good("solve", *ENDLESS, *budget, "--json").answer
    assert answer["exact"] is False
    assert answer["margin"] is None
    assert answer["lower"] <= answer["upper"]
    assert "not proved yet" in good("solve", *ENDLESS, *budget).out


def record(**changes: object) -> bytes:
    game: dict[str, object] = {
        "board": ["AAB", "CCB"],
        "level": 0,
        "first": "red",
        "moves": ["a1", "a2"],
        "score": {"red": 2, "black": 2},
    }
    return json.dumps({**game, **changes}).encode() + b"\n"


def test_replay() -> None:
    moves: list[str] = []
    position = ks.Position(ks.Layout.parse("AAB/CCB"))
    while not position.is_over:
        moves.append(position.legal_fields[0])
        position = position.play(moves[-1])
    score = position.score()
    right = record(moves=moves, score={"red": score.red, "black": score.black})
    wrong = record(moves=moves, score={"red": score.red + 1, "black": score.black})
    ran = good("replay", "-", "--json", stdin=right + b"\n" + right)
    assert (ran.answer["games"], ran.answer["disagree"]) == (2, 0)
    assert "2 games" in good("replay", "-", stdin=right + right).out
    ran = kulami("replay", "-", "--json", stdin=right + wrong)
    assert ran.code == 1
    assert (ran.answer["games"], ran.answer["disagree"]) == (2, 1)
    ran = kulami("replay", "-", stdin=wrong)
    assert ran.code == 1
    assert "record 1: " in ran.out
    ran = kulami("replay", "-", stdin=record(moves=["a1", "a1"]))
    assert ran.code == 1
    assert "taken" in ran.out
    assert "no game record" in good("replay", "-", "--json", stdin=b"# none\n").err


@pytest.mark.parametrize("name", ["square", "rulebook", SMALL, "A", "AA.\n.BB"])
def test_layout(name: str) -> None:
    named = {"square": ks.Layout.square, "rulebook": ks.Layout.rulebook}
    layout = named[name]() if name in named else ks.Layout.parse(name)
    ran = good("layout", name, "--json")
    assert ran.answer["layout"] == str(layout)
    assert ran.answer["panels"] == len(layout.panels) == len(ran.answer["shapes"])
    assert ran.answer["fields"] == len(layout)
    assert ran.answer["warnings"] == list(layout.warnings)
    assert bool(ran.err) == bool(layout.warnings)
    ran = good("layout", name)
    assert str(layout) in ran.out
    assert f"{len(layout)} fields" in ran.out


@pytest.mark.parametrize("options", [[], ["--irregular"]])
def test_random_layouts(options: list[str]) -> None:
    first, again = (good("layout", "--random", "5", *options, "--json").answer for _ in "12")
    assert first == again
    assert first["layout"] == str(ks.Layout.random(5, irregular=bool(options)))
    assert (first["panels"], first["fields"], first["warnings"]) == (17, 64, [])


def test_show(monkeypatch: pytest.MonkeyPatch) -> None:
    position = ks.Position.from_kfn(EMPTY)
    assert good("show", "--kfn", EMPTY).out == position.text() + "\n"
    assert good("show", "--kfn", EMPTY, "--color", "always").out == board_ansi(position) + "\n"
    assert good("show", "--kfn", EMPTY, "--as", "kfn").out == EMPTY + "\n"
    assert good("show", "--kfn", EMPTY, "--json").answer["kfn"] == EMPTY
    monkeypatch.setattr(text, "wants_colour", lambda stream: True)
    assert good("show", "--kfn", EMPTY).out == board_ansi(position) + "\n"
    assert good("show", "--kfn", EMPTY, "--color", "never").out == position.text() + "\n"


def test_show_writes_drawings(tmp_path: pathlib.Path) -> None:
    svg, link = tmp_path / "board.svg", tmp_path / "link.svg"
    assert str(svg) in good("show", "--kfn", FINISHED, "--svg", str(svg)).out
    assert ET.parse(svg).getroot().tag.endswith("svg")
    svg.write_text("<svg>old</svg>")
    svg.chmod(0o640)
    link.symlink_to(svg)
    assert good("show", "--kfn", FINISHED, "--svg", str(link), "--json").answer["svg"] == str(link)
    assert link.is_symlink()
    assert svg.stat().st_mode & 0o777 == 0o640
    assert ET.parse(svg).getroot().tag.endswith("svg")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["board.svg", "link.svg"]
    assert good("show", "--kfn", EMPTY, "--svg", "/dev/null", "--as", "kfn").out == EMPTY + "\n"


def test_show_writes_pictures(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("PIL", reason="pictures need the png extra")
    png = tmp_path / "board.png"
    good("show", "--kfn", FINISHED, "--png", str(png))
    assert png.read_bytes().startswith(b"\x89PNG")


def test_a_failed_drawing_leaves_the_old_one(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    svg = tmp_path / "board.svg"
    svg.write_text("<svg>old</svg>")

    def fail(source: object, target: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    ran = kulami("show", "--kfn", EMPTY, "--svg", str(svg))
    assert ran.code == 2
    assert "No space left" in ran.err
    assert svg.read_text() == "<svg>old</svg>"
    assert list(tmp_path.iterdir()) == [svg]


def test_a_bot_moves_no_cursor(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """What a bot says of its failure is shown, but its control characters are written out."""
    (tmp_path / "loud.py").write_text(
        "class Loud:\n    def choose(self, position):\n"
        "        raise ValueError('\\x1b[2J\\x1b]0;mine\\x07 \\x9b1A \\u202e done')\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    ran = kulami("match", "loud:Loud", "random", "--games", "2", "--layout", "AAB/CCB")
    for told in (ran.out, capfd.readouterr().err):
        assert "done" in told
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", told)
