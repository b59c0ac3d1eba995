"""Bad input to every command: exit code 2, and a line that names what is wrong."""

from __future__ import annotations

import json
import pathlib
import sys
import threading

import pytest
from command_line import SMALL, SQUARE, completed, good, kulami, process
from hypothesis import given, settings
from hypothesis import strategies as st

EMPTY = f"{SMALL} - r -"


LINES: list[tuple[bytes, int, str]] = [
    (b"x\n", 1, "x"),
    (b"# a comment\n\n  \nx\n", 4, "x"),
    (b"\xff\xfd\x00\n", 1, "UTF-8"),
    (b"\xff\xfe\x00\xd8\n", 1, "UTF-8"),
    (b"\x00\x00\x00\n", 1, "standard input"),
    (b"A" * 100_000, 1, "longer"),
    (b"A - r -\n" + b"A" * 100_000, 2, "longer"),
    (b"A - r -\n\xef\xbb\xbeA - r -\n", 2, "standard input"),
    (b"A - r -\r\nA r b -\r\n", 2, "standard input"),
]


def refused(names: str, *args: str, stdin: bytes = b"") -> str:
    """Run a command that must refuse its input with a message that names `names`."""
    ran = kulami(*args, stdin=stdin)
    assert ran.code == 2, (ran.out, ran.err)
    assert "Traceback" not in ran.err
    assert len(ran.err) < 2000
    lines = ran.err.splitlines()
    assert 1 <= len(lines) <= 2, ran.err
    assert lines[-1].startswith("kulami: error: ")
    assert all(line.startswith("kulami: warning: ") for line in lines[:-1])
    assert names in lines[-1], ran.err
    return lines[-1]


def test_what_is_too_long_or_too_deep_is_named() -> None:
    for words, names in (
        (["--kfn", "A" * 100_000 + " - r -"], "--kfn"),
        (["--kfn", "A\udcff - r -"], "--kfn"),
        (["--kfn", "A\0 - r -"], "--kfn"),
        (["--layout", SQUARE, "--moves", "a1 " * 100_000], "--moves"),
        (["--hagen", "n1n0n0" + "a0" * 97, "--turn", "red", "--last", "z9"], "z9"),
        (["--kbn", "B7" + "A0" * 99], "7"),
        (["--kfn", f"{SMALL} - r -", "--marbles", "9" * 10_000], "--marbles"),
    ):
        refused(names, "moves", *words)
    for content, names in (
        (b"\xff\n", "line 1"),
        (b"[" * 100_000 + b"\n", "record 1"),
        (b"9" * 5000 + b"\n", "line 1"),
    ):
        refused(names, "replay", "-", stdin=content)


@pytest.mark.parametrize("command", ["solve", "score", "moves", "show", "perft"])
@pytest.mark.parametrize(("content", "number", "names"), LINES)
def test_bad_lines_are_named(
    tmp_path: pathlib.Path, command: str, content: bytes, number: int, names: str
) -> None:
    depth = ["--depth", "1"] if command == "perft" else []
    said = refused(names, command, "--input", "-", *depth, stdin=content)
    assert f"standard input line {number}" in said
    file = tmp_path / "positions.kfn"
    file.write_bytes(content)
    ran = kulami(command, "--input", str(file), *depth)
    assert ran.code == 2
    assert f"{file} line {number}" in ran.err


MIXED = [
    *(b"AAB/CCB 3/3 r -", b"x", b'{"id": "q7"}', b"\xff", b"A" * 9000, b"AAB/CCB r2/3 b a1"),
    b"y",
]


