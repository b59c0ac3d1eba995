"""`play` of every game through a pipe and at a terminal, and values where nothing is proved."""

from __future__ import annotations

import fcntl
import json
import math
import os
import pty
import shlex
import signal
import termios
from pathlib import Path
from typing import Any

import pytest
from command_line import SMALL, SQUARE, good, interrupted, kulami, process

from kulami_solver import Position, Scoring, solve
from kulami_solver.registry import GAMES

AT_SMALL = ("--layout", SMALL)
PLAYED = {
    "Kulami": ["play", *AT_SMALL, "--bot", "greedy"],
    "Malawi": ["malawi", "play", "--board", "2x3"],
    "Just 4 Fun": shlex.split("just4fun play --deal 1 --board 3x3 --deals 2 --stones 2 --line 3"),
    "Dice": ["dice", "play", "--side", "bob", "--seed", "4"],
}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder; a game without commands of its own has those of any game."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(GAMES, "dice", "toy_game")


def played(text: str, *words: str) -> list[dict[str, Any]]:
    return good("play", *words, "--json", stdin=text.encode()).answers


def saved(path: str = "games.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text("utf-8").splitlines()]


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
    assert told[-1]["winner"] == ("red" if margin > 0 else "black" if margin < 0 else None)
    # Best play from the empty board keeps what it is worth at least.
    value = solve(Position.from_kfn(told[0]["kfn"]), Scoring.parse(scoring)).margin
    assert value is not None
    assert margin == value if bot == "perfect" else margin >= value


def test_lots_decide_who_begins_and_no_option_is_needed() -> None:
    told = {
        good("play", *AT_SMALL, "--side", "both", "--first", "random", "--json").answer["kfn"]
        for _ in range(40)
    }
    assert told == {f"{SMALL} - {side} -" for side in "rb"}
    for game in ([], ["malawi"], ["just4fun"]):
        told_first = good(*game, "play", "--json", stdin=b"").answers
        assert [(one["by"], one["over"]) for one in told_first] == [("start", False)]


def test_a_game_of_any_kind_is_played_by_lines_from_a_pipe() -> None:
    told = good(*PLAYED["Dice"], "--json", stdin=b"moves\ntake\nundo\ntake\npass\nquit\n").answers
    by = ["start", "computer", None, "you", "computer", "computer"]
    assert [one.get("by") for one in told[:6]] == by
    assert told[2] == {"moves": ["take", "pass"]}
    assert told[-1]["over"]
    assert [one["by"] for one in told if "by" in one].count("undo") == 1
    # Nobody is shown what the others hold.
    assert all("take" not in one["position"] for one in told if "by" in one and not one["over"])
    assert good("dice", "show", "--moves", "1 take 2").out == "1 take 2\n1 take 2\n"
    answer = good("dice", "show", "--position", "1 take", "--moves", "2", "--json").answer
    known = {"turn": "bob", "over": False, "returns": None}
    assert answer == {"position": "1 take 2", "text": "1 take 2", **known}
    assert good("dice", "moves", "--moves", "1").out == "take pass\n"
    assert good("dice", "moves", "--json").answer["turn"] is None
    wrong = kulami("dice", "moves", "--moves", "1 steal")
    said = "kulami: error: --moves: move 2: steal is not among ('take', 'pass')\n"
    assert (wrong.code, wrong.err) == (2, said)
    for command in ("show", "moves", "play", "match", "check", "grade"):
        assert f"\n    {command} " in good("dice", "--help").out


@pytest.mark.parametrize(
    ("words", "moves"),
    [
        (
            f"play --kfn '{SMALL} - r -' --marbles 9 --short-end --scoring chains --bot greedy "
            "--time 0.5 --seed 3",
            "--kfn",
        ),
        (
            "malawi play --mfn 'b2b2/../../../../r2r2 r' --side black --time 0.5 --seed 3 "
            "--database 2x6.kdb",
            "--turns",
        ),
        (
            "just4fun play --deal 3 --board 3x3 --stones 4 --hand 2 --line 3 --side blue "
            "--deals 2 --seed 5",
            "--moves",
        ),
        ("dice play --side bob --seed 4", "--moves"),
    ],
)
def test_leaving_says_how_to_go_on(words: str, moves: str) -> None:
    """With all that was given; with a break and without one, it is the same game."""
    if "malawi" in words:
        built = good("malawi", "build", "2x6.kdb", "--board", "2x6", "--json").answer
        assert (built["reachable"], built["outcome"]) == (17476, "draw")
    command = shlex.split(words)
    best = b"best\n" if "dice" not in words else b"take\n"
    left = good(*command, stdin=best * (1 if "dice" in words else 2) + b"quit\n").out.splitlines()[
        -1
    ]
    options = shlex.split(left.removeprefix("to go on: "))
    begin = command[: command.index("play") + 1]
    given = [word for word in options if word not in ("--short-end",)]
    told = dict(zip(given[::2], given[1::2], strict=True))
    asked = [word for word in command[len(begin) :] if word not in ("--short-end",)]
    wanted = dict(zip(asked[::2], asked[1::2], strict=True))
    assert told.pop(moves) != wanted.pop(moves, None)
    assert told == wanted
    assert ("--short-end" in options) == ("--short-end" in command)
    again = good(*begin, *options, stdin=b"").out.splitlines()[-1]
    assert shlex.split(again.removeprefix("to go on: ")) == options
    whole = good(*command, "--json", stdin=best * 80).answers
    later = good(*begin, *options, "--json", stdin=best * 80).answers
    assert later[1:] == whole[-len(later) + 1 :]
    if "malawi" in words:  # what came up before counts, too
        assert (later[-1]["repetitions"], later[-1]["winner"]) == (3, None)
        assert max(step["repetitions"] for step in whole[:-1]) == 2
        said = good(*command, stdin=best * 80).out
        assert said.rstrip().splitlines()[-2] == "this has come up three times: the game is a draw"
        assert "to go on" not in said


def test_cards_that_were_shuffled_go_on_by_a_record() -> None:
    """No options tell the cards then."""
    words = ["--position", "3x3 - r4b4 r r1,b2 3 -", "--hand", "1", "--deals", "1"]
    left = good("just4fun", "play", *words, stdin=b"best\nbest\n").out.splitlines()[-1]
    record = json.loads(left.removeprefix("the game so far: "))
    assert record["start"] == words[1]
    assert record["draws"][0] == [3]
    assert len(record["draws"]) == len(record["moves"]) == 4


def test_a_bot_that_fails_loses_no_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    ran = kulami("play", *AT_SMALL, "--bot", "unruly:raises", stdin=b"d3\n")
    assert ran.code == 2
    assert "go on with --kfn 'ABBCD/ABBCD/ABBEE/FFFEE 5/5/3r1/5 b d3'" in ran.err
    assert "raises ValueError: boo" in ran.err


# What is out of reach


def test_what_cannot_be_proved_is_marked_as_a_guess() -> None:
    reach = "exact from about 41 free fields; this has "
    ran = good("play", "--time", "0.05", "--side", "both", stdin=b"values\nbest\n")
    assert "moves     nothing is proved of 64 fields" in ran.out
    assert f"{reach}64\n" in ran.out
    assert "\na guess: " in ran.out
    assert played("best\n", "--time", "0.05", "--side", "both")[1]["guess"] is True
    assert played("best\n", *AT_SMALL, "--side", "both")[1]["guess"] is False
    ran = good("show", "--layout", "square", "--moves", "d4 d7", "--values", "--time", "0.05")
    assert " 7 \u2502 + \u2502 +   + \u2502(b)" in ran.out
    assert "; a guess: " in ran.out
    words = ["solve", "--layout", "square", "--moves", "d4 d7", "--time", "0.1", "--all"]
    ran = good(*words)
    assert ran.err.startswith(f"kulami: note: {reach}62; a guess until then: ")
    assert "\nmoves     nothing is proved of 9 fields\n" in ran.out
    (guess,) = [line for line in ran.out.splitlines() if line.startswith("guess")]
    position = Position.from_kfn(json.loads(good(*words, "--json").out)["kfn"])
    assert guess.split()[1] in position.legal_fields
    assert guess.endswith("(mcts:100000, not proved)")
    assert guess.split(maxsplit=1)[1] in ran.err
    assert "\nbest " not in ran.out
    code, out, err, _ = interrupted("solve", "--layout", "square", "--all")
    assert code == 130
    assert err.startswith(f"kulami: note: {reach}64")
    assert "\nguess     " in out
    assert "\nmoves     nothing is proved of 64 fields\n" in out


def is_estimate(found: dict[str, Any]) -> bool:
    chances = [found[name] for name in ("win", "draw", "loss")]
    return list(found) == ["margin", "win", "draw", "loss"] and math.isclose(sum(chances), 1)


def test_only_what_is_open_has_an_estimate_and_only_if_asked_for() -> None:
    """Words never say that somebody wins by it."""
    words = ["solve", "--layout", "square", "--moves", "d4,d7", "--nodes", "2000"]
    asked = good(*words, "--estimate", "--all", "--json").answer
    assert asked["margin"] is None
    assert is_estimate(asked["estimate"])
    assert asked["lower"] <= asked["estimate"]["margin"] <= asked["upper"]
    assert [is_estimate(move["estimate"]) for move in asked["moves"]] == [True] * 9
    assert "estimate" not in good(*words, "--json").answer
    said = good(*words, "--estimate", "--all").out.splitlines()
    lines = [line for line in said if "about" in line]
    assert len(lines) == 10
    assert all("wins by" not in line and "for red; win" in line for line in lines)
    assert "not proved" in lines[0]
    solved = ["solve", "--layout", "AAB/CCB", "--moves", "a1", "--all", "--estimate"]
    asked = good(*solved, "--json").answer
    assert [asked["estimate"], *(move["estimate"] for move in asked["moves"])] == [None] * 3
    assert "about" not in good(*solved).out
    ran = kulami("solve", "--input", "-", "--results", "r", "--estimate")
    assert (ran.code, "--estimate" in ran.err) == (2, True)


@pytest.mark.parametrize(
    "words",
    [
        ["show", "--values", "--layout", "AAB/CCB", "--moves", "a1"],
        ["solve", "--layout", "AAB/CCB", "--moves", "a1"],
        ["just4fun", "show", "--position", "2006 - r20b20 r r1.4.7.12,b? - {2.5}"],
    ],
)
def test_pictures_are_written_with_values_where_they_are_asked_for(words: list[str]) -> None:
    out = good(*words, "--svg", "a.svg", "--png", "a.png").out
    text = Path("a.svg").read_text(encoding="utf-8")
    assert (text.count("\u22122</text>"), text.count(">0</text>")) == (1, 1) or "just4fun" in words
    assert text.startswith(("<svg", "<?xml"))
    assert Path("a.png").read_bytes().startswith(b"\x89PNG")
    assert ("wrote a.svg\nwrote a.png\n" in out) == ("show" in words)
    wrong = kulami(*words, "--svg", "b.png")
    assert (wrong.code, "b.png ends in .png" in wrong.err) == (2, True)
    if "--values" in words:
        good("show", *words[2:], "--svg", "b.svg")
        assert "\u22122</text>" not in Path("b.svg").read_text(encoding="utf-8")


# Saving and grading


def test_games_are_added_to_a_file() -> None:
    """One that was left, from where it began, and one that is over; both are graded."""
    words = [*AT_SMALL, "--bot", "greedy", "--save", "games.jsonl"]
    good("play", *words, stdin=b"quit\n")
    assert not Path("games.jsonl").exists()  # a game without moves
    left = good("play", *words, "--moves", "d3", "--side", "black", stdin=b"b3\n").out
    assert "saved: games.jsonl, game 1, not over (*)\n" in left
    assert "kulami grade games.jsonl --game 1" in left
    told = played("best\n" * 20, *words, "--scoring", "2")
    assert told[-1] == {"by": "save", "file": "games.jsonl", "game": 2}
    first, second = saved()
    assert first["moves"][:2] == ["d3", "b3"]
    assert not {"start", "score"} & first.keys()
    assert (first["black"], first["red"]) == ("you", "greedy")
    assert [second["level"], "score" in second] == [2, True]
    assert kulami("replay", "games.jsonl", "--json").answer["disagree"] == 1
    graded = good("grade", "games.jsonl", "--json").answers
    assert [one["finished"] for one in graded] == [False, True]


@pytest.mark.parametrize("title", [*PLAYED])
def test_games_of_another_game_are_not_mixed(title: str) -> None:
    """Each adds to its own file, whose games are graded."""
    move = b"take\n" if title == "Dice" else b"best\n"
    good(*PLAYED[title], "--save", "games.jsonl", stdin=move)
    held = Path("games.jsonl").read_bytes()
    for other, words in PLAYED.items():
        if other != title:
            ran = kulami(*words, "--save", "games.jsonl", stdin=move)
            said = f"games.jsonl: line 1 is no game of {other}; name another file"
            assert (ran.code, ran.out) == (2, "")
            assert f"--save: no game can be added to {said}" in ran.err
            assert Path("games.jsonl").read_bytes() == held
    told = good(*PLAYED[title], "--save", "games.jsonl", "--json", stdin=move * 9).answers
    assert told[-1]["game"] == 2
    assert len(saved()[-1]["moves"]) >= len(saved()[0]["moves"])
    group = PLAYED[title][:1] if title != "Kulami" else []
    if title == "Just 4 Fun":
        assert (saved()[1]["red"], saved()[1]["blue"]) == ("you", "advised")
        replayed = kulami("just4fun", "replay", "games.jsonl", "--json").answer
        assert (replayed["games"], replayed["disagree"]) == (2, 1)  # the first was left
        return
    graded = good(*group, "grade", "games.jsonl", "--json").answers
    assert [one["plies"] for one in graded if "plies" in one] == [
        len(record["moves"]) for record in saved()
    ]


def test_games_that_begin_later_are_saved_with_their_beginning() -> None:
    words = ["malawi", "play", "--save", "games.jsonl", "--json"]
    good(*words, "--board", "2x3", "--turns", "a3:b3 a1:b1", stdin=b"best\n" * 9)
    good(*words, "--mfn", "b2b2/../r0r4 b", "--side", "black", stdin=b"best\n")
    first, second = saved()
    assert (first["board"], first["moves"][:2]) == ("2x3", ["a3:b3", "a1:b1"])
    assert second["start"] == "b2b2/../r0r4 b"
    graded = good("malawi", "grade", "games.jsonl", "--json").answers
    words = ["--mfn", second["start"], "--turns", " ".join(second["moves"]), "--json"]
    assert good("malawi", "grade", *words).answer["moves"] == graded[1]["moves"]
    words = ["dice", "play", "--position", "1 take", "--moves", "2", "--side", "bob"]
    told = good(*words, "--save", "dice", "--grade", "--json", stdin=b"take\npass\n").answers
    (record,) = saved("dice")
    assert (record["start"], record["moves"][:2], record["ann"]) == (
        "1 take",
        ["2", "take"],
        "random",
    )
    assert good("dice", "grade", "dice", "--json").answer["moves"] == told[-2]["grade"]["moves"]


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGHUP])
def test_signals_save_what_was_played(by: signal.Signals) -> None:
    code, out, err, _ = interrupted(
        *("play", "--side", "black", "--bot", "random", "--save", "games.jsonl"), waits=True, by=by
    )
    assert code == {signal.SIGINT: 130, signal.SIGHUP: 129}[by]
    assert "saved: games.jsonl, game 1, not over (*)" in out
    assert "kulami: interrupted: " in err
    assert "go on with --kfn " in err
    (record,) = saved()
    assert (len(record["moves"]), "score" in record) == (1, False)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["play", "--side", "black", "--time", "60"],
         f"go on with --kfn '{SQUARE} - r -' --side black --time 60"),
        (["malawi", "play", "--board", "6x6", "--side", "black", "--time", "60"],
         "go on with --mfn 'b2b2"),
    ],
)  # fmt: skip
def test_ctrl_c_while_the_bot_thinks_loses_nothing(words: list[str], said: str) -> None:
    code, _, err, _ = interrupted(*words)
    assert code == 130
    assert f"interrupted: {said}" in err
    assert "Traceback" not in err


@pytest.mark.parametrize("title", ["Kulami", "Malawi", "Just 4 Fun"])
def test_a_closed_terminal_saves_what_was_played(title: str) -> None:
    ours, theirs = pty.openpty()
    with process(
        *(*PLAYED[title], "--save", "games.jsonl"),
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # its SIGHUP comes here
        **dict.fromkeys(("stdin", "stdout", "stderr"), theirs),
    ) as running:
        os.close(theirs)
        with os.fdopen(ours, "r+b", buffering=0) as screen:
            screen.write(b"best\n")
            shown = b""
            while shown.count(b"> ") < 2:  # asked for its own move, and for the next
                shown += screen.read(2000)
        assert running.wait(60) != 0
    assert len(saved()[0]["moves"]) > 1
