"""Expected margins and chances of positions that cannot be solved yet."""

from __future__ import annotations

import math
import threading

import pytest
from random_play import random_position

import kulami_solver as ks
from kulami_solver.kulami.estimate.chances import ValueEstimate, margin_and_chances, read_chances

SQUARE = ks.Layout.square()


def is_sound(found: ValueEstimate) -> bool:
    chances = (found.win, found.draw, found.loss)
    return min(chances) >= 0 and math.isclose(sum(chances), 1, abs_tol=1e-9)


@pytest.mark.parametrize("scoring", ks.Scoring)
@pytest.mark.parametrize("free", [64, 45, 30, 20])
def test_estimates_agree_with_proved_bounds(free: int, scoring: ks.Scoring) -> None:
    position = random_position(SQUARE, free, seed=free)
    assert position is not None
    solution = ks.solve(position, scoring, nodes=1, every_move=True)
    found = ks.estimate_value(position, scoring, nodes=2000, every_move=True, known=solution)
    assert is_sound(found)
    assert solution.lower <= found.margin <= solution.upper
    assert set(found.moves) == set(position.legal_fields)
    for field, (lower, upper) in solution.values.items():
        assert is_sound(found.moves[field])
        assert lower <= found.moves[field].margin <= min(upper, solution.upper)
    margins = [move.margin for move in found.moves.values()]
    assert margins == sorted(margins, reverse=True)


def test_the_same_nodes_give_the_same_estimate() -> None:
    position = ks.Position(SQUARE).play_all("d4 d7")
    first = ks.estimate_value(position, nodes=5000, every_move=True)
    assert first == ks.estimate_value(position, nodes=5000, every_move=True)


@pytest.mark.parametrize("seed", range(8))
def test_what_is_proved_is_certain(seed: int) -> None:
    position = random_position(SQUARE, 20, seed=seed)
    assert position is not None
    solution = ks.solve(position, every_move=True)
    found = ks.estimate_value(position, known=solution, nodes=200, every_move=True)
    assert found.margin == solution.margin
    assert getattr(found, str(solution.outcome)) == 1.0
    for move in solution.moves:
        assert found.moves[move.field].margin == move.margin
        assert getattr(found.moves[move.field], str(move.outcome)) == 1.0


@pytest.mark.parametrize(
    ("bounds", "impossible"),
    [((1, 9), "draw loss"), ((-9, -2), "win draw"), ((0, 5), "loss"), ((-5, 0), "win")],
)
def test_bounds_leave_no_chance_to_what_they_exclude(
    bounds: tuple[int, int], impossible: str
) -> None:
    position = ks.Position(SQUARE).play_all("d4 d7")
    solution = ks.solve(position, nodes=1)
    lower, upper = bounds
    known = ks.Solution(**(vars(solution) | {"lower": lower, "upper": upper}))
    found = ks.estimate_value(position, known=known, nodes=500)
    assert is_sound(found)
    assert lower <= found.margin <= upper
    assert all(getattr(found, name) == 0.0 for name in impossible.split())


@pytest.mark.parametrize("scoring", ks.Scoring)
def test_chances_follow_the_value(scoring: ks.Scoring) -> None:
    phases = read_chances()[scoring.value]
    assert [phase[0] for phase in phases] == sorted(phase[0] for phase in phases)
    for plies in range(1, 57):
        rows = [margin_and_chances(value, plies, phases) for value in (-30, -3, -1, 0, 1, 3, 30)]
        assert rows == sorted(rows, key=lambda row: (row[0], row[1], -row[2]))
        assert all(win + loss <= 1 for _, win, loss in rows)
        assert rows[0][1] < 0.2
        assert rows[-1][2] < 0.2


def test_a_look_can_be_stopped_and_has_an_answer() -> None:
    stop = threading.Event()
    stop.set()
    assert is_sound(ks.estimate_value(ks.Position(SQUARE), time=60.0, stop=stop))


def test_json_adds_up() -> None:
    for part in (0.3333, 0.1665, 0.00049):
        found = ValueEstimate(-0.04, part, part, 1 - 2 * part).to_json()
        assert math.isclose(found["win"] + found["draw"] + found["loss"], 1, abs_tol=1e-9)
        assert str(found["margin"]) == "0.0"
