"""Kulami in OpenSpiel: its own tests, its own solvers, and what it is told of each position."""

from __future__ import annotations

import functools
import importlib.metadata
import itertools
import pickle
import random
import re
import sys
import types
from collections.abc import Iterator
from typing import Any

import pytest
from command_line import completed

import kulami_solver as ks
from kulami_solver.errors import KulamiError

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not for this Python")

import make_playthroughs  # noqa: E402
import numpy as np  # noqa: E402

import kulami_solver.adapters.openspiel  # noqa: E402  (registers the game)

SMALL = "AABB/CCDD"
PLAYED = [
    f"kulami(layout={SMALL})",
    "kulami(layout=square,scoring=level2)",
    "kulami(layout=.AAB/CC.B/DDD.,scoring=chains,first=black,returns=outcome,short_end=True)",
]


nightly = functools.partial(pytest.param, marks=pytest.mark.nightly)


def solvers() -> Any:
    """OpenSpiel's `value_iteration`, which imports a solver of matrix games it needs for others."""
    name = "open_spiel.python.algorithms.lp_solver"
    if name not in sys.modules:
        sys.modules[name] = types.ModuleType(name)
    from open_spiel.python.algorithms import value_iteration

    return value_iteration


def play_at_random(game: Any, seed: int) -> Iterator[Any]:
    """The states of a random game, the last one included."""
    draw = random.Random(seed)
    state = game.new_initial_state()
    yield state
    while not state.is_terminal():
        state.apply_action(draw.choice(state.legal_actions()))
        yield state


# OpenSpiel's own tests ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "rounds"), [*((text, 2) for text in PLAYED), *(nightly(text, 30) for text in PLAYED)]
)
def test_random_games_with_serialization(text: str, rounds: int) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(text), rounds, serialize=True, verbose=False)


@pytest.mark.parametrize("name", make_playthroughs.PLAYED)
def test_playthroughs_are_as_they_were(name: str) -> None:
    if not importlib.metadata.version("open_spiel").startswith("2.0."):
        pytest.skip("the files were written by OpenSpiel 2.0, and others write other lines")
    file = make_playthroughs.FOLDER / f"{name}.txt"
    text = make_playthroughs.playthrough(make_playthroughs.PLAYED[name])
    assert text == file.read_text(encoding="utf-8")
    names = {file.stem for file in make_playthroughs.FOLDER.glob("*.txt")}
    assert names == set(make_playthroughs.PLAYED)


# Parameters ---------------------------------------------------------------------------------------


def test_what_is_wrong_is_one_sentence() -> None:
    from open_spiel.python.observation import make_observation

    for params, said in (
        ({"layout": "1122"}, "layout '1122' would be read as a number by OpenSpiel"),
        ({"layout": "1.1"}, "layout '1.1' would be read as a number"),
        ({"layout": "true"}, "layout 'true' would be read as a truth value"),
        ({"layout": "AAB,CCB"}, "layout 'AAB,CCB' cannot be a parameter in OpenSpiel"),
        ({"layout": ""}, "layout '' cannot be a parameter"),
        ({"layout": "AAB/ABB"}, "panel A is not a rectangle"),
        ({"scoring": "0"}, "write level0, level1, level2 or chains"),
        ({"scoring": "level3"}, "not a scoring: write level0, level1, level2 or chains"),
        ({"first": "green"}, "'green'"),
        ({"marbles": 0}, "0 marbles of each colour"),
        ({"returns": "points"}, "returns is 'points': write margin or outcome"),
    ):
        with pytest.raises(KulamiError, match=re.escape(said)) as found:
            pyspiel.load_game("kulami", params)
        assert "\n" not in str(found.value)
    game = pyspiel.load_game(f"kulami(layout={SMALL})")
    with pytest.raises(KulamiError, match="leave out 'colour'"):
        make_observation(game, params={"colour": 1})
    with pytest.raises(KulamiError, match="another layout"):
        game.new_initial_state("AAB/CCB - r -")
    kfn = f"{SMALL} r3/4 b a1"
    assert str(game.new_initial_state(kfn)) == kfn
    state = game.new_initial_state()
    state.apply_action(state.legal_actions()[0])
    with pytest.raises(ks.IllegalMoveError):
        state.apply_action(1)
    for number in (-1, 10**6):
        with pytest.raises(ks.IllegalMoveError, match=str(number)):
            state.action_to_string(0, number)
    # OpenSpiel cannot read 11.22; docs/training.md says what is written instead.
    game = pyspiel.load_game("kulami(layout=11.22/)")
    assert game.num_distinct_actions() == 4
    assert str(pickle.loads(pickle.dumps(game))) == str(game)


@pytest.mark.parametrize(
    ("module", "extra", "library"),
    [("pyspiel", "openspiel", "OpenSpiel"), ("pettingzoo", "pettingzoo", "PettingZoo")],
)
def test_the_package_loads_no_library_and_names_the_extra(
    module: str, extra: str, library: str
) -> None:
    adapter = f"kulami_solver.adapters.{extra}"
    program = (
        "import sys, kulami_solver, kulami_solver.bots, kulami_solver.adapters.ugi\n"
        "assert not {'pyspiel', 'pettingzoo', 'gymnasium'} & set(sys.modules)\n"
        f"sys.modules['{module}'] = None\nimport {adapter}"
    )
    done = completed([sys.executable, "-c", program])
    said = done.stderr.strip().splitlines()[-1]
    assert said.startswith(f"ImportError: this needs {library}")
    assert said.endswith(f': run  pip install "kulami-solver[{extra}]"')


