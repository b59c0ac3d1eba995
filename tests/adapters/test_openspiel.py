"""The games in OpenSpiel: its own tests, its own solvers, and what it is told of each position."""

from __future__ import annotations

import functools
import importlib.metadata
import itertools
import pickle
import random
import re
import subprocess
import sys
import types
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import kulami_solver as ks
from kulami_solver import just4fun, malawi
from kulami_solver.errors import KulamiError
from kulami_solver.just4fun.cards import DECK

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not for this Python")

import make_playthroughs  # noqa: E402
import numpy as np  # noqa: E402

import kulami_solver.adapters.openspiel  # noqa: E402  (registers the games)
from kulami_solver.adapters.planes import PLANES  # noqa: E402

SMALL = "AABB/CCDD"
TINY = "just4fun(board=1x3,stones=2,line=3,hand=1,deck=1x2.2x2.3x2)"
PLAYED = [
    f"kulami(layout={SMALL})",
    "kulami(layout=square,scoring=level2)",
    "kulami(layout=.AAB/CC.B/DDD.,scoring=chains,first=black,returns=outcome,short_end=True)",
    "malawi(board=2x3)",
    "malawi(board=4x3,beads=1)",
    TINY,
    "just4fun(board=3x3,stones=3,line=3,hand=3,hands=open)",
    "just4fun(board=4.1/3.2,players=4,stones=2,line=2,hand=2)",
]
LONG = ["malawi", "malawi(board=5x4)", "just4fun", "just4fun(players=3)", "just4fun(hands=open)"]


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
    ("text", "rounds"),
    [
        *((text, 2) for text in PLAYED),
        *(nightly(text, 30) for text in PLAYED),
        *(nightly(text, 2) for text in LONG),
    ],
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


def test_there_is_no_playthrough_of_another_game() -> None:
    names = {file.stem for file in make_playthroughs.FOLDER.glob("*.txt")}
    assert names == set(make_playthroughs.PLAYED)


# Being imported -----------------------------------------------------------------------------------


def printed(program: str, ok: bool = True) -> str:
    """What a program prints, or what the last line of its traceback says."""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode == 0) == ok, done.stderr
    return done.stdout if ok else done.stderr.strip().splitlines()[-1]


def test_the_package_does_not_load_openspiel() -> None:
    program = (
        "import sys, kulami_solver, kulami_solver.bots, kulami_solver.adapters.ugi; "
        "print({'pyspiel', 'pettingzoo', 'gymnasium'} & set(sys.modules))"
    )
    assert printed(program) == "set()\n"


def test_without_openspiel_the_extra_is_named() -> None:
    program = "import sys; sys.modules['pyspiel'] = None; import kulami_solver.adapters.openspiel"
    said = printed(program, ok=False)
    assert said.startswith("ImportError: OpenSpiel is not installed: ")
    assert "pip install 'kulami_solver[openspiel]'" in said


# Parameters ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "params", "said"),
    [
        ("kulami", {"layout": "1122"}, "layout '1122' would be read as a number by OpenSpiel"),
        ("kulami", {"layout": "1.1"}, "layout '1.1' would be read as a number"),
        ("kulami", {"layout": "true"}, "layout 'true' would be read as a truth value"),
        ("kulami", {"layout": "AAB,CCB"}, "layout 'AAB,CCB' cannot be a parameter in OpenSpiel"),
        ("kulami", {"layout": ""}, "layout '' cannot be a parameter"),
        ("kulami", {"layout": "AAB/ABB"}, "panel A is not a rectangle"),
        ("kulami", {"scoring": "0"}, "write level0, level1, level2 or chains"),
        ("kulami", {"scoring": "level3"}, "not a scoring: write level0, level1, level2 or chains"),
        ("kulami", {"first": "green"}, "'green'"),
        ("kulami", {"marbles": 0}, "0 marbles of each colour"),
        ("kulami", {"returns": "points"}, "returns is 'points': write margin or outcome"),
        ("malawi", {"board": "3,4"}, "write columns x rows, like 3x4"),
        ("malawi", {"board": "2x2"}, "2 rows: give 3 to 16"),
        ("malawi", {"beads": 16}, "16 beads: give 1 to 15"),
        ("malawi", {"plies": 0}, "plies is 0: give 1 to 2147483647"),
        ("just4fun", {"board": "2006"}, "board '2006' would be read as a number"),
        ("just4fun", {"board": "1,2/3,4"}, "rows like 4.1/3.2"),
        ("just4fun", {"players": 5}, "5 players: give 2 to 4"),
        ("just4fun", {"stones": 0}, "stones is 0"),
        ("just4fun", {"hand": 7}, "hand is 7: give a whole number from 1 to 6"),
        ("just4fun", {"line": 0}, "line is 0"),
        ("just4fun", {"deck": "1.2.3"}, "deck '1.2.3' would be read as a number"),
        ("just4fun", {"deck": "1x4.2x0"}, "deck has '2x0'"),
        ("just4fun", {"deck": "1x5.2x4"}, "deck has more cards of 1 than the box, which has 4"),
        ("just4fun", {"deck": "1x4.2x3"}, "a deck of 7 cards: 8 are dealt"),
        ("just4fun", {"hands": "closed"}, "hands is 'closed': write hidden or open"),
    ],
)
def test_bad_parameters(game: str, params: dict[str, object], said: str) -> None:
    with pytest.raises(KulamiError, match=re.escape(said)) as found:
        pyspiel.load_game(game, params)
    assert "\n" not in str(found.value)


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


