"""What people mean is said, or taken as it is meant; what takes long is said while it does."""

from __future__ import annotations

import io
import json
import re
import shlex
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from command_line import SMALL, good, kulami, until

from kulami_solver import KulamiError, Layout, Position, SolveInterrupted, solve
from kulami_solver.bots.naming import bots_of
from kulami_solver.cli import arguments, output
from kulami_solver.cli.kulami import solving
from kulami_solver.core import progress
from kulami_solver.core.progress import ProgressLine
from kulami_solver.kulami.game_record import read_games
from kulami_solver.web.kulami.requests import Import, take_in


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


def test_a_file_is_not_taken_for_a_layout(tmp_path: Path) -> None:
    good("build", str(tmp_path / "db"), "--layout", "AAB/CCB")
    assert (
        good("probe", str(tmp_path / "db"), "--layout", "AAB/CCB", "--json").answer["margin"] == 0
    )


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
    answer = good("grade", "-", "--time", "0.01", "--json", stdin=stdin).answer
    assert answer["plies"] == 2
    if coded == "utf-8":
        (game,) = read_games(text)
        assert game.fields == ("d4", "d7")
        assert take_in(Import(text))["moves"] == ["d4", "d7"]


def test_a_game_without_a_board_is_told_what_is_missing() -> None:
    text = "Club evening\n\n1. d4 d7 2. a1"
    ran = kulami("grade", "-", stdin=text.encode())
    assert ran.code == 2
    assert 'there is no layout: put [Layout "square"] in front\n' in ran.err
    with pytest.raises(KulamiError, match="there is no layout"):
        take_in(Import(text))


GOOD = {
    "kulami": '{"board": "AAB/CCB", "level": 0, "first": "red", "moves": ["a1", "c1"], '
    '"score": {"red": 2, "black": 2}}',
    "malawi": '{"board": "2x3", "moves": ["a3:b3", "b1xb3"]}',
}
BAD = {
    "kulami": ["{", '{"board": 5}', GOOD["kulami"].replace("c1", "b1")],
    "malawi": ["{", '{"board": 5}', GOOD["malawi"].replace("b1xb3", "b1")],
}


@pytest.mark.parametrize("game", GOOD)
def test_a_bad_game_does_not_cost_the_others_their_table(game: str, tmp_path: Path) -> None:
    group = [] if game == "kulami" else [game]
    path = tmp_path / "games.jsonl"
    path.write_text("\n".join([*BAD[game], GOOD[game], BAD[game][1], GOOD[game]]), "utf-8")
    ran = kulami(*group, "grade", str(path))
    assert ran.code == 2
    assert re.findall("^(?:game [0-9]+|[0-9]+ games)", ran.out, re.M) == [
        "game 4",
        "game 6",
        "2 games",
    ]
    assert re.findall("game record ([0-9])", ran.err) == ["1", "2", "3", "5"]
    (tmp_path / "none.jsonl").write_text(BAD[game][0])
    folder = kulami(*group, "grade", str(tmp_path), "--json")
    assert (folder.code, len(folder.answers)) == (2, 3)
    assert folder.err.count("\n") == 5
    assert kulami(*group, "grade", str(path), "--game", "4").code == 0
    alone = kulami(*group, "grade", str(tmp_path / "none.jsonl"))
    assert (alone.code, alone.out, alone.err.count("\n")) == (2, "", 1)


def test_replay_goes_on_after_a_bad_record() -> None:
    games = "\n".join([*BAD["kulami"], GOOD["kulami"]])
    ran = kulami("replay", "-", "--json", stdin=games.encode())
    assert (ran.code, ran.answer["games"], ran.answer["disagree"]) == (2, 2, 1)
    assert ran.err.count("kulami: error: ") == 2
    good_one = '{"start": "3x3 - r1b1 r r1.2,b2.3 {4.4} -", "line": 3, "hand": 2, "moves": '
    good_one += '["3=1+2", "2=2"], "draws": [[4, 4], []], "winner": "red"}'
    ran = kulami("just4fun", "replay", "-", "--json", stdin=f"[]\n{good_one}\n[]".encode())
    assert (ran.code, ran.answer["games"], ran.err.count("\n")) == (2, 1, 2)


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
    ratio = float(told.replace(",", "")) * 365.25 * 24 / found["core_hours"]
    assert 0.2 < ratio < 5
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


@pytest.mark.parametrize(
    "words",
    [
        ["malawi", "show", "--board", "3x4"],
        ["just4fun", "show", "--position", "3x3 5:b1 r1b1 r r1,b2 3 -", "--hand", "1"],
    ],
)
def test_colours_only_where_they_are_wanted(words: list[str]) -> None:
    assert "\x1b[" not in good(*words).out
    assert "\x1b[" in good(*words, "--color", "always").out


def test_what_takes_long_is_told_once_a_minute_off_a_terminal(
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


def test_what_is_waited_for_is_told_soon() -> None:
    said: list[str] = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(output, "message", lambda kind, text: said.append(f"{kind}: {text}"))
        with output.told_if_late("for it", after=0.05):
            until(lambda: said)
    assert said == ["waiting: for it"]
    with output.told_if_late("for nothing", after=60):
        pass


def test_a_match_with_a_short_end(tmp_path: Path) -> None:
    games = tmp_path / "games.jsonl"
    words = ["match", "random", "greedy", "--games", "2", "--layout", SMALL, "--marbles", "3"]
    good(*words, "--short-end", "--save", str(games))
    records = [json.loads(line) for line in games.read_text("utf-8").splitlines()[1:]]
    assert [(record["short_end"], len(record["moves"])) for record in records] == [(True, 5)] * 2
    assert good("replay", str(games)).out == "2 games, 0 disagree\n"
