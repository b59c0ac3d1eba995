"""`kulami malawi`: keys, words, exit codes, bad input, Ctrl-C, and games played through a pipe."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from command_line import good, interrupted, kulami

from kulami_solver.cli.malawi import solving
from kulami_solver.malawi import Position

EMPTY = "b2b2b2/.../.../r2r2r2 r"


# show, turns


def test_show_draws_and_says_the_line_to_go_on_with() -> None:
    out = good("malawi", "show", "--board", "3x4", "--turns", "a4-a2").out
    assert "│r2 │   │   │" in out
    assert out.splitlines()[-2].startswith("black to move")
    assert out.splitlines()[-1] == "b2b2b2/r2../.../.r2r2 b"
    answer = good("malawi", "show", "--mfn", "r1b2/../b0r1 r", "--json").answer
    assert (answer["over"], answer["winner"], answer["beads"]) == (
        True,
        "red",
        {"red": 2, "black": 2},
    )


def test_turns() -> None:
    assert good("malawi", "turns", "--board", "2x3").out == "a3xa1 a3:b3 b3xb1 b3:a3\n"
    assert good("malawi", "turns", "--mfn", EMPTY, "--json").answer == {
        "mfn": EMPTY,
        "turn": "red",
        "turns": ["a4-a2", "a4:b4,c4", "b4-b2", "b4:a4,c4", "c4-c2", "c4:a4,b4"],
    }
    assert good("malawi", "turns", "--mfn", "b0b0/r1./.r0 b").out.startswith("game over, black")


# solve, by search

FIXED = {"reachable", "outcome", "plies", "draws", "wins", "losses", "seconds"}


def test_a_position_is_searched() -> None:
    lost = good("malawi", "solve", "--mfn", "b2b2/../../r2r2 r", "--all", "--json").answer
    assert set(lost) >= FIXED | {"mfn", "method", "within", "best", "line", "turns", "nodes"}
    assert (lost["method"], lost["outcome"], lost["plies"]) == ("search", "loss", 11)
    assert len(lost["line"]) == 11
    assert [found["outcome"] for found in lost["turns"]] == ["loss"] * 4
    said = good("malawi", "solve", "--mfn", "b2b2/../../r2r2 r", "--all").out
    assert "value     black wins in 11 plies" in said
    assert f"best      {lost['best']}" in said


def test_what_is_not_proved_is_not_said() -> None:
    open_one = good("malawi", "solve", "--board", "6x6", "--depth", "6", "--json").answer
    assert (open_one["outcome"], open_one["plies"], open_one["within"]) == (None, None, 6)
    said = good("malawi", "solve", "--board", "6x6", "--nodes", "2000").out
    assert "no win and no loss within 6 plies" in said
    assert "best" not in said


def test_an_ended_game_is_said_to_be_over() -> None:
    assert "red has won" in good("malawi", "solve", "--mfn", "r1b2/../b0r1 r").out


# Bad input


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "no command given (see 'kulami malawi --help')"),
        (["solve"], "give one of --board --mfn"),
        (["solve", "--board", "3"], "--board: '3' is no board: write columns x rows, like 3x4"),
        (["solve", "--board", "3x3", "--beads", "0"], "--beads: expected a whole number from 1"),
        (["solve", "--board", "3x3", "--mfn", EMPTY], "--mfn: not allowed with argument --board"),
        (["solve", "--mfn", EMPTY, "--beads", "1"], "--beads goes with --board"),
        (["solve", "--mfn", "b2b2/../r2r2"], "--mfn: an MFN is 'ROWS TURN'"),
        (["solve", "--board", "3x4", "--turns", "a4-a3"], "--turns: turn 1: red cannot play a4-a3"),
        (["solve", "--board", "3x4", "--turns", "z9-a2"], "--turns: turn 1: 'z9-a2' is no turn: "),
        (["solve", "--board", "3x4", "--depth", "0"], "--depth: expected a whole number"),
        (["solve", "--board", "6x6", "--memory", "x"], "--memory: 'x' is no memory size"),
        (["play", "--board", "2x3", "--time", "0"], "--time: expected seconds"),
        (["show", "--board", "3x4", "--turn", "a"], "unknown argument '--turn', 'a'"),
    ],
)
def test_bad_input_is_said_in_a_line(words: list[str], said: str) -> None:
    ran = kulami("malawi", *words)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("kulami: error: ")
    assert len(ran.err.splitlines()) == 1
    assert said in ran.err


# play


def played(text: str, *words: str) -> list[dict[str, object]]:
    ran = good("malawi", "play", *words, "--json", stdin=text.encode())
    return [json.loads(line) for line in ran.out.splitlines()]


def test_a_game_through_a_pipe() -> None:
    told = played("a3:b3\n", "--board", "2x3")
    assert [step["by"] for step in told] == ["start", "you", "computer"]
    assert told[-1]["turn"] == "b1xb3"
    assert (told[-1]["over"], told[-1]["winner"]) == (True, "black")
    replayed = Position.from_mfn(str(told[0]["mfn"])).play_all([str(s["turn"]) for s in told[1:]])
    assert replayed.mfn() == told[-1]["mfn"]


def test_the_winner_wins_in_the_plies_announced() -> None:
    """Best play by both: red has lost in 11 plies, so the computer needs its 5 turns and 1."""
    told = played("best\n" * 20, "--board", "2x4", "--time", "10")
    assert [step["winner"] for step in told][-1] == "black"
    assert len(told) == 1 + 11


def test_undo_turns_and_what_is_not_legal() -> None:
    typed = b"undo\nturns\nnonsense\na3-a1\na3:b3\nundo\nmfn\n"
    ran = good("malawi", "play", "--board", "2x3", stdin=typed)
    assert ran.err.splitlines() == [
        "kulami: error: there is no turn of yours to take back",
        "kulami: error: 'nonsense' is no turn: write a4-a2 for a move, a4xa1 for a hit, "
        "a4:b4,c4 for a redistribution",
        "kulami: error: red cannot play a3-a1: a1 is not empty",
    ]
    assert "turns     a3xa1  black wins in 4 plies" in ran.out
    assert "game over, red has lost" in ran.out
    assert "b2b2/../r2r2 r" in ran.out.splitlines()


# Ctrl-C


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["solve", "--board", "6x6", "--time", "60", "--json"], "this is what was proved by then"),
        (["play", "--board", "6x6", "--side", "black", "--time", "60"], "go on with --mfn 'b2b2"),
    ],
)
def test_ctrl_c_loses_nothing(words: list[str], said: str) -> None:
    code, out, err, _ = interrupted("malawi", *words)
    assert code == 130
    assert said in err
    assert "Traceback" not in err
    if "--json" in words:
        assert json.loads(out)["within"] >= 0


# solve from the ends, and databases


def test_a_small_board_is_solved_from_its_ends() -> None:
    answer = good("malawi", "solve", "--board", "2x5", "--json").answer
    assert set(answer) >= FIXED | {"mfn", "board", "beads", "longest", "method"}
    assert (answer["method"], answer["reachable"]) == ("retrograde", 6170)
    searched = good("malawi", "solve", "--board", "2x5", "--depth", "3", "--json").answer
    assert set(searched) == set(answer)
    assert (searched["board"], searched["beads"], searched["longest"]) == ("2x5", 2, None)
    assert (answer["outcome"], answer["plies"]) == ("loss", 10)
    assert (answer["wins"], answer["draws"], answer["losses"]) == (3074, 1036, 2060)
    said = good("malawi", "solve", "--board", "2x6").out
    assert "value     draw" in said
    assert "17,476 positions from the ends of the game backwards" in said


def test_a_board_that_does_not_fit_is_searched_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(solving, "SEARCH_SECONDS", 0.2)
    ran = good("malawi", "solve", "--board", "3x5", "--memory", "64K", "--json")
    assert ran.answer["method"] == "search"
    assert ran.err.startswith("kulami: note: ")
    assert "searching forwards instead" in ran.err


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("malawi") / "small.kdb")
    built = good("malawi", "build", path, "--board", "2x6", "--json").answer
    assert set(built) >= FIXED | {"database", "bytes"}
    assert (built["database"], built["reachable"], built["outcome"]) == (path, 17476, "draw")
    return path


def test_probe(database: str) -> None:
    answer = good("malawi", "probe", database, "--board", "2x6", "--all", "--json").answer
    assert (answer["outcome"], answer["source"], len(answer["turns"])) == ("draw", "database", 4)
    said = good("malawi", "probe", database, "--mfn", "b2b2/../../../../r2r2 b", "--all").out
    assert "value     draw" in said
    assert "turns     " in said
    assert "searched" not in said


def test_what_is_not_in_the_database_is_said(database: str) -> None:
    held = good("malawi", "probe", database, "--board", "2x6", "--json").answer
    for words in (["--board", "2x5"], ["--board", "2x6", "--beads", "3"]):
        ran = kulami("malawi", "probe", database, *words)
        assert (ran.code, ran.out) == (1, "")
        assert "does not hold b" in ran.err
        answer = kulami("malawi", "probe", database, *words, "--json").answer
        assert (answer["outcome"], answer["source"]) == (None, None)
        assert set(answer) == set(held)


def test_a_game_that_is_not_in_the_database_is_said(database: str) -> None:
    ran = kulami("malawi", "play", "--board", "2x5", "--database", database)
    assert (ran.code, ran.out) == (2, "")
    assert "is of a board of 2x6, the game is on 2x5" in ran.err
    ran = good("malawi", "play", "--board", "2x6", "--beads", "3", "--database", database)
    assert ran.err.startswith(f"kulami: note: {database} does not hold b3b3/")


def test_every_line_of_a_game_is_json() -> None:
    told = played("help\nmfn\nboard\nturns\n", "--board", "2x3")
    assert "take your last turn back" in str(told[1]["help"])
    assert [step["by"] for step in (told[0], *told[2:4])] == ["start", "mfn", "board"]
    assert told[4]["outcome"] == "loss"


def test_options_that_a_search_ignores_are_said() -> None:
    words = ["malawi", "solve", "--board", "2x3", "--depth", "2"]
    assert good(*words).err == ""
    assert "a search has no use for --threads and --force" in good(*words, "--force").err


def test_info_and_verify(database: str) -> None:
    about = good("malawi", "info", database, "--json").answer
    assert (about["positions"], about["outcome"], about["ok"]) == (17476, "draw", True)
    assert sum(value["positions"] for value in about["values"]) == 17476
    assert "  drawn           3,703" in good("malawi", "info", database).out
    assert good("malawi", "verify", database, "--json").answer["ok"] is True
    assert "17,476 values computed again" in good("malawi", "verify", database).out


def test_a_damaged_database_fails(database: str, tmp_path: Path) -> None:
    content = bytearray(Path(database).read_bytes())
    content[len(content) // 2] ^= 16
    damaged = tmp_path / "damaged.kdb"
    damaged.write_bytes(content)
    ran = kulami("malawi", "verify", str(damaged), "--json")
    assert ran.code == 1
    assert ran.answer["ok"] is False
    assert kulami("malawi", "info", str(damaged)).code == 2


def test_each_game_refuses_the_databases_of_the_other(database: str) -> None:
    ran = kulami("info", database)
    assert ran.code == 2
    assert "a database of Malawi, not of Kulami: read it with kulami malawi" in ran.err
    ran = kulami("malawi", "info", "data/3x4-level2.kdb")
    assert ran.code == 2
    assert "a database of Kulami, not of Malawi" in ran.err


def test_play_by_a_database_is_perfect(database: str) -> None:
    """From a draw both sides hold it, and the third time that a position comes up ends the game."""
    words = ["malawi", "play", "--board", "2x6", "--database", database]
    ran = good(*words, "--json", stdin=b"best\n" * 80)
    told = [json.loads(line) for line in ran.out.splitlines()]
    assert [step["over"] for step in told] == [False] * (len(told) - 1) + [True]
    assert (told[-1]["winner"], told[-1]["repetitions"]) == (None, 3)
    assert max(step["repetitions"] for step in told[:-1]) == 2
    values = good("malawi", "probe", database, "--mfn", told[-1]["mfn"], "--json").answer
    assert values["outcome"] == "draw"
    said = good(*words, stdin=b"best\n" * 80).out
    assert said.rstrip().splitlines()[-2] == "this has come up three times: the game is a draw"
    assert "to go on" not in said


def test_a_game_goes_on_later_with_all_that_was_given(database: str) -> None:
    """What came up before counts, too, when the game goes on."""
    words = ["--board", "2x6", "--side", "black", "--time", "0.5", "--seed", "3"]
    words += ["--database", database]
    left = good("malawi", "play", *words, stdin=b"best\n" * 3).out.splitlines()[-1]
    options = shlex.split(left.removeprefix("to go on: "))
    given = dict(zip(options[::2], options[1::2], strict=True))
    assert given.pop("--turns").count(" ") == 6
    assert given == {
        "--mfn": "b2b2/../../../../r2r2 r",
        "--side": "black",
        "--time": "0.5",
        "--seed": "3",
        "--database": database,
    }
    # All in one go, and with a break: the same game, and the same end.
    whole = good("malawi", "play", *words, "--json", stdin=b"best\n" * 80).answers
    later = good("malawi", "play", *options, "--json", stdin=b"best\n" * 80).answers
    assert later[1:] == whole[-len(later) + 1 :]
    assert later[-1]["repetitions"] == 3


def test_ctrl_c_keeps_the_work_of_a_build(tmp_path: Path) -> None:
    path = str(tmp_path / "large.kdb")
    code, _, err, _ = interrupted("malawi", "build", path, "--board", "4x3", "--threads", "1")
    assert code == 130
    assert f"the work so far is in {path}.building; the same command goes on with it" in err
    assert "Traceback" not in err
    assert not Path(path).exists()
