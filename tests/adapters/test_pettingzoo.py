"""Kulami in PettingZoo: its own tests, and what agents are told of each position."""

from __future__ import annotations

import copy
import pickle
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import kulami_solver as ks
from kulami_solver.errors import KulamiError
from kulami_solver.kulami.drawing.render import board_ansi

pettingzoo = pytest.importorskip("pettingzoo", reason="PettingZoo is not installed")

from kulami_solver.adapters import pettingzoo as adapter  # noqa: E402
from kulami_solver.adapters.planes import PLANES, Planes  # noqa: E402

SMALL = "ABBCD/ABBCD/ABBEE/FFFEE"
OPTIONS = [
    {"layout": "square"},
    {"layout": "random", "scoring": "level2"},
    {"layout": "irregular", "scoring": "chains", "returns": "outcome"},
    {"layout": SMALL, "scoring": 1, "first": "black", "marbles": 5, "short_end": True},
    {"layout": "rulebook", "render_mode": "rgb_array"},
]


@contextmanager
def no_warning() -> Iterator[None]:
    """Warnings are errors, and so is what PettingZoo writes to its own log."""
    from pettingzoo.utils.env_logger import EnvLogger

    EnvLogger.flush()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield
    assert EnvLogger.mqueue == []


def played(environment: Any, seed: int, mask: str = "info") -> Iterator[tuple[str, Any]]:
    """Play a random game; yield each agent to move with what `last` says."""
    environment.reset(seed=seed)
    draw = np.random.default_rng(seed)
    for agent in environment.agent_iter():
        observation, reward, terminated, truncated, info = environment.last()
        yield agent, (observation, reward, terminated, truncated, info)
        legal = (info if mask == "info" else observation)["action_mask"]
        over = terminated or truncated
        environment.step(None if over else int(draw.choice(np.flatnonzero(legal))))


# PettingZoo's own tests ---------------------------------------------------------------------------


def test_the_planes_have_the_panels_that_are_barred() -> None:
    """Both: that of the newest marble, too, which is barred to the reply."""
    layout = ks.Layout.parse("AABB/CCDD")
    position = ks.Position(layout)
    for field, barred in (("a1", "A"), ("c1", "AB"), ("c2", "BD")):
        position = position.play(field)
        plane = Planes(layout).of(position, 0)[PLANES.index("barred")]
        rows = str(layout).split("/")
        assert plane.tolist() == [[float(name in barred) for name in row] for row in rows]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_api(options: dict[str, Any]) -> None:
    from pettingzoo.test import api_test

    with no_warning():
        api_test(adapter.env(**options), num_cycles=150)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_seeds(options: dict[str, Any]) -> None:
    from pettingzoo.test import seed_test

    with no_warning():
        seed_test(lambda: adapter.env(**options), num_cycles=40)


def test_cycles() -> None:
    from pettingzoo.test import max_cycles_test

    with no_warning():
        max_cycles_test(adapter)


@pytest.mark.nightly
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_api_for_long(options: dict[str, Any]) -> None:
    from pettingzoo.test import api_test, seed_test

    with no_warning():
        api_test(adapter.env(**options), num_cycles=5000)
        seed_test(lambda: adapter.env(**options), num_cycles=500)


# Being found --------------------------------------------------------------------------------------


def test_it_is_registered() -> None:
    environment = pettingzoo.make("aec", "kulami/Kulami-v0", layout=SMALL, max_cycles=2)
    assert str(environment) == "kulami_v0"
    assert len(list(played(environment, 1))) == 4 + 2  # both agents are told that it is over
    parallel = pettingzoo.make("parallel", "kulami/Kulami-v0", layout=SMALL)
    observations, _ = parallel.reset(seed=1)
    assert set(observations) == {"player_0", "player_1"}


def test_importing_it_again_warns_of_nothing() -> None:
    program = (
        "import importlib, warnings; warnings.simplefilter('error');"
        "import kulami_solver.adapters.pettingzoo as adapter; importlib.reload(adapter)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_without_pettingzoo_the_extra_is_named() -> None:
    program = (
        "import sys; sys.modules['pettingzoo'] = None; import kulami_solver.adapters.pettingzoo"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stderr.strip().splitlines()[-1] == (
        "ImportError: PettingZoo is not installed: pip install 'kulami_solver[pettingzoo]'"
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"layout": "AAB/ABB"}, "panel A is not a rectangle"),
        ({"layout": "sqare"}, "did you mean square?"),
        ({"scoring": "3"}, "'3' is not a scoring"),
        ({"first": "green"}, "'green'"),
        ({"marbles": 65}, "65 marbles of each colour"),
        ({"returns": "points"}, "returns is 'points': write margin or outcome"),
        ({"action_mask": "both"}, "action_mask is 'both': write info or observation"),
        ({"render_mode": "3d"}, "render_mode is '3d': write human, rgb_array or None"),
        ({"max_cycles": 0}, "max_cycles is 0: give a whole number above 0"),
    ],
)
def test_bad_options(options: dict[str, Any], said: str) -> None:
    for make in (adapter.env, adapter.parallel_env):
        with pytest.raises(KulamiError, match=re.escape(said)):
            make(**options)


