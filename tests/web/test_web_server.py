"""`kulami serve` and its API: a process on loopback, asked as a page or a program does."""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import os
import re
import signal
import socket
import sys
import threading
import time
import urllib.request
from collections import Counter
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from command_line import SMALL, completed, kulami, until
from web_server import Server, serving, within

import kulami_solver as ks

pytest.importorskip("uvicorn", reason="uvicorn is not installed: pip install -e '.[test]'")

from kulami_solver.kulami.game_record import GameRecord, RecordedMove
from kulami_solver.kulami.proof.proof import open_proof
from kulami_solver.web.games import Inquiry
from kulami_solver.web.guard import HEADERS
from kulami_solver.web.kulami import PAGE
from kulami_solver.web.kulami.requests import AskedPuzzle
from kulami_solver.web.messages import Refused, parsed
from kulami_solver.web.replays import Replays
from kulami_solver.web.searches import Limits

DATA = Path(__file__).resolve().parents[2] / "data"
DATABASE = DATA / "4x5-level0.kdb"
PROOF = DATA / "proofs" / "5x5-2.kpf"
PROVED = "ABBBC/ABBBC/ADDEE/FDDEE/FDDGG"

EMPTY = {"layout": "square", "all": True, "time": 60}


# Starting and ending


def test_it_answers_once_it_has_said_so_and_starts_within_a_second(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("WEB_CONCURRENCY", "many")  # means something to other servers
    with serving() as found:
        # By the processor's clock: others may be at work here, too.
        spent = found.process.cpu_times()
        with urllib.request.urlopen(found.url + "api/health") as answer:
            assert json.load(answer) == {"ok": True, "version": ks.__version__}
    assert spent.user + spent.system < 1.0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_at_once_whatever_it_does(number: signal.Signals) -> None:
    name = "Ctrl-C" if number == signal.SIGINT else number.name
    # Twice, if the machine is busy.
    assert any(ended_by(number, name, 128 + number) < 2.0 for _ in range(2))


def ended_by(number: int, name: str, code: int) -> float:
    """End a server that searches by a signal; returns the seconds that it took.

    On a busy machine they are fewer: as many times as starting took longer than it worked.
    """
    begun = time.perf_counter()
    with serving() as found:
        worked = found.process.cpu_times()
        busy = max(1.0, (time.perf_counter() - begun) / (worked.user + worked.system))
        stream = found.begin("/api/analyse", EMPTY)
        idle = socket.create_connection(("127.0.0.1", found.port))
        while b"progress" not in stream.recv(1 << 16):
            pass
        begun = time.perf_counter()
        found.running.send_signal(number)
        _, said = found.running.communicate(timeout=30)
        took = time.perf_counter() - begun
        assert found.running.returncode == code
        assert said == f"kulami: interrupted: {name}\n"
        stream.close()
        idle.close()
        return took / busy


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = kulami("serve", "--port", str(port))
    assert ran.code == 2
    assert ran.out == ""
    assert re.fullmatch(
        rf"kulami: error: cannot listen on 127.0.0.1 port {port}: .*; give another --port.*\n",
        ran.err,
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--host", "no such host"], "--host no such host is no address"),
        (["--host", "192.0.2.77"], "--host 192.0.2.77 is no address"),  # of documents alone
        (["--database", "nothing.kdb"], "nothing.kdb: No such file"),
        (["--proof", "nothing.kpf"], "nothing.kpf: No such file"),
        (["--proof", str(DATABASE)], "a database, not a proof"),
        (["--database", str(PROOF)], "a proof, not a database"),
        (["--memory", "lots"], "'lots' is no memory size"),
        (["--time", "0"], "expected seconds"),
        (["--port", "70000"], "from 0 to 65535"),
        (["--allow-host", "http://mybox.local"], "'http://mybox.local' is no host"),
        (["--allow-host", "mybox.local:9000"], "without a port"),
        (["--allow-host", "*"], "is no host"),
        (["--allow-host", "a..b"], "is no host"),
        (["--allow-host", ""], "is no host"),
    ],
)
def test_bad_options_are_one_line(options: list[str], said: str) -> None:
    ran = kulami("serve", *options)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(("host", "shown"), [("0.0.0.0", "127.0.0.1"), ("::", "[::1]")])
