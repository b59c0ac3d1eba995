"""Files of results belong to the bot that gave them, as it was when it gave them."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest
from command_line import Ran, as_results, kulami, results_in

from kulami_solver.bots.fingerprint import bot_fingerprint
from kulami_solver.storage.kept_work import changes

BOT = """
from trees import pick


class Bot:
    def choose(self, position):
        return pick(position)
"""
ENGINE = """
import sys
from kulami_solver import Position
from picking import pick

for line in sys.stdin:
    words = line.split()
    if words == ["ugi"]:
        print("ugiok", flush=True)
    elif words == ["isready"]:
        print("readyok", flush=True)
    elif words[:1] == ["position"]:
        position = Position.from_kfn(" ".join(words[2:]))
    elif words[:1] == ["go"]:
        print("bestmove", pick(position), flush=True)
"""
PICK = "def pick(position):\n    return position.legal_fields[0]\n"
BOARD = "AABBCC/DDDEEE/FFGGHH"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder: in it a folder with a bot in Python of two files, and an engine of two."""
    for name, content in (
        *(("bots/mine.py", BOT), ("bots/trees.py", PICK), ("bots/notes.txt", "")),
        *(("engine.py", ENGINE), ("picking.py", PICK), ("weights.txt", "1 2 3")),
    ):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="ascii")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


def engine(weights: str = "weights.txt") -> str:
    """The name of the engine."""
    return f"exec {shlex.quote(sys.executable)} engine.py --weights={weights}"


def test_what_is_covered(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Python file and its folder, a program and its words; nothing is imported to find it."""
    monkeypatch.delitem(sys.modules, "bots", raising=False)
    for name in ("bots.mine:Bot", "bots/mine.py", "bots/mine.py:Bot"):
        found = bot_fingerprint(name)
        own = "mine.py" if name == "bots.mine:Bot" else "bots/mine.py"
        assert set(found["files"]) == {own, "trees.py"}
        assert found["python"] == ".".join(map(str, sys.version_info[:2]))
    assert bot_fingerprint("bots.none:Bot")["files"] == {}
    assert "bots" not in sys.modules
    found = bot_fingerprint(engine())
    files = {sys.executable, "engine.py", "picking.py", "--weights=weights.txt"}
    assert set(found["files"]) == files
    assert all(len(digest) == 16 for digest in found["files"].values())
    module = f"exec {shlex.quote(sys.executable)} -m bots.trees"
    assert set(bot_fingerprint(module)["files"]) == {sys.executable, "mine.py", "trees.py"}
    assert bot_fingerprint("mcts:50") == bot_fingerprint("greedy")
    assert bot_fingerprint("greedy")["files"] == bot_fingerprint("sys:path")["files"] == {}
    database = str(Path(__file__).parents[2] / "data" / "3x4-level2.kdb")
    assert list(bot_fingerprint(f"perfect:{database}")["files"]) == [database]
    # Modules that are installed stay in their package.
    beside = {path.name for path in Path(json.__file__).parent.glob("*.py")}
    assert set(bot_fingerprint("json.decoder:JSONDecoder")["files"]) == beside


def test_what_differs_is_said() -> None:
    now = {"kulami_solver": "2", "core": "a", "files": {"x.py": "1", "y.py": "2"}}
    before = {"kulami_solver": "1", "core": "b", "files": {"x.py": "0", "z.py": "2"}}
    assert changes(now, now) == []
    of_files = ["x.py has changed", "y.py is new", "z.py is gone"]
    of_package = ["the code of kulami_solver has changed", "kulami_solver was 1 and is 2"]
    assert changes(before, now) == of_package + of_files
    for broken in (None, "", {"files": 3}):
        assert "x.py is new" in changes(broken, now)


@pytest.mark.parametrize("command", ["check", "match"])
@pytest.mark.parametrize(
    ("bot", "changed"),
    [
        *(("bots/mine.py", "bots/trees.py"), (engine(), "weights.txt")),
        *(("greedy", part) for part in ("kulami_solver", "core", "python")),
    ],
)
def test_another_bot_does_not_go_on(command: str, bot: str, changed: str, folder: Path) -> None:
    """The same one does; what it said stays in the file."""

    def run(count: int) -> Ran:
        words = ["match", "random", bot, "--games", str(count), "--layout", BOARD, "--save"]
        if command == "check":
            words = ["check", bot, "--positions", str(count), "--workers", "1", "--results"]
        return kulami(*words, "results.jsonl", "--json")

    path = Path("results.jsonl")
    assert (run(2).answer["new"], run(4).answer["from_file"]) == (2, 2)
    kept = path.read_bytes()
    text = "" if bot == "greedy" else Path(changed).read_text(encoding="ascii")
    said = f"{changed.removeprefix('bots/')} has changed): name another file, "
    if bot == "greedy":
        first, *results = results_in(path)
        first["fingerprints"]["greedy"][changed] = "0.0"
        path.write_text(as_results(first, *results), encoding="ascii")
        said = f"{changed} was 0.0 and is "
        said = "the code of kulami_solver has changed" if changed == "core" else said
    else:
        Path(changed).write_text(f"{text}\n# better now\n", encoding="ascii")
    before_it = path.read_bytes()
    ran = run(6)
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (2, "", 1)
    assert f"results.jsonl holds results of '{bot[:40]}" in ran.err
    assert said in ran.err
    assert path.read_bytes() == before_it
    if bot != "greedy":
        Path("bots/notes.txt").write_text("changed\n", encoding="ascii")
        Path(changed).write_text(text, encoding="ascii")
        assert path.read_bytes() == kept
        assert run(6).answer["from_file"] == 4