def test_an_action_that_is_not_legal_is_refused() -> None:
    for text, action in ((f"kulami(layout={SMALL})", 1), ("malawi(board=2x3)", 0)):
        state = pyspiel.load_game(text).new_initial_state()
        state.apply_action(state.legal_actions()[0])
        with pytest.raises(ks.IllegalMoveError):
            state.apply_action(action)
    for text, action in ((f"kulami(layout={SMALL})", -1), ("malawi", 9999), ("just4fun", -1)):
        state = pyspiel.load_game(text).new_initial_state()
        for number in (action, 10**6):
            with pytest.raises(ks.IllegalMoveError, match=str(number)):
                state.action_to_string(0, number)


def test_observations_have_no_parameters() -> None:
    from open_spiel.python.observation import make_observation

    for text in ("kulami", "malawi", "just4fun"):
        with pytest.raises(KulamiError, match="leave out 'colour'"):
            make_observation(pyspiel.load_game(text), params={"colour": 1})


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


def test_planes_of_kulami() -> None:
    from open_spiel.python.observation import make_observation

    layout = ks.Layout.parse("AAB./CCBD")
    game = pyspiel.load_game("kulami", {"layout": str(layout)})
    observation = make_observation(game)
    assert tuple(observation.dict) == PLANES
    assert game.observation_tensor_size() == len(PLANES) * 2 * 4
    for seed in range(6):
        for state, seat in itertools.product(play_at_random(game, seed), (0, 1)):
            position = ks.Position.from_kfn(str(state))
            observation.set_from(state, seat)
            assert observation.tensor.tolist() == state.observation_tensor(seat)
            shown = {name: fields_of(layout, plane) for name, plane in observation.dict.items()}
            colours = ("red", "black")
            marbles = {c: set(layout.names(getattr(position, c))) for c in colours}
            assert shown["own"] == marbles[colours[seat]]
            assert shown["other"] == marbles[colours[1 - seat]]
            assert shown["legal"] == set(position.legal_fields)
            assert shown["last"] == set(position.last[:1])
            assert shown["before"] == set(position.last[1:])
            panels = [layout.panel_of(layout.index(field)) for field in position.last]
            assert shown["barred"] == {layout.fields[at] for p in panels for at in p.fields}
            assert shown["fields"] == set(layout.fields)
            mine = not position.is_over and position.turn == colours[seat]
            assert observation.dict["to_move"].tolist() == [[float(mine)] * 4] * 2
            assert observation.dict["ones"].all()
    assert observation.dict["panel_size"].tolist() == [[2, 2, 2, 0], [2, 2, 2, 1]]
    assert observation.dict["panel_id"].tolist() == [[1, 1, 2, 0], [3, 3, 2, 4]]


def fields_of(layout: ks.Layout, plane: Any) -> set[str]:
    """The fields on which a plane is not 0."""
    return {f"{'abcdefgh'[column]}{row + 1}" for row, column in np.argwhere(plane)}


