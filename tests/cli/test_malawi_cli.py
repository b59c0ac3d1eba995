"""`kulami malawi`: Ctrl-C, databases, and games that go on; tests/transcripts.txt has the rest."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from command_line import good, interrupted, kulami
from documents import ROOT

from kulami_solver.cli.malawi import solving

# Ctrl-C


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["solve", "--board", "6x6", "--time", "60", "--json"], "this is what was proved by then"),
        (["play", "--board", "6x6", "--side", "black", "--time", "60"], "go on with --mfn 'b2b2"),
    ],
)
@pytest.mark.landing
def test_ctrl_c_loses_nothing(words: list[str], said: str) -> None:
    code, out, err, _ = interrupted("malawi", *words)
    assert code == 130
    assert said in err
    assert "Traceback" not in err
    if "--json" in words:
        assert json.loads(out)["within"] >= 0


# solve from the ends, and databases


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
    assert (built["database"], built["reachable"], built["outcome"]) == (path, 17476, "draw")
    return path


def test_a_damaged_database_fails(database: str, tmp_path: Path) -> None:
    content = bytearray(Path(database).read_bytes())
    content[len(content) // 2] ^= 16
    damaged = tmp_path / "damaged.kdb"
    damaged.write_bytes(content)
    ran = kulami("malawi", "verify", str(damaged), "--json")
    assert ran.code == 1
    assert ran.answer["ok"] is False
    assert kulami("malawi", "info", str(damaged)).code == 2


def test_what_another_command_verifies_is_bad_input(database: str) -> None:
    """It has failed no check."""
    assert "read it with kulami malawi" in (ran := kulami("verify", database)).err
    assert ran.code == 2
    kulami_database = str(ROOT / "data" / "3x4-level2.kdb")
    assert "read it with kulami probe" in (ran := kulami("malawi", "verify", kulami_database)).err
    assert ran.code == 2


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
