"""Exact values of batches: those of the solver, whatever they come from; a loop that learns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kulami_solver as ks
from kulami_solver.adapters.batch import NO_ACTION, Batch
from kulami_solver.adapters.exact import NO_VALUE, exact_values
from kulami_solver.errors import PositionError
from kulami_solver.kulami.position.scoring import Scoring
from kulami_solver.kulami.proof.proof import open_proof
from kulami_solver.kulami.prove import prove

BOARD = ks.Layout.parse("AABB/AACC/DDCC/DDEE")


@pytest.fixture(scope="module", params=["0", "2"])
def database(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ks.Database]:
    path = tmp_path_factory.mktemp("exact") / "a.kdb"
    ks.build(path, ks.Position(BOARD), request.param)
    with ks.open_database(path) as opened:
        yield opened


def walked(count: int, steps: int, scoring: Scoring, seed: int = 1) -> Batch:
    """Games that have gone on for so many steps at random; some are over."""
    batch = Batch(count, BOARD, scoring, seed=seed)
    for _ in range(steps):
        batch.step(batch.random_actions())
    return batch


def test_ten_thousand_positions_have_the_solvers_values(database: ks.Database) -> None:
    looked_up = 0
    for steps in range(14):
        batch = walked(720, steps, database.scoring, seed=steps)
        stored = exact_values(batch, database)
        solved = exact_values(batch, workers=1)
        assert (stored.margins == solved.margins).all()
        assert (stored.values == solved.values).all()
        assert ((stored.values != NO_VALUE) == batch.legal_masks).all()
        assert (stored.over == batch.ended).all()
        looked_up += len(batch)
    assert looked_up > 10_000


def test_positions_and_batches_say_the_same(database: ks.Database) -> None:
    batch = walked(200, 9, database.scoring)
    positions = [batch.position(game) for game in range(200)]
    for source in (database, None):
        of_batch = exact_values(batch, source, workers=1)
        of_list = exact_values(positions, source, database.scoring, workers=1)
        assert (of_batch.margins == of_list.margins).all()
        assert (of_batch.values == of_list.values).all()
    reference = [ks.solve(position, database.scoring, every_move=True) for position in positions]
    assert of_list.margins.tolist() == [found.margin for found in reference]


def test_regret_is_what_an_action_gives_away(database: ks.Database) -> None:
    batch = walked(300, 6, database.scoring)
    found = exact_values(batch, database)
    best = np.where(found.over, NO_ACTION, found.values.argmax(axis=1))
    assert not found.regret(best).any()
    assert found.optimal_rate(best) == 1.0
    actions = batch.random_actions()
    lost = found.regret(actions)
    for game in range(0, 300, 17):
        position = batch.position(game)
        if position.is_over:
            assert lost[game] == 0
            continue
        value = ks.solve(position, database.scoring).margin
        after = ks.solve(position.play(int(actions[game])), database.scoring).margin
        assert value is not None
        assert after is not None
        assert lost[game] == value + after
    assert found.optimal(actions).sum() == ((lost == 0) & ~found.over).sum()


def test_what_is_no_question_is_refused(database: ks.Database) -> None:
    batch = walked(2, 1, database.scoring)
    found = exact_values(batch, database)
    illegal = int(np.flatnonzero(~batch.legal_masks[1])[0])
    legal = int(np.flatnonzero(batch.legal_masks[0])[0])
    for actions in ([legal], [0.5, 1.0], "ab", [[legal, legal]]):
        with pytest.raises(ks.KulamiError, match="give 2 whole numbers, one a position"):
            found.regret(actions)
    for wrong in (illegal, 64, -2, NO_ACTION):
        with pytest.raises(ks.IllegalMoveError, match=f"position 1: field {wrong} is not legal"):
            found.regret([legal, wrong])
    other = ks.Position(ks.Layout.parse("AAB/CCB"))
    with pytest.raises(ks.NotInDatabaseError, match="AAB/CCB"):
        exact_values([other], database)
    with pytest.raises(ks.DatabaseError, match="counts by scoring"):
        exact_values(batch, database, "chains")
    with pytest.raises(PositionError):
        exact_values(["AAB"], database)  # type: ignore[list-item]
    with pytest.raises(PositionError):
        exact_values([None])  # type: ignore[list-item]


@pytest.mark.parametrize("stored", [True, False])
@pytest.mark.parametrize("wrong", ["AAB/CCB", None, 7, ks.Position(BOARD)])
def test_what_are_no_positions_is_refused_in_a_sentence(
    database: ks.Database, wrong: Any, stored: bool
) -> None:
    with pytest.raises(PositionError, match=r"give a Batch or a list of Positions.*\[position"):
        exact_values(wrong, database if stored else None)


@pytest.mark.parametrize("scoring", ["0", "chains"])
def test_a_semi_strong_proof_has_them_too(scoring: str, tmp_path: Path) -> None:
    start = ks.Position(BOARD).play("c1")
    prove(tmp_path / "it.kpf", start, scoring, semi_strong=True, depth_left=0)
    erred = start.play("c4")  # which loses two points
    best = ks.solve(erred, scoring).best
    assert best is not None
    held = [start, start.play("a1"), start, erred.play(best)]
    with open_proof(tmp_path / "it.kpf") as proof:
        proved, solved = exact_values(held, proof), exact_values(held, scoring=scoring)
        assert np.array_equal(proved.values, solved.values)
        assert np.array_equal(proved.margins, solved.margins)
        # Of fields that the only side without a mistake had better not play, bounds are known.
        with pytest.raises(ks.NotInDatabaseError, match="does not say exactly what"):
            exact_values([erred], proof)
        with pytest.raises(ks.NotInDatabaseError, match="does not say exactly what"):
            exact_values([ks.Position(ks.Layout.square())], proof)
        with pytest.raises(ks.DatabaseError, match="counts by scoring"):
            exact_values(held, proof, "1")
        ended = start
        while not ended.is_over:
            ended = ended.play(ended.legal_fields[0])
        assert exact_values([ended], proof).margins.tolist() == [ended.margin(proof.scoring)]


def test_what_is_no_open_database_is_refused_in_a_sentence(database: ks.Database) -> None:
    start = [ks.Position(BOARD)]
    for wrong in (database.path, database.path.encode(), ks.Position(BOARD), ks.open_database):
        with pytest.raises(ks.DatabaseError, match=r"give a database that open_database\(path\)"):
            exact_values(start, wrong)  # type: ignore[arg-type]
    assert exact_values(iter(start), database).margins.shape == (1,)  # type: ignore[arg-type]


def test_nothing_and_games_that_are_over() -> None:
    nothing = exact_values([])
    assert nothing.margins.shape == (0,)
    assert nothing.values.shape == (0, 64)
    assert nothing.optimal_rate([]) == 1.0
    position = ks.Position(ks.Layout.parse("A")).play("a1")
    assert position.is_over
    found = exact_values([position])
    assert found.over.tolist() == [True]
    assert found.margins.tolist() == [position.margin(Scoring.LEVEL0)]
    assert found.regret([NO_ACTION]).tolist() == [0]
