"""The command as a process: start-up, Ctrl-C, pipes and terminals."""

from __future__ import annotations

import errno
import json
import os
import platform
import pty
import re
import resource
import signal
import sys
import time
from pathlib import Path

import pytest
from command_line import FINISHED, SMALL, completed, good, interrupted, kulami, process

import kulami_solver as ks
from kulami_solver.adapters.labels import read_labels

EMPTY = f"{SMALL} - r -"
# Seconds of the processor: a fraction of one, and what slower machines may add to it.
SOON = 1.0
# What the installed script does.
SCRIPT = "sys.argv[0] = 'bin/kulami'; from kulami_solver.__main__ import main; sys.exit(main())"
ENDLESS = ["--layout", "square"]


@pytest.mark.parametrize("words", ["score", "solve --threads 3"])
def test_an_answer_comes_before_the_next_position_is_written(words: str) -> None:
    """Also where many positions may be searched at the same time, and lines come in pieces."""
    with process(*words.split(), "--input", "-") as running:
        assert running.stdin is not None
        assert running.stdout is not None
        for kfn in (EMPTY, FINISHED, EMPTY):
            for piece in (kfn[:7], kfn[7:], "\n"):
                running.stdin.write(piece)
                running.stdin.flush()
                time.sleep(0.02)
            assert json.loads(running.stdout.readline())["kfn"] == kfn
        out, err = running.communicate(f"{EMPTY}\n{FINISHED}\nx\n{EMPTY}\n", timeout=60)
    answered = [json.loads(line).get("kfn") for line in out.splitlines()]
    assert answered == [EMPTY, FINISHED, None, EMPTY]
    assert running.returncode == 2
    assert "standard input line 6" in err
    with process(*words.split(), "--input", "-") as running:
        out, err = running.communicate(f"{EMPTY}\n{FINISHED}", timeout=60)
    assert (len(out.splitlines()), running.returncode) == (2, 0)


