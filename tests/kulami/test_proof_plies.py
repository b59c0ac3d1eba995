"""A proof as a folder with a file for each ply: it says what the proof's text says."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from pathlib import Path
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
    content = (folder / f"{ply}.ply").read_bytes()
    return [Claim(*fields) for fields in CLAIM.iter_unpack(content)]


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
            position = after_root(root, ply, claim.own, claim.other, *last_two)
            shown = position_text(position)
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


def test_the_command_writes_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, folder = proved(tmp_path, position_of_lies(), "1", 2), tmp_path / "plies"
    assert main(["export", str(path), "--plies", str(folder)]) == 0
    told = capsys.readouterr().out
    assert told.startswith(f"{folder}: ")
    assert told.endswith(" claims\n")
    true = {file.name: file.read_bytes() for file in folder.iterdir()}
    # Again, over what another proof has left.
    other = proved(tmp_path, ks.Position(ks.Layout.parse(SMALL)), "0", 4)
    assert main(["export", str(other), "--plies", str(folder), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["file"] == str(folder)
    assert said["rows"] > 100
    path = proved(tmp_path, position_of_lies(), "1", 2)
    assert main(["export", str(path), "--plies", str(folder)]) == 0
    assert {name: (folder / name).read_bytes() for name in true} == true
    capsys.readouterr()
    for words in (["--text"], ["table.csv"]):
        assert main(["export", str(path), *words, "--plies", str(folder)]) == 2
        assert "--plies" in capsys.readouterr().err
    for place in (path, tmp_path / "no" / "such"):
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
        room -= 1
        with pytest.raises(ks.BudgetError, match="name a folder on another disk"):
            proof.write_plies(folder)

        def again(*_: int) -> None:
            with pytest.raises(ks.KulamiError, match="another process writes into it"):
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
