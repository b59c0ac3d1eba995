"""Compressed files: what is read from them and written to them, and what is refused."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest
from command_line import SMALL, good, kulami

import kulami_solver as ks
from kulami_solver.core import compressed
from kulami_solver.core.compressed import open_text, packed
from kulami_solver.errors import KulamiError
from kulami_solver.storage.kept_work import ResultFile

NAME = "a.jsonl.gz"

START = ks.Position(ks.Layout.parse("AAB/CCB"))
GAME = json.dumps(ks.GameRecord.played(START, "a1 a2 c2").to_json())


def read(path: Path) -> bytes:
    with open_text(path) as file:
        return file.read()


def test_frames_one_after_the_other_are_one_text(tmp_path: Path) -> None:
    path = tmp_path / NAME
    parts = [b"", b"one\n", os.urandom(5000) + b"\n", b"two\n" * 5000]
    path.write_bytes(b"".join(packed(path, part) for part in parts))
    assert read(path) == b"".join(parts)
    assert gzip.decompress(path.read_bytes()) == b"".join(parts)
    path.write_bytes(path.read_bytes() + bytes(2000))
    assert read(path) == b"".join(parts)


def test_what_is_damaged_or_cut_off_is_refused(tmp_path: Path) -> None:
    path = tmp_path / NAME
    whole = packed(path, GAME.encode() + b"\n")
    for content, code in (
        (GAME.encode(), "compressed_damaged"),
        (whole[:-1], "compressed_short"),
        (whole[:3], "compressed_short"),
        (whole + b"more", "compressed_damaged"),
    ):
        path.write_bytes(content)
        with pytest.raises(KulamiError) as refused:
            read(path)
        assert refused.value.code == code
        ran = kulami("replay", str(path))
        assert (ran.code, len(ran.err.splitlines())) == (2, 1)
        assert f"FILE: {path} " in ran.err


def test_what_blows_up_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compressed, "_HARMLESS", 1 << 20)
    path = tmp_path / NAME
    path.write_bytes(packed(path, (b"#" * 1000 + b"\n") * 3000))
    for command in (["replay"], ["grade"], ["solve", "--input"], ["match", "a", "b", "--openings"]):
        ran = kulami(*command, str(path))
        assert (ran.code, ran.out) == (2, "")
        assert "unpacks to more than 200 times its length" in ran.err
    monkeypatch.undo()
    path.write_bytes(packed(path, b"#" * (3 << 20)))
    assert " line 1 is longer than" in kulami("replay", str(path)).err


def test_commands_read_and_write_them(tmp_path: Path) -> None:
    """Games, positions, layouts, openings, suites, drawings."""
    path = tmp_path / NAME
    path.write_bytes(packed(path, f"{GAME}\n".encode()))
    assert good("replay", str(path), "--json").answer["games"] == 1
    assert "a2" in good("grade", str(tmp_path)).out
    drawing = tmp_path / "board.svg.gz"
    for _ in range(2):
        good("show", "--layout", "AAB/CCB", "--svg", str(drawing))
    assert read(drawing).startswith(b"<svg")
    path.write_bytes(packed(path, b"AAB/CCB - r -\n"))
    assert good("solve", "--input", str(path)).answer["margin"] is not None
    good("match", "greedy", "random", "--openings", str(path), "--games", "2")
    path.write_bytes(packed(path, b"AAB/CCB\n"))
    assert good("layout", str(path), "--json").answer["layout"] == "AAB/CCB"
    path.unlink()  # it holds no puzzles
    good("puzzles", str(path), "--count", "1", "--seed", "1")
    assert json.loads(read(path).splitlines()[0])["kfn"]


def test_a_match_goes_on_in_one(tmp_path: Path) -> None:
    path, plain = tmp_path / NAME, tmp_path / "plain.jsonl"
    words = ["match", "greedy", "random", "--layout", SMALL, "--json", "--save"]
    good(*words, str(path), "--games", "2")
    report = good(*words, str(path), "--games", "4").answer
    assert (report["from_file"], report["new"]) == (2, 2)
    good(*words, str(plain), "--games", "4")
    games = [
        [json.loads(line)["moves"] for line in text.splitlines()[1:]]
        for text in (read(path), plain.read_bytes())
    ]
    assert games[0] == games[1]
    assert path.stat().st_size < plain.stat().st_size / 2
    assert good("replay", str(path), "--json").answer["games"] == 4


def test_a_journal_that_was_cut_off_keeps_what_is_whole(tmp_path: Path) -> None:
    path = tmp_path / NAME
    header = {"journal": "test", "number": 1}
    results = ResultFile(path, header)
    sizes = [path.stat().st_size]
    for number in range(3):
        results.add({"result": number})
        sizes.append(path.stat().st_size)
    frames = path.read_bytes()
    results.close()
    assert len(path.read_bytes()) < len(frames)
    near = {end + more for end in sizes for more in (-9, -1, 0, 1, 30)}
    for size in near & {*range(len(frames))}:
        path.write_bytes(frames[:size])
        with ResultFile(path, header) as again:
            kept = [one["result"] for one in again.known]
            again.add({"result": 9})
        assert len(kept) in (whole := sum(size >= end for end in sizes[1:]), whole + 1)
        with ResultFile(path, header) as again:
            assert [one["result"] for one in again.known] == [*kept, 9]
    # The begin of another file is none of ours.
    other = packed(path, os.urandom(3000))[:500]
    path.write_bytes(other)
    with pytest.raises(KulamiError, match="is no file of results"):
        ResultFile(path, header)
    assert path.read_bytes() == other