def test_games_begin_from_a_notation() -> None:
    game = pyspiel.load_game(f"kulami(layout={SMALL})")
    kfn = f"{SMALL} r3/4 b a1"
    assert str(game.new_initial_state(kfn)) == kfn
    with pytest.raises(KulamiError, match="another layout"):
        game.new_initial_state("AAB/CCB - r -")
    game = pyspiel.load_game("malawi(board=2x3)")
    assert str(game.new_initial_state("b0b2/r1./.r0 b")) == "b0b2/r1./.r0 b"
    game = pyspiel.load_game(TINY)
    state = game.new_initial_state("1x3 - r2b2 r r1,b2 {1.2.3.3} - idle 59")
    state.apply_action(state.legal_actions()[0])
    assert state.is_chance_node()
    for bad in ("1x3 - r2b2 r r1,b2 {1.2.3.3} - idle 61", "1x3 - r2b2 r r1,b? - -"):
        with pytest.raises(KulamiError):
            game.new_initial_state(bad)


# Malawi -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("board", ["2x3", "4x3", "5x4"])
def test_malawi_is_played_by_the_rules(board: str) -> None:
    game = pyspiel.load_game(f"malawi(board={board})")
    meant: dict[int, str] = {}
    for seed in range(3):
        draw = random.Random(seed)
        state = game.new_initial_state()
        position = malawi.Position.start(malawi.Board.parse(board))
        while not state.is_terminal() and len(state.history()) < 60:
            assert str(state) == position.mfn()
            assert state.current_player() == (position.turn == "black")
            actions = state.legal_actions()
            turns = [state.action_to_string(action) for action in actions]
            assert sorted(turns) == sorted(map(str, position.legal_turns))
            assert actions == sorted(set(actions))
            assert actions[-1] < game.num_distinct_actions()
            for action, turn in zip(actions, turns, strict=True):
                # Moves and hits of the same squares are one action: only one can be legal.
                squares = turn.replace("x", "-")
                if ":" not in turn:
                    assert meant.setdefault(action, squares) == squares
            position = position.play(turns[choice := draw.randrange(len(turns))])
            state.apply_action(actions[choice])


def test_a_position_of_malawi_that_comes_up_three_times_is_drawn() -> None:
    from open_spiel.python.observation import make_observation

    game = pyspiel.load_game("malawi(board=2x5)")
    state = game.new_initial_state()
    observation = make_observation(game)
    for repetition in range(3):
        observation.set_from(state, 0)
        assert observation.dict["repetitions"].tolist() == [[repetition] * 2] * 5
        assert state.is_terminal() == (repetition == 2)
        if repetition < 2:
            for turn in ("a5-a3", "b1-b3", "a3-a5", "b3-b1"):
                go(state, turn)
    assert state.returns() == [0.0, 0.0]
    assert state.legal_actions() == []


def go(state: Any, move: str) -> None:
    """Apply the action of this string."""
    state.apply_action(state.string_to_action(move))


def test_planes_of_malawi() -> None:
    from open_spiel.python.observation import make_observation

    game = pyspiel.load_game("malawi(board=2x3)")
    observation = make_observation(game)
    state = game.new_initial_state()
    go(state, "a3:b3")
    for seat, own, other in ((0, [4, 5], [0, 1]), (1, [0, 1], [4, 5])):
        observation.set_from(state, seat)
        shown = {name: plane.ravel().tolist() for name, plane in observation.dict.items()}
        assert [at for at, there in enumerate(shown["own"]) if there] == own
        assert [at for at, there in enumerate(shown["other"]) if there] == other
        assert shown["to_move"] == [float(seat)] * 6
    assert shown["own_beads"] == [2, 2, 0, 0, 0, 0]
    assert shown["other_beads"] == [0, 0, 0, 0, 0, 3]


# Just 4 Fun ---------------------------------------------------------------------------------------


def every_state(game: Any) -> Iterator[Any]:
    """Every history of a game, the ends included."""
    waiting = [game.new_initial_state()]
    while waiting:
        state = waiting.pop()
        yield state
        if not state.is_terminal():
            waiting += [state.child(action) for action in state.legal_actions()]


