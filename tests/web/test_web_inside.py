"""The page's answers without a server: those of the server, one after the other in one thread."""

from __future__ import annotations

import json
import sys
import threading
from typing import Any

import pytest
from command_line import SMALL, completed
from web_server import Server, events

pytest.importorskip("starlette", reason="starlette is not installed: pip install -e '.[test]'")

from kulami_solver.web.inside import Inside
from kulami_solver.web.searches import Limits

# The server of the tests has a database of this board where panels alone count.
GAME = {"layout": SMALL, "moves": "e4 c4 c3 e3 a3 a4 d4 d2 e2 c2", "scoring": "1"}
QUESTIONS: list[tuple[str, object]] = [
    ("/api/position", {"layout": "square", "moves": "d4,d7", "scoring": "chains"}),
    ("/api/board", {"layout": "rulebook"}),
    ("/api/layouts", None),
    ("/api/import", {"text": f"{SMALL} - r -"}),
    ("/api/export", {"layout": "square", "moves": "d4"}),
    ("/api/picture", {"layout": "square"}),
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


def test_what_a_browser_lacks_is_not_needed() -> None:
    lacking = ("starlette", "anyio", "uvicorn", "psutil", "numpy", "multiprocessing.connection")
    code = f"""
import sys
for name in {lacking!r}:
    sys.modules[name] = None
from kulami_solver.web.inside import Inside
inside = Inside()
print(inside.answer("/api/position", '{{"layout": "square"}}', print, bool)[0])
asked = '{{"layout": "AABB/AABB/CCDD", "scoring": "2"}}'
inside.answer("/api/analyse", asked, lambda kind, _: print(kind), bool)
"""
    done = completed([sys.executable, "-c", code])
    told = done.stdout.split()
    assert (told[0], told[-1], done.stderr) == ("200", "solution", "")
