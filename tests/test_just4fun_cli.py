"""`kulami just4fun`: keys, words, exit codes, bad input and files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import good, kulami

from kulami_solver.just4fun import Board, Position, deal, random_game, record_of

SMALL = ("--position", "3x3 5:b1 r2b1 r r1.2,b2.3 4.1 -", "--line", "3", "--hand", "2")
HIDDEN = ("--position", "2006 - r20b20 r r1.4.7.12,b? - {2.5}")


# show


def test_show_draws_and_says_the_line_to_go_on_with() -> None:
    out = good("just4fun", "show", *SMALL, "--moves", "3=1+2").out
    assert "│  3 r1  │" in out
    assert out.splitlines()[-2].startswith("blue to move")
    assert out.splitlines()[-1] == "3x3 3:r1,5:b1 r1b1 b r1.4,b2.3 - {1.2}"
    answer = good("just4fun", "show", *SMALL, "--json").answer
    assert (answer["turn"], answer["over"], answer["winner"]) == ("red", False, None)
    assert answer["left"] == {"red": 2, "blue": 1}
    assert answer["scores"] == {"red": 0, "blue": 5}
    assert answer["moves"][2] == {"field": 3, "cards": [1, 2]}
    assert Position.from_jfn(answer["position"], line=answer["line"], hand=answer["hand"])


def test_show_a_deal() -> None:
    answer = good("just4fun", "show", "--deal", "7", "--players", "gyr", "--json").answer
    assert answer["position"] == deal(Board.parse("2006"), 7, players="gyr").jfn()
    words = ("--deal", "7", "--board", "3x4", "--stones", "5", "--hand", "3")
    assert " r5b5 r " in good("just4fun", "show", *words).out


def test_a_hidden_hand_has_no_moves_to_show() -> None:
    text = "2006 - r20b20 b r1.4.7.12,b? - -"
    assert good("just4fun", "show", "--position", text, "--json").answer["moves"] is None
    assert "hidden" in good("just4fun", "show", "--position", text).out


def test_colours_only_where_they_are_wanted() -> None:
    assert "\x1b[" not in good("just4fun", "show", *SMALL).out
    assert "\x1b[" in good("just4fun", "show", *SMALL, "--color", "always").out


def test_pictures_are_written(tmp_path: Path) -> None:
    svg, png = tmp_path / "board.svg", tmp_path / "board.png"
    out = good("just4fun", "show", *HIDDEN, "--svg", str(svg), "--png", str(png)).out
    assert out == f"wrote {svg}\nwrote {png}\n"
    assert svg.read_text(encoding="utf-8").startswith("<svg")
    assert png.read_bytes().startswith(b"\x89PNG")
    wrong = kulami("just4fun", "show", *SMALL, "--svg", str(tmp_path / "a.png"))
    assert (wrong.code, "a.png ends in .png" in wrong.err) == (2, True)


# odds


def test_odds_of_the_whole_deck() -> None:
    answer = good("just4fun", "odds", "--json").answer
    by_field = {field["field"]: field["makeable"] for field in answer["fields"]}
    assert (answer["hands"], by_field[12], by_field[36]) == (341_055, 197_308, 30_766)
    assert all(field["hands"] == answer["hands"] for field in answer["fields"])
    out = good("just4fun", "odds").out
    assert out.startswith("341,055 hands\n")
    assert "   12  197,308   57.9 %\n" in out
    few = good("just4fun", "odds", "--seen", "1.4.7.12", "--hand", "2", "--fields", "9", "--json")
    assert (few.answer["hands"], len(few.answer["fields"])) == (51 * 50 // 2, 9)


def test_odds_of_a_position() -> None:
    answer = good("just4fun", "odds", *HIDDEN, "--json").answer
    assert answer["hands"] == 211_876  # of 49 cards, four
    assert answer["position"] == HIDDEN[1]
    kept = good("just4fun", "odds", *HIDDEN, "--kept", "4.7", "--json").answer
    assert (kept["hands"], kept["kept"]) == (49 * 48 // 2, [4, 7])
    assert kept["fields"][10]["makeable"] == kept["hands"]
    none = good("just4fun", "odds", *HIDDEN, "--kept", "-", "--json").answer
    assert none["hands"] == 211_876


# replay


def test_replay(tmp_path: Path) -> None:
    start = deal(Board.parse("2006"), 3)
    played = list(random_game(start, 1))
    record = record_of(start, [turn for turn, _ in played], played[-1][1])
    path = tmp_path / "games.jsonl"
    path.write_text(f"# one game\n{json.dumps(record)}\n", encoding="utf-8")
    assert good("just4fun", "replay", str(path), "--json").answer == {
        "games": 1,
        "disagree": 0,
        "disagreements": [],
    }
    other = {"red": "blue", "blue": "red"}[record["winner"]]
    wrong = json.dumps(record | {"winner": other}).encode()
    ran = kulami("just4fun", "replay", "-", stdin=wrong)
    assert ran.code == 1
    assert ran.out.startswith(f"record 1: the record's winner is {other}; by the rules the game")
    assert ran.out.endswith("1 games, 1 disagree\n")
    broken = kulami("just4fun", "replay", "-", stdin=b"{")
    assert (broken.code, "is not JSON" in broken.err) == (2, True)


# solve

KEYS = {"position", "outcome", "best", "line", "moves", "nodes", "seconds"}


def test_solve() -> None:
    answer = good("just4fun", "solve", *SMALL, "--json").answer
    assert set(answer) >= KEYS
    assert (answer["outcome"], answer["best"]) == ("draw", "3=1+2")
    assert answer["moves"][0] == {"field": 3, "cards": [1, 2], "outcome": "draw"}
    end = Position.from_jfn(answer["position"], line=3, hand=2).play_all(answer["line"])
    assert end.is_over
    assert end.winner is None
    assert good("just4fun", "solve", *SMALL, "--json", "--value-only").answer["moves"] == []
    out = good("just4fun", "solve", *SMALL, "--all").out
    assert "value     draw\nbest      3=1+2\n" in out
    assert "moves     3=1+2  draw\n          1=1    loss\n" in out


def test_solve_many_positions(tmp_path: Path) -> None:
    path = tmp_path / "positions.txt"
    path.write_text(f"# two\n{SMALL[1]}\n\n{SMALL[1]}\n", encoding="utf-8")
    answers = good("just4fun", "solve", "--input", str(path), *SMALL[2:]).answers
    assert [answer["outcome"] for answer in answers] == ["draw", "draw"]
    path.write_text(f"{SMALL[1]}\n3x3\n", encoding="utf-8")
    ran = kulami("just4fun", "solve", "--input", str(path), *SMALL[2:])
    assert ran.code == 2
    assert len(ran.answers) == 1
    assert f"{path} line 2: " in ran.err


def test_budgets_give_true_bounds() -> None:
    words = ("just4fun", "solve", "--deal", "1", "--stones", "9", "--nodes", "2000", "--json")
    answer = good(*words, "--value-only").answer
    assert answer["outcome"] is None
    assert (answer["lower"], answer["upper"]) in {("loss", "win"), ("loss", "draw")}


# Bad input

BAD = [
    ("solve",),
    ("solve", "--position", ""),
    ("solve", "--position", "3x3"),
    ("solve", "--position", "3x3 - r1b1 r r1,b1 - - -"),
    ("solve", "--position", "3x3 1:r1 r1b1 g r1,b1 - -"),
    ("solve", "--position", "3x3 99:r1 r1b1 r r1,b1 - -"),
    ("solve", "--position", "1,1/2,3 - r1b1 r r1,b1 - -"),
    ("solve", "--position", "3x3 - r1b1 r r1,b1 - -", "--deal", "1"),
    ("solve", "--position", "3x3 - r1b1 r r1,b? - -"),
    ("solve", "--position", "3x3 - r1b1g1 r r1,b1,g1 - -"),
    ("solve", "--position", "3x3 - r1b1 r r1.2.3.4,b1.2.3.4 {5} -"),
    ("solve", "--input", "/nonexistent"),
    ("solve", "--deal", "1", "--time", "0"),
    ("solve", "--deal", "1", "--nodes", "x"),
    ("solve", "--deal", "1", "--moves", "1=2"),
    ("solve", "--deal", "1", "--all", "--value-only"),
    ("show", "--position", "3x3 - r1b1 r r1,b1 - -", "--board", "2006"),
    ("show", "--deal", "1", "--board", "0x3"),
    ("show", "--deal", "1", "--players", "rr"),
    ("show", "--deal", "1", "--players", "rbgyr"),
    ("show", "--deal", "1", "--players", "rbgy", "--hand", "12", "--board", "9x9"),
    ("show", "--deal", "1", "--stones", "21"),
    ("show", "--deal", "1", "--hand", "0"),
    ("show", "--deal", "1", "--png", "-"),
    ("odds", "--seen", "1.1.1.1.1"),
    ("odds", "--seen", "20"),
    ("odds", "--kept", "1"),
    ("odds", "--hand", "12", "--seen", ".".join(["1"] * 60)),
    ("odds", *HIDDEN, "--kept", "5"),
    ("odds", *HIDDEN, "--seen", "5"),
    ("odds", *SMALL, "--fields", "3"),
    ("replay", "/nonexistent"),
    ("nothing",),
    (),
]


@pytest.mark.parametrize("words", BAD)
def test_bad_input_is_refused_in_one_line(words: tuple[str, ...]) -> None:
    ran = kulami("just4fun", *words)
    assert ran.code == 2
    assert ran.out == ""
    assert len(ran.err.strip().splitlines()) == 1
    assert "Traceback" not in ran.err
