"""Files of results belong to the bot that gave them, as it was when it gave them."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest
from command_line import Ran, as_results, good, kulami, results_in

from kulami_solver.bots.fingerprint import bot_fingerprint
from kulami_solver.storage.journal import changes

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
OTHER = PICK.replace("[0]", "[-1]")
BOARD = "AABBCC/DDDEEE/FFGGHH"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder: in it a folder with a bot in Python of two files, and an engine of two."""
    for name, content in (
        ("bots/mine.py", BOT),
        ("bots/trees.py", PICK),
        ("bots/notes.txt", ""),
        ("engine.py", ENGINE),
        ("picking.py", PICK),
        ("weights.txt", "1 2 3"),
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


def checked(bot: str, positions: int) -> Ran:
    """The answer of `kulami check --results` to so many positions."""
    words = ["--positions", str(positions), "--workers", "1", "--results", "results.jsonl"]
    return kulami("check", bot, *words, "--json")


class TestWhatIsCovered:
    """The files of a fingerprint."""

    def test_a_python_file_and_its_folder(self, folder: Path) -> None:
        for name in ("bots.mine:Bot", "bots/mine.py", "bots/mine.py:Bot"):
            found = bot_fingerprint(name)
            own = "mine.py" if name == "bots.mine:Bot" else "bots/mine.py"
            assert set(found["files"]) == {own, "trees.py"}
            assert found["python"] == ".".join(map(str, sys.version_info[:2]))
        assert bot_fingerprint("bots.none:Bot")["files"] == {}
        assert "bots" not in sys.modules  # nothing was imported to find it

    def test_a_program_and_its_words(self, folder: Path) -> None:
        found = bot_fingerprint(engine())
        files = {sys.executable, "engine.py", "picking.py", "--weights=weights.txt"}
        assert set(found["files"]) == files
        assert all(len(digest) == 16 for digest in found["files"].values())
        module = f"exec {shlex.quote(sys.executable)} -m bots.trees"
        assert set(bot_fingerprint(module)["files"]) == {sys.executable, "mine.py", "trees.py"}

    def test_built_in(self) -> None:
        assert bot_fingerprint("mcts:50") == bot_fingerprint("greedy")
        assert bot_fingerprint("greedy")["files"] == {}
        database = str(Path(__file__).parents[2] / "data" / "3x4-level2.kdb")
        assert list(bot_fingerprint(f"perfect:{database}")["files"]) == [database]

    def test_modules_that_are_installed_stay_in_their_package(self) -> None:
        beside = {path.name for path in Path(json.__file__).parent.glob("*.py")}
        assert set(bot_fingerprint("json.decoder:JSONDecoder")["files"]) == beside
        assert bot_fingerprint("sys:path")["files"] == {}

    def test_what_differs_is_said(self) -> None:
        now = {"kulami_solver": "2", "core": "a", "files": {"x.py": "1", "y.py": "2"}}
        before = {"kulami_solver": "1", "core": "b", "files": {"x.py": "0", "z.py": "2"}}
        assert changes(now, now) == []
        assert changes(before, now) == [
            "the code of kulami_solver has changed",
            "kulami_solver was 1 and is 2",
            "x.py has changed",
            "y.py is new",
            "z.py is gone",
        ]
        for broken in (None, "", {"files": 3}):
            assert "x.py is new" in changes(broken, now)


@pytest.mark.parametrize(
    ("bot", "changed"),
    [("bots/mine.py", "bots/trees.py"), (engine(), "weights.txt")],
)
def test_a_changed_bot_is_refused(bot: str, changed: str, folder: Path) -> None:
    """The same one goes on; what it said stays in the file."""
    ran = checked(bot, 4)
    assert (ran.answer["from_file"], ran.answer["new"]) == (0, 4)
    ran = checked(bot, 6)
    assert (ran.answer["positions"], ran.answer["from_file"], ran.answer["new"]) == (6, 4, 2)
    assert ran.err == ""
    kept = Path("results.jsonl").read_bytes()
    before = Path(changed).read_text(encoding="ascii")
    Path(changed).write_text(f"{before}\n# better now\n", encoding="ascii")
    ran = checked(bot, 6)
    assert (ran.code, ran.out) == (2, "")
    assert f"results.jsonl holds results of '{bot[:40]}" in ran.err
    assert f"{changed.removeprefix('bots/')} has changed): name another file, " in ran.err
    assert len(ran.err.splitlines()) == 1
    assert Path("results.jsonl").read_bytes() == kept
    Path("bots/notes.txt").write_text("changed\n", encoding="ascii")
    Path(changed).write_text(before, encoding="ascii")
    assert checked(bot, 6).answer["from_file"] == 6


def test_a_changed_bot_does_not_go_on_with_a_match(folder: Path) -> None:
    words = ["match", "greedy", engine(), "--layout", BOARD, "--save", "games.jsonl", "--json"]
    assert good(*words, "--games", "2").answer["new"] == 2
    answer = good(*words, "--games", "4").answer
    assert (answer["games"], answer["from_file"], answer["new"]) == (4, 2, 2)
    Path("picking.py").write_text(OTHER, encoding="ascii")
    ran = kulami(*words, "--games", "6")
    assert (ran.code, ran.out) == (2, "")
    assert "as it was before (picking.py has changed)" in ran.err
    assert good("replay", "games.jsonl", "--json").answer["games"] == 4


@pytest.mark.parametrize("what", ["kulami_solver", "core", "python"])
def test_another_version_is_another_bot(what: str, folder: Path) -> None:
    assert checked("greedy", 3).code == 0
    path = Path("results.jsonl")
    first, *results = results_in(path)
    first["fingerprints"]["greedy"][what] = "0.0"
    path.write_text(as_results(first, *results), encoding="ascii")
    ran = checked("greedy", 3)
    assert ran.code == 2
    said = "the code of kulami_solver has changed" if what == "core" else f"{what} was 0.0 and is "
    assert said in ran.err
