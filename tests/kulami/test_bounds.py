"""Static bounds: the true margin lies within them, at every position of a game."""

from __future__ import annotations

import contextlib
import random

import pytest
import reference
import strategies
from agreement import BoundedMemo, TooManyPositionsError, as_position
from hypothesis import given, note, settings
from hypothesis import strategies as st
from static import Static, every_value

import kulami_solver as ks
from kulami_solver.kulami.textbook import Textbook

Case = tuple[reference.Rules, reference.State]

each_scoring = pytest.mark.parametrize("name", reference.SCORINGS)

# Every position of these is looked at: panels of one field, panels side by side, gaps, a layout
# in two pieces, rows long enough for chains.
BOARDS = [
    "AAB/CDB/CEE",
    "ABC/DEF/GHI",
    "AB.C/AB.C/DD.E",
    "AAAB/AAAB/CCCD",
    "ABC/ADE/FFE",
    "AA..BB/CC..DD/.EE.F.",
    "ABBCCDD",
    "ABCDE/.F.G.",
]
LARGER_BOARDS = [
    "AABB/CCBB/DDEF",
    "AABBCC/DDDEEE",
    "ABCDE/FGHIJ",
    "AAB/CDB/CEE/FGG",
    "ABBCDE/AFFCDE",
    "ABBCCD/ABBEED",
]
MARBLES = [2, 3, 28]

# Bounds that are off by one are wrong only where play is tight: look at many.
MOST_POSITIONS = 1500


def check_bounds(rules: reference.Rules, values: dict[reference.State, int], name: str) -> int:
    """Every margin within its bounds, and ended games exact; return how many are tight.

    A tight bound is one that the margin touches: were it closer by a point, it would be wrong.
    """
    static = Static(rules.rows, name)
    tight = moves = 0
    for state, value in values.items():
        lower, upper = static.bounds(rules, state)
        assert lower <= value <= upper, (
            f"scoring {name}, {rules.marbles} marbles, short end {rules.short_end}: margin {value} "
            f"is not within {lower} and {upper}: {reference.format_kfn(rules, state)}"
        )
        if reference.is_over(rules, state):
            assert lower == upper
        elif lower < upper:
            tight += value in (lower, upper)
        for square, (least, most) in static.move_bounds(rules, state).items():
            child = values.get(reference.play(state, square))
            if child is not None:
                moves += 1
                assert least <= -child <= most, (
                    f"scoring {name}, {rules.marbles} marbles: {reference.field_name(square)} is "
                    f"worth {-child}, not {least} to {most}: {reference.format_kfn(rules, state)}"
                )
    assert moves or len(values) < MOST_POSITIONS
    return tight


@pytest.mark.parametrize("boards", [BOARDS, pytest.param(LARGER_BOARDS, marks=pytest.mark.nightly)])
@each_scoring
def test_every_position_of_small_boards(name: str, boards: list[str]) -> None:
    looked_at = tight = 0
    for board in boards:
        for marbles in MARBLES:
            rules, state = reference.start(board, marbles=marbles, short_end=marbles == 3)
            values = every_value(rules, state, name)
            tight += check_bounds(rules, values, name)
            looked_at += len(values)
    assert looked_at > 10_000
    assert tight > 0, "bounds far from every margin would say nothing"


def check_all_that_follows(case: Case, most: int) -> None:
    """All that follows a position; of what takes long, what comes first."""
    rules, state = case
    note(reference.format_kfn(*case))
    for name in reference.SCORINGS:
        memo = BoundedMemo(most)
        with contextlib.suppress(TooManyPositionsError):
            reference.minimax(rules, state, name, memo)
        check_bounds(rules, memo, name)


@pytest.mark.parametrize(
    ("drawn", "examples", "most"),
    [
        (strategies.endgames(11), 15, MOST_POSITIONS),
        (strategies.placed(most_free=11), 15, MOST_POSITIONS),
        pytest.param(
            strategies.late_positions(12), 600, 4 * MOST_POSITIONS, marks=pytest.mark.nightly
        ),
    ],
    ids=["played", "placed", "thoroughly"],
)
def test_all_that_follows(drawn: st.SearchStrategy[Case], examples: int, most: int) -> None:
    @settings(max_examples=examples)
    @given(drawn)
    def run(case: Case) -> None:
        check_all_that_follows(case, most)

    run()


def check_along_a_game(case: Case, name: str, seed: int, nodes: int) -> None:
    """The fields of every position of a random game from here, judged by the textbook search.

    That one has no bounds of this kind, and is checked against the reference itself.
    """
    position = as_position(*case)
    scoring = ks.Scoring.parse(name)
    static = Static(position.layout.rows, name)
    textbook = Textbook(position.layout.geometry, 1 << 20, scoring.area, scoring.chains)
    draw = random.Random(seed)
    while not position.is_over:
        children = [position.play(field) for field in position.legal_fields]
        for child in children:
            place = (*child.view, child.supply)
            value = textbook.margin(*place, node_limit=nodes)
            if value is not None:
                lower, upper = static.of_place(*place)
                assert lower <= value <= upper, f"{scoring}, {child.supply}: {child.kfn()}"
        position = draw.choice(children)


@pytest.mark.parametrize(
    ("free", "examples", "nodes"),
    [(17, 30, 20_000), pytest.param(22, 200, 200_000, marks=pytest.mark.nightly)],
)
@each_scoring
def test_along_longer_games(name: str, free: int, examples: int, nodes: int) -> None:
    @settings(max_examples=examples)
    @given(strategies.late_positions(free))
    def run(case: Case) -> None:
        check_along_a_game(case, name, seed=1, nodes=nodes)

    run()
