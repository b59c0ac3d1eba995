"""Proofs found in parts, by an executor: joined, checked, taken up again."""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import tiny_proof_checker as tiny

import kulami_solver as ks
from kulami_solver.errors import KulamiError
from kulami_solver.kulami import prove as prove_module
from kulami_solver.kulami.database.building import build
from kulami_solver.kulami.proof.proof import open_proof
from kulami_solver.kulami.prove import ProofProgress, prove
from kulami_solver.kulami.solve.solution import Goal
from kulami_solver.kulami.workers import proof as proof_module
from kulami_solver.kulami.workers import solving
from kulami_solver.kulami.workers.jobs import Terms
from kulami_solver.storage.build_folder import BuildFolder


@pytest.fixture(scope="module")
def two() -> Iterator[Executor]:
    with ThreadPoolExecutor(2) as executor:
        yield executor


@pytest.fixture
def many_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trees of several plies also for small positions, and a part for nearly each of their ends."""
    monkeypatch.setattr(solving, "_LEAST_JOB", 300)
    monkeypatch.setattr(proof_module, "_PARTS_EACH", 20)


def position_of(free: int, seed: int = 1) -> ks.Position:
    """A position of a random game on a 5x5 board with at most so many free fields."""
    draw = random.Random(seed)
    position = ks.Position(ks.Layout.parse("ABBBC/ABBBC/ADDEE/FDDEE/FDDGG"))
    while position.free_count > free and not position.is_over:
        position = position.play(draw.choice(position.legal_fields))
    return position


def agree(path: Path, value: int | str) -> None:
    """All checkers that are at hand believe it."""
    with open_proof(path) as proof:
        checked = proof.verify()
        assert checked.ok, checked.problems
        assert checked.value == value
        lines = list(proof.text())
        assert len(lines) == proof.steps + 2
        if proof.steps < 2000:
            assert str(tiny.check_file(path.read_bytes())) == tiny.check_text(lines) == str(value)


@pytest.mark.parametrize("goal", ["margin", "outcome"])
@pytest.mark.parametrize("scoring", ["0", "1", "2", "chains"])
def test_parts_make_one_proof(
    scoring: str, goal: Goal, many_parts: None, tmp_path: Path, two: Executor
) -> None:
    path = tmp_path / "it.kpf"
    parts: list[int] = []

    def note(state: ProofProgress) -> None:
        if state.parts is not None:
            parts.append(state.parts[1])

    for free, depth in ((4, 6), (14, 2), (20, 4)):
        position = position_of(free)
        found = prove(
            path,
            position,
            scoring,
            goal,
            depth_left=depth,
            executor=two,
            progress=note,
        )
        known = ks.solve(position, scoring)
        assert found.value == (known.margin if goal == "margin" else known.outcome)
        agree(path, found.value)
        assert sum(p.name != "it.kpf" for p in tmp_path.iterdir()) == 0
    assert max(parts) > 5


def test_an_interrupted_proof_goes_on(
    many_parts: None, tmp_path: Path, two: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No part is proved twice, but for one whose file is damaged."""
    position = position_of(22)
    path, folder = tmp_path / "it.kpf", tmp_path / "it.kpf.building"
    proved: list[proof_module.Part] = []
    seen = threading.Event()

    def counted(
        root: ks.Position, terms: Terms, depth: int, part: proof_module.Part
    ) -> proof_module.FoundPart:
        proved.append(part)
        if len(proved) > 3:
            seen.wait(60)  # a busy machine may prove them all before anybody looks
        return prove_part(root, terms, depth, part)

    prove_part = proof_module.prove_part
    monkeypatch.setattr(proof_module, "prove_part", counted)

    def interrupt(state: ProofProgress) -> None:
        if state.parts is not None and state.parts[0] >= 3:
            seen.set()
            raise KeyboardInterrupt

    with ThreadPoolExecutor(1) as one, pytest.raises(KeyboardInterrupt):
        prove(path, position, executor=one, progress=interrupt)
    kept = sorted(folder.glob("part-*"))
    assert len(kept) >= 3
    assert not path.exists()
    content = kept[0].read_bytes()
    kept[0].write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    proved.clear()
    totals: set[int] = set()

    def note(state: ProofProgress) -> None:
        if state.parts is not None:
            totals.add(state.parts[1])

    prove(path, position, executor=two, progress=note)
    assert len(proved) == max(totals) - len(kept) + 1
    assert not folder.exists()
    with open_proof(path) as proof:
        assert proof.verify().ok


