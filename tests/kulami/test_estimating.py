"""What a solve or a build would take, said before it begins."""

from __future__ import annotations

import itertools
import json
import math
import random
from pathlib import Path

import pytest
from command_line import good, kulami
from random_play import few_marbles, positions

import kulami_solver as ks
from kulami_solver.kulami.database.cost import estimate
from kulami_solver.kulami.estimate.effort import Effort, estimate_solve
from kulami_solver.kulami.estimate.proofs import estimate_proof
from kulami_solver.kulami.prove import prove

SMALL = "ABBCD/ABBCD/ABBEE/FFFEE"


def test_estimates_beside_the_truth() -> None:
    """Most are within a factor of two, and none is absurd."""
    logs = []
    for scoring, free in (("0", 28), ("0", 30), ("1", 26), ("2", 26), ("chains", 26)):
        for position in itertools.islice(positions(free), 2):
            found = estimate_solve(position, scoring, at_once=0, samples=16)
            assert found.samples == 16
            assert found.low < found.nodes < found.high
            logs.append(math.log(found.nodes / ks.solve(position, scoring).nodes))
    assert sum(abs(log) < math.log(2) for log in logs) >= 7
    assert max(map(abs, logs)) < math.log(4)


def test_what_is_solved_at_once_is_exact() -> None:
    position = next(positions(24))
    found = estimate_solve(position)
    assert (found.samples, found.nodes) == (0, ks.solve(position).nodes)
    assert found.low == found.high == found.nodes
    assert found.seconds_range == (found.seconds, found.seconds)
    over = ks.Position(ks.Layout.parse("AAB/AAC")).play("a1").play("c1")
    while not over.is_over:
        over = over.play(over.legal_fields[0])
    assert estimate_solve(over, at_once=0).nodes == 0


def test_same_seed_same_estimate() -> None:
    position = next(positions(32))
    first, second = (estimate_solve(position, at_once=0, samples=4).nodes for _ in range(2))
    assert first == second
    assert estimate_solve(position, at_once=0, samples=4, seed=2).nodes != first


@pytest.mark.parametrize("scoring", list(ks.Scoring))
def test_questions_are_harder_with_more_free_fields_and_near_the_guess(scoring: ks.Scoring) -> None:
    effort = Effort(scoring)
    for free in range(10, 60):
        assert effort.question(free, 0) < effort.question(free + 1, 0)
    for above in range(100):
        assert effort.question(30, above) > effort.question(30, above + 1)
        assert effort.question(30, -above) == effort.question(30, above)
        assert 0 < effort.yes(-above) <= effort.yes(above) < 1


def test_command_says_it_in_words() -> None:
    shown = good("estimate", "--layout", SMALL, "--cores", "2").out
    assert "solve     5,849 nodes: it has just been solved" in shown
    assert "build     about 1.0 million positions" in shown
    assert "20 free fields, at most 20 plies, scoring 0" in shown
    late = good("estimate", "--kfn", next(positions(42)).kfn(), "--cores", "64").out
    assert "on 64 cores, 4 machines of 16," in late
    assert "64 positions 16 plies later" in late


def test_command_prints_json() -> None:
    answer = json.loads(good("estimate", "--kfn", next(positions(44)).kfn(), "--json").out)
    low, high = answer["solve"]["nodes_range"]
    assert 1e8 < low < answer["solve"]["nodes"] < high < 1e12
    assert answer["solve"]["exact"] is False
    assert answer["solve"]["core_hours"] > 0
    assert answer["build"]["possible"] is False
    assert "44 fields can still be played" in answer["build"]["reason"]
    small = json.loads(good("estimate", "--layout", SMALL, "--json", "--cores", "1").out)
    assert small["solve"]["exact"] is True
    assert 5e5 < small["build"]["positions"] < 2e6
    assert small["build"]["memory_per_machine"] > small["build"]["file"] > 10**6
    assert small["machines"] == small["cores"] == 1


def test_command_refuses_no_cores() -> None:
    ended = kulami("estimate", "--layout", SMALL, "--cores", "0")
    assert ended.code == 2
    assert "--cores" in ended.err


@pytest.mark.parametrize(
    ("marbles", "plies", "scoring", "truth"),
    [
        (10, 15, "0", 901_347),
        (20, 17, "0", 590_619),
        pytest.param(14, 15, "2", 354_036, marks=pytest.mark.nightly),
    ],
)
def test_few_marbles_on_a_large_board_are_estimated_within_a_factor_of_two(
    marbles: int, plies: int, scoring: str, truth: int
) -> None:
    """The truth is what `solve` took; it may take somewhat less in time."""
    found = estimate_solve(next(few_marbles(marbles, plies)), scoring, at_once=1 << 10)
    assert found.samples
    assert truth / 2 < found.nodes < 2 * truth


@pytest.mark.parametrize(
    ("layout", "truth"),
    [
        ("ABCCDDD/ABCCDDD/EFGGHHH/EFGGHHH", 1.1e6),
        ("AABBCC/AABBCC/DDEEFF/DDEEFF/DDEEFF/GGHHII", 1.24e8),
        ("AABBCCD/AABBCCD/AABBCCD/EEFFGGH/EEFFGGH/EEFFGGH", 5.6e8),
        ("AAABBBCCDDDEEE/FFFFFFGGDDDHHH", 1.77e7),
    ],
)
def test_boards_with_alike_lines_are_estimated_within_a_factor_of_three(
    layout: str, truth: float
) -> None:
    """The truth is what `solve` took once."""
    found = estimate_solve(ks.Position(ks.Layout.parse(layout)), at_once=1 << 10)
    assert truth / 3 < found.nodes < 3 * truth
    assert found.low < truth < found.high


