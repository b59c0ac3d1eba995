"""A proof as a folder with a file for each ply: it says what the proof's text says."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import sys
from collections import Counter
from pathlib import Path
from signal import SIGINT, SIGKILL
from struct import Struct
from typing import Final, NamedTuple

import pytest
from test_proof import SMALL, position_of_lies, proved, random_positions

import kulami_solver as ks
from kulami_solver.cli import main
from kulami_solver.kulami.position.position import after_root
from kulami_solver.kulami.proof import proof as proof_module
from kulami_solver.kulami.proof.proof import open_proof, position_text
from kulami_solver.kulami.proof.proof_walk import NOTHING

CLAIM: Final = Struct("<QQhhBBBB")


class Claim(NamedTuple):
    """A claim as docs/file-format.md describes it."""

    own: int
    other: int
    least: int
    most: int
    last: int
    before: int
    marks: int
    choice: int


def claims_of(folder: Path, ply: int) -> list[Claim]:
    """The claims that the file of a ply has."""
    return [Claim(*fields) for fields in CLAIM.iter_unpack((folder / f"{ply}.ply").read_bytes())]


def text_of(folder: Path, root: ks.Position) -> tuple[list[str], Counter[str]]:
    """The first two lines of a proof's text, and how often it has each of the others."""
    *heading, counts = (folder / "claim.txt").read_text("ascii").splitlines()
    fields = root.layout.fields
    steps: Counter[str] = Counter()
    for ply, count in enumerate(map(int, counts.split())):
        claims = claims_of(folder, ply)
        assert len(claims) == len({claim[:2] + claim[4:6] for claim in claims}) == count
        for claim in claims:
            last_two = (-1 if field == 64 else field for field in (claim.last, claim.before))
            shown = position_text(after_root(root, ply, claim.own, claim.other, *last_two))
            if claim.marks & 1:
                assert claim.choice == 64
                steps[f"P {shown}"] += 1
                continue
            if claim.most != NOTHING:
                steps[f"L {shown} {claim.most}"] += 1
            if claim.choice != 64:
                steps[f"G {shown} {claim.least} {fields[claim.choice]}"] += 1
            else:
                assert claim.least == -NOTHING
    return heading, steps


@pytest.mark.parametrize("count", [12, pytest.param(200, marks=pytest.mark.nightly)])
def test_the_plies_say_what_the_text_says(count: int, tmp_path: Path) -> None:
    for number, (position, scoring) in enumerate(random_positions(5, count, 12)):
        options = ({"goal": "outcome"}, {}, {"semi_strong": True})[number % 3]
        with open_proof(proved(tmp_path, position, scoring, number % 4, **options)) as proof:
            folder = tmp_path / f"{number}"
            written = proof.write_plies(folder)
            head, steps = text_of(folder, proof.root)
            first, second, *rest = proof.text()
        assert head == [first, second]
        assert steps == Counter(rest)
        assert written == sum(file.stat().st_size for file in folder.glob("*.ply")) // CLAIM.size


