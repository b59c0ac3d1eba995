"""What commands, the page and files say, on inputs as small as there are: what promises.py records.

A place in an answer is written as a path, `moves[].field`, and what stands there as one of `text`,
`number`, `flag`, `null`, `list` and `object`, or several with `or` between. Where the keys of an
object are data, such as fields or numbers of plies, one `*` stands for them all.
"""

from __future__ import annotations

import contextlib
import http.client
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final
from unittest import mock

import numpy as np

from kulami_solver import GameRecord, Layout, Position, cli, just4fun, malawi
from kulami_solver.adapters.hagen import Finished
from kulami_solver.cli.ending import EXIT_BAD_INPUT
from kulami_solver.kulami.scoring import Scoring
from kulami_solver.web import requests
from kulami_solver.web.just4fun import JUST4FUN
from kulami_solver.web.malawi import MALAWI

BOARD: Final = "ABBC/ABBC/DDEE"
SMALL_CARDS: Final = "--position '3x3 5:b1 r2b1 r r1.2,b2.3 4.1 -' --line 3 --hand 2"
DRAWN_CARDS: Final = (
    "--position '3x3 2:b1,5:r1,6:r1 r1b2 b r3.3,b4.5 {1.1.2.2} -' --line 3 --hand 2"
)
HIDDEN_CARDS: Final = "--position '2006 - r20b20 r r1.4.7.12,b? - {2.5}'"

# For each command what is run, one after another in one folder. What stands behind `<<<` it reads:
# a line for each part between bars.
RUNS: Final = {
    "kulami build": [
        f"kulami build small.kdb --layout {BOARD} --json",
        f"kulami build areas.kdb --layout {BOARD} --moves 'a1 d1' --scoring 1 --json",
    ],
    "kulami solve": [
        "kulami solve --layout AAB/CCB --all --json",
        "kulami solve --layout AAB/CCB --goal outcome --json",
        "kulami solve --layout square --nodes 1000 --json",
        f"kulami solve --layout {BOARD} --database small.kdb --json",
        "kulami solve --input - --results solved.jsonl --json <<< AAB/CCB - r -",
    ],
    "kulami score": [
        f"kulami score --layout AAB/CCB --moves a1 --scoring {n} --json" for n in "02"
    ],
    "kulami moves": ["kulami moves --layout AAB/CCB --json"],
    "kulami perft": ["kulami perft --layout AAB/CCB --depth 2 --json"],
    "kulami replay": ["kulami replay game.jsonl --json"],
    "kulami probe": [
        f"kulami probe small.kdb --layout {BOARD} --json",
        "kulami probe small.kdb --layout AAB/CCB --json",
        f"kulami probe small.kdb --layout {BOARD} --all --json",
    ],
    "kulami info": ["kulami info small.kdb --json", "kulami info areas.kdb --json"],
    "kulami verify": ["kulami verify small.kdb --json"],
    "kulami export": ["kulami export areas.kdb table.csv --json"],
    "kulami estimate": [
        f"kulami estimate --layout {BOARD} --cores 1 --json",
        "kulami estimate --layout square --cores 1 --json",
    ],
    "kulami layout": ["kulami layout square --json", "kulami layout AAB/CCB --json"],
    "kulami show": [
        f"kulami show --layout {BOARD} --moves b1 --svg board.svg --json",
        f"kulami show --layout {BOARD} --values --json",
    ],
    "kulami check": ["kulami check greedy --positions 2 --workers 1 --results asked.jsonl --json"],
    "kulami match": [
        "kulami match random greedy --games 2 --workers 1 --marbles 2 --save played.jsonl --json"
    ],
    "kulami grade": ["kulami grade game.jsonl --json"],
    "kulami labels": [
        "kulami labels rows.npz --count 4 --free 20 --layout square --threads 1 --kfn --json"
    ],
    "kulami play": [
        f"kulami play --layout {BOARD} --bot greedy --side red --json "
        "<<< b1|best|values|score|undo|kfn|quit"
    ],
    "kulami completion": ["kulami completion bash --json"],
    "kulami malawi build": ["kulami malawi build malawi.kdb --board 2x3 --json"],
    "kulami malawi solve": [
        "kulami malawi solve --board 2x3 --all --json",
        "kulami malawi solve --board 6x6 --depth 1 --json",
    ],
    "kulami malawi probe": ["kulami malawi probe malawi.kdb --board 2x3 --all --json"],
    "kulami malawi info": ["kulami malawi info malawi.kdb --json"],
    "kulami malawi verify": ["kulami malawi verify malawi.kdb --json"],
    "kulami malawi show": ["kulami malawi show --mfn 'r1b2/../b0r1 r' --json"],
    "kulami malawi turns": ["kulami malawi turns --board 2x3 --json"],
    "kulami malawi play": ["kulami malawi play --board 2x3 --json <<< turns|best|undo|mfn|quit"],
    "kulami malawi match": [
        "kulami malawi match random greedy --board 2x3 --games 2 --workers 1 --json"
    ],
    "kulami malawi check": [
        "kulami malawi check greedy --board 2x3 --positions 2 --workers 1 --json"
    ],
    "kulami malawi grade": [
        'kulami malawi grade - --json <<< {"board": "2x3", "beads": 2, "moves": ["a3:b3"]}'
    ],
    "kulami just4fun solve": [f"kulami just4fun solve {SMALL_CARDS} --json"],
    "kulami just4fun expect": [f"kulami just4fun expect {DRAWN_CARDS} --json"],
    "kulami just4fun advise": [f"kulami just4fun advise {HIDDEN_CARDS} --deals 1 --json"],
    "kulami just4fun odds": [f"kulami just4fun odds {HIDDEN_CARDS} --kept 4.7 --json"],
    "kulami just4fun show": [f"kulami just4fun show {SMALL_CARDS} --svg cards.svg --json"],
    "kulami just4fun replay": ["kulami just4fun replay cards.jsonl --json"],
    "kulami just4fun play": [
        "kulami just4fun play --deal 1 --deals 1 --seed 1 --json "
        "<<< moves|advice|odds|best|undo|jfn|record|quit"
    ],
    "kulami just4fun match": [
        "kulami just4fun match random greedy --games 2 --workers 1 --stones 2 --json"
    ],
    "kulami just4fun check": [
        "kulami just4fun check greedy --positions 2 --workers 1 --json",
    ],
}

