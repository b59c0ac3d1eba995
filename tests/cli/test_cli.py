"""What the commands answer, beside what tests/transcripts.txt records."""

from __future__ import annotations

import os
import pathlib
import xml.etree.ElementTree as ET

import pytest
from command_line import FINISHED, SMALL, good, kulami

import kulami_solver as ks
from kulami_solver.drawing import text
from kulami_solver.kulami.drawing.render import board_ansi

EMPTY = f"{SMALL} - r -"
KEYS = "kfn scoring goal exact margin outcome lower upper best line moves nodes seconds"
ENDLESS = ["--layout", "square"]


# Positions


def test_files_of_positions(tmp_path: pathlib.Path) -> None:
    lines = f"\N{ZERO WIDTH NO-BREAK SPACE}# two positions\n{EMPTY}\r\n\n  {FINISHED}".encode()
    file = tmp_path / "positions.kfn"
    file.write_bytes(lines)
    for ran in (good("moves", "--input", str(file)), good("moves", "--input", "-", stdin=lines)):
        assert [a["kfn"] for a in ran.answers] == [EMPTY, FINISHED]
        assert ran.answers[1]["moves"] == []
    assert good("moves", "--input", "-", stdin=b"").out == ""


# Commands


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
