"""Names given on the command line that are not what they seem, and files that cannot be written."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import SMALL, completed, good, kulami, process

import kulami_solver as ks


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
    ran = subprocess.run(
        [sys.executable, "-m", "kulami_solver", *words],
        cwd=tmp_path,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},  # which would be cut off, and stay
        preexec_fn=short_of_space,
        capture_output=True,
        text=True,
        check=False,
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


@pytest.mark.parametrize("damage", ["header", "section"])
def test_a_damaged_source_is_left_aside_and_said_once(
    damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search answers, labels are made, and the page begins without it."""
    path = tmp_path / "small.kdb"
    ks.build(path, ks.Position(ks.Layout.parse(SMALL)))
    content = bytearray(path.read_bytes())
    for at in [100] if damage == "header" else range(len(content) // 2, len(content), 99):
        content[at] ^= 1
    path.write_bytes(content)
    given, served = ["--database", str(path)], []
    ran = good("solve", "--layout", SMALL, *given)
    assert "searched" in ran.out
    assert ran.err.count("left aside") == len(ran.err.splitlines()) == 1
    if damage == "header":
        monkeypatch.setattr("kulami_solver.web.server.serve", lambda *told: served.append(told[2]))
        assert "left aside" in good("serve", "--port", "0", *given).err
        assert served == [[]]
        table = str(tmp_path / "labels.parquet")
        asked = ["labels", table, "--count", "2", "--free", "1-4", "--workers", "1", *given]
        assert "left aside" in good(*asked, "--layout", SMALL).err
        assert "give --layout" in kulami(*asked, "--force").err
    path.write_bytes(b"no database at all" * 9)
    assert kulami("solve", "--layout", SMALL, *given).code == 2