@pytest.mark.parametrize(
    "command",
    [
        *("solve", "solve --threads 2", "solve --results r.jsonl", "estimate", "probe s.kdb"),
        *("score", "moves", "show", "perft --depth 1", "just4fun solve", "just4fun expect"),
    ],
)
def test_bad_lines_are_answered_in_their_places(
    command: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [*MIXED]
    if command.startswith("probe"):
        good("build", "s.kdb", "--layout", "AAB/CCB")
    if command.startswith("just4fun"):
        command += " --line 3 --hand 2"
        stock = "4.4" if "solve" in command else "{4.4}"
        lines[0] = lines[5] = f"3x3 - r1b1 r r1.2,b2.3 {stock} -".encode()
        lines[6] = b"3x3 - r1b1 r r1.2,b? {2.3.4.4} -"  # the hand of one player is hidden
    ran = kulami(*command.split(), "--input", "-", stdin=b"\n".join(lines))
    assert ran.code == 2
    assert [answer.get("input_line") for answer in ran.answers] == [None, 2, 3, 4, 5, None, 7]
    assert [answer.get("id") for answer in ran.answers] == [None, None, "q7"] + [None] * 4
    assert ["error" in answer for answer in ran.answers] == [not c for c in (1, 0, 0, 0, 0, 1, 0)]
    assert ran.err.startswith("kulami: error: standard input line 2: ")
    assert ran.err.endswith(" (5 lines refused, all others answered)\n")
    assert ran.err.count("\n") == 1


def test_a_bad_line_is_answered_at_once() -> None:
    with process("solve", "--input", "-", "--threads", "2", text=True) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        for line in ("x", "AAB/CCB 3/3 r -", "y"):
            running.stdin.write(f"{line}\n")
            running.stdin.flush()
            assert ("error" in json.loads(running.stdout.readline())) == (len(line) == 1)
        running.stdin.close()
        assert running.wait(60) == 2


@pytest.mark.parametrize("stream", ["stdout", "stdin"])
def test_closed_streams(stream: str) -> None:
    closing = f"{'>' if stream == 'stdout' else '<'}&-"
    words = "-m kulami_solver moves --input -"
    ran = completed(["/bin/sh", "-c", f'"{sys.executable}" {words} {closing}'], timeout=60)
    assert ran.returncode == 2
    assert ran.stderr.startswith("kulami: error: standard ") or "--input" in ran.stderr
    assert len(ran.stderr.splitlines()) == 1


# What the parsers see when a user mistypes: texts of the characters they know, and any others.
MISTYPED = st.text("ABab./-,r 0123456789") | st.text()


ANY = pytest.mark.parametrize("examples", [150, pytest.param(3000, marks=pytest.mark.nightly)])


@ANY
def test_any_text_is_answered_or_refused(examples: int) -> None:
    @given(
        st.sampled_from(["--kfn", "--layout", "--hagen", "--kbn"]),
        MISTYPED,
        st.lists(st.tuples(st.sampled_from(["--moves", "--last", "--turn", "--first"]), MISTYPED)),
    )
    @settings(max_examples=examples, deadline=None)
    def run(source: str, text: str, more: list[tuple[str, str]]) -> None:
        ran = kulami("score", f"{source}={text}", *[f"{option}={value}" for option, value in more])
        assert ran.code in (0, 2)
        assert (ran.code == 0) == bool(ran.out)
        assert len(ran.err.splitlines()) <= 2
        assert all(line.isprintable() for line in ran.err.splitlines())
        assert ran.code == 0 or "kulami: error: " in ran.err

    run()


@ANY
def test_any_file_is_answered_or_refused(examples: int) -> None:
    @given(st.binary(max_size=300))
    @settings(max_examples=examples, deadline=None)
    def run(content: bytes) -> None:
        for command, *more in (["score", "--input"], ["replay"]):
            ran = kulami(command, *more, "-", stdin=content)
            assert ran.code in (0, 2)
            assert ran.code == 0 or "kulami: error: " in ran.err

    run()


@pytest.mark.parametrize(
    "command",
    [
        "solve --layout ABBCD/ABBCD/ABBEE/FFFEE --threads 2",
        "verify data/3x4-level2.kdb --threads 2",
        "build {folder}/x.kdb --layout AAB/CCB",
        "labels {folder}/x.parquet --count 1 --free 8-8",
        "malawi solve --board 3x4 --threads 2",
        "check greedy --positions 32 --workers 2",
        "solve --layout AAB/CCB --workers tcp://127.0.0.1:9",
    ],
)
def test_where_the_system_starts_no_more_threads_it_says_so(
    command: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_more(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    if command.startswith("labels"):
        pytest.importorskip("pyarrow")
    monkeypatch.setattr(threading.Thread, "start", no_more)
    ran = kulami(*command.format(folder=tmp_path).split())
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "kulami: error: the system starts no more threads or processes: "
        "give fewer --threads or --workers\n"
    )