def test_all_addresses_are_answered_and_names_that_are_given(host: str, shown: str) -> None:
    own = socket.gethostname().lower()
    with serving("--host", host, "--allow-host", "MyBox.local", "--allow-host", "fe80::7") as found:
        assert found.url == f"http://{shown}:{found.port}/"
        said = {
            name: found.ask("/", headers={"host": f"{name}:{port}"})[0]
            for port in (found.port, 9000)
            for name in ("192.168.1.5", "mybox.local", "[fe80::7]", "localhost", own, "evil.lan")
        }
        found.running.send_signal(signal.SIGINT)
        _, warned = found.running.communicate(timeout=30)
    assert said == {**dict.fromkeys(said, 200), "evil.lan": 403}
    assert warned.startswith(
        f"kulami: warning: --host {host}: others than the users of this machine"
    )


def test_a_browser_of_the_terminal_keeps_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = tmp_path / "asked"
    os.mkfifo(asked)
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {asked}\nexec sleep 60\n')
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", str(browser))
    with serving("--open") as found:
        assert asked.read_text().strip() == found.url
        assert found.ask("/api/health")[0] == 200
        found.process.children()[0].kill()


def test_without_the_extra_one_sentence_says_how_to_have_it() -> None:
    program = (
        "import sys, importlib.util as u; find = u.find_spec\n"
        "u.find_spec = lambda name, *more: None if name == 'uvicorn' else find(name, *more)\n"
        "from kulami_solver.cli import main; sys.exit(main(['serve']))"
    )
    done = completed([sys.executable, "-c", program])
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        'kulami: error: this needs uvicorn: run  pip install "kulami-solver[web]"\n'
    )


# What it answers


def test_values_are_those_of_solve(server: Server) -> None:
    for kfn, scoring in itertools.product(
        ("AAB/AAC - r -", "AAB/AAC r2/2b r c2,a1"), ("0", "1", "2", "chains")
    ):
        asked = {"kfn": kfn, "scoring": scoring, "all": True, "goal": "margin"}
        *before, (kind, told) = server.events("/api/analyse", asked)
        assert (kind, {kind for kind, _ in before} <= {"progress"}) == ("solution", True)
        ran = kulami("solve", "--kfn", kfn, "--scoring", scoring, "--all", "--json").answer
        assert set(told) == set(ran)
        same = ("kfn", "scoring", "goal", "exact", "margin", "outcome", "lower", "upper")
        assert [told[name] for name in same] == [ran[name] for name in same]
        values = [{m["field"]: m["margin"] for m in one["moves"]} for one in (told, ran)]
        assert values[0] == values[1]
        who = server.events("/api/analyse", {**asked, "goal": "outcome"})[-1][1]
        assert (who["goal"], who["outcome"]) == ("outcome", ran["outcome"])


def test_estimates_are_told_if_asked_for_and_bounds_narrow(server: Server) -> None:
    asked = {"layout": "square", "moves": "d4,d7,a7", "all": True, "time": 1}
    begun = time.perf_counter()
    told = within(4, lambda: server.events("/api/analyse", asked | {"estimate": True}))
    assert time.perf_counter() - begun > 0.9
    kinds, answers = [kind for kind, _ in told], [said for _, said in told]
    assert len(told) > 3
    assert kinds == ["progress"] * (len(told) - 1) + ["solution"]
    widths = [said["upper"] - said["lower"] for said in answers]
    assert widths == sorted(widths, reverse=True)
    assert answers[-1]["exact"] is False
    for said in answers:
        assert (set(said), len(said["moves"])) == (set(answers[-1]), len(answers[-1]["moves"]))
        for value in (said, *said["moves"]):
            assert value["margin"] is None
            assert value["lower"] <= value["estimate"]["margin"] <= value["upper"]
            chances = [value["estimate"][name] for name in ("win", "draw", "loss")]
            assert math.isclose(sum(chances), 1)
    assert "estimate" not in server.events("/api/analyse", asked | {"time": 0.3})[-1][1]
    # A database answers without.
    told = server.events("/api/analyse", {"layout": SMALL, "all": True, "estimate": True})[-1][1]
    assert (told["source"], told["margin"], told["estimate"]) == ("database", 2, None)
    other = server.events("/api/analyse", {"layout": SMALL, "moves": "b1", "scoring": "1"})
    assert other[-1][1]["source"] == "search"


