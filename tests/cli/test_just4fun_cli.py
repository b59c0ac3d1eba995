"""`kulami just4fun`: keys, words, exit codes, bad input and files."""

from __future__ import annotations

import json
import shlex
from fractions import Fraction
from pathlib import Path

import pytest
from command_line import good, interrupted, kulami

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
    answer = good("just4fun", "replay", str(path), "--json").answer
    assert answer == {"games": 1, "disagree": 0, "disagreements": []}
    other = {"red": "blue", "blue": "red"}[record["winner"]]
    wrong = json.dumps(record | {"winner": other}).encode()
    ran = kulami("just4fun", "replay", "-", stdin=wrong)
    assert ran.code == 1
    assert ran.out.startswith(f"record 1: the record's winner is {other}; by the rules: game")
    assert ran.out.endswith("1 game, 1 disagree\n")
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


def test_budgets_give_true_bounds() -> None:
    words = ("just4fun", "solve", "--deal", "1", "--stones", "9", "--nodes", "2000", "--json")
    answer = good(*words, "--value-only").answer
    assert answer["outcome"] is None
    assert (answer["lower"], answer["upper"]) in {("loss", "win"), ("loss", "draw")}


# Bad input

BAD = [
    ("solve",),
    ("solve", "--position", ""),
    ("solve", "--position", "3x3 - r1b1 r r1,b1 - - -"),
    ("solve", "--position", "3x3 - r1b1 r r1,b1 - -", "--deal", "1"),
    ("solve", "--position", "3x3 - r1b1 r r1,b? - -"),
    ("solve", "--position", "3x3 - r1b1 r r1.2.3.4,b1.2.3.4 {5} -"),
    ("solve", "--input", "/nonexistent"),
    ("solve", "--deal", "1", "--time", "0"),
    ("solve", "--deal", "1", "--nodes", "x"),
    ("solve", "--deal", "1", "--moves", "1=2"),
    ("solve", "--deal", "1", "--all", "--value-only"),
    ("show", "--position", "3x3 - r1b1 r r1,b1 - -", "--board", "2006"),
    ("show", "--deal", "1", "--board", "0x3"),
    ("show", "--deal", "1", "--players", "rr"),
    ("show", "--deal", "1", "--players", "rbgy", "--hand", "12", "--board", "9x9"),
    ("show", "--deal", "1", "--stones", "21"),
    ("show", "--deal", "1", "--hand", "0"),
    ("show", "--deal", "1", "--png", "-"),
    ("odds", "--seen", "1.1.1.1.1"),
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


# expect

AFTER = "3x3 2:b1,5:r1,6:r1 r1b2 b r3.3,b4.5 {1.1.2.2} -"
DRAWN = ("--position", AFTER, *SMALL[2:])


def test_expect() -> None:
    answer = good("just4fun", "expect", *DRAWN, "--json").answer
    assert set(answer) >= {"position", "expected", "lower", "upper", "best", "moves"}
    assert (answer["expected"], answer["best"]) == ("5/6", "9=4+5")
    assert answer["moves"][0]["expected"] == "5/6"
    assert good("just4fun", "expect", *DRAWN, "--json", "--value-only").answer["moves"] == []
    out = good("just4fun", "expect", *DRAWN, "--all").out
    assert "value     blue scores 5/6 on average\nchances   win 5/6, draw 0, loss 1/6\n" in out
    assert "moves     9=4+5  5/6  (0.833)\n" in out


def test_expect_takes_the_stock_of_a_deal_in_no_order() -> None:
    deal = ("--deal", "7", "--board", "1x3", "--stones", "1", "--hand", "1")
    answer = good("just4fun", "expect", *deal, "--json").answer
    assert answer["position"].startswith("1x3 - r1b1 r r6,b3 {1.1.1.1.2.2.2.2.3.3.3.4.")
    # Blue takes field 3; red draws, and of the 11 cards that are a field three even it out.
    assert (answer["expected"], answer["draw"]) == ("3/22", "3/11")


def test_expectations_have_bounds_where_a_budget_ends_them() -> None:
    text = "3x3 5:b1 r3b3 r r1.2,b2.3 {1.1.3.4.4.5.5.6.7} {2}"
    words = ("just4fun", "expect", "--position", text, "--hand", "2", "--nodes", "100")
    answer = good(*words, "--json").answer
    assert answer["expected"] is None
    assert Fraction(answer["lower"]) < Fraction(answer["upper"])


# advise, play


def test_advise() -> None:
    answer = good("just4fun", "advise", *HIDDEN, "--deals", "2", "--json").answer
    assert (answer["estimate"], answer["method"], answer["deals"]) == (True, "playouts", 2)
    assert set(answer["moves"][0]) == {"field", "cards", "mean", "low", "high"}
    said = good("just4fun", "advise", *DRAWN, "--deals", "10").out
    assert "estimate  from 10 deals (double-dummy) in" in said
    assert "blue  4 5\n" in said
    assert "red   hidden\n" in said
    seen = good("just4fun", "advise", *DRAWN, "--open", "--method", "expectation", "--json").answer
    assert (seen["deals"], seen["moves"][0]["mean"]) == (1, 0.833333)


def test_play_through_a_pipe() -> None:
    words = ("just4fun", "play", "--deal", "3", "--board", "3x3", "--stones", "2", "--deals", "3")
    stdin = b"moves\nadvice\nodds\nnonsense\n3=3\nundo\nbest\nbest\nrecord\nquit\n"
    ran = kulami(*words, stdin=stdin)
    assert ran.code == 0
    assert "3=3 4=4 7=3+4 9=9\n" in ran.out
    assert "estimate  from 3 deals (double-dummy)" in ran.out
    assert ran.err.startswith("kulami: error: 'nonsense' is no move")
    assert "game over" in ran.out
    record = [line for line in ran.out.splitlines() if line.startswith("{")][-1]
    assert good("just4fun", "replay", "-", stdin=record.encode()).out == "1 game, 0 disagree\n"
    assert "blue  hidden" in ran.out
    assert "blue  6" not in ran.out


def test_play_in_json_shows_what_a_player_sees() -> None:
    words = ("just4fun", "play", "--deal", "3", "--players", "rbg", "--stones", "1")
    ran = good(*words, "--deals", "1", "--side", "blue", "--json", stdin=b"jfn\nbest\nmoves\n")
    answers = ran.answers
    assert [answer.get("by") for answer in answers[:4]] == ["start", "computer", "jfn", "best"]
    assert answers[1]["player"] == "red"
    assert answers[1]["drawn"] is None
    assert answers[3]["drawn"] is not None
    for answer in answers:
        if "position" in answer:
            hands = answer["position"].split(" ")[4]
            assert hands.startswith("r?,b")
            assert hands.endswith(",g?")


def test_a_game_goes_on_later_with_all_that_was_given() -> None:
    words = ["--deal", "3", "--board", "3x3", "--stones", "4", "--hand", "2", "--line", "3"]
    words += ["--side", "blue", "--deals", "2", "--seed", "5"]
    left = good("just4fun", "play", *words, stdin=b"best\n").out.splitlines()[-1]
    options = shlex.split(left.removeprefix("to go on: "))
    given = dict(zip(options[::2], options[1::2], strict=True))
    assert given.pop("--moves").count("=") == 3
    assert given == dict(zip(words[::2], words[1::2], strict=True))
    # The cards come in the order of the deal, with and without a break.
    whole = good("just4fun", "play", *words, "--json", stdin=b"best\nbest\n").answers
    later = good("just4fun", "play", *options, "--json", stdin=b"best\n").answers
    assert later[1:] == whole[-len(later) + 1 :]
    # When the discards have been shuffled, no options tell the cards, but a record does.
    words = ["--position", "3x3 - r4b4 r r1,b2 3 -", "--hand", "1", "--deals", "1"]
    left = good("just4fun", "play", *words, stdin=b"best\nbest\n").out.splitlines()[-1]
    record = json.loads(left.removeprefix("the game so far: "))
    assert record["start"] == words[1]
    assert record["draws"][0] == [3]
    assert len(record["draws"]) == len(record["moves"]) == 4


def test_play_refuses_what_it_cannot_play() -> None:
    assert kulami("just4fun", "play", *HIDDEN).code == 2
    assert kulami("just4fun", "play", "--deal", "1", "--side", "green").code == 2


# check


@pytest.mark.parametrize("words", [("perfect",), ("advised", "--hidden")])
def test_check_with_what_a_player_sees(words: tuple[str, ...]) -> None:
    board = ("--board", "3x3", "--stones", "3", "--line", "3", "--hand", "2", "--positions", "5")
    report = good("just4fun", "check", *words, *board, "--workers", "1", "--json").answer
    assert (report["positions"], report["bot"]) == (5, words[0])
    assert report["optimal_rate"] == 1 or "--hidden" in words


# Ctrl-C


def test_ctrl_c_prints_what_was_proved() -> None:
    words = ("just4fun", "solve", "--deal", "1", "--stones", "12", "--json", "--value-only")
    code, out, err, _ = interrupted(*words)
    assert code == 130
    assert json.loads(out)["outcome"] is None
    assert "interrupted" in err
    code, out, err, _ = interrupted("just4fun", "advise", "--deal", "1", "--time", "60", "--json")
    assert code == 130
    assert json.loads(out)["estimate"]