def test_what_players_know_is_what_they_have_seen() -> None:
    """One information state is one memory of own cards and of everyone's turns, and no more."""
    game = pyspiel.load_game("just4fun(board=1x3,stones=1,line=3,hand=2,deck=1x2.2x2.3)")
    strings: dict[tuple[int, str], tuple[object, ...]] = {}
    tensors: dict[tuple[int, bytes], str] = {}
    others: dict[tuple[int, str], set[str]] = {}
    for state in every_state(game):
        if state.is_chance_node():
            continue
        for seat in (0, 1):
            said = state.information_state_string(seat)
            memory = seen_by(state.full_history(), seat, game)
            assert strings.setdefault((seat, said), memory) == memory
            tensor = np.array(state.information_state_tensor(seat), np.float32).tobytes()
            assert tensors.setdefault((seat, tensor), said) == said
            others.setdefault((seat, said), set()).add(state.information_state_string(1 - seat))
    assert len(tensors) == len(strings) == len(set(zip(strings, strings.values(), strict=True)))
    assert max(len(unknown) for unknown in others.values()) > 1


def seen_by(history: Any, seat: int, game: Any) -> tuple[object, ...]:
    """What a player has seen of a history: own cards in any order, and all turns."""
    hand = game.get_parameters()["hand"]
    dealt = sorted(step.action for step in history[seat * hand : (seat + 1) * hand])
    turns: list[tuple[int, int, list[int]]] = []
    for step in history[2 * hand :]:
        if step.player >= 0:
            turns.append((step.player, step.action, []))
        else:
            mover, _, drawn = turns[-1]
            drawn.append(step.action if mover == seat else -1)
            drawn.sort()
    return (tuple(dealt), str(turns))


def test_hidden_cards_are_not_in_observations() -> None:
    game = pyspiel.load_game("just4fun(board=1x4,players=3,stones=2,line=2,hand=2)")
    for seed in range(4):
        for state in play_at_random(game, seed):
            if state.is_chance_node() or state.is_terminal():
                continue
            position = just4fun.Position.from_jfn(str(state).partition(" idle ")[0], line=2, hand=2)
            for seat, player in enumerate(position.players):
                known = just4fun.known_to(position, player).jfn()
                shown = state.observation_string(seat)
                assert shown.partition(" hands ")[0].partition(" idle ")[0] == known
                # Cards that a player does not see may be any others of the same number.
                unknown = just4fun.known_to(position, player)
                other = next(just4fun.deals(unknown, seed, ordered=False))
                beside = game.new_initial_state(other.jfn())
                tensors = (state.observation_tensor(seat), beside.observation_tensor(seat))
                if "idle" not in str(state):
                    assert tensors[0] == tensors[1]
            assert len({tuple(state.observation_tensor(seat)) for seat in range(3)}) == 3


def test_public_and_private_observations() -> None:
    from open_spiel.python.observation import make_observation

    game = pyspiel.load_game("just4fun(board=1x3,stones=2,line=3,hand=1)")
    state = game.new_initial_state("1x3 - r2b2 r r3,b2 {1.4} -")
    go(state, "3=3")
    go(state, "4")
    kinds = {
        "public": (True, False, pyspiel.PrivateInfoType.NONE),
        "public memory": (True, True, pyspiel.PrivateInfoType.NONE),
        "private": (False, False, pyspiel.PrivateInfoType.SINGLE_PLAYER),
        "private memory": (False, True, pyspiel.PrivateInfoType.SINGLE_PLAYER),
        "everything": (True, True, pyspiel.PrivateInfoType.ALL_PLAYERS),
    }
    said, pieces = {}, {}
    for name, (public, recall, private) in kinds.items():
        kind = pyspiel.IIGObservationType(
            public_info=public, perfect_recall=recall, private_info=private
        )
        observation = make_observation(game, kind)
        observation.set_from(state, 0)
        said[name] = observation.string_from(state, 0)
        pieces[name] = set(observation.dict)
    assert said == {
        "public": "1x3 3:r1 r1b2 b r?,b? {1.2.4} {3} hands 1.1 stock 1",
        "public memory": "1x3 - r2b2 r r?,b? {1.2.3.4} - | r 3=3 drew ?",
        "private": "4",
        "private memory": "3 | 4",
        "everything": "1x3 - r2b2 r r3,b2 {1.4} - | r 3=3 drew 4",
    }
    assert pieces["private"] == {"player", "hands"}
    assert pieces["private memory"] == {"player", "hands", "dealt", "drawn"}
    assert pieces["public memory"] - pieces["public"] == {"turns"}
    assert state.information_state_string(1) == "1x3 - r2b2 r r?,b2 {1.3.4} - | r 3=3 drew ?"


