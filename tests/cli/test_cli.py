"""What the commands answer, beside what tests/transcripts.txt records."""

from __future__ import annotations

import io
import os
import pathlib
import sys

import pytest
from command_line import FINISHED, SMALL, good, kulami, until

import kulami_solver as ks
from kulami_solver.cli import output
from kulami_solver.core import progress
from kulami_solver.core.progress import ProgressLine
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


def test_show(monkeypatch: pytest.MonkeyPatch) -> None:
    position = ks.Position.from_kfn(EMPTY)
    assert good("show", "--kfn", EMPTY).out == position.text() + "\n"
    assert good("show", "--kfn", EMPTY, "--color", "always").out == board_ansi(position) + "\n"
    assert good("show", "--kfn", EMPTY, "--as", "kfn").out == EMPTY + "\n"
    assert good("show", "--kfn", EMPTY, "--json").answer["kfn"] == EMPTY
    monkeypatch.setattr(text, "wants_colour", lambda stream: True)
    assert good("show", "--kfn", EMPTY).out == board_ansi(position) + "\n"
    assert good("show", "--kfn", EMPTY, "--color", "never").out == position.text() + "\n"


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


def test_games_side_by_side_tell_their_progress_once_a_minute(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = io.StringIO()
    monkeypatch.setattr(sys, "stderr", told)
    with ProgressLine(" positions") as line:
        line.show(1, 10, "labelling")
        assert told.getvalue() == ""
        monkeypatch.setattr(progress, "TOLD_EVERY", 0.0)
        line.show(12345, 20000, "labelling")
    assert told.getvalue() == "labelling: 12,345 of 20,000 positions, 0 min\n"
    said: list[str] = []
    monkeypatch.setattr(output, "message", lambda kind, text: said.append(f"{kind}: {text}"))
    with output.told_if_late("for it", after=0.05):
        until(lambda: said)
    assert said == ["waiting: for it"]
    with output.told_if_late("for nothing", after=60):
        pass
