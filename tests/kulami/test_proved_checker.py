"""The checker that is proved in Coq: it believes what is true, and no lie. Skipped without Coq."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import completed
from test_proof import position_of_lies, proved, random_positions
from test_proof_plies import CLAIM, Claim, claims_of

from kulami_solver.kulami.proof.proof import open_proof

pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module")
def checker(repository: Path) -> Path:
    """The compiled checker."""
    done = completed(["bash", str(repository / "scripts" / "proved_checker.sh"), "--install"])
    if done.returncode in (3, 100):
        pytest.skip(f"no Coq here: {done.stderr.strip()[-200:]}")
    assert done.returncode == 0, done.stderr
    return repository / "build" / "proved_checker" / "proved_checker"


def written(path: Path, folder: Path) -> Path:
    """The plies of a proof, in a new folder."""
    shutil.rmtree(folder, ignore_errors=True)
    with open_proof(path) as proof:
        proof.write_plies(folder)
    return folder


def said(checker: Path, folder: Path, *, threads: int = 1, code: int | None = None) -> str:
    """The last line that the proved checker prints about a folder."""
    done = completed([checker, "--threads", str(threads), folder])
    assert done.returncode in ((0, 1) if code is None else (code,)), done.stderr
    last = done.stdout.splitlines()[-1]
    assert last.startswith("does not hold: " if done.returncode else "holds: ")
    return last


def holds(checker: Path, folder: Path, threads: int = 1) -> bool:
    """Whether the proved checker accepts what a folder has, whatever it has noted there."""
    (folder / "checked").unlink(missing_ok=True)
    return said(checker, folder, threads=threads).startswith("holds: ")


@pytest.fixture
def plies(tmp_path: Path) -> Path:
    """A proof all of whose claims are needed."""
    return written(proved(tmp_path, position_of_lies(), "1", 2), tmp_path / "plies")


def test_it_believes_what_is_true(checker: Path, tmp_path: Path) -> None:
    for number, (position, scoring) in enumerate(random_positions(11, 120, 13)):
        options = ({"goal": "outcome"}, {}, {"semi_strong": True})[number % 3]
        path = proved(tmp_path, position, scoring, number % 5, **options)
        assert holds(checker, written(path, tmp_path / "plies"), 1 + number % 2)


def lies_about(claim: Claim, draw: random.Random) -> Iterator[tuple[str, Claim]]:
    """What is wrong with a claim, and the claim."""
    if claim.least > -1000:
        yield "a least that does not follow", claim._replace(least=claim.least + 99)
        yield "no least", claim._replace(least=-(2**15))
    if claim.most < 1000:
        yield "a most that does not follow", claim._replace(most=claim.most - 99)
        yield "no most", claim._replace(most=2**15 - 1)
    if claim.choice < 64:
        yield "a choice that is occupied", claim._replace(choice=claim.last)
        yield "no choice", claim._replace(choice=255)
    free = next(1 << field for field in range(64) if not (claim.own | claim.other) >> field & 1)
    yield "another position", claim._replace(own=claim.own | free)
    yield "the other side", claim._replace(own=claim.other, other=claim.own)
    yield "another newest marble", claim._replace(last=claim.before)
    yield "another marble before it", claim._replace(before=draw.choice((64, claim.last, 255)))


def lay(folder: Path, ply: int, claims: list[Claim]) -> None:
    """Put other claims in the place of a ply's, as an export of them would."""
    (folder / f"{ply}.ply").write_bytes(b"".join(CLAIM.pack(*claim) for claim in claims))
    *heading, counts = (folder / "claim.txt").read_text("ascii").splitlines()
    numbers = counts.split()
    numbers[ply] = str(len(claims))
    (folder / "claim.txt").write_text("\n".join((*heading, " ".join(numbers), "")), "ascii")


def test_it_believes_no_lie(checker: Path, plies: Path) -> None:
    """One claim is changed, or is missing, or is not about its own position."""
    draw = random.Random(5)
    assert holds(checker, plies)
    told: dict[str, int] = {}
    count = len((plies / "claim.txt").read_text("ascii").splitlines()[2].split())
    for _ in range(40):
        ply = draw.randrange(1, count)
        claims = claims_of(plies, ply)
        at = draw.randrange(len(claims))
        lay(plies, ply, claims[:at] + claims[at + 1 :])
        assert not holds(checker, plies), "a claim is missing"
        for what, lie in lies_about(claims[at], draw):
            if lie != claims[at]:
                lay(plies, ply, [*claims[:at], lie, *claims[at + 1 :]])
                assert not holds(checker, plies), (what, ply, claims[at])
                told[what] = told.get(what, 0) + 1
        lay(plies, ply, claims)
    assert holds(checker, plies)
    assert min(told.values()) > 9, told
    assert len(told) == 10


