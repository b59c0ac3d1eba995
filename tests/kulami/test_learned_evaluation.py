"""The learned evaluation and the look ahead over it, against plain Python."""

from __future__ import annotations

import random

import pytest
from random_play import random_position
from weighted import weighted

import kulami_solver as ks
from kulami_solver.core.table import TranspositionTable
from kulami_solver.kulami.solve.evaluation import read_weights
from kulami_solver.kulami.solve.heuristics import Deepening, features
from kulami_solver.kulami.solve.search import Search
from kulami_solver.kulami.solve.solver import Solver


def positions(layout: ks.Layout, free: tuple[int, ...]) -> list[ks.Position]:
    """A position of a random game with each of these numbers of free fields."""
    found = [random_position(layout, count, seed=count) for count in free]
    return [position for position in found if position is not None]


def off(scoring: ks.Scoring) -> float:
    """By how much values may differ: of equal areas, the bound takes the one that is met first."""
    return 0.25 if scoring.area else 0.0


def searched(position: ks.Position, scoring: ks.Scoring) -> Search:
    solver = Solver(position, scoring, 1 << 16)
    solver.bounds(position)
    return solver.search


def reference_value(position: ks.Position, scoring: ks.Scoring) -> float:
    """What the weights add up to, with what panels are counted field by field."""
    numbers, panels = features(searched(position, scoring))
    return weighted(numbers, panels, read_weights(scoring))


def seen(position: ks.Position, scoring: ks.Scoring, depth: int) -> float:
    """Minimax to a depth over the evaluation."""
    if position.is_over:
        return position.margin(scoring)
    lower, upper = searched(position, scoring).set_position(*position.view, position.supply)
    if lower == upper:
        return lower
    if depth == 0:
        return min(max(reference_value(position, scoring), lower), upper)
    return max(-seen(position.play(field), scoring, depth - 1) for field in position.legal_fields)


def looked(position: ks.Position, scoring: ks.Scoring) -> dict[str, float]:
    """What a look of one ply says of each field."""
    looking = Deepening(searched(position, scoring), TranspositionTable(1 << 16))
    fields = position.layout.fields
    return {fields[number]: value for number, value in looking.look(1, every=True).items()}


@pytest.mark.parametrize("scoring", ks.Scoring)
def test_it_is_the_sum_of_the_weights(scoring: ks.Scoring) -> None:
    exact = []
    for position in positions(ks.Layout.random(3, irregular=True), tuple(range(14, 65, 5))):
        for field, value in looked(position, scoring).items():
            expected = -seen(position.play(field), scoring, 0)
            assert value == pytest.approx(expected, abs=2 * off(scoring))
            exact.append(value == expected)
    assert len(exact) > 100
    assert sum(exact) >= (0.95 if scoring.area else 1) * len(exact)


def test_what_it_sees_is_what_is_there() -> None:
    layout = ks.Layout.square()
    for position in positions(layout, tuple(range(20, 64, 3))):
        numbers, panels = features(searched(position, ks.Scoring.LEVEL0))
        assert numbers[:2] == [position.plies_left, len(position.legal_fields)]
        own, other, _, _ = position.view
        free = {number for number in range(64) if position.free_fields >> number & 1}
        legal = {layout.index(field) for field in position.legal_fields}
        after = [position.play(field) for field in position.legal_fields]
        replies = {layout.index(field) for child in after for field in child.legal_fields}
        for panel, seen in zip(layout.panels, panels, strict=True):
            fields = set(panel.fields)
            bits = [1 << number for number in fields]
            lead = sum(bool(own & bit) - bool(other & bit) for bit in bits)
            now, later = bool(fields & legal), bool(fields & replies)
            assert seen == (len(fields), len(fields & free), lead, now, later)


@pytest.mark.parametrize("scoring", ks.Scoring)
def test_mirrored_boards_are_worth_as_much(scoring: ks.Scoring) -> None:
    for position in positions(ks.Layout.square(), (20, 33, 46, 59)):
        values = sorted(looked(position, scoring).values())
        for image in (position.mirrored(), position.rotated()):
            found = sorted(looked(image, scoring).values())
            assert found == pytest.approx(values, abs=off(scoring))


def test_boards_of_any_panels_have_one() -> None:
    for rows in ("A", "AAAAA/BBBBB", "AAAAAAAA/" * 7 + "BBBBBBBB", "AABBCC/AABBCC/AABBDD/EEFFDD"):
        layout = ks.Layout.parse(rows)
        position = ks.Position(layout)
        for scoring in ks.Scoring:
            for value in looked(position, scoring).values():
                assert abs(value) <= len(layout) + 40


@pytest.mark.parametrize("scoring", [ks.Scoring.LEVEL0, ks.Scoring.LEVEL2])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_look_is_minimax(scoring: ks.Scoring, depth: int) -> None:
    for position in positions(ks.Layout.random(8), (17, 38, 58)):
        looking = Deepening(searched(position, scoring), TranspositionTable(1 << 20))
        values = looking.look(depth, every=True)
        expected = {
            position.layout.index(field): -seen(position.play(field), scoring, depth - 1)
            for field in position.legal_fields
        }
        assert values == pytest.approx(expected, abs=off(scoring))
        assert list(values.values()) == sorted(values.values(), reverse=True)
        best = Deepening(searched(position, scoring), TranspositionTable(1 << 20)).look(depth)
        assert next(iter(best.values())) == pytest.approx(max(expected.values()), abs=off(scoring))


def test_a_look_ends_when_it_is_told_to() -> None:
    start = ks.Position(ks.Layout.square())
    looking = Deepening(searched(start, ks.Scoring.LEVEL0), TranspositionTable(1 << 20))
    assert len(looking.look(nodes=5000)) == 64
    assert 5000 <= looking.nodes <= 5001
    field = random.Random(1).choice(start.legal_fields)
    assert list(looking.look(among=1 << start.layout.index(field))) == [start.layout.index(field)]
    assert looking.look(seconds=0.0)
    assert looking.look(stopped=lambda: True)
    with pytest.raises(ValueError, match="no field"):
        looking.look(among=0)