@pytest.mark.parametrize("actions", [{}, {"player_0": None}, {"player_1": 3}, None, 3, []])
def test_all_at_once_without_the_action_that_counts(actions: Any) -> None:
    environment = adapter.parallel_env(layout=SMALL)
    with pytest.raises(KulamiError, match="call reset before step"):
        environment.step({"player_0": 0})
    environment.reset()
    with pytest.raises(KulamiError, match="give a dict with the field of player_0"):
        environment.step(actions)
    assert environment.unwrapped.position.free_count == 20


def test_all_at_once_after_the_end() -> None:
    environment = adapter.parallel_env(layout=SMALL, max_cycles=1)
    environment.reset()
    assert environment.step({"player_0": 0})[3] == {"player_0": True, "player_1": True}
    assert environment.step({}) == ({}, {}, {}, {}, {})


# Playing ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scoring", list(ks.Scoring))
def test_a_game_is_played_by_the_rules(scoring: ks.Scoring) -> None:
    environment = adapter.env(layout="random", scoring=scoring)
    for seed in range(2):
        rewards = {}
        for agent, (observation, reward, over, truncated, info) in played(environment, seed):
            position = environment.unwrapped.position
            rewards[agent] = reward
            assert position.layout == ks.Layout.random(seed)
            seat = int(agent[-1])
            assert np.array_equal(observation, Planes(position.layout).of(position, seat))
            if over:
                assert position.is_over
                assert not info["action_mask"].any()
            else:
                assert agent == f"player_{int(position.turn == 'black')}"
                names = position.layout.fields
                legal = tuple(names[at] for at in np.flatnonzero(info["action_mask"]))
                assert legal == position.legal_fields
                assert reward == 0
            assert not truncated
        margin = position.score(scoring).margin
        assert rewards == {"player_0": margin, "player_1": -margin}
        assert margin >= environment.unwrapped.worst


def test_outcomes_are_rewarded_if_that_is_asked_for() -> None:
    environment = adapter.env(layout=SMALL, returns="outcome")
    seen = set()
    for seed in range(12):
        rewards = {agent: told[1] for agent, told in played(environment, seed)}
        margin = environment.unwrapped.position.score().margin
        assert rewards["player_0"] == -rewards["player_1"] == np.sign(margin)
        seen.add(rewards["player_0"])
    assert seen == {-1, 0, 1}


@pytest.mark.parametrize(("layout", "irregular"), [("random", False), ("irregular", True)])
def test_layouts_are_seeded(layout: str, irregular: bool) -> None:
    environment, other = adapter.env(layout=layout), adapter.env(layout=layout)
    shape = environment.observation_space("player_0").shape
    layouts = []
    for seed in (7, None, None):
        for one in (environment, other):
            one.reset(seed=seed)
            assert one.observe("player_0").shape == shape
        layouts.append(environment.unwrapped.layout)
        assert layouts[-1] == other.unwrapped.layout
        assert "fields" in PLANES
        fields = environment.observe("player_0")[PLANES.index("fields")]
        assert fields.sum() == len(layouts[-1]) == 64
    assert layouts[0] == ks.Layout.random(7, irregular=irregular)
    assert len(set(layouts)) == 3


def test_an_illegal_field_ends_the_game_at_the_highest_price() -> None:
    prices: list[tuple[dict[str, Any], float]] = [
        ({"layout": SMALL}, -20.0),
        ({"layout": SMALL, "returns": "outcome"}, -1.0),
        ({"layout": "random", "scoring": "level2"}, -64.0 - 28 - 4 * 28),
    ]
    for options, price in prices:
        environment = adapter.env(**options)
        environment.reset(seed=1)
        environment.step(0)
        environment.step(0)
        rewards = {}
        for agent in environment.agent_iter():
            _, rewards[agent], terminated, _, _ = environment.last()
            assert terminated
            environment.step(None)
        assert rewards == {"player_1": price, "player_0": 0}
    raw = adapter.KulamiEnv(layout=SMALL)
    raw.reset()
    raw.step(0)
    with pytest.raises(ks.IllegalMoveError, match="it is taken"):
        raw.step(0)


