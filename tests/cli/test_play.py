"""`kulami play` through a pipe, and positions and values as people type and see them."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from command_line import SMALL, SQUARE, good, interrupted, kulami

from kulami_solver import Position, Scoring, solve
from kulami_solver.game import load_game

AT_SMALL = ("--layout", SMALL)


def played(text: str, *words: str) -> list[dict[str, Any]]:
    return good("play", *words, "--json", stdin=text.encode()).answers


# Playing


@pytest.mark.parametrize("scoring", ["0", "1", "2", "chains"])
@pytest.mark.parametrize("bot", ["random", "greedy", "alphabeta:2", "mcts:50", "perfect"])
def test_a_game_against_every_bot(bot: str, scoring: str) -> None:
    told = played("best\n" * 20, *AT_SMALL, "--bot", bot, "--scoring", scoring)
    assert [step["by"] for step in told[:3]] == ["start", "best", "computer"]
    position = Position.from_kfn(told[0]["kfn"]).play_all([step["field"] for step in told[1:]])
    assert (position.kfn(), position.is_over) == (told[-1]["kfn"], True)
    margin = position.score(Scoring.parse(scoring)).margin
    assert [step["over"] for step in told].count(True) == 1
    assert (told[-1]["over"], told[-1]["margin"]) == (True, margin)
    winner = "red" if margin > 0 else "black" if margin < 0 else None
    assert told[-1]["winner"] == winner
    # Best play from the empty board keeps what it is worth at least.
    value = solve(Position.from_kfn(told[0]["kfn"]), Scoring.parse(scoring)).margin
    assert value is not None
    assert margin == value if bot == "perfect" else margin >= value


def test_either_side_and_both() -> None:
    told = played("", *AT_SMALL, "--side", "black", "--bot", "greedy")
    assert [step["by"] for step in told] == ["start", "computer"]
    told = played("d3\nb3\nundo\n", *AT_SMALL, "--side", "both")
    assert [step["by"] for step in told] == ["start", "you", "you", "undo"]
    assert told[-1]["kfn"] == told[1]["kfn"]


def test_undo_takes_back_the_answer_too() -> None:
    told = played("undo\nd3\nundo\n", *AT_SMALL, "--bot", "greedy")
    assert [step["by"] for step in told] == ["start", "you", "computer", "undo"]
    assert told[-1]["kfn"] == told[0]["kfn"]
    ran = good("play", *AT_SMALL, stdin=b"undo\n")
    assert "kulami: error: there is no field of yours to take back" in ran.err


def test_fields_and_words_as_people_type_them() -> None:
    told = played("D3\nKFN\n", *AT_SMALL, "--side", "both")
    assert told[1]["field"] == "d3"
    assert told[2] == told[1] | {"by": "kfn", "field": None}


def test_what_is_not_legal_is_one_sentence() -> None:
    ran = good("play", *AT_SMALL, "--bot", "greedy", stdin=b"d9\nnonsense\nd3\nd3\n")
    errors = [line for line in ran.err.splitlines() if "error" in line]
    assert len(errors) == 3
    assert "there is no field d9" in errors[0]
    assert "'nonsense' is not a field" in errors[1]


def test_values_are_those_of_solve() -> None:
    answer = played("values\n", *AT_SMALL, "--scoring", "2")[1]
    known = solve(Position.from_kfn(answer["kfn"]), 2, every_move=True)
    assert answer["moves"] == known.to_json()["moves"]
    shown = good("play", *AT_SMALL, stdin=b"values\n").out
    assert " 3 \u2502+1 \u2502-1  -1 \u2502+2  +2 \u2502" in shown
    assert "value     red wins by 2\nmoves     d3  red wins by 2" in shown


def test_what_cannot_be_proved_is_marked_as_a_guess() -> None:
    ran = good("play", "--time", "0.2", "--side", "both", stdin=b"values\nbest\n")
    assert "moves     nothing is proved of 64 fields" in ran.out
    assert "exact from about 41 free fields; this has 64\n" in ran.out
    assert "\na guess: " in ran.out
    told = played("best\n", "--time", "0.2", "--side", "both")
    assert told[1]["guess"] is True
    assert played("best\n", *AT_SMALL, "--side", "both")[1]["guess"] is False


def test_leaving_says_how_to_go_on() -> None:
    words = [*AT_SMALL, "--marbles", "9", "--short-end", "--scoring", "chains", "--bot", "greedy"]
    left = good("play", *words, "--time", "0.5", "--seed", "3", stdin=b"d3\nquit\n").out
    options = shlex.split(left.splitlines()[-1].removeprefix("to go on: "))
    again = good("play", *options, "--json").answer
    assert again["kfn"] == options[1]
    assert "--short-end" in options
    told = {name: options[options.index(name) + 1] for name in ("--marbles", "--seed", "--bot")}
    assert told == {"--marbles": "9", "--seed": "3", "--bot": "greedy"}
    # And a second time the same options come out.
    assert shlex.split(good("play", *options).out.splitlines()[-1])[3:] == options


def test_lots_decide_who_begins() -> None:
    told = {
        good("play", *AT_SMALL, "--side", "both", "--first", "random", "--json").answer["kfn"]
        for _ in range(40)
    }
    assert told == {f"{SMALL} - {side} -" for side in "rb"}


def test_a_game_that_is_over_says_its_score() -> None:
    ran = good("play", "--layout", "AAB/CCB", "--bot", "perfect", stdin=b"best\n" * 9 + b"values\n")
    state = load_game("kulami", layout="AAB/CCB").start()
    assert "game over" in ran.out
    assert f"red {2}, black {2}: draw" in ran.out
    assert state.to_move == 0
    assert "the game is over: no field is left to be valued" in ran.err
    assert not ran.out.splitlines()[-1].startswith("to go on")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--bot", "nobody"], "'nobody' is no bot"),
        (["--time", "0"], "--time: expected seconds"),
        (["--input", "-"], "unknown argument '--input'"),
        (["--layout", "AB/AB", "--kfn", "AB/AB - r -"], "not allowed with argument"),
        (["--layout", "AAB/CCB", "--moves", "a1 b1"], "--moves: "),
    ],
)
def test_options_that_make_no_sense(words: list[str], said: str) -> None:
    ran = kulami("play", *words)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert len(ran.err.splitlines()) == 1


def test_a_bot_that_fails_loses_no_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "failing_bot.py").write_text(
        "class Failing:\n    def choose(self, position):\n        raise RuntimeError('no more')\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    ran = kulami("play", *AT_SMALL, "--bot", "failing_bot:Failing", stdin=b"d3\n")
    assert ran.code == 2
    assert "go on with --kfn 'ABBCD/ABBCD/ABBEE/FFFEE 5/5/3r1/5 b d3'" in ran.err
    assert "no more" in ran.err


def test_ctrl_c_while_the_bot_thinks_loses_nothing() -> None:
    code, _, err, _ = interrupted("play", "--side", "black", "--time", "60")
    assert code == 130
    assert f"interrupted: go on with --kfn '{SQUARE} - r -' --side black --time 60" in err


# Positions as people type them


def test_positions_as_people_see_them() -> None:
    kfn = "AAB/AAC 1r1/2b r c2,b1"
    for typed in (kfn, "AAB/AAC .R./..B R C2,B1", "AAB/AAC 1R./2B R C2,b1"):
        for words in (["--kfn", typed], ["--input", "-"]):
            ran = good("show", *words, "--as", "kfn", "--json", stdin=typed.encode())
            assert ran.answer["text"] == kfn
    assert good("show", "--layout", "AAB/AAC", "--moves", "B1 c1", "--as", "kfn").out == (
        "AAB/AAC 1rb/3 r c1,b1\n"
    )
    hagen = good("show", "--layout", "square", "--moves", "d4 d7", "--as", "hagen").out.strip()
    words = ["--hagen", hagen, "--turn", "red", "--last", "D7,D4", "--as", "kfn"]
    assert good("show", *words).out.endswith(" r d7,d4\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--kfn", "AAB/AAC .R.. b B1"], "row 1 is more than 3 squares wide"),
        (["--kfn", "AAB/AAC .99999999999999. b B1"], "row 1 is more than 3 squares wide"),
        (["--kfn", "AAB/AAC .X./3 b B1"], "row 1 has 'X'"),
        (["--kfn", "AAB/AAC .R. white B1"], "turn is 'white'"),
        (["--layout", "AAB/AAC", "--moves", "B7"], "there is no field b7"),
        (["--layout", "AAB/AAC", "--moves", "Q1"], "'Q1' is not a field"),
    ],
)
def test_what_is_typed_wrong_is_still_refused(words: list[str], said: str) -> None:
    ran = kulami("show", *words)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


def test_malawi_takes_capitals() -> None:
    words = ["malawi", "show", "--mfn", "B2b2/../R2r2 R", "--turns", "A3xA1"]
    assert good(*words, "--json").answer["mfn"] == "b0b2/../r2r2 b"


# Values on the board


def test_show_with_values() -> None:
    words = ["show", "--layout", "AAB/CCB", "--moves", "a1", "--values"]
    shown = good(*words).out
    assert " 1 \u2502(r)  \u00b7 \u2502 0 \u2502" in shown
    assert " 2 \u2502-2   \u00b7 \u2502 \u00b7 \u2502" in shown
    assert shown.endswith("draw\n")
    answer = good(*words, "--json").answer
    assert {move["field"]: move["margin"] for move in answer["moves"]} == {"c1": 0, "a2": -2}
    assert "-2" in good(*words, "--color", "always").out
    assert good(*words[:-1], "--json").answer.keys() == answer.keys() - {"moves"}
    scored = good(*words, "--scoring", "2", "--json").answer
    assert {move["field"] for move in scored["moves"]} == {"c1", "a2"}


def test_values_that_are_not_known_in_the_time() -> None:
    words = ["show", "--layout", "square", "--moves", "d4 d7", "--values", "--time", "0.2"]
    ran = good(*words)
    assert " 7 \u2502 + \u2502 +   + \u2502(b)" in ran.out
    assert "; a guess: " in ran.out


def test_values_have_no_place_in_other_notations() -> None:
    ran = kulami("show", "--layout", "AAB/CCB", "--values", "--as", "kfn")
    assert ran.code == 2
    assert "--as kfn has no place for them" in ran.err


@pytest.mark.parametrize("command", [["show", "--values"], ["solve"]])
def test_pictures_with_values(command: list[str], tmp_path: Path) -> None:
    svg, png = tmp_path / "a.svg", tmp_path / "a.png"
    words = [*command, "--layout", "AAB/CCB", "--moves", "a1", "--svg", str(svg), "--png", str(png)]
    good(*words)
    text = svg.read_text(encoding="utf-8")
    assert text.count("\u22122</text>") == 1
    assert text.count(">0</text>") == 1
    assert png.read_bytes()[1:4] == b"PNG"
    plain = tmp_path / "b.svg"
    good("show", "--layout", "AAB/CCB", "--moves", "a1", "--svg", str(plain))
    assert "\u22122</text>" not in plain.read_text(encoding="utf-8")


def test_solve_writes_pictures_of_one_position_alone(tmp_path: Path) -> None:
    path = str(tmp_path / "a.svg")
    ran = kulami("solve", "--input", "-", "--svg", path, stdin=b"AAB/CCB - r -\n")
    assert ran.code == 2
    assert "--svg draws one position" in ran.err
    assert not Path(path).exists()
    assert "looks" not in kulami("solve", "--layout", "AAB/CCB", "--svg", "a.png").err
    assert kulami("solve", "--layout", "AAB/CCB", "--svg", "a.png").code == 2
    ran = kulami("solve", "--layout", "AAB/CCB", "--svg", str(tmp_path / "no" / "a.svg"))
    assert (ran.code, ran.out) == (2, "")
    assert "--svg: cannot write" in ran.err


# Positions out of reach


def test_solve_says_at_once_what_is_out_of_reach() -> None:
    words = ["solve", "--layout", "square", "--moves", "d4 d7", "--time", "0.3", "--all"]
    ran = good(*words)
    assert ran.err.startswith(
        "kulami: note: exact from about 41 free fields; this has 62; a guess until then: "
    )
    assert "\nmoves     nothing is proved of 9 fields\n" in ran.out
    (guess,) = [line for line in ran.out.splitlines() if line.startswith("guess")]
    field = guess.split()[1]
    position = Position.from_kfn(json.loads(good(*words, "--json").out)["kfn"])
    assert field in position.legal_fields
    assert guess.endswith("(mcts:100000, not proved)")
    assert guess.split(maxsplit=1)[1] in ran.err
    assert "\nbest " not in ran.out


def test_what_is_in_reach_has_no_note() -> None:
    ran = good("solve", "--layout", SMALL, "--all")
    assert "out of" not in ran.err
    assert "guess" not in ran.err + ran.out
    # Ten marbles of each colour: twenty plies, however large the board is.
    ran = good("solve", "--layout", "square", "--marbles", "8", "--time", "0.3")
    assert "exact from" not in ran.err


def test_ctrl_c_leaves_the_guess() -> None:
    code, out, err, _ = interrupted("solve", "--layout", "square", "--all")
    assert code == 130
    assert err.startswith("kulami: note: exact from about 41 free fields; this has 64")
    assert "\nguess     " in out
    assert "\nmoves     nothing is proved of 64 fields\n" in out


def test_a_level_says_who_plays() -> None:
    for level in (1, 8):
        ran = good(
            "play", "--layout", "AAB/CCB", "--level", str(level), "--seed", "2", stdin=b"b1\n"
        )
        assert "b1" in ran.out
    refused = kulami("play", "--level", "3", "--bot", "mcts")
    assert (refused.code, "not allowed with" in refused.err) == (2, True)
    assert kulami("play", "--level", "9").code == 2


# Saving and grading


def saved(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_games_are_added_to_a_file(tmp_path: Path) -> None:
    """One that was left, from where it began, and one that is over; both are graded."""
    path = tmp_path / "games.jsonl"
    words = [*AT_SMALL, "--bot", "greedy", "--save", str(path)]
    left = good("play", *words, "--moves", "d3", "--side", "black", stdin=b"b3\n").out
    assert f"saved: {path}, game 1, not over (*)\n" in left
    assert f"kulami grade {path} --game 1" in left
    told = played("best\n" * 20, *words, "--scoring", "2")
    assert told[-1] == {"by": "save", "file": str(path), "game": 2}
    first, second = saved(path)
    assert first["moves"][:2] == ["d3", "b3"]
    assert "start" not in first
    assert "score" not in first
    assert (first["black"], first["red"]) == ("you", "greedy")
    assert [second["level"], "score" in second] == [2, True]
    assert kulami("replay", str(path), "--json").answer["disagree"] == 1
    graded = good("grade", str(path), "--json").answers
    assert [one["finished"] for one in graded] == [False, True]


def test_nothing_is_saved_of_a_game_without_moves(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    good("play", *AT_SMALL, "--save", str(path), stdin=b"quit\n")
    assert not path.exists()


def test_ctrl_c_saves_what_was_played(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    code, out, err, _ = interrupted(
        "play", "--side", "black", "--bot", "random", "--save", str(path), waits=True
    )
    assert code == 130
    assert f"saved: {path}, game 1, not over (*)" in out
    assert "kulami: interrupted: go on with --kfn " in err
    (record,) = saved(path)
    assert len(record["moves"]) == 1
    assert "score" not in record


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ('{"kfn": "AAB/CCB - r -"}\n', "line 1 is no game"),
        ('{"level": 0, "moves": []}\nno record\n', "line 2 is no game"),
        ('# {"journal": "match"}\n', "a match or a check goes on with it"),
        ('[Layout "AAB/CCB"]\n', "line 1 is no game"),
    ],
)
def test_no_other_file_is_touched(tmp_path: Path, held: str, said: str) -> None:
    path = tmp_path / "other"
    path.write_text(held, "utf-8")
    ran = kulami("play", *AT_SMALL, "--save", str(path), stdin=b"d3\n")
    assert (ran.code, ran.out) == (2, "")
    assert f"--save: no game can be added to {path}: {said}; name another file" in ran.err
    assert path.read_text("utf-8") == held


def test_games_of_another_game_are_not_mixed(tmp_path: Path) -> None:
    played = {
        "Kulami": ["play", *AT_SMALL, "--bot", "greedy"],
        "Malawi": ["malawi", "play", "--board", "2x3"],
        "Just 4 Fun": ["just4fun", "play", "--deal", "1", "--board", "3x3", "--deals", "2"],
    }
    for title, words in played.items():
        path = tmp_path / title
        good(*words, "--save", str(path), stdin=b"best\n")
        held = path.read_bytes()
        for other, its in played.items():
            if other == title:
                continue
            ran = kulami(*its, "--save", str(path), stdin=b"best\n")
            assert (ran.code, ran.out) == (2, "")
            said = f"{path}: line 1 is no game of {other}; name another file"
            assert f"--save: no game can be added to {said}" in ran.err
            assert path.read_bytes() == held
        good(*words, "--save", str(path), stdin=b"best\n")
        assert len(saved(path)) == 2


def test_a_file_that_cannot_be_written_is_refused_before_the_game(tmp_path: Path) -> None:
    for path in ("/dev/full", str(tmp_path), str(tmp_path / "none" / "games.jsonl")):
        ran = kulami("play", *AT_SMALL, "--save", path, stdin=b"d3\n")
        assert (ran.code, ran.out, len(ran.err.splitlines())) == (2, "", 1)


def test_a_game_of_malawi_is_saved(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    words = ["malawi", "play", "--save", str(path), "--json"]
    good(*words, "--board", "2x3", "--turns", "a3:b3 a1:b1", stdin=b"best\n" * 9)
    good(*words, "--mfn", "b2b2/../r0r4 b", "--side", "black", stdin=b"best\n")
    first, second = saved(path)
    assert (first["board"], first["moves"][:2]) == ("2x3", ["a3:b3", "a1:b1"])
    assert second["start"] == "b2b2/../r0r4 b"
    graded = good("malawi", "grade", str(path), "--json").answers
    assert [one["board"] for one in graded] == ["2x3", "2x3"]
    words = ["--mfn", second["start"], "--turns", " ".join(second["moves"]), "--json"]
    typed = good("malawi", "grade", *words).answer
    assert typed["moves"] == graded[1]["moves"]


def test_a_game_of_just_4_fun_is_saved(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    deal = ["--deal", "1", "--board", "3x3", "--stones", "2", "--line", "3", "--deals", "5"]
    words = ["just4fun", "play", *deal, "--save", str(path)]
    good(*words, stdin=b"best\n" * 9)
    (record,) = saved(path)
    assert (record["red"], record["blue"]) == ("you", "advised")
    assert good("just4fun", "replay", str(path), "--json").answer["disagree"] == 0


def test_the_moves_are_graded_when_asked_for_and_at_the_end() -> None:
    told = played("d3\ngrade\n", *AT_SMALL, "--bot", "greedy")
    assert told[-1]["grade"]["moves"][0]["field"] == "d3"
    out = good("play", *AT_SMALL, "--bot", "greedy", "--grade", stdin=b"best\n" * 20).out
    assert "solved from move 1 on" in out
    assert "% optimal" in out.splitlines()[-1]
    asked = good("play", *AT_SMALL, "--bot", "greedy", stdin=b"best\n" * 20).out
    assert asked.endswith("type grade to see what the moves cost\n")


# Puzzles

PUZZLES = """\
{"kfn": "AAB/CCB r2/3 b a1", "scoring": "0", "best": "c1", "value": 0, "line": ["c1"], \
"theme": "turn", "difficulty": 41}
{"kfn": "AAB/CCB b2/3 r a1", "scoring": "0", "best": "c1", "value": 0, "line": ["c1"], \
"theme": "points", "difficulty": 7}
"""


@pytest.fixture
def puzzles(tmp_path: Path) -> str:
    path = tmp_path / "puzzles.jsonl"
    path.write_text(PUZZLES, "utf-8")
    return str(path)


def test_puzzles_one_after_the_other(puzzles: str) -> None:
    """The first answer counts; a wrong one is refuted by the line played out."""
    told = played("C1\na2\nhint\nhint\nc1\n", "--puzzles", puzzles)
    said = [one["by"] for one in told]
    assert said == ["puzzle", "you", "puzzle", "you", "hint", "hint", "you", "end"]
    assert (told[1]["right"], told[3]["right"], told[6]["right"]) == (True, False, True)
    refuted = Position.from_kfn(told[2]["kfn"]).play_all(told[3]["line"])
    assert (refuted.is_over, told[3]["margin"], told[6]["margin"]) == (True, -2, 0)
    assert told[4]["hint"] == "it is worth more than every other field"
    assert told[5]["hint"] == "it is in column c"
    assert told[-1] == {"by": "end", "solved": 1, "tried": 2, "streak": 0, "longest": 1}


def test_puzzles_are_left_at_any_time(puzzles: str) -> None:
    ran = good("play", "--puzzles", puzzles, stdin=b"a1\nb9\nnext\n")
    assert "black cannot play a1: it is taken" in ran.err
    assert ran.out.endswith("0 of 1 solved at once, longest streak 0\nto go on: --from 2\n")
    assert "puzzle 2 of 2" in good("play", "--puzzles", puzzles, "--from", "2").out
    shown = good("play", "--puzzles", puzzles, stdin=b"show\nkfn\nboard\nhelp\nquit\n").out
    assert "it is c1: 1. c1\nAAB/CCB r2/3 b a1\n" in shown
    code, out, err, _ = interrupted("play", "--puzzles", waits=True)
    assert (code, err) == (130, "kulami: interrupted: --from 1\n")
    assert "0 of 0 solved at once, longest streak 0" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--puzzles", "/nonexistent"], "--puzzles: cannot read /nonexistent"),
        (["--puzzles", "--from", "501"], "--from 501: there are 500 puzzles"),
        (["--from", "2"], "--from goes with --puzzles"),
        (["--puzzles", "--level", "2"], "--level does not go with --puzzles"),
        (["--puzzles", "--side", "both"], "--side does not go with --puzzles"),
        (["--puzzles", "--bot", "random"], "--bot does not go with --puzzles"),
        (["--puzzles", "--short-end"], "--short-end does not go with --puzzles"),
    ],
)
def test_puzzles_that_cannot_be_given(words: list[str], said: str) -> None:
    ran = kulami("play", *words)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


def test_a_file_of_something_else_is_no_file_of_puzzles(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text("{}\n")
    ran = kulami("play", "--puzzles", str(path))
    assert f"--puzzles: {path} line 1: it is no object with kfn, scoring" in ran.err
