"""The checker that is proved in Coq: it believes what is true, and no lie. Skipped without Coq."""

from __future__ import annotations

import random
from concurrent.futures import Executor
from pathlib import Path

import pytest
from command_line import completed
from test_proof import lies_in_text, lines, proved, random_positions, sound
from test_proof_parts import agree, many_parts, position_of, two

from kulami_solver.kulami.position.scoring import Scoring
from kulami_solver.kulami.proof.proof import open_proof
from kulami_solver.kulami.prove import ProofProgress, prove

__all__ = ["lines", "many_parts", "sound", "two"]  # fixtures

pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module")
def checker(repository: Path) -> Path:
    """The compiled checker."""
    script = repository / "scripts" / "proved_checker.sh"
    done = completed(["bash", str(script), "--install"])
    if done.returncode in (3, 100):
        pytest.skip(f"no Coq here: {done.stderr.strip()[-200:]}")
    assert done.returncode == 0, done.stderr
    return repository / "build" / "proved_checker" / "proved_checker"


def holds(checker: Path, text: list[str], folder: Path) -> bool:
    """Whether the proved checker accepts a text; it says which line is wrong if not."""
    path = folder / "it.txt"
    path.write_text("\n".join(text) + "\n", encoding="ascii")
    done = completed([checker, path])
    assert done.returncode in (0, 1), done.stderr
    said = done.stdout.splitlines()[-1]
    assert said.startswith("holds: " if done.returncode == 0 else "does not hold: line ")
    return done.returncode == 0


def test_it_believes_what_is_true(checker: Path, tmp_path: Path) -> None:
    for number, (position, scoring) in enumerate(random_positions(11, 120, 13)):
        options = ({"goal": "outcome"}, {}, {"semi_strong": True})[number % 3]
        path = proved(tmp_path, position, scoring, number % 5, **options)
        with open_proof(path) as proof:
            assert holds(checker, list(proof.text()), tmp_path)


def test_it_believes_what_workers_have_proved(
    checker: Path, many_parts: None, two: Executor, tmp_path: Path
) -> None:
    """Proofs joined of parts, as of `kulami prove --workers`; the checker in Python does, too."""
    path = tmp_path / "it.kpf"
    parts: set[int] = set()

    def note(state: ProofProgress) -> None:
        parts.add(0 if state.parts is None else state.parts[1])

    for number in range(40):
        position = position_of(8 + number % 10, number)
        scoring = Scoring.parse(("0", "1", "2", "chains")[number % 4])
        depth = number % 5
        found = prove(path, position, scoring, depth_left=depth, executor=two, progress=note)
        agree(path, found.value)
        with open_proof(path) as proof:
            assert holds(checker, list(proof.text()), tmp_path)
    assert max(parts) > 5


def test_it_believes_no_lie(checker: Path, lines: list[str], tmp_path: Path) -> None:
    assert holds(checker, lines, tmp_path)
    for seed in range(10):
        for what, lie in lies_in_text(lines, random.Random(seed)):
            assert not holds(checker, lie, tmp_path), what


def test_it_counts_with_no_number_that_is_too_large(
    checker: Path, lines: list[str], tmp_path: Path
) -> None:
    """The least machine integer is its own opposite: every move seems to leave too much."""
    head, claim, *steps = lines
    root = " ".join(claim.split()[1:5])
    assert holds(checker, lines, tmp_path)
    for number in (-(2**62), -(2**62) - 1, -(2**63), -(10**6)):
        lie = [head, f"outcome {root} loss", *steps, f"L {root} {number}"]
        assert not holds(checker, lie, tmp_path)


@pytest.mark.parametrize("line", ["X", "G", "P z b a1 3", "L - r - -3 2", "G - r - 5 2 z9", ""])
def test_it_refuses_what_it_does_not_understand(
    line: str, checker: Path, lines: list[str], tmp_path: Path
) -> None:
    assert not holds(checker, [*lines[:2], line, *lines[2:]], tmp_path)
    assert not holds(checker, [line, *lines], tmp_path)
    assert not holds(checker, [], tmp_path)
