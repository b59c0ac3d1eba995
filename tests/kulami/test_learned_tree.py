"""What the tree of `master` sees at a glance, against plain Python, and how it grows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from random_play import random_position
from weighted import weighted

import kulami_solver as ks
from kulami_solver.kulami.estimate.learned_tree import LearnedTree
from kulami_solver.kulami.solve.evaluation import GLANCE_FILE, read_weights, viewing

DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))
SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1))

Square = tuple[int, int]
Squares = set[Square]


def squares_of(layout: ks.Layout, mask: int) -> Squares:
    return {square for number, square in enumerate(layout.squares) if mask >> number & 1}


def beside(squares: Squares) -> Squares:
    """The squares that share a side with one of these, whatever lies on them."""
    return {(x + dx, y + dy) for x, y in squares for dx, dy in SIDES}


def areas_of(marbles: Squares) -> list[Squares]:
    """The areas of a side's marbles, the largest first."""
    rest, found = set(marbles), []
    while rest:
        area = {rest.pop()}
        while more := beside(area) & rest:
            area |= more
            rest -= more
        found.append(area)
    return sorted(found, key=len, reverse=True)


def windows_of(layout: ks.Layout) -> list[Squares]:
    fields = set(layout.squares)
    runs = [
        {(x + i * dx, y + i * dy) for i in range(5)} for x, y in fields for dx, dy in DIRECTIONS
    ]
    return [run for run in runs if run <= fields]


def area_terms(own: Squares, other: Squares, now: Squares, later: Squares, free: Squares) -> Any:
    """What areas are to the side to move, for each area that may count as a side's largest."""
    mine, theirs = areas_of(own), areas_of(other)

    def with_each(areas: list[Squares], marbles: Squares, reach: Squares) -> Iterator[Any]:
        for area in [one for one in areas if len(one) == len(areas[0])] or [set[Square]()]:
            around = beside(area) & free
            linked = [one for one in areas if one == area or beside(one) & around]
            yield len(around), bool(around & reach), sum(map(len, linked))

    def joined(marbles: Squares) -> int:
        return sum(len(beside({one}) & marbles) for one in marbles) // 2

    def twice(marbles: Squares) -> int:
        return sum(len(beside({one}) & marbles) > 1 for one in free)

    for here in with_each(mine, own, now):
        for there in with_each(theirs, other, later):
            yield (
                len(mine[0] if mine else ()) - len(theirs[0] if theirs else ()),
                *(here[0], there[0], here[1], there[1], joined(own) - joined(other)),
                len(beside(own) & free) - len(beside(other) & free),
                *(here[2], there[2], twice(own), twice(other)),
            )


def chain_terms(
    position: ks.Position, own: Squares, other: Squares, now: Squares, later: Squares
) -> tuple[int, ...]:
    """What chains are to the side to move."""
    windows = windows_of(position.layout)

    def holding(count: int, marbles: Squares, others: Squares) -> list[Squares]:
        return [one for one in windows if len(one & marbles) == count and not one & others]

    def completing(marbles: Squares, others: Squares) -> Squares:
        return {square for one in holding(4, marbles, others) for square in one - marbles}

    def few(count: int) -> tuple[int, int]:
        return len(holding(count, own, other)), len(holding(count, other, own))

    mine, theirs = completing(own, other), completing(other, own)
    points = position.margin(ks.Scoring.CHAINS) - position.margin(ks.Scoring.LEVEL0)
    ones, twos, threes = few(1), few(2), few(3)
    fewer = (points, ones[0] - ones[1], twos[0] - twos[1], *threes)
    return (*fewer, len(mine), len(theirs), bool(mine & now), bool(theirs & later))


def positions() -> Iterator[ks.Position]:
    layouts = [ks.Layout.square(), ks.Layout.rulebook()]
    layouts += [ks.Layout.random(seed, irregular=seed % 2 == 0) for seed in range(6)]
    layouts += [ks.Layout.parse("A" * 16 + "/BBCCDDEEFFGGHHII/JJKKLL....MMNNOO")]
    for number, layout in enumerate(layouts):
        for free in range(4, len(layout) + 1, 3):
            position = random_position(layout, free, seed=free + 100 * number)
            if position is not None and not position.is_over:
                yield position


@pytest.mark.parametrize("scoring", ks.Scoring)
def test_what_is_seen_is_what_is_there(scoring: ks.Scoring) -> None:
    for position in positions():
        layout = position.layout
        numbers, panels = viewing(layout.geometry, scoring).features(
            *position.view, position.supply
        )
        own, other = (squares_of(layout, mask) for mask in position.view[:2])
        free = set(layout.squares) - own - other
        after = [position.play(field) for field in position.legal_fields]
        legal = squares_of(layout, position.legal_mask)
        # Marbles do not matter to where the second ply may go.
        roomy = [squares_of(layout, child.legal_mask) for child in after if child.supply]
        second = set().union(*roomy) if roomy else None
        assert numbers[0] == min(position.supply, len(free))
        assert numbers[1] == len(legal)
        if second is None:
            continue
        assert numbers[2] == len(second)
        terms = tuple(numbers[3:])
        assert len(terms) == 20
        expected = {(0,) * 11}
        if scoring.area:
            expected = set(area_terms(own, other, legal, second, free))
        assert terms[:11] in expected
        chains: tuple[int, ...] = (0,) * 9
        if scoring.chains:
            chains = chain_terms(position, own, other, legal, second)
        assert terms[11:] == chains
        for panel, seen in zip(layout.panels, panels, strict=True):
            fields = squares_of(layout, sum(1 << number for number in panel.fields))
            lead = len(fields & own) - len(fields & other)
            now, later = bool(fields & legal), bool(fields & second)
            assert seen == (len(fields), len(fields & free), lead, now, later)