def test_cards_come_as_often_as_they_are_there() -> None:
    game = pyspiel.load_game("just4fun")
    state = game.new_initial_state()
    deck = list(DECK)
    for card in (12, 19, 12, 1):
        left = len(deck)
        assert state.chance_outcomes() == [
            (one - 1, pytest.approx(deck.count(one) / left)) for one in sorted(set(deck))
        ]
        state.apply_action(card - 1)
        deck.remove(card)
    assert sum(chance for _, chance in state.chance_outcomes()) == pytest.approx(1)


def test_the_winner_takes_what_the_others_lose() -> None:
    game = pyspiel.load_game("just4fun(board=1x3,players=4,stones=1,line=1,hand=1)")
    *_, state = play_at_random(game, 3)
    assert sorted(state.returns()) == [pytest.approx(-1 / 3)] * 3 + [1.0]


def test_open_hands_are_perfect_information() -> None:
    information = pyspiel.GameType.Information
    for hands, kind in (
        ("open", information.PERFECT_INFORMATION),
        ("hidden", information.IMPERFECT_INFORMATION),
    ):
        game = pyspiel.load_game("just4fun", {"hands": hands})
        assert game.get_type().information == kind
    game = pyspiel.load_game("just4fun(board=1x3,stones=1,hand=1,hands=open)")
    state = game.new_initial_state("1x3 - r1b1 r r3,b2 {1.4} -")
    assert state.observation_string(0) == state.observation_string(1) == str(state)


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


@pytest.mark.parametrize(
    ("board", "beads", "least"),
    [
        ("2x3", 2, 250),
        *(nightly(*small, 30) for small in (("2x3", 1), ("2x3", 3), ("2x4", 1), ("2x4", 2))),
    ],
)
def test_values_of_malawi(board: str, beads: int, least: int, tmp_path: Path) -> None:
    """Every position that can be reached.

    OpenSpiel takes positions of one MFN for one, whatever has come before them. Its values grow
    from draws with each round, to those of the game in which endless play is a draw.
    """
    values = values_of(f"malawi(board={board},beads={beads})")
    known = {"win": 1, "draw": 0, "loss": -1}
    malawi.build(tmp_path / "board.kdb", malawi.Board.parse(board, beads))
    with malawi.open_database(tmp_path / "board.kdb") as database:
        for mfn, value in values.items():
            position = malawi.Position.from_mfn(mfn)
            outcome = known[str(database.probe(position).value.outcome)]
            assert value == (outcome if position.turn == "red" else -outcome), mfn
    assert len(values) > least


@pytest.mark.parametrize(
    ("parameters", "line", "hand", "least"),
    [
        ("board=1x3,stones=2,deck=1x2.2x2.3x2", 3, 1, 101),
        nightly("board=2x2,stones=2,deck=1x2.2x2.3x2", 2, 2, 50),
        nightly("board=1x3,stones=2,deck=1x2.2x2.3x2", 3, 2, 50),
        nightly("board=3.1.2/4.6.5,stones=1,deck=1x2.2x2.3x2.4x2", 3, 2, 50),
    ],
)
def test_values_of_just4fun(parameters: str, line: int, hand: int, least: int) -> None:
    """Every position, so many of them with a value that is known exactly."""
    values = values_of(f"just4fun({parameters},line={line},hand={hand},hands=open)")
    exact = 0
    for text, value in values.items():
        position = just4fun.Position.from_jfn(text.partition(" idle ")[0], line=line, hand=hand)
        found = just4fun.expect(position)
        sign = 1 if position.seat == 0 else -1
        low, high = sorted((sign * found.lower, sign * found.upper))
        assert low - Fraction(1, 10**9) <= value <= high + Fraction(1, 10**9), text
        exact += found.expected is not None
    assert exact >= least