ASKED_OTHERWISE: Final = {
    "kulami about",  # what stands in its answer depends on the machine
    "kulami engine",
    "kulami malawi engine",
    "kulami hagen",
    "kulami serve",
}
"""The commands that speak UGI, or with the Hagen server, or serve, and the one of the machine."""

_KINDS: Final[dict[type, str]] = {
    bool: "flag",
    int: "number",
    float: "number",
    str: "text",
    type(None): "null",
    list: "list",
    dict: "object",
}
_DATA: Final = re.compile(r"-?\d.*|[a-p]\d.*|.*[:=].*")  # numbers, fields, moves, bots


def paths(values: Iterable[object]) -> list[str]:
    """What stands where in some answers of one kind.

    >>> paths([{"best": "a1", "moves": [{"field": "a1"}]}, {"best": None, "moves": []}])
    ['best: null or text', 'moves: list', 'moves[].field: text', 'moves[]: object']
    >>> paths([{"free": {"4": 1, "5": 2}}])
    ['free.*: number', 'free: object']
    """
    found: dict[str, set[str]] = {}

    def look(value: object, path: str) -> None:
        if path:
            found.setdefault(path, set()).add(_KINDS[type(value)])
        if isinstance(value, dict):
            for key, inner in value.items():
                step = "*" if _DATA.fullmatch(key) else key
                look(inner, f"{path}.{step}" if path else step)
        elif isinstance(value, list):
            for inner in value:
                look(inner, f"{path}[]")

    for value in values:
        look(value, "")
    return sorted(f"{path}: {' or '.join(sorted(kinds))}" for path, kinds in found.items())


def run(line: str) -> tuple[int, str, str]:
    """Run a command of `RUNS`; return its exit code, what it says, and its complaints."""
    words, _, typed = line.partition(" <<< ")
    said, complained = io.StringIO(), io.StringIO()
    typing = io.TextIOWrapper(io.BytesIO(typed.replace("|", "\n").encode()))
    with (
        mock.patch.object(sys, "stdin", typing),
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(complained),
    ):
        code = cli.main(shlex.split(words)[1:])
    return code, said.getvalue(), complained.getvalue()