@pytest.mark.parametrize("text", PLAYED)
def test_games_and_states_survive_being_written_down(text: str) -> None:
    game = pyspiel.load_game(text)
    assert str(pickle.loads(pickle.dumps(game))) == str(game) == str(pyspiel.load_game(str(game)))
    for state in itertools.islice(play_at_random(game, 1), 12):
        told = pyspiel.serialize_game_and_state(game, state)
        again = pyspiel.deserialize_game_and_state(told)[1]
        assert (str(again), again.history()) == (str(state), state.history())
        assert again.legal_actions() == state.legal_actions()
        assert str(state.clone()) == str(state)


# Kulami -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", [ks.Layout.square(), ks.Layout.rulebook()])
def test_kulami_is_played_by_the_rules(layout: ks.Layout) -> None:
    game = pyspiel.load_game("kulami", {"layout": str(layout), "scoring": "level2"})
    for seed in range(2):
        for state in play_at_random(game, seed):
            position = ks.Position(layout).play_all(layout.fields[at] for at in state.history())
            assert str(state) == position.kfn() == state.observation_string(0)
            assert state.is_terminal() == position.is_over
            if not position.is_over:
                assert state.current_player() == (position.turn == "black")
                assert state.returns() == [0.0, 0.0]
                names = [state.action_to_string(action) for action in state.legal_actions()]
                assert tuple(names) == position.legal_fields
                assert state.legal_actions() == sorted(state.legal_actions())
        margin = position.score(ks.Scoring.LEVEL2).margin
        assert state.returns() == [margin, -margin]


@pytest.mark.parametrize("returns", ["margin", "outcome"])
def test_returns_of_kulami_are_within_the_utilities(returns: str) -> None:
    seen = set()
    for scoring in ("level0", "level1", "level2", "chains"):
        for layout in ("AB/CD", SMALL, "AABBC/DDEEC"):
            game = pyspiel.load_game(
                "kulami", {"layout": layout, "scoring": scoring, "returns": returns}
            )
            for seed in range(20):
                *_, state = play_at_random(game, seed)
                red, black = state.returns()
                position = ks.Position.from_kfn(str(state))
                margin = position.score(ks.Scoring.parse(scoring)).margin
                assert red == -black == (margin if returns == "margin" else np.sign(margin))
                assert game.min_utility() <= red <= game.max_utility() == -game.min_utility()
                seen.add(red)
    assert len(seen) > 3 if returns == "margin" else seen == {-1.0, 0.0, 1.0}


@pytest.mark.parametrize(
    ("layout", "scoring", "marbles", "widest", "reached"),
    [
        ("AAA", "level0", 28, 3, True),  # black has no legal field left
        ("AAA", "level1", 1, 3 + 1, True),
        ("AAA/BBC", "level0", 1, 3, False),
        ("AABB/CCDD", "level2", 28, 8 + 4, False),  # a row of four makes no chain
        ("AAAAABCD", "chains", 28, 8 + 8, False),
    ],
)
def test_no_margin_is_wider_than_the_utilities(
    layout: str, scoring: str, marbles: int, widest: int, reached: bool
) -> None:
    params = {"layout": layout, "scoring": scoring, "marbles": marbles}
    game = pyspiel.load_game("kulami", params)
    margins = {state.returns()[0] for state in every_end(game)}
    assert game.max_utility() == widest >= max(margins)
    assert (max(margins) == widest) == reached


def every_end(game: Any) -> Iterator[Any]:
    waiting = [game.new_initial_state()]
    while waiting:
        state = waiting.pop()
        if state.is_terminal():
            yield state
        else:
            waiting += [state.child(action) for action in state.legal_actions()]


# Values -------------------------------------------------------------------------------------------


def values_of(text: str) -> dict[str, float]:
    """What OpenSpiel's value iteration finds of every position, for player 0."""
    found: dict[str, float] = solvers().value_iteration(
        pyspiel.load_game(text), -1, 1e-9, cyclic_game=True
    )
    return found


@pytest.mark.parametrize("scoring", list(ks.Scoring))
@pytest.mark.parametrize(
    ("layout", "least"),
    [("AABCC/DDB..", 100), nightly("AABB/CCDD/EEDD", 300), nightly("ABCDE/ABCFF", 300)],
)
def test_values_of_kulami(layout: str, least: int, scoring: ks.Scoring) -> None:
    """Every position that can be reached, so many at least."""
    name = "chains" if scoring is ks.Scoring.CHAINS else f"level{scoring.value}"
    values = values_of(f"kulami(layout={layout},scoring={name})")
    for kfn, value in values.items():
        position = ks.Position.from_kfn(kfn)
        margin = ks.solve(position, scoring, threads=1).margin
        assert margin is not None
        assert value == (margin if position.turn == "red" else -margin), kfn
    assert len(values) > least


@pytest.mark.parametrize(("count", "free"), [(8, 9), nightly(60, 12)])
def test_values_of_late_positions_of_kulami(count: int, free: int) -> None:
    """Those of OpenSpiel's alpha-beta search, on all sorts of layouts."""
    from open_spiel.python.algorithms import minimax

    draw = random.Random(free)
    compared = 0
    for seed in itertools.count():
        scoring = ("level0", "level1", "level2", "chains")[seed % 4]
        layout = ks.Layout.random(seed, irregular=seed % 2 == 1)
        game = pyspiel.load_game("kulami", {"layout": str(layout), "scoring": scoring})
        state = game.new_initial_state()
        while not state.is_terminal() and len(layout) - len(state.history()) > free:
            state.apply_action(draw.choice(state.legal_actions()))
        if state.is_terminal():
            continue
        value, _ = minimax.alpha_beta_search(game, state=state, maximum_depth=64)
        position = ks.Position.from_kfn(str(state))
        assert value == ks.solve(position, ks.Scoring.parse(scoring)).margin, str(state)
        compared += 1
        if compared == count:
            return