def test_the_command_writes_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, folder = proved(tmp_path, position_of_lies(), "1", 2), tmp_path / "plies"
    assert main(["export", str(path), "--plies", str(folder)]) == 0
    told = capsys.readouterr().out
    assert told.startswith(f"{folder}: ")
    assert told.endswith(" claims\n")
    true = {file.name: file.read_bytes() for file in folder.iterdir()}
    # Again, over what another proof has made.
    other = proved(tmp_path, ks.Position(ks.Layout.parse(SMALL)), "0", 4)
    assert main(["export", str(other), "--plies", str(folder), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["file"] == str(folder)
    assert said["rows"] > 100
    path = proved(tmp_path, position_of_lies(), "1", 2)
    assert main(["export", str(path), "--plies", str(folder)]) == 0
    assert {name: (folder / name).read_bytes() for name in true} == true
    with monkeypatch.context() as patch:
        (folder / "0.ply").write_bytes(b"damaged")
        patch.setattr(proof_module, "write_atomically", lambda *_: os.kill(os.getpid(), SIGINT))
        assert main(["export", str(path), "--plies", str(folder)]) == 130
    assert "plies; the same command goes on with it" in capsys.readouterr().err
    for words in (["--text"], ["table.csv"]):
        assert main(["export", str(path), *words, "--plies", str(folder)]) == 2
        assert "--plies" in capsys.readouterr().err
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "0.ply").write_text("a picture", encoding="ascii")
    for place in (path, tmp_path / "no" / "such", tmp_path / "mine"):
        assert main(["export", str(path), "--plies", str(place)]) == 2
        assert str(place) in capsys.readouterr().err


def test_they_are_not_written_where_there_is_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no claim stays beside files that are not all there."""
    path, folder = proved(tmp_path, position_of_lies(), "1", 2), tmp_path / "plies"
    with open_proof(path) as proof:
        proof.write_plies(folder)
        room = CLAIM.size * proof.steps
        monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(0, 0, room))
        proof.write_plies(folder)
        shutil.rmtree(folder)
        room -= 1
        with pytest.raises(ks.BudgetError, match="name a folder on another disk"):
            proof.write_plies(folder)

        def again(*_: int) -> None:
            with pytest.raises(ks.KulamiError, match=r"another process \(\d+\) is building it"):
                other.write_plies(folder)

        monkeypatch.undo()
        with open_proof(path) as other:
            proof.write_plies(folder, again)
        assert "lock" not in os.listdir(folder)

        def stop(done: int, _: int) -> None:
            if done:
                raise KeyboardInterrupt

        room += 1
        monkeypatch.setattr(proof_module, "_AT_A_TIME", 5)
        with pytest.raises(KeyboardInterrupt):
            proof.write_plies(folder, stop)
    assert not (folder / "claim.txt").exists()


def killed(step: int, folder: Path) -> None:
    """Kill this process before so many operations on files of a folder."""
    ticks = itertools.count()

    def tick(_: str, told: tuple[object, ...]) -> None:
        if told and str(folder) in str(told[0]) and next(ticks) == step:
            os.kill(os.getpid(), SIGKILL)

    sys.addaudithook(tick)


@pytest.mark.skipif(os.name != "posix", reason="a fork and SIGKILL")
@pytest.mark.parametrize("stride", [7, pytest.param(1, marks=pytest.mark.nightly)])
def test_killed_before_any_operation_on_a_file_they_go_on(stride: int, tmp_path: Path) -> None:
    """Plies that are whole are kept, damaged ones are not; another proof is refused meanwhile."""
    other = proved(tmp_path, ks.Position(ks.Layout.parse(SMALL)), "0", 4).rename(tmp_path / "other")
    path, whole = proved(tmp_path, position_of_lies(), "1", 2), tmp_path / "whole"
    with open_proof(path) as proof, open_proof(other) as another:
        proof.write_plies(whole)
        true = {file.name: file.read_bytes() for file in whole.iterdir()}
        for step in itertools.count(0, stride):
            folder = tmp_path / f"{step}"
            child = os.fork()
            if not child:
                killed(step, folder)
                proof.write_plies(folder)
                os._exit(0)
            if os.waitpid(child, 0)[1] == 0:
                break
            if (folder / "plan.json").exists():
                with pytest.raises(ks.DatabaseError, match="other work is in the way"):
                    another.write_plies(folder)
            kept = {file: os.stat(file) for file in folder.glob("*.ply")}
            lost = next(iter(kept), None) if step % 2 else None
            if lost:
                lost.write_bytes(bytes(len(true[lost.name])))
            proof.write_plies(folder)
            assert true == {file.name: file.read_bytes() for file in folder.iterdir()}
            assert all(os.path.samestat(was, os.stat(at)) for at, was in kept.items() if at != lost)
    assert step > 5 * len(true)