@contextlib.contextmanager
def working_in_a_folder() -> Iterator[Path]:
    """A folder of its own, with the games that commands read."""
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            Path("game.jsonl").write_text(json.dumps(_game().to_json()) + "\n", "ascii")
            Path("cards.jsonl").write_text(json.dumps(_game_of_cards()) + "\n", "ascii")
            yield Path(folder)
        finally:
            os.chdir(here)


def _game() -> GameRecord:
    start = Position(Layout.parse(BOARD))
    moves, position = [], start
    while not position.is_over:
        moves.append(position.legal_fields[0])
        position = position.play(moves[-1])
    return GameRecord.played(start, moves)


def _game_of_cards() -> dict[str, Any]:
    start = just4fun.deal(just4fun.Board.parse("2006"), 3)
    played = list(just4fun.random_game(start, 1))
    return just4fun.record_of(start, [turn for turn, _ in played], played[-1][1])


def answers() -> dict[str, list[str]]:
    """What the commands answer with --json, and engines to `ugi`, in the folder worked in."""
    found = {}
    for command, lines in RUNS.items():
        told: list[object] = []
        for line in lines:
            code, said, complained = run(line)
            lines_said = said.splitlines()
            if code == EXIT_BAD_INPUT or not all(one.startswith("{") for one in lines_said):
                raise AssertionError(f"{line}: {complained}{said}")
            told += map(json.loads, lines_said)
        found[f"{command} --json"] = paths(told)
    for command in ("kulami engine", "kulami malawi engine"):
        _, said, _ = run(f"{command} --bot greedy --seed 1 <<< ugi|isready|quit")
        found[command] = said.splitlines()[2:]  # behind the name, which has the version
    found["kulami about --json"] = sorted(json.loads(run("kulami about --json")[1]))
    ended = Finished("red", "somebody", Position(Layout.square()), Scoring.LEVEL0, reason="over")
    found["kulami hagen --json"] = paths([ended.record() | {"agrees": ended.agrees}])
    return found


def files() -> dict[str, list[str]]:
    """What stands in the files that commands have written in the folder that is worked in."""

    def lines(name: str) -> list[list[str]]:
        text = Path(name).read_text("utf-8")
        told = [json.loads(line.removeprefix("# ")) for line in text.splitlines()]
        return [paths(told[:1]), paths(told[1:])]

    beginning = Path("small.kdb").read_bytes()[:12]
    magic, version = beginning[:8], beginning[8:]
    found = {
        "database": [f"{magic.decode()}, version {int.from_bytes(version, 'little')}"],
        "database of Kulami": paths([_header("small.kdb"), _header("areas.kdb")]),
        "database of Malawi": paths([_header("malawi.kdb")]),
        "table of a database": Path("table.csv").read_text("utf-8").splitlines()[0].split(","),
        "record of a game": lines("game.jsonl")[0],
        "record of a game of cards": lines("cards.jsonl")[0],
        "answers of solve --results": lines("solved.jsonl")[1],
    }
    found["head of solve --results"] = lines("solved.jsonl")[0]
    for name, command in (("asked.jsonl", "check --results"), ("played.jsonl", "match --save")):
        found[f"head of {command}"], found[f"answers of {command}"] = lines(name)
    with np.load("rows.npz") as rows:
        found["labels"] = [f"{name}: {_dtype(rows[name])}" for name in rows.files]
    return found


def _dtype(column: Any) -> str:
    return "text" if column.dtype.kind == "U" else str(column.dtype)


def _header(name: str) -> dict[str, Any]:
    """The header of a database, read as docs/file-format.md says."""
    data = Path(name).read_bytes()
    length = int.from_bytes(data[12:16], "little")
    header: dict[str, Any] = json.loads(data[64 : 64 + length])
    return header