def test_a_damaged_database_is_left_aside(tmp_path: Path) -> None:
    """The search answers, values and moves alike."""
    content = bytearray(DATABASE.read_bytes())
    middle = len(content) // 2
    content[middle:-64] = bytes(byte ^ 0xFF for byte in content[middle:-64])
    for number in range(2):
        (tmp_path / f"{number}.kdb").write_bytes(content)
    files = [word for n in range(2) for word in ("--database", str(tmp_path / f"{n}.kdb"))]
    for first in ("move", "analyse"):
        with serving(*files) as found:
            if first == "move":
                assert found.good("/api/move", {"layout": SMALL, "bot": "perfect"})["move"]
            said = found.events("/api/analyse", {"layout": SMALL, "all": True})[-1]
            assert (said[0], said[1]["source"], said[1]["margin"]) == ("solution", "search", 2)
            assert found.good("/api/options")["databases"] == []


def test_proofs_answer_where_they_have_the_value(server: Server) -> None:
    game: dict[str, Any] = {"layout": PROVED, "scoring": "2"}
    asked = {**game, "all": True}
    files = ("--proof", str(PROOF), "--database", str(DATABASE))
    with open_proof(PROOF) as proof, serving(*files) as found:
        assert [one["layout"] for one in found.good("/api/options")["databases"]] == [SMALL]
        line = proof.probe(proof.root).line
        for moves in ((), line[:1], line[:9], line):
            position = proof.root.play_all(moves)
            told = found.events("/api/analyse", {**asked, "moves": moves})
            assert [kind for kind, _ in told] == ["solution"]
            said = told[0][1]
            assert (said["source"], said["nodes"]) == ("proof", 0)
            assert said["margin"] == proof.probe(position).margin
            assert len(said["moves"]) == len(position.legal_fields)
        # The proof is of one scoring, of margins as of outcomes, and bounds the other's mistakes.
        outcome = found.events("/api/analyse", {**asked, "goal": "outcome"})[-1][1]
        assert (outcome["source"], outcome["outcome"]) == ("proof", "win")
        assert found.events("/api/analyse", {**asked, "scoring": "0"})[-1][1]["source"] == "search"
        for field in proof.root.play_all(line[:2]).legal_fields:
            moves = (*line[:2], field)
            said = found.events("/api/analyse", {**asked, "moves": moves})[-1][1]
            assert (said["source"] == "proof") == (field == line[2])
            assert said["margin"] == ks.solve(proof.root.play_all(moves), 2).margin
        # A database knows what every move is worth, so it is asked first.
        assert found.events("/api/analyse", {"layout": SMALL})[-1][1]["source"] == "database"
        # A grade takes what every move is worth: the proof alone does not say it.
        graded = found.events("/api/grade", {**game, "moves": line})
        assert all(said["worth"]["cost"] == 0 for kind, said in graded if kind == "move")
        for bot in ("perfect", "master", "level:8"):
            asked = {**game, "bot": bot, "time": 0.001}
            said = found.good("/api/move", asked)
            # In a millisecond nothing is solved, and what is guessed is not proved.
            assert (said["field"], said["proved"], said["score"]) == (line[0], True, None)
            assert not found.good("/api/move", {**asked, "scoring": "0"})["proved"]


def test_who_wants_codes_or_no_error_has_them(server: Server) -> None:
    asked = {"layout": "square", "moves": "d4 d4"}
    sentence = server.refused("/api/position", asked)
    told: dict[str, Any] = {"code": "taken", "values": {"side": "black", "field": "d4"}}
    told |= {"move": 2, "sentence": "black cannot play d4: it is taken"}
    for wish, expected, more in (
        ("codes", 400, told),
        ("handling=lenient", 200, {}),
        ("handling=lenient, codes", 200, told),
    ):
        status, said = server.ask("/api/position", asked, {"prefer": wish})
        assert (status, json.loads(said)) == (expected, {"error": sentence, **more})
    foreign = {"prefer": "handling=lenient", "origin": "null"}
    assert server.ask("/api/position", asked, foreign)[0] == 403