def test_what_is_marked_to_be_played_out_is_played_out(checker: Path, plies: Path) -> None:
    """The mark is only a hint: a true claim stays true, and a false one is found out."""
    (root,) = claims_of(plies, 0)
    for marks, lie, true in ((1, 0, True), (1, 1, False), (1, -1, False), (0, 1, False)):
        value = root.least + lie
        lay(plies, 0, [root._replace(least=value, most=value, marks=marks)])
        heading = (plies / "claim.txt").read_text("ascii").split("\n")
        heading[1] = " ".join([*heading[1].split()[:-1], str(value)])
        (plies / "claim.txt").write_text("\n".join(heading), "ascii")
        assert holds(checker, plies) == true


def test_it_counts_with_no_bound_that_is_too_large(checker: Path, plies: Path) -> None:
    (root,) = claims_of(plies, 0)
    text = (plies / "claim.txt").read_text("ascii").splitlines()
    about = " ".join(text[1].split()[1:5])
    for number in (-(2**15), -1001, 1001, 2**15 - 1):
        lay(plies, 0, [root._replace(least=number, most=number)])
        for claim in ("outcome {} loss", "outcome {} win", f"value {{}} {number}"):
            lines = (text[0], claim.format(about), text[2], "")
            (plies / "claim.txt").write_text("\n".join(lines), "ascii")
            assert not holds(checker, plies)


def test_it_proves_what_its_folder_says_and_nothing_else(checker: Path, plies: Path) -> None:
    """Another claim, root or layout, or files that are not whole."""
    path = plies / "claim.txt"
    true = path.read_text("ascii")
    layout = true.split()[0]
    what, marbles, turn, last, supply, value = true.split("\n")[1].split()
    for lie in (
        true.replace(f" {value}\n", f" {int(value) + 1}\n"),
        true.replace(f" {value}\n", f" {int(value) - 1}\n"),
        true.replace(f" {turn} ", f" {'b' if turn == 'r' else 'r'} "),
        true.replace(f" {supply} ", " 3 "),
        true.replace(f" {last} ", f" {last.split(',')[0]} "),
        true.replace(f" {last} ", " - "),
        true.replace(layout, layout.replace("A", "B")),
        true.replace(f"{what} ", "outcome "),
        true.replace("\n", "\n\n", 1),
        # Numbers and names that are not what they look like, and what a terminal would obey.
        true.replace(f" {value}\n", f" {int(value) % 2**63:#x}\n"),
        true.replace(f" {supply} ", f" 0{supply} "),
        true.replace(f" {marbles} ", f" {2**63 + int(marbles[0])}{marbles[1:]} ")
        if marbles[0].isdigit()
        else true.replace(f" {marbles} ", f" {2**63}{marbles} "),
        true.replace("\n", "\r\x1b[Kvalue\n", 1),
        true.replace(layout[0], "\x07"),
        true.replace(marbles, f"z{marbles}"),
        true.rsplit(" ", 1)[0] + "\n",
        true.rstrip("\n") + " 5\n",
        true.rstrip("\n") + " 0\n",
        "",
        f"{'A' * 26}/{'A' * 26}/{'A' * 26} 0 0\n{true.split(chr(10), 1)[1]}",
    ):
        assert lie != true
        path.write_text(lie, "ascii")
        assert not holds(checker, plies), lie
    apart = max(layout)  # the panel of the last field, in the place of the first one's name
    path.write_text(true.replace(layout, layout.replace(layout[0], apart)), "ascii")
    assert said(checker, plies) == f"does not hold: panel {apart} is in several pieces"
    path.write_text(true, "ascii")
    assert holds(checker, plies)
    (plies / "2.ply").write_bytes((plies / "2.ply").read_bytes()[:-1])
    assert said(checker, plies, code=1).startswith("does not hold: 2.ply has ")
    (plies / "2.ply").unlink()
    assert said(checker, plies, code=1) == "does not hold: 2.ply is missing"
    for words in ([], ["--threads", "0", plies], ["--threads", "x", plies], [plies, plies]):
        assert completed([checker, *words]).returncode == 2
    assert completed([checker, plies / "none"]).returncode == 2


