"""The page's answers without a server: those of the server, one after the other in one thread."""

from __future__ import annotations

import json
import sys
import threading
import tracemalloc
from pathlib import Path
from typing import Any

import crafted
import pytest
from command_line import SMALL, completed
from web_server import Server, events

pytest.importorskip("starlette", reason="starlette is not installed: pip install -e '.[test]'")

from kulami_solver.web.inside import ChosenFile, Inside
from kulami_solver.web.searches import Limits

# The server of the tests has a database of this board where panels alone count.
GAME = {"layout": SMALL, "moves": "e4 c4 c3 e3 a3 a4 d4 d2 e2 c2", "scoring": "1"}
QUESTIONS: list[tuple[str, object]] = [
    ("/api/position", {"layout": "square", "moves": "d4,d7", "scoring": "chains"}),
    ("/api/board", {"layout": "rulebook"}),
    ("/api/layouts", None),
    ("/api/import", {"text": f"{SMALL} - r -"}),
    ("/api/export", {"layout": "square", "moves": "d4"}),
    ("/api/picture", {"layout": "square", "format": "svg"}),
    ("/api/move", {**GAME, "bot": "perfect"}),
    ("/api/malawi/position", {"board": "3x4"}),
    ("/api/malawi/move", {"board": "2x3", "bot": "greedy", "bot_seed": 3}),
    ("/api/just4fun/position", {"seed": 4, "see": ["red", "blue"]}),
    ("/api/just4fun/move", {"seed": 4, "see": ["red"], "bot": "greedy"}),
]
REFUSED: list[tuple[str, object]] = [
    ("/api/position", {"layout": "AAB/ABB"}),
    ("/api/position", {"layout": "square", "moves": "d4 d4"}),
    ("/api/analyse", {}),
    ("/api/analyse", {"kfn": "x"}),
    ("/api/move", {"layout": "square", "bot": "file:///etc/passwd"}),
    ("/api/malawi/analyse", {"board": "9x9", "see": 3}),
]
STREAMS = [
    ("/api/analyse", {**GAME, "all": True, "estimate": True}),
    ("/api/malawi/analyse", {"board": "2x3"}),
    ("/api/grade", GAME),
]