@pytest.mark.parametrize("action", [1.7, 1.0, True, "3", None, np.float32(1), np.array([1])])
def test_an_action_is_a_whole_number(action: Any) -> None:
    """Nothing is cut to fit: a network's raw output is no field."""
    raw = adapter.KulamiEnv(layout="AAB/CCB")
    raw.reset()
    with pytest.raises(ks.IllegalMoveError, match=r"there is no field number .*: .* has 0 to 5"):
        raw.step(action)
    assert raw.position == ks.Position(ks.Layout.parse("AAB/CCB"))
    checked = adapter.env(layout="AAB/CCB")
    checked.reset()
    with pytest.raises(AssertionError, match="action is not in action space"):
        checked.step(action)
    numbers: tuple[Any, ...] = (1, np.int8(1), np.array(1))
    for number in numbers:
        raw.reset()
        raw.step(number)
        assert raw.position.last == ("b1",)


def test_arrays_are_the_callers_own() -> None:
    """What is written into them changes nothing here."""
    made = adapter.env(layout="AAB/CCB", render_mode="rgb_array")
    made.reset()
    observation, *_, info = made.last()
    before = observation.copy(), info["action_mask"].copy()
    for array in (made.render(), observation, made.unwrapped.observe("player_1")):
        array[...] = 0
    assert made.render().any()
    observation, *_, info = made.last()
    assert (observation == before[0]).all()
    assert (info["action_mask"] == before[1]).all()


def test_the_mask_may_be_in_the_observation() -> None:
    environment = adapter.env(layout=SMALL, action_mask="observation")
    for agent, (observation, _, over, _, info) in played(environment, 2, "observation"):
        assert info == {}
        assert environment.observation_space(agent).contains(observation)
        legal = environment.unwrapped.position.legal_fields
        assert observation["action_mask"].sum() == (0 if over else len(legal))
        waiting = environment.observe("player_1" if agent == "player_0" else "player_0")
        assert not waiting["action_mask"].any()


def test_only_legal_fields_are_sampled() -> None:
    environment = adapter.env(layout=SMALL)
    for agent, (_, _, over, _, info) in played(environment, 3):
        if not over:
            space = environment.action_space(agent)
            assert all(info["action_mask"][space.sample()] for _ in range(5))
            one = np.zeros(20, np.int8)
            one[4] = 1
            assert space.sample(one) == 4


def test_cycles_truncate() -> None:
    environment = adapter.env(layout=SMALL, max_cycles=2)
    ends = [told[2:4] for _, told in played(environment, 1)]
    assert ends == [(False, False)] * 4 + [(False, True)] * 2
    assert environment.unwrapped.position.free_count == 16


def test_pictures() -> None:
    from pettingzoo.test import render_test

    render_test(lambda **options: adapter.env(layout=SMALL, **options))
    environment = adapter.env(layout=SMALL, render_mode="rgb_array")
    environment.reset()
    empty: Any = environment.render()
    environment.step(3)
    drawn: Any = environment.render()
    assert not np.array_equal(drawn, empty)
    assert drawn.min() < drawn.max()
    environment = adapter.env(layout=SMALL)
    environment.reset()
    with pytest.raises(KulamiError, match="nothing is drawn without a render_mode"):
        environment.render()


def test_pixels_have_one_size_whatever_the_layout() -> None:
    shapes = set()
    for layout in (SMALL, "square", "rulebook"):
        environment = adapter.env(layout=layout, render_mode="rgb_array")
        environment.reset()
        pixels: Any = environment.render()
        shapes.add(pixels.shape)
    assert shapes == {(720, 640, 3)}


def test_people_see_the_board_after_each_marble(capsys: pytest.CaptureFixture[str]) -> None:
    environment = adapter.env(layout=SMALL, render_mode="human")
    environment.reset()
    for _ in range(2):
        environment.step(int(environment.last()[4]["action_mask"].argmax()))
        shown = capsys.readouterr().out
        assert shown == board_ansi(environment.unwrapped.position) + "\n"


def test_environments_are_copied_and_pickled() -> None:
    environment = adapter.env(layout="random")
    environment.reset(seed=4)
    environment.step(10)
    for other in (copy.deepcopy(environment), pickle.loads(pickle.dumps(environment))):
        assert other.unwrapped.position == environment.unwrapped.position
        other.step(int(np.flatnonzero(other.last()[4]["action_mask"])[0]))
        assert other.unwrapped.position != environment.unwrapped.position
        environment.reset()
        other.reset()
        assert other.unwrapped.layout == environment.unwrapped.layout
        environment.reset(seed=4)
        environment.step(10)