# Positions of random_play.py with so many free fields and marbles, and how many a database holds.
BUILT = (
    (26, 28, 12, "0", 15_967_607),
    (24, 28, 4, "0", 4_347_417),
    (24, 28, 6, "2", 7_587_269),
    (34, 20, 31, "0", 5_048_019),
)


@pytest.mark.parametrize(("free", "marbles", "seed", "scoring", "truth"), BUILT)
def test_builds_on_large_boards_are_estimated_within_a_factor_of_two(
    free: int, marbles: int, seed: int, scoring: str, truth: int
) -> None:
    """How much positions are merged differs much between layouts."""
    draw = random.Random(seed)
    root = ks.Position(ks.Layout.random(seed), marbles=marbles)
    while root.free_count > free:
        fields = root.legal_fields
        root = root.play(fields[int(draw.random() * len(fields))])
    assert truth / 2 < estimate(root, ks.Scoring.parse(scoring)).positions < 2 * truth


def test_a_build_of_the_5x5_board_is_estimated() -> None:
    """It has 180.8 million positions."""
    root = ks.Position(ks.Layout.parse("ABBBC/ABBBC/ADDEE/FDDEE/FDDGG"))
    assert 150e6 < estimate(root).positions < 220e6


@pytest.mark.parametrize(
    ("position", "scoring", "depth"),
    [
        (next(positions(28)), "0", 4),
        (next(positions(28)), "2", 8),
        (next(positions(30)), "chains", 6),
        (next(few_marbles(14, 15)), "0", 6),
        (ks.Position(ks.Layout.parse("ABBBC/ABBBC/ADDEE/FDDEE/FDDGG")), "0", 8),
        (ks.Position(ks.Layout.parse("ABBBC/ABBBC/ADDEE/FDDEE/FDDGG")), "1", 4),
    ],
)
def test_proofs_are_estimated_from_their_solves(
    tmp_path: Path, position: ks.Position, scoring: str, depth: int
) -> None:
    """Given the nodes of the solve, steps and file are good within a factor of two or so."""
    solving = estimate_solve(position, scoring, at_once=1 << 22)
    assert not solving.samples
    found = estimate_proof(position, solving, scoring, depth_left=depth)
    proved = prove(tmp_path / "it.kpf", position, scoring, depth_left=depth)
    assert abs(math.log(found.steps / sum(proved.steps))) < math.log(2)
    assert abs(math.log(found.file / proved.bytes)) < math.log(2.5)
    assert 0 < solving.seconds < found.seconds < 60
    assert found.memory > 0


def test_a_proof_of_an_ended_game_has_a_step() -> None:
    over = ks.Position(ks.Layout.parse("AAB/AAC")).play("a1").play("c1")
    while not over.is_over:
        over = over.play(over.legal_fields[0])
    assert 1 <= estimate_proof(over, estimate_solve(over)).steps < 3


def test_a_proof_has_a_depth() -> None:
    position = next(positions(24))
    solving = estimate_solve(position)
    fewer = estimate_proof(position, solving, depth_left=10)
    assert fewer.steps < estimate_proof(position, solving).steps
    played_out = estimate_proof(position, solving, depth_left=64)
    assert played_out == estimate_proof(position, solving, depth_left=position.plies_left)
    assert played_out.steps == 1


def test_command_estimates_a_proof() -> None:
    answer = json.loads(good("estimate", "--layout", SMALL, "--json").out)
    assert 2_000 < answer["prove"]["steps"] < 9_000  # it has 5,771
    assert answer["prove"]["core_hours"] >= answer["solve"]["core_hours"]
    assert answer["prove"]["memory"] > 0
    assert "prove     about 5." in good("estimate", "--layout", SMALL).out


# Half a minute's proof, of which only the beginning is wanted.
LONG = ["--layout", "ABBCCD/ABBCCD/ABBCCD/EEFFGG/HHFFGG", "--scoring", "2"]


def test_a_long_proof_says_before_what_it_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def prove_nothing(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("kulami_solver.kulami.prove.prove", prove_nothing)
    monkeypatch.setattr("kulami_solver.core.memory.available_memory", lambda: 1 << 20)
    said = kulami("prove", str(tmp_path / "a.kpf"), *LONG).err
    assert "kulami: note: about " in said
    assert " steps, " in said
    assert " of memory, where 1 MiB are available" in said
    assert "30 to 400 times" in kulami("prove", str(tmp_path / "a.kpf"), *LONG, "--semi-strong").err


def test_a_proof_on_threads() -> None:
    """They share the solve alone."""
    position = next(positions(28))
    solving = estimate_solve(position)
    alone = estimate_proof(position, solving)
    threads = estimate_proof(position, solving, threads=4)
    assert alone.seconds - threads.seconds == pytest.approx(solving.seconds * 3 / 4)
    assert (threads.steps, threads.memory) == (alone.steps, alone.memory)


@pytest.mark.parametrize("kfn", ["AAB/CCB rrb/bbr r c1,c2", "AAA/BBB r2/b2 r a2,a1"])
def test_of_a_finished_game_there_is_nothing_to_estimate(kfn: str) -> None:
    assert good("estimate", "--kfn", kfn).out == "the game is over: there is nothing to estimate\n"
    found = json.loads(good("estimate", "--kfn", kfn, "--json").out)
    assert found["solve"]["nodes"] == 0
    assert found["build"]["possible"] is False
    assert "the game is over" in found["build"]["reason"]
    assert estimate_solve(ks.Position(ks.Layout.parse("A")), at_once=0).nodes == 0
    with pytest.raises(ks.DatabaseError, match="the game is over"):
        estimate(ks.Position.from_kfn(kfn))
