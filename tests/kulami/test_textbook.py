"""The textbook alpha-beta: right against the reference, and the search right against it."""

from __future__ import annotations

import itertools
import time

import agreement
import pytest
import reference
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st
from random_play import positions, random_position

import kulami_solver as ks
from kulami_solver.kulami.textbook import Textbook

each_scoring = pytest.mark.parametrize("scoring", list(ks.Scoring))


def textbook(layout: ks.Layout, scoring: ks.Scoring, table: int = 1 << 20) -> Textbook:
    """The textbook for a layout."""
    return Textbook(layout.geometry, table, scoring.area, scoring.chains)


def margin(
    book: Textbook, position: ks.Position, nodes: int | None = None, seconds: float | None = None
) -> int | None:
    """What the textbook says of a position."""
    return book.margin(*position.view, position.supply, nodes, seconds)


def square_position(free: int, seed: int) -> ks.Position:
    """A position on a random square layout."""
    position = random_position(ks.Layout.random(seed), free, seed)
    assert position is not None
    return position


@settings(max_examples=60)
@given(strategies.placed(most_free=8), st.sampled_from(list(ks.Scoring)))
def test_reference(drawn: tuple[reference.Rules, reference.State], scoring: ks.Scoring) -> None:
    rules, state = drawn
    position = agreement.as_position(rules, state)
    values = reference.field_values(rules, state, scoring.value, {})
    value = max(values.values()) if values else reference.margin(rules, state, scoring.value)
    assert margin(textbook(position.layout, scoring, 1 << 12), position) == value


@each_scoring
@pytest.mark.parametrize("free", [14, 18, 22])
def test_search_on_the_square(free: int, scoring: ks.Scoring) -> None:
    for position in itertools.islice(positions(free), 6):
        value = margin(textbook(position.layout, scoring), position)
        assert value == ks.solve(position, scoring).margin, position.kfn()


@settings(max_examples=100)
@given(strategies.placed(most_free=13), st.sampled_from(list(ks.Scoring)))
def test_search_on_any_board(
    drawn: tuple[reference.Rules, reference.State], scoring: ks.Scoring
) -> None:
    position = agreement.as_position(*drawn)
    value = margin(textbook(position.layout, scoring), position)
    assert value == ks.solve(position, scoring, memory="1M").margin


@pytest.mark.nightly
@each_scoring
@pytest.mark.parametrize("seed", range(1, 31))
def test_search_deeper(seed: int, scoring: ks.Scoring) -> None:
    layout = ks.Layout.random(seed, irregular=seed % 2 == 1)
    position = random_position(layout, 27, seed)
    if position is None:
        pytest.skip("the game was over before")
    value = margin(textbook(layout, scoring, 1 << 26), position)
    assert value == ks.solve(position, scoring).margin


def test_a_table_of_one_entry_is_enough() -> None:
    position = square_position(18, seed=1)
    large = textbook(position.layout, ks.Scoring.LEVEL2)
    small = textbook(position.layout, ks.Scoring.LEVEL2, 32)
    assert margin(small, position) == margin(large, position)
    assert small.nodes > large.nodes


def test_limits() -> None:
    position = square_position(32, seed=1)
    book = textbook(position.layout, ks.Scoring.LEVEL0)
    assert margin(book, position, nodes=1000) is None
    assert book.nodes == 1000
    begun = time.monotonic()
    assert margin(book, position, seconds=0.1) is None
    assert time.monotonic() - begun < 1
