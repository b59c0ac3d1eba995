"""Kulami in PettingZoo: its own tests, and what agents are told of each position."""

from __future__ import annotations

import copy
import importlib
import pickle
import re
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


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("more", [1, pytest.param(20, marks=pytest.mark.nightly)])
def test_the_api(options: dict[str, Any], more: int) -> None:
    from pettingzoo.test import api_test, max_cycles_test, seed_test

    with no_warning():
        api_test(adapter.env(**options), num_cycles=150 * more)
        seed_test(lambda: adapter.env(**options), num_cycles=40 * more)
        if options["layout"] == "square":
            max_cycles_test(adapter)


# Being found --------------------------------------------------------------------------------------


def test_it_is_registered() -> None:
    """Importing it again warns of nothing."""
    environment = pettingzoo.make("aec", "kulami/Kulami-v0", layout=SMALL, max_cycles=2)
    assert str(environment) == "kulami_v0"
    ends = [told[2:4] for _, told in played(environment, 1)]
    assert ends == [(False, False)] * 4 + [(False, True)] * 2  # both are told that it is over
    assert environment.unwrapped.position.free_count == 16
    observations, _ = pettingzoo.make("parallel", "kulami/Kulami-v0", layout=SMALL).reset(seed=1)
    assert set(observations) == {"player_0", "player_1"}
    with no_warning():
        importlib.reload(adapter)


def test_what_is_wrong_is_one_sentence() -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"layout": "AAB/ABB"}, "panel A is not a rectangle"),
        ({"layout": "sqare"}, "did you mean square?"),
        ({"scoring": "3"}, "'3' is not a scoring"),
        ({"first": "green"}, "'green'"),
        ({"marbles": 65}, "65 marbles of each colour"),
        ({"returns": "points"}, "returns is 'points': write margin or outcome"),
        ({"action_mask": "both"}, "action_mask is 'both': write info or observation"),
        ({"render_mode": "3d"}, "render_mode is '3d': write human, rgb_array or None"),
        ({"max_cycles": 0}, "max_cycles is 0: give a whole number above 0"),
    ]
    for options, said in wrong:
        for make in (adapter.env, adapter.parallel_env):
            with pytest.raises(KulamiError, match=re.escape(said)):
                make(**options)
    parallel = adapter.parallel_env(layout=SMALL, max_cycles=1)
    with pytest.raises(KulamiError, match="call reset before step"):
        parallel.step({"player_0": 0})
    parallel.reset()
    actions: tuple[Any, ...] = ({}, {"player_0": None}, {"player_1": 3}, None, 3, [])
    for action in actions:
        with pytest.raises(KulamiError, match="give a dict with the field of player_0"):
            parallel.step(action)
    assert parallel.unwrapped.position.free_count == 20
    assert parallel.step({"player_0": 0})[3] == {"player_0": True, "player_1": True}
    assert parallel.step({}) == ({}, {}, {}, {}, {})
    environment = adapter.env(layout=SMALL)
    environment.reset()
    with pytest.raises(KulamiError, match="nothing is drawn without a render_mode"):
        environment.render()


# Playing ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("returns", ["margin", "outcome"])
@pytest.mark.parametrize("scoring", list(ks.Scoring))
def test_a_game_is_played_by_the_rules(scoring: ks.Scoring, returns: str) -> None:
    """Only legal fields are sampled; the mask may be in the observation."""
    mask = "info" if returns == "margin" else "observation"
    options: dict[str, Any] = {"scoring": scoring, "returns": returns, "action_mask": mask}
    environment = adapter.env(layout="random", **options)
    for seed in range(2):
        rewards = {}
        for agent, told in played(environment, seed, mask):
            shown, reward, over, truncated, info = told
            masked = info if returns == "margin" else shown
            observation = shown if returns == "margin" else shown["observation"]
            assert environment.observation_space(agent).contains(shown)
            if returns == "outcome":
                assert info == {}
                waiting = environment.observe("player_1" if agent == "player_0" else "player_0")
                assert not waiting["action_mask"].any()
            position = environment.unwrapped.position
            rewards[agent] = reward
            assert position.layout == ks.Layout.random(seed)
            assert np.array_equal(observation, Planes(position.layout).of(position, int(agent[-1])))
            if over:
                assert position.is_over
                assert not masked["action_mask"].any()
            else:
                space = environment.action_space(agent)
                assert all(masked["action_mask"][space.sample()] for _ in range(5))
                one = np.zeros(len(position.layout), np.int8)
                one[4] = 1
                assert space.sample(one) == 4
                assert agent == f"player_{int(position.turn == 'black')}"
                names = position.layout.fields
                legal = tuple(names[at] for at in np.flatnonzero(masked["action_mask"]))
                assert legal == position.legal_fields
                assert reward == 0
            assert not truncated
        margin = position.score(scoring).margin
        worth = margin if returns == "margin" else np.sign(margin)
        assert rewards == {"player_0": worth, "player_1": -worth}
        assert worth >= environment.unwrapped.worst


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


def test_pictures(capsys: pytest.CaptureFixture[str]) -> None:
    """Pixels have one size whatever the layout; people see the board after each marble."""
    from pettingzoo.test import render_test

    render_test(lambda **options: adapter.env(layout=SMALL, **options))
    for layout in (SMALL, "square", "rulebook"):
        environment = adapter.env(layout=layout, render_mode="rgb_array")
        environment.reset()
        empty: Any = environment.render()
        assert empty.shape == (720, 640, 3)
        environment.step(3)
        assert not np.array_equal(environment.render(), empty)
        assert empty.min() < empty.max()
    environment = adapter.env(layout=SMALL, render_mode="human")
    environment.reset()
    capsys.readouterr()
    for _ in range(2):
        environment.step(int(environment.last()[4]["action_mask"].argmax()))
        assert capsys.readouterr().out == board_ansi(environment.unwrapped.position) + "\n"


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
