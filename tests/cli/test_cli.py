"""What the commands answer, beside what tests/transcripts.txt records."""

from __future__ import annotations

import io
import json
import os
import pathlib
import re
import shlex
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from command_line import FINISHED, SMALL, good, kulami, until

import kulami_solver as ks
from kulami_solver import Layout, Position, SolveInterrupted, solve
from kulami_solver.bots.naming import bots_of
from kulami_solver.cli import arguments, output
from kulami_solver.cli.kulami import solving
from kulami_solver.core import progress
from kulami_solver.core.progress import ProgressLine
from kulami_solver.drawing import text
from kulami_solver.kulami.drawing.render import board_ansi
from kulami_solver.kulami.game_record import read_games
from kulami_solver.web.kulami.requests import Import, take_in

EMPTY = f"{SMALL} - r -"
KEYS = "kfn scoring goal exact margin outcome lower upper best line moves nodes seconds"
WEB = Path(ks.__file__).parent / "web"
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


def test_bots_are_named_as_they_were_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mybot.py").write_text(
        "class Base: ...\nclass Mine:\n    def choose(self, p): ...\n"
    )
    (tmp_path / "cppbot").touch()
    monkeypatch.chdir(tmp_path)
    for name, said in (
        ("other.py", "other.py: No such file"),
        ("cppbot", "did you mean 'exec cppbot'?"),
        ("./absent", "did you mean 'exec ./absent'?"),
    ):
        ran = kulami("check", name, "--positions", "1")
        assert ran.code == 2
        assert said in ran.err
    for command in (["check"], ["match", "greedy"], ["just4fun", "match", "greedy"]):
        ran = kulami(*command, "exec cppbot -v")
        assert (ran.code, ran.err.count('did you mean "exec ./cppbot -v"?')) == (2, 1)
    assert "did you mean" not in kulami("check", "nobody", "--positions", "1").err


@pytest.mark.parametrize("game", [(), ("just4fun",), ("malawi",)])
def test_a_bot_without_its_option_is_met_with_it(game: tuple[str, ...]) -> None:
    names = bots_of(game[0] if game else "kulami")
    command = [*game, "engine"] if game else ["play"]
    bots = [*names.plain, *(f"{kind}:3" for kind in names.more), "exec ./bot", "exec python b.py x"]
    for bot in [*bots, "mine.py", "mine.py:Bot"]:
        ran = kulami(*command, bot)
        assert (ran.code, ran.out) == (2, "")
        assert f"you mean --bot {shlex.quote(bot)} (see" in ran.err
    if not game:
        assert "you mean --level 3 (see" in kulami("play", "3").err


def test_a_dashboard_that_is_not_there_is_not_named() -> None:
    class Nothing(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/here" else 404)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Nothing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        assert arguments._answers(f"{address}/here")
        assert not arguments._answers(f"{address}/status")
        server.shutdown()
    assert not arguments._answers(f"{address}/here")


GAMES = [
    '[Layout "square"]\n1. D4 D7\n',
    "Layout: square\n\n1. d4 D7 {A7 stays as it is} *\n",
    '{"board": "square", "level": 0, "first": "red", "moves": "1. D4 d7"}\n',
    "Club, 3 May 2024\nAnn - Bob\n\nlayout: square\nRed: Ann\n1) d4! d7 $1 ; bold\nRed gave up\n",
    "[Layout square]\n1 d4?? - d7 1-0\nRed won on time.\n",
    '\ufeff[layout "square"]\n[Date "2024"]\n{no clock} 1. d4, d7 1/2-1/2',
]


@pytest.mark.parametrize("text", GAMES)
@pytest.mark.parametrize("coded", ["utf-8", "utf-16", "utf-16-be"])
def test_games_are_taken_as_people_write_them(text: str, coded: str) -> None:
    mark = "\ufeff" if coded == "utf-16-be" and text[0] != "\ufeff" else ""
    stdin = (mark + text.replace("\n", "\r\n")).encode(coded)
    assert good("grade", "-", "--time", "0.01", "--json", stdin=stdin).answer["plies"] == 2
    if coded == "utf-8":
        (game,) = read_games(text)
        assert game.fields == ("d4", "d7")
        assert take_in(Import(text))["moves"] == ["d4", "d7"]


def test_a_search_out_of_reach_ends_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "LONGEST", 0.2)
    ran = good("solve", "--layout", "square", "--json")
    assert "the search ends after 0.2 seconds: --time inf goes on" in ran.err
    assert ran.answer["exact"] is False
    # It says what `kulami estimate` says; how fast the machine is, is measured each time.
    (told,) = re.findall(
        r"a proof takes about ([0-9,]+) years of one core \(.* years to .*\)", ran.err
    )
    found = good("estimate", "--layout", "square", "--json").answer["solve"]
    assert 0.2 < float(told.replace(",", "")) * 365.25 * 24 / found["core_hours"] < 5
    assert "hours to years" not in ran.err
    ran = good("solve", "--layout", "square", "--time", "0.1")
    assert "the search ends" not in ran.err
    assert good("solve", "--layout", SMALL, "--time", "inf", "--json").answer["exact"] is True