def notations() -> dict[str, list[str]]:
    """One position or game in each notation, as it is written."""
    position = Position(Layout.square()).play_all("d4 d7")
    figures = malawi.Position.from_mfn("b2b1/../r0r3 r")
    cards = just4fun.Position.from_jfn(shlex.split(SMALL_CARDS)[1], line=3, hand=2)
    return {
        "KFN": [position.kfn()],
        "Hagen": [position.hagen()],
        "KBN": [position.kbn()],
        "MFN": [figures.mfn()],
        "turns of Malawi": [str(turn) for turn in figures.legal_turns],
        "JFN": [cards.jfn()],
        "moves of Just 4 Fun": [str(move) for move in cards.legal_moves],
        "text of a game": _game().text().splitlines(),
    }


def page() -> dict[str, list[str]]:
    """What the server is asked, and what it answers, with the database of the folder worked in."""
    game: dict[str, Any] = {"layout": BOARD, "moves": "b1"}
    sibling: dict[str, dict[str, Any]] = {
        "malawi": {"board": "2x3"},
        "just4fun": {"seed": 7, "see": ["red", "blue"]},
    }
    asks: list[tuple[str, type[Any], dict[str, Any]]] = [
        ("position", requests.Game, game),
        ("board", requests.Board, {"layout": BOARD}),
        ("layout", requests.Shape, {"seed": 1}),
        ("arrange", requests.Arrange, _arranged()),
        ("import", requests.Import, {"text": Position(Layout.parse(BOARD)).kfn()}),
        ("export", requests.Export, game),
        ("picture", requests.Draw, game),
        ("move", requests.Move, {**game, "bot": "greedy"}),
        ("analyse", requests.Analyse, {**game, "all": True}),
        ("grade", requests.Grade, game),
    ]
    for of in (MALAWI, JUST4FUN):
        asked = sibling[of.name]
        asks += [
            (f"{of.name}/position", of.position, asked),
            (f"{of.name}/picture", of.position, asked),
            (f"{of.name}/move", of.move, {**asked, "bot": "greedy"}),
            (f"{of.name}/analyse", of.values, {**asked, "time": 0.2}),
        ]
    found = {}
    with _serving("small.kdb", "malawi.kdb") as (url, ask):
        found["kulami serve --json"] = paths([url])
        for name in ("health", "options", "layouts"):
            found[f"GET /api/{name}"] = ask(f"/api/{name}", None)
        found["a refusal"] = ask("/api/position", {"kfn": "nonsense"})
        for name, kind, body in asks:
            takes = [f"asks {field}" for field in sorted(kind.__struct_fields__)]
            found[f"POST /api/{name}"] = takes + ask(f"/api/{name}", body)
    return found


def _arranged() -> dict[str, Any]:
    empty: list[str] = []
    return {"layout": BOARD, "red": ["b1"], "black": empty, "turn": "black", "last": ["b1"]}


@contextlib.contextmanager
def _serving(*databases: str) -> Iterator[tuple[object, Callable[[str, object], list[str]]]]:
    """A server: what it prints, and a function that asks it and returns what stands where."""
    command = [sys.executable, "-m", "kulami_solver", "serve", "--port", "0", "--json"]
    running = subprocess.Popen(
        [*command, "--database", *databases],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert running.stdout is not None
        url = json.loads(running.stdout.readline())
        host = url["url"].removeprefix("http://").rstrip("/")

        def ask(path: str, body: object) -> list[str]:
            connection = http.client.HTTPConnection(host, timeout=60)
            with contextlib.closing(connection):
                kind = {"content-type": "application/json"}
                data = None if body is None else json.dumps(body)
                connection.request("GET" if body is None else "POST", path, data, kind)
                answer = connection.getresponse()
                return _told(answer.headers.get_content_type(), answer.read().decode())

        yield url, ask
    finally:
        running.send_signal(signal.SIGINT)
        running.wait(timeout=60)
        if running.stdout is not None:
            running.stdout.close()


def _told(kind: str, text: str) -> list[str]:
    """What stands where in an answer of the server, of whatever kind.

    Of a stream, `progress` is left out: it comes only where there is time for it, and is said to be
    like `solution`.
    """
    if kind == "application/json":
        return paths([json.loads(text)])
    if kind != "text/event-stream":
        return [kind]
    told: dict[str, list[object]] = {}
    for event, data in re.findall(r"^event: (\w+)\ndata: (.*)$", text, re.MULTILINE):
        told.setdefault(event, []).append(json.loads(data))
    told.pop("progress", None)
    return [f"{event} {path}" for event, values in told.items() for path in paths(values)]