def test_version_is_quick() -> None:
    command = [sys.executable, "-m", "kulami_solver", "--version"]
    spent = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ran = completed(command, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        # Not the time on the clock: that is also the other processes'.
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        version, python, compiler, processor = ran.stdout.splitlines()
        assert version.startswith(f"kulami {ks.__version__}")
        assert python.startswith(f"Python {platform.python_version()}")
        assert re.fullmatch(r"compiler \S+ \S.*", compiler)
        assert re.fullmatch(r"processor \S.*", processor)
    assert min(spent) < 0.4, "it is meant to take 0.15 s"


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_search_prints_the_bounds_so_far(by: signal.Signals) -> None:
    name, expected = ("Ctrl-C", 130) if by == signal.SIGINT else ("SIGTERM", 143)
    code, out, err, spent = interrupted("solve", *ENDLESS, "--json", by=by)
    answer = json.loads(out)
    assert (code, answer["exact"]) == (expected, False)
    assert answer["lower"] <= answer["upper"]
    note, *estimated, said = err.splitlines()
    assert "exact from about 41 free fields" in note
    assert all("a proof takes about" in one for one in estimated)  # if there was time to say so
    assert len(estimated) <= 1
    assert said == f"kulami: interrupted: {name}; these are the bounds so far"
    assert spent < SOON


def test_sigterm_keeps_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("build", "square.kdb", "--layout", "AABCD/AABCD/EEFFD/GGHHI")
    code, _, err, _ = interrupted(*words, by=signal.SIGTERM)
    said = "the work so far is in square.kdb.building; the same command goes on with it\n"
    assert (code, err) == (143, f"kulami: interrupted: SIGTERM; {said}")


def test_ctrl_c_ends_whatever_else_takes_long(tmp_path: Path) -> None:
    """Bounds of all that is searched, counts of plies, and no word while it waits for input."""
    square = f"{ks.Layout.square()} - r -"
    file = tmp_path / "positions.kfn"
    file.write_text("".join(f"{kfn}\n" for kfn in (FINISHED, square, FINISHED, square, FINISHED)))
    words = ("solve", "--input", str(file), "--threads", "2", "--memory", "256M")
    code, out, err, spent = interrupted(*words)
    answers = [json.loads(line) for line in out.splitlines()]
    assert [answer["kfn"] for answer in answers] == [FINISHED, square, FINISHED, square]
    assert [answer["exact"] for answer in answers] == [True, False, True, False]
    assert (code, "Traceback" in err, spent < SOON) == (130, False, True)
    code, out, err, spent = interrupted("perft", *ENDLESS, "--depth", "30", "--json")
    answer = json.loads(out)
    assert (answer["complete"], answer["counts"][0]) == (False, 64)
    assert (code, "Traceback" in err, spent < SOON) == (130, False, True)
    for threads in ("1", "2"):
        asked = ("solve", "--input", "-", "--threads", threads)
        code, out, err, spent = interrupted(*asked, waits=True)
        assert (code, out, "Traceback" in err, spent < SOON) == (130, "", False, True)


@pytest.mark.parametrize(
    ("begin", "module"),
    [
        (SCRIPT, "kulami_solver.core.files"),
        (SCRIPT, "kulami_solver.errors"),
        (SCRIPT, "kulami_solver.cli"),
        (SCRIPT, "kulami_solver.cli.kulami.boards"),
        ("import runpy; runpy.run_module('kulami_solver', None, '__main__')", "kulami_solver.cli"),
    ],
)
def test_ctrl_c_while_it_starts(begin: str, module: str, repository: Path) -> None:
    program = f"""\
import sys
class CtrlC:
    def find_spec(self, name, *_):
        if name == "{module}":
            raise KeyboardInterrupt
sys.meta_path.insert(0, CtrlC())
{begin}
"""
    ran = completed([sys.executable, "-c", program], cwd=repository)
    assert (ran.returncode, ran.stdout) == (130, "")
    assert ran.stderr == "kulami: interrupted: Ctrl-C\n"


@pytest.mark.parametrize(
    ("changes", "colored"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"PYTHONIOENCODING": "ascii"}, False)],
)
def test_a_terminal_gets_colours(changes: dict[str, str], colored: bool) -> None:
    environment = {**os.environ, "TERM": "xterm", "PYTHONIOENCODING": "utf-8", **changes}
    if "NO_COLOR" not in changes:
        environment.pop("NO_COLOR", None)
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb", buffering=0) as screen:
        running = process("show", "--layout", "square", stdout=theirs, env=environment)
        os.close(theirs)
        shown = screen.read(2000)
        while shown.count(b"\n") < 4:
            shown += screen.read(2000)
        # What is left unread must not keep the process waiting.
        running.communicate(timeout=60)
    assert running.returncode == 0
    assert (b"\x1b[" in shown) == colored
    assert "PYTHONIOENCODING" not in changes or shown.isascii()


def short_of_space() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["show", "--layout", "square", "--svg", "FILE.svg"], "FILE.svg"),
        (["build", "FILE.kdb", "--layout", SMALL], "FILE.kdb"),
        (["export", "small.kdb", "FILE.csv"], "FILE.csv"),
    ],
)
def test_a_full_disk_is_not_laid_to_standard_output(
    words: list[str], named: str, tmp_path: Path
) -> None:
    ks.build(tmp_path / "small.kdb", ks.Position(ks.Layout.parse("AAB/CDB/CEE")))
    ran = completed(
        [sys.executable, "-m", "kulami_solver", *words],
        cwd=tmp_path,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},  # which would be cut off, and stay
        preexec_fn=short_of_space,
    )
    assert ran.returncode == 2
    assert named in ran.stderr
    assert "File too large" in ran.stderr
    assert "standard output" not in ran.stderr
    assert "Traceback" not in ran.stderr
    assert not (tmp_path / named).exists()


