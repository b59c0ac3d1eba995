"""The dense index of Malawi: one number for each position and its mirror image, and back."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kulami_solver.malawi.index import Index
from kulami_solver.malawi.rules import Rules

View = tuple[int, int, bytes]
BOARDS = [(2, 3, 2), (2, 5, 1), (3, 3, 2), (3, 4, 1), (3, 5, 2), (4, 3, 1), (4, 4, 2), (5, 3, 1)]
INDEXES = {board: Index(*board) for board in BOARDS}


@st.composite
def positions(draw: st.DrawFn) -> tuple[Index, View]:
    """An index and a position it numbers."""
    columns, rows, beads = draw(st.sampled_from(BOARDS))
    squares = draw(st.permutations(range(columns * rows)))[: 2 * columns]
    piles = bytearray(columns * rows)
    for figures in (squares[:columns], squares[columns:]):
        for _ in range(draw(st.integers(1, columns * beads))):
            piles[draw(st.sampled_from(figures))] += 1
    own, other = (
        sum(1 << square for square in figures) for figures in (squares[:columns], squares[columns:])
    )
    return INDEXES[columns, rows, beads], (own, other, bytes(piles))


def layer_of(index: Index, slot: int) -> int:
    return max(layer for layer, begin in enumerate(index.bounds) if begin <= slot)


@given(positions())
def test_a_position_and_its_image_share_a_slot(drawn: tuple[Index, View]) -> None:
    index, view = drawn
    image = index.rules.mirrored(*view)
    slot = index.slot(*view)
    assert index.slot(*image) == slot
    assert index.position(slot) in (view, image)
    assert index.weight(slot) == (1 if image == view else 2)


@given(positions())
def test_successors_are_what_turns_lead_to(drawn: tuple[Index, View]) -> None:
    index, view = drawn
    slot = index.slot(*view)
    rules: Rules = index.rules
    found = index.successors(slot)
    if rules.end(*view):
        assert found is None
        return
    expected = [index.slot(*rules.play(*view, *turn)) for turn in rules.turns(*view)]
    assert found is not None
    assert Counter(found) == Counter(expected)
    for after in set(found):
        assert layer_of(index, after) <= layer_of(index, slot)
        here = layer_of(index, after) == layer_of(index, slot)
        assert (slot in index.predecessors(after)) == here
    for before in index.predecessors(slot):
        assert layer_of(index, before) == layer_of(index, slot)
        assert slot in (index.successors(before) or [slot])  # [slot]: the game was over before


@pytest.mark.parametrize(("columns", "rows", "beads"), [(2, 3, 2), (2, 4, 1), (2, 5, 1)])
def test_slots_are_positions_one_to_one(columns: int, rows: int, beads: int) -> None:
    index = Index(columns, rows, beads)
    total = 0
    for slot in range(index.slots):
        weight = index.weight(slot)
        if weight:
            assert index.slot(*index.position(slot)) == slot
        total += weight
    placements = math.comb(columns * rows, columns) * math.comb(columns * (rows - 1), columns)
    shares = [math.comb(n + columns - 1, columns - 1) for n in range(columns * beads + 1)]
    # The opponent has a bead: if it had none, the game would have been over before.
    assert total == placements * sum(shares) * sum(shares[1:])