def test_a_game_is_graded(server: Server, tmp_path: Path) -> None:
    moves = server.whole("kulami", {"layout": SMALL})
    *told, (last, summed) = server.events("/api/grade", {"layout": SMALL, "moves": moves})
    assert [kind for kind, _ in told] == ["move"] * len(moves)
    assert [said["ply"] for _, said in told] == list(range(len(moves), 0, -1))
    start = ks.Position(ks.Layout.parse(SMALL))
    score = start.play_all(moves).score()
    record = {"board": list(start.layout.rows), "level": 0, "first": "red", "moves": moves}
    record["score"] = {"red": score.red, "black": score.black}
    path = tmp_path / "game.jsonl"
    path.write_text(json.dumps(record))
    ran = kulami("grade", str(path), "--json").answer
    for move in summed["moves"] + ran["moves"]:
        move["best"].sort()  # of fields that are equally good, either may come first
        if refuted := move.get("refutation"):  # and lead on
            assert refuted["best"] == refuted["best_line"][0] in move["best"]
            move["refutation"] = (refuted["line"][0], sorted(refuted))
    assert (last, summed) == ("grade", {name: ran[name] for name in summed})


def test_moves_before_what_is_solved_are_estimated(server: Server) -> None:
    moves = server.whole("kulami", {"layout": "square"})
    asked: Any = PAGE.kinds["grade"](layout="square", moves=moves, time=0.05)
    told: list[tuple[str, Any]] = []
    stop = threading.Event()

    def tell(kind: str, said: Any) -> None:
        told.append((kind, said))
        if kind == "estimate":
            stop.set()

    work = PAGE.grading(Inquiry(asked, Replays().game(asked), Limits(), ()))
    work(mock.Mock(stop=stop, tell=tell))
    *solved, (graded, summed), (estimated, about) = told
    assert {kind for kind, _ in solved} == {"move"}
    assert (graded, estimated) == ("grade", "estimate")
    assert about["ply"] == solved[-1][1]["ply"] - 1 == summed["exact_from"] - 1
    assert about["field"] == moves[about["ply"] - 1]
    assert set(about["estimate"]) == {"margin", "win", "draw", "loss"}


# Notations


def test_what_is_written_is_taken_in(server: Server, shared_testdata: Path) -> None:
    start = ks.Position(ks.Layout.parse(SMALL)).play("d3")
    game = GameRecord(start, (RecordedMove("b3", "good", ((RecordedMove("a3", "why not"),),)),))
    wanted: dict[str, Any] = {"kfn": start.kfn(), "moves": ["b3"], "comments": {"1": "good"}}
    wanted["variations"] = {"1": [{"moves": ["a3"], "comments": {"1": "why not"}}]}
    for text in (json.dumps(game.to_json()), game.text(), f"{game.text()}\n\n{game.text()}"):
        found = server.good("/api/import", {"text": text})
        assert found == found | wanted
    assert found["count"] == 2
    # Other programs may take these for ends of lines.
    said = {str(ply): f"one\u2028two\x85{'x' * 1900}" for ply in range(2)}
    record = game.to_json() | {"comments": said}
    found = server.good("/api/import", {"text": json.dumps(record, ensure_ascii=False)})
    assert found["comments"] == said
    lines = (shared_testdata / "referee-games.jsonl").read_text().splitlines()[:20]
    asked = {"text": "\n".join(lines)}
    found = server.good("/api/import", {**asked, "game": 3})
    assert (found["count"], found["kind"]) == (20, "record")
    assert found["moves"] == json.loads(lines[2])["moves"]
    assert "there are 20 games" in server.refused("/api/import", {**asked, "game": 21})


# Who is answered


def test_a_refused_number_is_told_its_bounds() -> None:
    for number in (0, -1):
        with pytest.raises(Refused, match="number has to be a whole number from 1 to 1000000"):
            parsed(b'{"number": %d}' % number, AskedPuzzle)