@pytest.fixture
def inside(monkeypatch: pytest.MonkeyPatch) -> Inside:
    """All answers, where no thread can be had."""

    def no_thread(*_arguments: object, **_options: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", no_thread)
    return Inside(Limits(threads=1, memory=256 << 20, seconds=60.0))


def answered(inside: Inside, path: str, body: object) -> tuple[int, str, list[tuple[str, Any]]]:
    """The status, the text and the events of an answer."""
    told: list[tuple[str, Any]] = []

    def heard(kind: str, text: str) -> None:
        told.append((kind, json.loads(text)))

    status, kind, text = inside.answer(path, json.dumps(body), heard, bool)
    assert bool(told) == (kind == "text/event-stream")
    return status, text, told


@pytest.mark.parametrize(("path", "body"), QUESTIONS + REFUSED)
def test_an_answer_is_the_servers(server: Server, inside: Inside, path: str, body: object) -> None:
    prefer = {"prefer": "handling=lenient, codes"} if (path, body) in REFUSED else {}
    status, text, _ = answered(inside, path, body)
    assert (status, text.encode()) == server.ask(path, body, prefer)


@pytest.mark.parametrize(("path", "body"), STREAMS)
def test_a_stream_ends_as_the_servers(
    server: Server, inside: Inside, path: str, body: object
) -> None:
    _, _, told = answered(inside, path, body)
    (kind, said), (wanted_kind, wanted) = told[-1], events(server.ask(path, body)[1].decode())[-1]
    said.pop("seconds", None)
    wanted.pop("seconds", None)
    assert (kind, said) == (wanted_kind, wanted)


def test_what_nobody_waits_for_ends(inside: Inside) -> None:
    told: list[str] = []
    status, kind, _ = inside.answer(
        "/api/analyse", '{"layout": "square"}', lambda kind, _text: told.append(kind), lambda: True
    )
    assert (status, kind) == (200, "text/event-stream")
    assert told[-1] == "solution"


def test_what_a_browser_lacks_is_not_needed(repository: Path) -> None:
    lacking = ("starlette", "anyio", "uvicorn", "psutil", "numpy", "multiprocessing.connection")
    code = f"""
import sys
for name in {lacking!r}:
    sys.modules[name] = None
from kulami_solver.web.inside import ChosenFile, Inside
inside = Inside()
print(inside.answer("/api/position", '{{"layout": "square"}}', print, bool)[0])
with open({str(repository / "data" / "3x4-level2.kdb")!r}, "rb") as file:
    content = file.read()
inside.open_file("kulami", "x", len(content), lambda begin, end: content[begin:end])
asked = '{{"layout": "AABB/AABB/CCDD", "scoring": "2"}}'
inside.answer("/api/analyse", asked, lambda _, said: print('"source":"database"' in said), bool)
"""
    done = completed([sys.executable, "-c", code])
    assert (done.stdout, done.stderr) == ("200\nTrue\n", "")


DISK = {"layout": "ABBCD/ABBCD/ABBEE/FFFEE", "all": True}


def opened(inside: Inside, content: bytes, name: str = "chosen.kdb") -> dict[str, Any]:
    """What is said of a file with this content."""
    said = inside.open_file("kulami", name, len(content), lambda *part: content[slice(*part)])
    assert said[:2] == (200, "application/json")
    return dict(json.loads(said[2]))


def solution(inside: Inside, asked: dict[str, Any]) -> dict[str, Any]:
    """The last that is told of a position."""
    heard: list[tuple[str, str]] = []
    inside.answer("/api/analyse", json.dumps(asked), lambda *event: heard.append(event), bool)
    return dict(json.loads(heard[-1][1]))


def test_what_is_in_a_file_of_the_reader_is_not_searched(inside: Inside, repository: Path) -> None:
    content = (repository / "data" / "4x5-level0.kdb").read_bytes()
    assert opened(inside, content)["positions"] == 1_000_151
    assert opened(inside, content)["kfn"] == f"{DISK['layout']} - r -"  # in place of the first
    found = solution(inside, {**DISK, "moves": "b1"})
    assert (found["source"], found["nodes"], found["margin"]) == ("database", 0, -1)
    assert solution(inside, {**DISK, "moves": "b1", "scoring": "1"})["source"] == "search"
    heard: list[tuple[str, str]] = []
    game = json.dumps({"layout": DISK["layout"], "moves": "b1 e1 a1"})
    inside.answer("/api/grade", game, lambda *event: heard.append(event), bool)
    sources = [json.loads(said)["solution"]["source"] for kind, said in heard if kind == "move"]
    assert sources == ["database"] * 3
    inside.close_file("chosen.kdb")
    inside.close_file("chosen.kdb")  # it is closed
    late = {**DISK, "moves": "d3 d1 b1 a1 a4 d4 d2 a2"}
    assert solution(inside, late)["source"] == "search"


def test_whatever_a_file_says_it_is_opened_or_refused_in_a_sentence(
    inside: Inside, repository: Path
) -> None:
    content = (repository / "data" / "3x4-level2.kdb").read_bytes()
    refused = 0
    for what, wrong in crafted.crafted_files(content, 300, 5):
        said = opened(inside, wrong)
        if "error" in said:
            refused += 1
        else:
            asked = {name: said[name] for name in ("kfn", "scoring", "marbles", "short_end")}
            said = solution(inside, asked)
        assert "error" not in said or said["code"].startswith("chosen_"), (what, said)
    assert 100 < refused < 300
    _, _, text = inside.open_file("just4fun", "x", 0, lambda *_: b"")
    assert json.loads(text)["code"] == "chosen_none"


def test_a_file_of_the_reader_is_never_held_as_a_whole() -> None:
    longest = 0

    def read(begin: int, end: int) -> bytes:
        nonlocal longest
        longest = max(longest, end - begin)
        return bytes(end - begin)

    file = ChosenFile(1 << 40, read)
    for begin in range(0, 1 << 40, 1 << 33):
        assert file[begin + 65_530 : begin + 65_550] == bytes(20)
    assert longest <= 1 << 16
    with pytest.raises(MemoryError):
        file[: 1 << 30]
    assert longest <= 1 << 16
    tracemalloc.start()
    try:
        for begin in range(1 << 39, (1 << 39) + (1 << 26), 1 << 15):
            file[begin : begin + 8]
        assert tracemalloc.get_traced_memory()[0] < 8 << 20
    finally:
        tracemalloc.stop()


def test_a_file_that_can_be_read_no_more_is_said(inside: Inside, repository: Path) -> None:
    content = (repository / "data" / "3x4-level2.kdb").read_bytes()
    gone = False

    def read(begin: int, end: int) -> bytes:
        if gone:
            raise ValueError("NotReadableError")  # as JavaScript's arrive
        return content[begin:end]

    said = json.loads(inside.open_file("kulami", "x.kdb", len(content), read)[2])
    gone = True
    inside._files["x.kdb"]._plain._file._page.cache_clear()
    refused = solution(inside, {"kfn": said["kfn"], "scoring": "2"})
    assert refused["code"] == "chosen_changed"
