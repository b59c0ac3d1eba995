"""Bots as objects: what describes a program, where and how it is started, what it is told."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest
from command_line import good, kulami

from kulami_solver import Layout, Position
from kulami_solver.bots import BotDescription, BotError, make_player
from kulami_solver.bots.description import bots_in, described
from kulami_solver.bots.engine import Engine
from kulami_solver.bots.fingerprint import bot_fingerprint
from kulami_solver.bots.overheard import SHOWN
from kulami_solver.errors import KulamiError

START = Position(Layout.parse("AAB/CCB"))

# It keeps in its folder what it has heard, and ends after an answer if an option says so.
ENGINE = """
import os, sys
heard = open("heard.txt", "a")
print(os.environ.get("THREADS"), file=heard)
for line in sys.stdin:
    print(line, end="", file=heard, flush=True)
    words = line.split()
    if words == ["ugi"]:
        print("option name Time Buffer type spin default 5 min 1 max 9",
              "option name Ends type string", "ugiok", sep="\\n", flush=True)
    elif words == ["isready"]:
        print("readyok", flush=True)
    elif words[:3] == ["setoption", "name", "Ends"]:
        code = int(words[4])
    elif words[:1] == ["go"]:
        print("bestmove a1", flush=True)
        if "code" in globals():
            print(*range(100), "bye " * 1000, "last words", sep="\\n", file=sys.stderr)
            sys.exit(code)
    elif words == ["quit"]:
        break
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the engine."""
    (tmp_path / "bot.py").write_text(ENGINE, encoding="ascii")
    return tmp_path


def words(folder: Path, more: str = "") -> str:
    """The engine, described by words."""
    return f"cmd='{sys.executable} bot.py' dir={shlex.quote(str(folder))} name=Mine {more}"


def test_words_and_files_describe_the_same_bot() -> None:
    one = BotDescription(
        "Mine", ("./b", "-x 1"), "f", {"Time Buffer": "8", "A": "true"}, {"T": "2"}
    )
    keys = {"cmd": "./b '-x 1'", "dir": "f", "name": "Mine", "option.Time Buffer": 8}
    keys |= {"option.A": True, "env.T": "2"}
    tables: dict[str, object] = {"cmd": "./b '-x 1'", "dir": "f", "name": "Mine"}
    tables |= {"option": {"Time Buffer": 8, "A": True}, "env": {"T": 2}}
    texts = [json.dumps([keys, "greedy"]), json.dumps({"engines": [tables, " greedy"]})]
    said = """cmd="./b '-x 1'" dir=f name=Mine 'option.Time Buffer=8' option.A=true env.T=2"""
    assert described(said) == described(f" {said} ") == described(one) == one
    assert [bots_in(text) for text in texts] == [[one, described("greedy")]] * 2
    if sys.version_info >= (3, 11):
        toml = """[[engines]]
            cmd = "./b '-x 1'"\ndir = "f"\nname = "Mine"
            option = {"Time Buffer" = 8, A = true}\nenv.T = "2" """
        assert bots_in(toml, toml=True) == [one]
    assert described("exec ./b 1").command == described("cmd='./b 1'").command == ("./b", "1")
    assert described("exec ./b").name == described("cmd=./b").name == "exec ./b"


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[1]", "[[]]", '{"bots": []}', '[{"cmd": ["./b"]}]'),
        '[{"cmd": "b", "option": {"A": {}}}]',
    ],
)
def test_a_file_without_bots_is_refused(text: str, tmp_path: Path) -> None:
    for toml in (False, True):
        with pytest.raises(KulamiError):
            bots_in(text, toml)
    (tmp_path / "b.json").write_text(text, encoding="ascii")
    ran = kulami("match", "greedy", "--engines", str(tmp_path / "b.json"))
    assert (ran.code, len(ran.err.splitlines())) == (2, 1)
    assert "--engines" in ran.err


def test_a_program_is_started_in_its_folder_and_told_its_options(folder: Path) -> None:
    more = "option.'time buffer'=8 option.Ends=0 option.Hash=1 option.scoring=2 env.THREADS=3"
    player = make_player(words(folder, more))
    engine = player.bot
    assert isinstance(engine, Engine)
    assert player.name == engine.name == "Mine"
    engine.close()
    heard = (folder / "heard.txt").read_text().splitlines()
    assert heard[:2] == ["3", "ugi"]
    assert [line for line in heard if "setoption" in line] == [
        "setoption name Time Buffer value 8",
        "setoption name Ends value 0",
    ]
    reasons = ("option.Hash=1: it has ends, time buffer", "option.scoring=2: the arena says")
    assert len(engine.untold) == len(reasons)
    assert all(map(str.startswith, engine.untold, reasons))


@pytest.mark.parametrize("code", [0, 3])
def test_the_last_words_of_a_program_that_dies_between_moves_are_shown(
    code: int, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A screenful of them; some programs end on purpose after each answer."""
    engine = Engine(described(words(folder, f"option.Ends={code}")))
    for _ in range(3):
        assert engine.choose(START) == "a1"
        assert engine._program is not None
        assert engine._program.has_ended(10)
    engine.new_game()
    engine.close()
    said = capfd.readouterr().err.splitlines()
    assert said.count("Mine| last words") == (3 if code else 0)
    assert len(said) <= 3 * SHOWN
    assert max(map(len, said), default=0) < 500


def test_a_match_by_words_and_by_a_file(folder: Path) -> None:
    """Results are those of the name, and of the bot as it was described."""
    match = ("--layout", "AAB/CCB", "--games", "2", "--save", str(folder / "games.jsonl"))
    by_words = good("match", words(folder, "option.Hash=1"), "random", *match, "--json")
    assert by_words.answer["bots"] == ["Mine", "random"]
    assert "warning: Mine cannot be told option.Hash=1" in by_words.err
    keys = {"cmd": f"{sys.executable} bot.py", "dir": str(folder), "name": "Mine"}
    file = folder / "bots.json"
    for options, code in ({"option.Hash": "1"}, 0), ({}, 2):
        file.write_text(json.dumps([{**keys, **options}, "random"]), encoding="utf-8")
        ran = kulami("match", "--engines", str(file), *match)
        assert ran.code == code
    assert "as it was before (description was" in ran.err
    ran = kulami("check", "greedy", "--engines", str(file), "--positions", "3", "--workers", "1")
    assert {"Mine", "greedy", "random"} <= set(ran.out.split())
    ran = kulami("match", words(folder), words(folder, "env.A=1"), *match)
    assert (ran.code, "two bots are called 'Mine'" in ran.err) == (2, True)


def test_a_folder_is_where_a_program_and_its_files_are_looked_for(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "else").mkdir()
    monkeypatch.chdir(tmp_path / "else")
    for command in (f"{sys.executable} bot.py", f"{sys.executable} -m bot"):
        files = bot_fingerprint(f"cmd='{command}' dir=..")["files"]
        assert set(files) == {sys.executable, "bot.py"}
        assert None not in files.values()
    for where, why in (
        (f"{tmp_path}", "Permission denied \\(dir=/"),
        ("nowhere", "No such file or .* \\(dir=nowhere"),
    ):
        with pytest.raises(BotError, match=f"'./bot.py' cannot be started: {why}"):
            make_player(f"cmd=./bot.py dir={where}")