def test_ctrl_c_while_it_estimates_leaves_the_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise SolveInterrupted(solve(Position(Layout.parse("AAB/CCB"))))

    monkeypatch.setattr("kulami_solver.kulami.estimate.effort.estimate_solve", interrupted)
    ran = kulami("solve", "--layout", "square", "--json")
    assert ran.code == 130
    assert ran.answer["kfn"] == Position(Layout.square()).kfn()


@pytest.mark.parametrize("more", [[], ["--threads", "2"], ["--results"]])
def test_a_batch_tells_how_far_it_is_off_a_terminal(
    more: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(progress, "TOLD_EVERY", 0.0)
    words = more and more + [str(tmp_path / "results.jsonl")] * (more == ["--results"])
    start = Position(Layout.square()).play_all("d4 d7 a7 a1 c1")
    batch = "".join(f"{start.play(field).kfn()}\n" for field in start.legal_fields[:3])
    ran = good("solve", "--input", "-", "--time", "0.3", *words, stdin=batch.encode())
    assert len(ran.out.splitlines()) == 3
    assert re.search(r"(under way|margin .* to .*): \d+( of 3)? positions, 0 min\n", ran.err)


@pytest.mark.parametrize(
    "command", [["play"], ["malawi", "play", "--board", "2x3"], ["just4fun", "play", "--deal", "1"]]
)
def test_what_is_no_move_ends_the_game_in_one_line(command: list[str]) -> None:
    for typed, said in (
        (b"x" * 5000, "line 1 is longer than 4096 bytes; give one move or command a line\n"),
        (b"\xff\xfe\n", "standard input"),
    ):
        ran = kulami(*command, stdin=typed)
        assert ran.code == 2
        assert said in ran.err


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "nl"])
def test_the_rules_on_paper_are_those_of_the_page(language: str, tmp_path: Path) -> None:
    page = json.loads((WEB / "kulami" / "static" / "rules" / "page.json").read_text("utf-8"))
    texts = json.loads(
        (WEB / "kulami" / "static" / "rules" / "texts" / f"{language}.json").read_text("utf-8")
    )
    shown = good("rules", "--language", language).out
    assert not set("{}*") & set(shown)
    words = " ".join(shown.split())
    for name in ("moves_line", "end_winner", "count_panels"):
        assert texts[name].format_map(page["facts"]).replace("*", "") in words
    assert " ".join(map(str, page["facts"]["legal_3"][:1])) in words
    good("rules", "--language", language, "--html", str(tmp_path / "rules.html"))
    html = (tmp_path / "rules.html").read_text("utf-8")
    assert html.startswith(f'<!DOCTYPE html>\n<html lang="{language}">')
    assert len(re.findall("<svg", html)) == 4
    assert texts["end_winner"] in html
    assert "legal field" not in html  # captions are in the language of the text


def test_a_score_sheet_has_lines_for_all_moves(tmp_path: Path) -> None:
    for name, words, marbles in (("a.svg", (), 0), ("b.html", ("--moves", "D6, d3 i3"), 3)):
        path = tmp_path / name
        good("show", "--layout", "rulebook", *words, "--sheet", str(path))
        drawn = path.read_text("utf-8")
        assert drawn.startswith("<svg" if name == "a.svg" else "<!DOCTYPE html>")
        labels = re.findall(r">([^<>]+)</text>", drawn)
        assert labels[-1] == "28"
        played = [one for one in labels if re.fullmatch("[a-i][1-9]", one)]
        assert played == ["d6", "d3", "i3"][:marbles]
    assert kulami("show", "--layout", "AB", "--sheet", str(tmp_path / "a.pdf")).code == 2