@pytest.mark.parametrize("fault", [errno.ENOSPC, errno.EDQUOT])
@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (
            ["labels", "a.parquet", "--count", "50", "--free", "8-10"],
            "the work so far is in a.parquet.building",
        ),
        (
            ["match", "greedy", "random", "--games", "2", "--save", "a.jsonl"],
            "what the file holds stays, and the next run goes on with it",
        ),
    ],
)
def test_a_full_disk_is_told_with_what_is_kept(
    words: list[str], kept: str, fault: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_opened: int) -> None:
        raise OSError(fault, os.strerror(fault))

    if words[0] == "labels":
        pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "fsync", fail)
    ran = kulami(*words)
    assert ran.code == 2
    file = words[1] if words[0] == "labels" else "a.jsonl"
    assert f"{file}: {os.strerror(fault)}" in ran.err
    assert kept in ran.err


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_a_full_disk_leaves_whole_games(name: str, tmp_path: Path) -> None:
    words = ["match", "greedy", "random", "--games", "40", "--layout", "AAB/CCB", "--save", name]
    ran = completed(
        [sys.executable, "-m", "kulami_solver", *words],
        cwd=tmp_path,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
        preexec_fn=short_of_space,
    )
    assert (ran.returncode, ran.stderr) == (2, f"kulami: error: {name}: File too large\n")
    assert good("replay", str(tmp_path / name)).out.endswith(" games, 0 disagree\n")


@pytest.mark.parametrize("fault", [errno.EROFS, errno.EACCES])
@pytest.mark.parametrize(
    "words", [["build", "a.kdb", "--layout", "AAB/CCB"], ["labels", "a.parquet", "--free", "8"]]
)
def test_a_folder_that_takes_no_file_is_told_with_a_remedy(
    words: list[str], fault: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(path: str, *_: object) -> None:
        raise OSError(fault, os.strerror(fault), path)

    if words[0] == "labels":
        pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "mkdir", fail)
    ran = kulami(*words)
    assert ran.code == 2
    remedy = "name a file in a folder that you may write to"
    assert ran.err == f"kulami: error: {words[1]}.building: {os.strerror(fault)}; {remedy}\n"


def test_a_file_that_may_not_be_read_is_not_taken_for_one_to_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(path: str, *_: object) -> None:
        raise OSError(errno.EACCES, "Permission denied", path)

    database = tmp_path / "a.kdb"
    database.touch()
    monkeypatch.setattr("kulami_solver.storage.container._regular_file", fail)
    ran = kulami("info", str(database))
    assert (ran.code, ran.err) == (2, f"kulami: error: {database}: Permission denied\n")


def test_what_a_command_has_written_before_is_replaced(tmp_path: Path) -> None:
    """So is an empty file, and a file of the same kind by another program."""
    picture, table, page = (str(tmp_path / f"a.{kind}") for kind in ("svg", "csv", "html"))
    database, puzzles = str(tmp_path / "a.kdb"), str(tmp_path / "puzzles")
    (tmp_path / "a.svg").write_text('\ufeff<?xml version="1.0"?>\n<svg/>', "utf-8")
    (tmp_path / "a.html").touch()
    good("build", database, "--layout", "AAB/CCB")
    for _ in range(2):
        good("show", "--layout", SMALL, "--svg", picture)
        good("check", "random", "--positions", "3", "--csv", table, "--html", page)
        good("export", database, table)
        good("puzzles", puzzles, "--count", "1")