def test_it_counts_what_the_scoring_says(checker: Path, repository: Path, tmp_path: Path) -> None:
    """With areas the 5x5 board is worth 2, without them 1."""
    plies = written(repository / "data" / "proofs" / "5x5-1.kpf", tmp_path / "plies")
    true = (plies / "claim.txt").read_text("ascii")
    for scoring in ("0", "chains"):
        (plies / "claim.txt").write_text(true.replace(" 1 6\n", f" {scoring} 6\n"), "ascii")
        assert not holds(checker, plies)
    (plies / "claim.txt").write_text(true, "ascii")
    assert holds(checker, plies)


def noted(folder: Path) -> list[str]:
    """The parts that a folder notes as accepted."""
    path = folder / "checked"
    return path.read_text("ascii").splitlines()[1:] if path.exists() else []


def test_after_an_interruption_it_goes_on(checker: Path, repository: Path, tmp_path: Path) -> None:
    """What is noted is not checked again, unless the files are others."""
    plies = written(repository / "data" / "proofs" / "5x5-2.kpf", tmp_path / "plies")
    with subprocess.Popen([checker, "--threads", "2", plies], stdout=subprocess.DEVNULL) as run:
        while len(noted(plies)) < 5:
            time.sleep(0.001)
        os.kill(run.pid, signal.SIGKILL)
    before = len(noted(plies))
    with (plies / "checked").open("a", encoding="ascii") as file:
        file.write("3 0")  # a line that was cut short
    last = said(checker, plies, code=0)
    every = len(noted(plies))
    assert 5 <= before < every
    assert f" in {every} parts, {before} of them before, " in last
    assert f" in {every} parts, {every} of them before, " in said(checker, plies, code=0)
    # What is noted of other files is worth nothing: each of them is checked again, and refused.
    ply = every // 2
    claims = claims_of(plies, ply)
    content = (plies / f"{ply}.ply").read_bytes()
    times = (plies / f"{ply}.ply").stat()
    lay(plies, ply, [*claims[:-1], claims[-1]._replace(choice=255, least=-999)])
    os.utime(plies / f"{ply}.ply", ns=(times.st_atime_ns, times.st_mtime_ns))
    said(checker, plies, code=1)
    (plies / f"{ply}.ply").write_bytes(content)
    assert " before, " not in said(checker, plies, code=0)
    other = written(repository / "data" / "proofs" / "5x5-0.kpf", tmp_path / "other")
    shutil.copy(plies / "checked", other / "checked")
    assert " before, " not in said(checker, other, code=0)
    # A note that names no part of the proof changes nothing.
    first, *notes = (other / "checked").read_text("ascii").splitlines()
    (other / "checked").write_text("\n".join((first, "0 0 2", *notes[1:], "")), "ascii")
    assert said(checker, other, code=0).startswith("holds: ")
    assert len(set(noted(other))) > len(notes)


def test_the_script_checks_files_and_folders(
    checker: Path, repository: Path, tmp_path: Path
) -> None:
    script = ["bash", str(repository / "scripts" / "proved_checker.sh"), "--threads", "2"]
    path = proved(tmp_path, position_of_lies(), "1", 2)
    plies = Path(f"{path}.plies")
    folder = written(path, tmp_path / "folder")
    done = completed([*script, path, folder], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("holds: ") == 2
    assert not plies.exists()
    assert (folder / "claim.txt").exists()
    # What was begun is taken up, if it is no older than the file.
    written(path, plies)
    assert completed([*script, path], cwd=tmp_path).stdout.count(" claims\n") == 0
    written(path, plies)
    os.utime(plies / "claim.txt", (0, 0))
    assert completed([*script, path], cwd=tmp_path).stdout.count(" claims\n") == 1
    # A file that another has replaced is another, even if that is older.
    written(path, plies)
    (tmp_path / "other").mkdir()
    other = proved(tmp_path / "other", position_of_lies(), "0", 2)
    os.utime(other, (0, 0))
    other.replace(path)
    (plies / "mine").touch()
    done = completed([*script, path], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(" claims\n") == 1
    assert [file.name for file in plies.iterdir()] == ["mine"]
    assert completed([*script, "--threads"]).returncode == 2
    (folder / "1.ply").write_bytes(b"")
    assert completed([*script, folder, path]).returncode == 1
    assert completed([*script, tmp_path / "none", path]).returncode == 2
