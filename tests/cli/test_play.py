"""`kulami play` through a pipe, and positions and values as people type and see them."""

from __future__ import annotations

import fcntl
import json
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


# Values on the board


def test_values_that_are_not_known_in_the_time() -> None:
    words = ["show", "--layout", "square", "--moves", "d4 d7", "--values", "--time", "0.2"]
    ran = good(*words)
    assert " 7 \u2502 + \u2502 +   + \u2502(b)" in ran.out
    assert "; a guess: " in ran.out


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


def test_ctrl_c_leaves_the_guess() -> None:
    code, out, err, _ = interrupted("solve", "--layout", "square", "--all")
    assert code == 130
    assert err.startswith("kulami: note: exact from about 41 free fields; this has 64")
    assert "\nguess     " in out
    assert "\nmoves     nothing is proved of 64 fields\n" in out


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
    "words",
    [
        ["play", "--side", "black", "--bot", "random"],
        ["malawi", "play", "--board", "2x3"],
        ["just4fun", "play", "--deal", "1", "--board", "3x3", "--deals", "2"],
    ],
)
def test_a_closed_terminal_saves_what_was_played(words: list[str], tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    ours, theirs = pty.openpty()
    ends = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    with process(
        *words,
        "--save",
        str(path),
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # its SIGHUP comes here
        **ends,
    ) as running:
        os.close(theirs)
        with os.fdopen(ours, "r+b", buffering=0) as screen:
            screen.write(b"best\n")
            shown = b""
            while shown.count(b"> ") < 2:  # asked for its own move, and for the next
                shown += screen.read(2000)
        assert running.wait(60) != 0
    assert len(saved(path)[0]["moves"]) > 1


def test_sighup_is_told_as_ctrl_c_is(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    words = ["play", "--side", "black", "--bot", "random", "--save", str(path)]
    code, out, _, _ = interrupted(*words, waits=True, by=signal.SIGHUP)
    assert (code, len(saved(path))) == (129, 1)
    assert f"saved: {path}, game 1, not over (*)" in out


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


@pytest.mark.parametrize("game", [(), ("malawi",), ("just4fun",)])
def test_a_game_begins_without_an_option(game: tuple[str, ...]) -> None:
    told = good(*game, "play", "--json", stdin=b"").answers
    assert [(one["by"], one["over"]) for one in told] == [("start", False)]