def test_the_work_of_others_stays(tmp_path: Path, two: Executor) -> None:
    """A folder of somebody, a build's work and another proof's are refused, and not touched."""
    position = position_of(14)

    def end_late(state: Any) -> None:
        if state.step == "pack":
            raise KeyboardInterrupt

    others = {name: tmp_path / f"{name}.kpf.building" for name in ("mine", "built", "proved")}
    others["mine"].mkdir()
    (others["mine"] / "lock").write_text("precious", encoding="ascii")
    with pytest.raises(KeyboardInterrupt):
        build(tmp_path / "built.kpf", position, progress=end_late)
    begun = BuildFolder(tmp_path / "proved.kpf", {"proof": ["another"]})
    begun.open(force=None)
    begun.keep("choices", (b"hours of work", 8))
    begun.close()
    for name, folder in others.items():
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        assert before
        for executor in (None, two):
            with pytest.raises(ks.DatabaseError, match="other work is in the way"):
                prove(tmp_path / f"{name}.kpf", position, executor=executor)
        after = {path.name: path.read_bytes() for path in folder.iterdir()}
        assert {**before, "lock": b""} == {**after, "lock": b""}
    assert (others["mine"] / "lock").read_text(encoding="ascii") == "precious"
    # A file, and one that the program once wrote the whole file to.
    for name in ("file.kpf.building", "c.kdb.tmp"):
        (tmp_path / name).write_text("mine", encoding="ascii")
    with pytest.raises(ks.DatabaseError, match="a file is in the way"):
        prove(tmp_path / "file.kpf", position)
    build(tmp_path / "c.kdb", position)
    for name in ("file.kpf.building", "c.kdb.tmp"):
        assert (tmp_path / name).read_text(encoding="ascii") == "mine"


def test_one_file_is_proved_by_one_process(tmp_path: Path, two: Executor) -> None:
    position = position_of(25)
    said: list[str] = []

    def prove_too(_: object) -> None:
        for executor in (None, two):
            with pytest.raises(ks.DatabaseError) as raised:
                prove(tmp_path / "it.kpf", position, executor=executor)
            said.append(str(raised.value))

    prove(tmp_path / "it.kpf", position, progress=prove_too)
    assert said
    assert f"another process ({os.getpid()}) is building it now" in said[0]


def test_what_makes_no_sense_on_workers(tmp_path: Path, two: Executor) -> None:
    position = position_of(12)
    with pytest.raises(KulamiError, match="semi-strong proof is found on this machine"):
        prove(tmp_path / "it.kpf", position, executor=two, semi_strong=True)
    with pytest.raises(KulamiError, match="executor is 3"):
        prove(tmp_path / "it.kpf", position, executor=3)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_work_on_another_kind_of_proof_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was found for one value does not answer for the values after mistakes."""
    monkeypatch.setattr(prove_module, "_KEPT_EVERY", 0.0)
    monkeypatch.setattr(prove_module, "_AT_A_TIME", 499)
    keep = BuildFolder.keep

    def keep_and_end(self: BuildFolder, name: str, what: object) -> None:
        keep(self, name, what)
        raise KeyboardInterrupt

    path, root = tmp_path / "it.kpf", position_of(25)
    with monkeypatch.context() as ended:
        ended.setattr(BuildFolder, "keep", keep_and_end)
        with pytest.raises(KeyboardInterrupt):
            prove(path, root)
    begun = tmp_path / "it.kpf.building" / "choices"
    before = begun.read_bytes()
    with pytest.raises(ks.DatabaseError, match="other work is in the way"):
        prove(path, root, semi_strong=True)
    assert begun.read_bytes() == before


def test_a_chain_that_grows_is_counted_once(tmp_path: Path) -> None:
    """Both sides have five in a row, and one more of each is to come: the checker plays it out."""
    start = ks.Position(ks.Layout.parse("ABCDEFGHIJKL"))
    root = start.play_all("a1 g1 b1 h1 c1 i1 d1 j1 e1 k1")
    for position in (root, root.play("l1")):
        proved = prove(tmp_path / "it.kpf", position, "chains", depth_left=6)
        assert proved.value == ks.solve(position, "chains").margin
        agree(tmp_path / "it.kpf", proved.value)