def test_slow_and_half_closed_connections_keep_nobody_waiting(server: Server) -> None:
    server.has_searches(0, 30)
    host = f"host: 127.0.0.1:{server.port}\r\n".encode()
    body = {"layout": SMALL, "moves": "a1"}
    with contextlib.ExitStack() as held:
        for number in range(660):
            connection = socket.create_connection(("127.0.0.1", server.port), 10)
            held.enter_context(connection)
            with contextlib.suppress(ConnectionError):
                if number >= 60 or number % 3 == 0:
                    connection.sendall(b"GET / HTTP/1.1\r\n" + host)  # and no more
                elif number % 3 == 1:
                    connection.sendall(server.head("/api/analyse", 60_000) + b"{")
                else:
                    connection.sendall(b"GET / HTTP/1.1\r\n" + host + b"\r\n")
                    connection.shutdown(socket.SHUT_WR)
            if number in (59, 659):
                status, told = within(
                    2, lambda: (server.ask("/api/health")[0], server.events("/api/analyse", body))
                )
                assert (status, told[-1][0]) == (200, "solution")
        server.has_searches(0, 5)


def test_one_connection_too_many_is_refused_with_the_headers_of_every_answer() -> None:
    with serving() as found, contextlib.ExitStack() as held:
        head = found.head("/api/import", 9)
        for number in range(513):  # whose bodies do not arrive
            held.enter_context(socket.create_connection(("127.0.0.1", found.port))).sendall(head)
            if number % 50 == 0:
                assert found.ask("/api/health")[0] == 200  # it has read what has come so far
        answer = found.raw(b"").lower()
    assert answer.startswith(b"http/1.1 503 service unavailable\r\n")
    for name in HEADERS:
        assert f"\r\n{name}: ".encode() in answer
    assert b"\r\nretry-after: 1\r\n" in answer
    assert b"ask again in a moment" in answer


def test_readers_that_leave_take_their_searches_with_them(server: Server) -> None:
    server.has_searches(0, 30)
    before = server.process.memory_info().rss
    with contextlib.ExitStack() as readers:

        def begin() -> socket.socket:
            return readers.enter_context(contextlib.closing(server.begin("/api/analyse", EMPTY)))

        def status(reader: socket.socket) -> bytes:
            return reader.recv(1 << 10).split(b" ", 2)[1]

        # Some work, a few wait, and the others are told so. Of many at once some are refused before
        # they are understood, though there may be room: who comes alone after them fills it.
        statuses = Counter(map(status, [begin() for _ in range(100)]))
        while (last := status(begin())) == b"200":
            statuses[last] += 1
        assert set(statuses) == {b"200", b"503"}
        assert 2 <= statuses[b"200"] <= 2 * 4 + 64
        assert server.searches == statuses[b"200"]
        code, said = server.ask("/api/analyse", EMPTY)
        assert (code, "ask again in a moment" in json.loads(said)["error"]) == (503, True)
        assert server.ask("/api/position", {"layout": "square"})[0] == 200
    server.has_searches(0, 20)
    spent = server.process.cpu_times().user
    time.sleep(0.3)
    assert server.process.cpu_times().user - spent < 0.1
    until(lambda: server.process.memory_info().rss < before + (48 << 20))
    # Bots stop thinking, and so does every other game.
    asked: list[tuple[str, dict[str, Any]]] = [
        ("/api/move", {"layout": "square", "bot": "perfect", "time": 60}),
        ("/api/malawi/analyse", {"board": "6x6", "time": 60}),
        ("/api/just4fun/analyse", {"seed": 1, "see": ["red"], "time": 60}),
    ]
    with contextlib.ExitStack() as readers:
        for path, body in asked:
            readers.enter_context(contextlib.closing(server.begin(path, body)))
        server.has_searches(3, 30)
    server.has_searches(0, 20)


def test_the_limits_of_the_server_hold_for_every_search() -> None:
    with serving("--time", "0.5", "--memory", "1M", "--threads", "1") as found:
        asked: dict[str, Any] = {"layout": "square", "time": 1000, "threads": 64}
        told = within(3, lambda: found.events("/api/analyse", asked))
        assert told[-1][1]["exact"] is False
        assert told[-1][1]["seconds"] < 1.5
        asked = {"layout": "square", "bot": "perfect", "time": 1000}
        within(3, lambda: found.good("/api/move", asked))
