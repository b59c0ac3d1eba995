"""Positions as values, and in each notation; how they are played is in core/refusals.txt."""

from __future__ import annotations

import copy
import pickle
import random

import pytest

from kulami_solver.kulami.position.layout import Layout
from kulami_solver.kulami.position.position import Position
from kulami_solver.kulami.position.scoring import Scoring


def test_a_position_is_a_value() -> None:
    position = Position(Layout.square(), marbles=30).play_all("d4 d7")
    same = Position(Layout.square(), marbles=30).play("d4").play("d7")
    assert position == same
    assert hash(position) == hash(same)
    assert position is not same
    assert copy.copy(position) is position
    assert copy.deepcopy(position) is position
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(position, protocol)) == position
    assert eval(repr(position)) == position
    assert position != position.kfn()
    with pytest.raises(AttributeError):
        position.red = 0  # type: ignore[misc]
    with pytest.raises(AttributeError):
        position.comment = "good"  # type: ignore[attr-defined]


@pytest.mark.parametrize("seed", range(20))
def test_positions_of_a_game_survive_each_notation(seed: int) -> None:
    draw = random.Random(seed)
    first = "red" if seed % 3 else "black"
    position = Position(Layout.random(seed, irregular=seed % 2 == 1), first)
    while not position.is_over:
        position = position.play(draw.choice(position.legal_fields))
        assert Position.from_kfn(position.kfn()) == position
        turn, last = position.turn, position.last
        for again in (
            Position.from_hagen(position.hagen(), turn, last),
            Position.from_kbn(position.kbn(), first),
        ):
            assert (again.red, again.black) == (position.red, position.black)
            assert (again.turn, again.last, again.first) == (turn, last, first)
            assert again.legal_fields == position.legal_fields
            assert again.score(Scoring.LEVEL2) == position.score(Scoring.LEVEL2)