@pytest.mark.parametrize("scoring", ks.Scoring)
def test_a_value_is_the_sum_of_the_weights(scoring: ks.Scoring) -> None:
    phases = read_weights(scoring, GLANCE_FILE)
    for position in itertools.islice(positions(), 0, None, 3):
        if set(map(len, (panel.fields for panel in position.layout.panels))) - {2, 3, 4, 6}:
            continue
        view = viewing(position.layout.geometry, scoring)
        numbers, panels = view.features(*position.view, position.supply)
        assert view.value(*position.view, position.supply) == weighted(numbers, panels, phases)


@pytest.mark.parametrize("scoring", ks.Scoring)
def test_a_game_that_is_over_has_its_margin(scoring: ks.Scoring) -> None:
    for seed in range(30):
        position = random_position(ks.Layout.random(seed, irregular=True), 12, seed)
        while position is not None and not position.is_over:
            position = position.play(position.legal_fields[-1])
        if position is not None:
            view = viewing(position.layout.geometry, scoring)
            assert view.value(*position.view, position.supply) == position.margin(scoring)


def tree_of(position: ks.Position, scoring: ks.Scoring) -> LearnedTree:
    """What grows trees from positions of the layout."""
    return LearnedTree(viewing(position.layout.geometry, scoring))


def look(tree: LearnedTree, position: ks.Position, **limits: Any) -> dict[int, float]:
    return tree.look(*position.view, position.supply, **limits)


@pytest.mark.parametrize("scoring", ks.Scoring)
def test_a_tree_finds_what_wins_at_once_and_is_the_same_each_time(scoring: ks.Scoring) -> None:
    for seed in range(20):
        position = random_position(ks.Layout.random(seed, irregular=seed % 2 == 0), 7, seed)
        if position is None or len(position.legal_fields) == 1:
            continue
        trees = [tree_of(position, scoring) for _ in range(2)]
        values = [look(tree, position, visits=3000) for tree in trees]
        assert values[0] == values[1]
        assert trees[0].line() == trees[1].line()
        assert trees[0].line()[0] == next(iter(values[0]))
        fields = [position.layout.index(field) for field in position.legal_fields]
        assert sorted(values[0]) == sorted(fields)
        best = ks.solve(position, scoring, every_move=True)
        margins = {position.layout.index(one.field): one.margin for one in best.moves}
        chosen = margins[next(iter(values[0]))]
        assert chosen is not None
        assert best.margin is not None
        assert (chosen > 0, chosen < 0) == (best.margin > 0, best.margin < 0)


def test_a_tree_keeps_to_its_fields_and_limits() -> None:
    position = ks.Position(ks.Layout.square())
    tree = tree_of(position, ks.Scoring.LEVEL0)
    assert set(look(tree, position, visits=500, among=0b101)) == {0, 2}
    assert tree.visits == 500
    assert len(look(tree, position, visits=0)) == 64
    assert len(look(tree, position, seconds=0.0)) == 64
    asked = itertools.count(1)
    assert len(look(tree, position, visits=1 << 70, seconds=0.0)) == 64
    look(tree, position, stopped=lambda: next(asked) > 4)
    assert next(asked) == 6
    assert 0 < tree.visits < 2000
    with pytest.raises(ValueError, match="no field"):
        look(tree, position, visits=10, among=0)
    over = ks.Position(ks.Layout.parse("A"), marbles=1).play("a1")
    with pytest.raises(ValueError, match="no field"):
        look(tree_of(over, ks.Scoring.LEVEL0), over, visits=10)


@pytest.mark.parametrize("scoring", ks.Scoring)
def test_a_tree_goes_on_with_what_it_saw_of_a_position(scoring: ks.Scoring) -> None:
    for seed in range(6):
        position = ks.Position(ks.Layout.random(seed, irregular=seed % 2 == 0), marbles=16)
        tree = tree_of(position, scoring)
        look(tree, position, visits=4000, going_on=True)
        assert tree.kept == 0
        while len(tree.line()) >= 3:
            line = tree.line()
            for field in line[:2]:
                position = position.play(position.layout.fields[field])
            values = look(tree, position, visits=0, going_on=True)
            assert tree.line() == line[2:]
            assert tree.kept > 0
            fields = [position.layout.index(field) for field in position.legal_fields]
            assert sorted(values) == sorted(fields)
            # The same position again: all visits of it are kept.
            kept = tree.kept
            look(tree, position, visits=2000, going_on=True)
            assert tree.kept == kept
            assert look(tree, position, visits=0, going_on=True)
            assert tree.kept == kept + 2000
        best = ks.solve(position, scoring, every_move=True)
        look(tree, position, visits=10_000, going_on=True)
        last = position.layout.fields[tree.line()[0]]
        assert best.margin == next(one.margin for one in best.moves if one.field == last)


def test_a_tree_that_goes_on_keeps_to_its_fields() -> None:
    position = ks.Position(ks.Layout.square())
    tree = tree_of(position, ks.Scoring.LEVEL0)
    look(tree, position, visits=1000)
    assert set(look(tree, position, visits=100, among=0b1101, going_on=True)) == {0, 2, 3}
    assert tree.kept > 0
    assert set(look(tree, position, visits=100, among=0b101, going_on=True)) == {0, 2}
    assert tree.kept > 0
    assert len(look(tree, position, visits=100, going_on=True)) == 64
    assert tree.kept == 0


@pytest.mark.nightly
def test_a_tree_that_is_full_goes_on() -> None:
    position = ks.Position(ks.Layout.square())
    tree = tree_of(position, ks.Scoring.LEVEL0)
    assert len(look(tree, position, visits=600_000)) == 64
    assert tree.visits == 600_000
