"""`kulami malawi` beside what tests/transcripts.txt has: Ctrl-C, and files that are bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import good, interrupted, kulami
from documents import ROOT

from kulami_solver.cli.malawi import solving


@pytest.mark.landing
def test_ctrl_c_tells_what_was_proved() -> None:
    code, out, err, _ = interrupted("malawi", "solve", "--board", "6x6", "--time", "60", "--json")
    assert (code, json.loads(out)["within"] >= 0) == (130, True)
    assert "this is what was proved by then" in err
    assert "Traceback" not in err


def test_ctrl_c_keeps_the_work_of_a_build(tmp_path: Path) -> None:
    path = str(tmp_path / "large.kdb")
    code, _, err, _ = interrupted("malawi", "build", path, "--board", "4x3", "--threads", "1")
    assert code == 130
    assert f"the work so far is in {path}.building; the same command goes on with it" in err
    assert "Traceback" not in err
    assert not Path(path).exists()


def test_a_board_that_does_not_fit_is_searched_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(solving, "SEARCH_SECONDS", 0.2)
    ran = good("malawi", "solve", "--board", "3x5", "--memory", "64K", "--json")
    assert ran.answer["method"] == "search"
    assert ran.err.startswith("kulami: note: ")
    assert "searching forwards instead" in ran.err


def test_what_another_command_verifies_or_none_is_bad_input(tmp_path: Path) -> None:
    """It has failed no check; a damaged file has."""
    path = tmp_path / "small.kdb"
    good("malawi", "build", str(path), "--board", "2x3")
    assert "read it with kulami malawi" in (ran := kulami("verify", str(path))).err
    assert ran.code == 2
    other = str(ROOT / "data" / "3x4-level2.kdb")
    assert "read it with kulami probe" in (ran := kulami("malawi", "verify", other)).err
    assert ran.code == 2
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 16
    path.write_bytes(content)
    ran = kulami("malawi", "verify", str(path), "--json")
    assert (ran.code, ran.answer["ok"]) == (1, False)
    assert kulami("malawi", "info", str(path)).code == 2


@pytest.mark.landing
@pytest.mark.parametrize(
    "words", ["solve --deal 1 --stones 12 --value-only", "advise --deal 1 --time 60"]
)
def test_ctrl_c_prints_what_was_proved(words: str) -> None:
    code, out, err, _ = interrupted("just4fun", *words.split(), "--json")
    assert (code, "interrupted" in err) == (130, True)
    assert json.loads(out)["outcome"] is None if "solve" in words else json.loads(out)["estimate"]
