"""Exact values of batches: those of the solver, whatever they come from; a loop that learns."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reference

import kulami_solver as ks
from kulami_solver.adapters.batch import NO_ACTION, Batch
from kulami_solver.adapters.exact import NO_VALUE, exact_values
from kulami_solver.adapters.planes import PLANES, Planes
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


LAYOUTS = ("AAB./CCBD", "AABB/CCDD", ".AAB/CC.B/DDD.", "square", "rulebook")


def expected(kfn: str, seat: int, height: int, width: int) -> dict[str, Any]:
    """The planes of a position by the rules in plain Python."""
    rules, state = reference.parse_kfn(kfn)
    planes = {name: np.zeros((height, width), np.float32) for name in PLANES}
    marbles = (state.red, state.black)
    numbers = {name: number for number, name in enumerate(dict.fromkeys(
        rules.panel[square] for square in sorted(rules.panel, key=reference.reading_order)
    ), 1)}  # fmt: skip
    barred = {rules.panel[square] for square in state.last}
    shown = {
        "own": marbles[seat],
        "other": marbles[1 - seat],
        "legal": reference.legal_fields(rules, state),
        "barred": [square for square, panel in rules.panel.items() if panel in barred],
        "last": state.last[:1],
        "before": state.last[1:],
        "fields": rules.panel,
    }
    for name, squares in shown.items():
        for x, y in squares:
            planes[name][y, x] = 1
    for (x, y), panel in rules.panel.items():
        planes["panel_size"][y, x] = list(rules.panel.values()).count(panel)
        planes["panel_id"][y, x] = numbers[panel]
    planes["to_move"][:] = not reference.is_over(rules, state) and state.turn == "rb"[seat]
    planes["ones"][:] = 1
    return planes


def games() -> Iterator[tuple[ks.Layout, list[int]]]:
    """Random games to their ends, as numbers of fields."""
    draw = random.Random(3)
    for name in LAYOUTS:
        named = {"square": ks.Layout.square, "rulebook": ks.Layout.rulebook}
        layout = named[name]() if name in named else ks.Layout.parse(name)
        position, moves = ks.Position(layout), []
        while not position.is_over:
            moves.append(layout.index(draw.choice(position.legal_fields)))
            position = position.play(moves[-1])
        yield layout, moves


def test_every_adapter_shows_what_the_reference_sees() -> None:
    """Each plane, for both seats, at each position of whole games, its end included."""
    observe: dict[str, Any] = {}
    try:
        import pyspiel
        from open_spiel.python.observation import make_observation

        import kulami_solver.adapters.openspiel  # noqa: F401  (registers the game)

        observe["openspiel"] = lambda layout: pyspiel.load_game("kulami", {"layout": str(layout)})
    except ImportError:
        pass
    try:
        from kulami_solver.adapters import pettingzoo

        observe["pettingzoo"] = lambda layout: pettingzoo.KulamiEnv(layout=layout)
    except ImportError:
        pass
    for layout, moves in games():
        game: Any = observe["openspiel"](layout) if "openspiel" in observe else None
        state: Any = game and game.new_initial_state()
        seen = game and make_observation(game)
        environment = observe["pettingzoo"](layout) if "pettingzoo" in observe else None
        if environment is not None:
            environment.reset()
        if seen is not None:
            assert tuple(seen.dict) == PLANES
            assert game.observation_tensor_size() == len(PLANES) * layout.height * layout.width
        position = ks.Position(layout)
        for number in (*moves, None):
            for seat in (0, 1):
                wanted = expected(position.kfn(), seat, layout.height, layout.width)
                stacked = np.stack([wanted[name] for name in PLANES])
                assert np.array_equal(Planes(layout).of(position, seat), stacked)
                wider = Planes(layout, layout.height + 1, layout.width + 2).of(position, seat)
                assert np.array_equal(wider[:9, : layout.height, : layout.width], stacked[:9])
                assert not wider[:9, layout.height :].any()
                if seen is not None:
                    seen.set_from(state, seat)
                    assert seen.tensor.tolist() == state.observation_tensor(seat)
                    assert seen.tensor.tolist() == stacked.reshape(-1).tolist()
                    assert all(np.array_equal(seen.dict[name], wanted[name]) for name in PLANES)
                if environment is not None:
                    assert np.array_equal(environment.observe(f"player_{seat}"), stacked)
            if number is not None:
                position = position.play(number)
                if state is not None:
                    state.apply_action(number)
                if environment is not None:
                    environment.step(number)
    if not observe:
        pytest.skip("neither OpenSpiel nor PettingZoo is here; the planes themselves are right")