@pytest.mark.parametrize(("count", "left"), [(10, 2), nightly(60, 3)])
def test_expectations_of_late_positions_of_just4fun(count: int, left: int) -> None:
    """Those of OpenSpiel's expectiminimax."""
    from open_spiel.python.algorithms import minimax

    game = pyspiel.load_game(
        "just4fun(board=2x3,stones=4,line=3,hand=2,deck=1x4.2x4.3x4.4x2,hands=open)"
    )
    compared = 0
    for seed in itertools.count():
        for state in play_at_random(game, seed):
            if state.is_chance_node() or state.is_terminal() or "idle" in str(state):
                continue
            position = just4fun.Position.from_jfn(str(state), line=3, hand=2)
            if sum(position.left) > left:
                continue
            found = just4fun.expect(position)
            if found.expected is None:
                break
            value, _ = minimax.expectiminimax(state, 2 * left, beyond, state.current_player())
            assert value == pytest.approx(float(2 * found.expected - 1)), str(state)
            compared += 1
            break
        if compared == count:
            return


def beyond(state: Any) -> float:
    raise AssertionError(f"the search has not come to an end at {state}")


# What searches for hidden hands ask -------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "just4fun(board=1x3,stones=2,hand=2,deck=1x2.2x2.3)",
        "just4fun(board=2x3,stones=3,hand=2,players=3)",
        "just4fun(board=2x3,stones=3,hand=2,deck=1x2.2x2.3x2)",
    ],
)
def test_what_a_player_does_not_see_is_drawn_anew(text: str) -> None:
    """The state that comes is one that the player cannot tell from this one, in all it recalls."""
    game = pyspiel.load_game(text)
    seen = set()
    for seed in range(3):
        for state in itertools.islice(play_at_random(game, seed), 30):
            if state.is_terminal():
                continue
            if state.is_chance_node():
                with pytest.raises(KulamiError, match="where a player is to move"):
                    state.resample_from_infostate(0, pyspiel.UniformProbabilitySampler(0.0, 1.0))
                continue
            for seat in range(game.num_players()):
                sampler = pyspiel.UniformProbabilitySampler(0.0, 1.0)
                other = state.resample_from_infostate(seat, sampler)
                assert other.information_state_string(seat) == state.information_state_string(seat)
                assert other.current_player() == state.current_player()
                # It has come about by the rules, from its deal on.
                again = game.new_initial_state()
                for action in other.history():
                    again.apply_action(action)
                assert str(again) == str(other)
                seen.add(str(other) == str(state))
    assert False in seen


def test_ismcts_plays_with_hidden_hands() -> None:
    from open_spiel.python.algorithms import ismcts, mcts

    game = pyspiel.load_game("just4fun(board=2x3,stones=2,hand=2)")
    luck = np.random.RandomState(1)
    bot = ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(1, luck), 2.0, 20, random_state=luck)
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(state.chance_outcomes()[0][0])
        else:
            state.apply_action(bot.step(state))
    assert sum(state.returns()) == 0


def test_observations_tell_how_many_cards_there_are() -> None:
    game = pyspiel.load_game("just4fun(board=2x2,stones=2,hand=2,deck=1x2.2x2.3x2.4)")
    state = game.new_initial_state("2x2 - r2b2 r r1.2,b2.3 {1.3.4} -")
    assert state.observation_string(0).endswith(" hands 2.2 stock 3")


def test_sizes_are_sensible() -> None:
    assert pyspiel.load_game("just4fun").information_state_tensor_size() < 10_000
    assert pyspiel.load_game("malawi").max_game_length() == 2000


def test_a_long_game_of_malawi_is_drawn() -> None:
    game = pyspiel.load_game("malawi(board=3x3,plies=5)")
    state = list(play_at_random(game, 1))[-1]
    assert (state.move_number(), state.is_terminal(), state.returns()) == (5, True, [0.0, 0.0])
    assert state.legal_actions() == []


def test_rows_of_digits_and_dots_can_be_written() -> None:
    """OpenSpiel cannot read 3.1.2 or 1.2.3; docs/adapters.md says what is written instead."""
    game = pyspiel.load_game("just4fun(board=3.1.2/,stones=1,hand=1,deck=1x1.2.3)")
    assert str(pickle.loads(pickle.dumps(game))) == str(game)
    with pytest.raises(KulamiError, match=r"a single one with / behind it"):
        pyspiel.load_game("just4fun", {"board": "3.1.2"})
    assert pyspiel.load_game("kulami(layout=11.22/)").num_distinct_actions() == 4
