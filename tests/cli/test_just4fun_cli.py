"""`kulami just4fun`: pictures, records, Ctrl-C; tests/transcripts.txt has the rest."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from command_line import good, interrupted, kulami

SMALL = ("--position", "3x3 5:b1 r2b1 r r1.2,b2.3 4.1 -", "--line", "3", "--hand", "2")
HIDDEN = ("--position", "2006 - r20b20 r r1.4.7.12,b? - {2.5}")


# show


def test_pictures_are_written(tmp_path: Path) -> None:
    svg, png = tmp_path / "board.svg", tmp_path / "board.png"
    out = good("just4fun", "show", *HIDDEN, "--svg", str(svg), "--png", str(png)).out
    assert out == f"wrote {svg}\nwrote {png}\n"
    assert svg.read_text(encoding="utf-8").startswith("<svg")
    assert png.read_bytes().startswith(b"\x89PNG")
    wrong = kulami("just4fun", "show", *SMALL, "--svg", str(tmp_path / "a.png"))
    assert (wrong.code, "a.png ends in .png" in wrong.err) == (2, True)


# advise, play


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


# check


@pytest.mark.parametrize("words", [("perfect",), ("advised", "--hidden")])
def test_check_with_what_a_player_sees(words: tuple[str, ...]) -> None:
    board = ("--board", "3x3", "--stones", "3", "--line", "3", "--hand", "2", "--positions", "5")
    report = good("just4fun", "check", *words, *board, "--workers", "1", "--json").answer
    assert (report["positions"], report["bot"]) == (5, words[0])
    assert report["optimal_rate"] == 1 or "--hidden" in words


# Ctrl-C


@pytest.mark.landing
def test_ctrl_c_prints_what_was_proved() -> None:
    words = ("just4fun", "solve", "--deal", "1", "--stones", "12", "--json", "--value-only")
    code, out, err, _ = interrupted(*words)
    assert code == 130
    assert json.loads(out)["outcome"] is None
    assert "interrupted" in err
    code, out, err, _ = interrupted("just4fun", "advise", "--deal", "1", "--time", "60", "--json")
    assert code == 130
    assert json.loads(out)["estimate"]