def test_a_pipe_without_a_reader_is_waited_for_aloud(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with process("show", "--layout", SMALL, "--svg", str(pipe)) as writing:
        assert writing.stderr is not None
        assert writing.stderr.readline() == f"kulami: waiting: for a program that reads {pipe}\n"
        assert pipe.read_text().startswith("<svg")
        assert writing.wait(60) == 0


def test_a_working_folder_that_is_gone_is_not_a_file_in_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tmp_path.rmdir()
    ran = kulami("prove", "a", "--layout", "AAB/CCB")
    said = "FILE: cannot write a: No such file or directory; name another file"
    assert (ran.code, ran.err) == (2, f"kulami: error: {said}\n")


# What asks a file that it can do without, `*`, and how many marbles that is after.
DOORS = {
    f"solve --layout {SMALL} --json --database *": 0,
    f"solve --layout {SMALL} --json --nodes 20000 --threads 2 --database *": 1,
    "solve --input positions.txt --threads 2 --database *": 1,
    "solve --input positions.txt --results kept.jsonl --database *": 1,
    f"labels made.parquet --count 20 --free 8-12 --layout {SMALL} --workers 1 --database *": 0,
    f"match perfect:* random --layout {SMALL} --games 2 --workers 1 --json": 0,
    f"check perfect:* --layout {SMALL} --positions 3 --workers 1 --json": 0,
    f"play --bot perfect:* --side black --layout {SMALL}": 0,
    "malawi check random --board 2x6 --positions 9 --database * --json": 0,
    "malawi grade game.jsonl --database *": 0,
    "malawi play --board 2x6 --side black --database *": 0,
}


@pytest.mark.parametrize(
    ("door", "damage"),
    # With a damaged header, there is no such bot.
    [(one, how) for one in DOORS for how in ("header", "section")[":*" in one :]],
)
def test_a_damaged_source_is_left_aside_and_said_once(
    door: str, damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answers are those of a sound file, also where damage is found in the midst of work."""
    monkeypatch.chdir(tmp_path)
    path, start = tmp_path / "small.kdb", ks.Position(ks.Layout.parse(SMALL))
    Path("positions.txt").write_text(3 * f"{start.play('b1').kfn()}\nAAB/CCB - r -\n{EMPTY}\n")
    turns = ["a6-a4", "a1-a3", "a4-a6", "a3-a1"]
    Path("game.jsonl").write_text(json.dumps({"board": "2x6", "moves": turns, "winner": None}))
    if "malawi" in door:
        ks.malawi.build(path, ks.malawi.Board(2, 6))
    else:
        ks.build(path, start.play("b1") if DOORS[door] else start)

    def done() -> tuple[object, str]:
        ran = good(*door.replace("*", str(path)).split(), stdin=b"")
        found: object = re.findall(
            r'"(?:kfn|margin|values|optimal)": [^,]*|: [a-e1-6:x-]+$', ran.out
        )
        if "labels" in door:
            found = read_labels("made.parquet")["values"].tolist()
        for made in ("kept.jsonl", "made.parquet"):
            Path(made).unlink(missing_ok=True)
        return found, ran.err

    sound, _ = done()
    content = bytearray(path.read_bytes())
    for at in [100] if damage == "header" else range(len(content) // 2, len(content), 99):
        content[at] ^= 1
    path.write_bytes(content)
    found, said = done()
    assert found == sound
    assert len(said.splitlines()) == 1
    assert ("searches instead" if ":*" in door else "left aside") in said


def test_where_a_damaged_database_is_all_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page begins without it; labels need a layout; what is no database is refused."""
    path = tmp_path / "small.kdb"
    ks.build(path, ks.Position(ks.Layout.parse(SMALL)))
    content = bytearray(path.read_bytes())
    content[100] ^= 1
    path.write_bytes(content)
    given, served = ["--database", str(path)], []
    monkeypatch.setattr("kulami_solver.web.server.serve", lambda *told: served.append(told[2]))
    assert "left aside" in good("serve", "--port", "0", *given).err
    assert served == [[]]
    table = str(tmp_path / "labels.parquet")
    asked = ["labels", table, "--count", "2", "--free", "1-4", "--workers", "1", *given]
    assert "give --layout" in kulami(*asked).err
    path.write_bytes(b"no database at all" * 9)
    assert kulami("solve", "--layout", SMALL, *given).code == 2
