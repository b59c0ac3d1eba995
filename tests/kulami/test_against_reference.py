"""Everything fast against everything slow, on random layouts and random play."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
import reference
import strategies
from agreement import (
    BoundedMemo,
    TooManyPositionsError,
    as_position,
    assert_agree,
    assert_solution_agrees,
    mask,
    names,
)
from hypothesis import example, given, note, reject, settings
from hypothesis import strategies as st

import kulami_solver as ks
from kulami_solver.kulami.solve.solution import Goal

Case = tuple[reference.Rules, reference.State]

MEMORY = "1M"
MOST_POSITIONS = 5000
GOALS: tuple[Goal, ...] = ("margin", "outcome")


def play_both(game: strategies.Game) -> None:
    """Play a game on both sides from the empty board, comparing everything after every ply."""
    rules, state = reference.start(game.layout, game.first, game.marbles, game.short_end)
    position = ks.Position(
        ks.Layout.parse(game.layout),
        first="red" if game.first == "r" else "black",
        marbles=game.marbles,
        short_end=game.short_end,
    )
    assert_agree(position, rules, state)
    for field in game.moves:
        position = position.play(field)
        state = reference.play(state, reference.field_square(field))
        assert_agree(position, rules, state)


def check_layout(text: str) -> None:
    """A layout's fields, numbering and panels, and that its text reads back."""
    panel = reference.parse_layout(text)
    layout = ks.Layout.parse(text)
    squares = sorted(panel, key=reference.reading_order)
    assert len(layout) == len(panel)
    assert layout.fields == names(squares)
    assert reference.layout_rows(str(layout)) == reference.layout_rows(text)
    assert ks.Layout.parse(str(layout)) == layout
    assert {shape.name for shape in layout.panels} == set(panel.values())
    for shape in layout.panels:
        own = [number for number, square in enumerate(squares) if panel[square] == shape.name]
        assert sorted(shape.fields) == own
        assert shape.size == shape.width * shape.height == len(own)


def check_refused_fields(rules: reference.Rules, state: reference.State) -> None:
    """Every field which is not legal is refused, and every legal one leads to the same position."""
    position = as_position(rules, state)
    legal = reference.legal_fields(rules, state)
    for square in sorted(rules.panel):
        field = reference.field_name(square)
        if square in legal:
            assert position.play(field) == as_position(rules, reference.play(state, square))
        else:
            with pytest.raises(ks.IllegalMoveError):
                position.play(field)


def field_values(case: Case, name: str) -> dict[str, int]:
    """The reference's values; cases which would take it long are not used."""
    try:
        return reference.field_values(*case, name, BoundedMemo(MOST_POSITIONS))
    except TooManyPositionsError:
        reject()


def check_solve(case: Case, name: str, threads: int = 1) -> None:
    """Both goals, every legal field's value, and the line."""
    rules, state = case
    note(reference.format_kfn(rules, state))
    values = field_values(case, name)
    for goal in GOALS:
        solution = ks.solve(
            as_position(rules, state),
            scoring=ks.Scoring.parse(name),
            goal=goal,
            threads=threads,
            memory=MEMORY,
            every_move=True,
        )
        assert_solution_agrees(solution, rules, state, name, values)


def edited(text: str, seed: int) -> str:
    """A KFN line with one marble, the turn or a last field changed, valid or not."""
    chance = random.Random(seed)
    layout, stones, turn, last = text.split(" ")
    fields = names(sorted(reference.parse_layout(layout)))
    what = chance.randrange(4)
    if what == 0 and stones != "-":
        at = chance.choice([i for i, character in enumerate(stones) if character in "rb"])
        stones = stones[:at] + chance.choice("rb1") + stones[at + 1 :]
    elif what == 1:
        turn = "b" if turn == "r" else "r"
    elif what == 2:
        last = ",".join(chance.choice(fields) for _ in range(chance.choice([1, 1, 2, 2, 2, 3])))
    else:
        last = chance.choice(["-", last.split(",")[0], ",".join(reversed(last.split(",")))])
    return " ".join([layout, stones, turn, last])


def check_validity(text: str, marbles: int) -> None:
    """A line which the reference refuses is refused, and a valid one read the same."""
    note(text)
    try:
        rules, state = reference.parse_kfn(text, marbles)
    except ValueError:
        with pytest.raises(ks.KulamiError):
            ks.Position.from_kfn(text, marbles=marbles)
    else:
        assert_agree(ks.Position.from_kfn(text, marbles=marbles), rules, state)


@settings(max_examples=50)
@given(strategies.layouts())
@example(reference.RULEBOOK_LAYOUT)
def test_layouts(text: str) -> None:
    check_layout(text)


def by_day_and_night(day: int, night: int) -> pytest.MarkDecorator:
    """A test of so many examples, or at night so many more."""
    return pytest.mark.parametrize(
        "examples", [day, pytest.param(night, marks=pytest.mark.nightly)], ids=["day", "night"]
    )


@by_day_and_night(40, 1000)
def test_random_play(examples: int) -> None:
    @settings(max_examples=examples)
    @given(strategies.games())
    def run(game: strategies.Game) -> None:
        play_both(game)

    run()


@settings(max_examples=200)
@given(strategies.wide_layouts(), st.sampled_from([(1, 0), (0, 1), (1, 1), (1, -1)]), st.randoms())
def test_lines_of_one_colour(text: str, along: tuple[int, int], chance: random.Random) -> None:
    """Runs are counted on both sides of a gap, and go on over no edge."""
    rules, state = reference.start(text)
    colours: dict[int, str] = {}
    marbles: dict[str, set[reference.Square]] = {"red": set(), "black": set(), "": set()}
    for square in sorted(rules.panel):
        line = square[0] * along[0] + square[1] * along[1]
        colour = colours.setdefault(line, chance.choice(["red", "black", "red", "black", ""]))
        if chance.random() < 0.05:
            colour = chance.choice(["red", "black", ""])
        marbles[colour].add(square)
    state = replace(state, red=frozenset(marbles["red"]), black=frozenset(marbles["black"]))
    geometry, parts = ks.Layout.parse(text).geometry, reference.score_parts(rules, state)
    masks = mask(rules, state.red), mask(rules, state.black)
    assert geometry.panel_points(*masks) == parts.panels
    assert geometry.largest_areas(*masks) == parts.area
    assert geometry.chain_points(*masks) == parts.chains


@by_day_and_night(30, 500)
def test_placed_positions(examples: int) -> None:
    @settings(max_examples=examples)
    @given(strategies.placed())
    def run(case: Case) -> None:
        assert_agree(as_position(*case), *case)

    run()


@settings(max_examples=40)
@given(strategies.positions())
def test_moves_are_accepted_or_refused(case: Case) -> None:
    check_refused_fields(*case)


@by_day_and_night(80, 2000)
def test_valid_and_invalid_kfn(examples: int) -> None:
    @settings(max_examples=examples)
    @given(strategies.positions(), st.integers(0, 2**32 - 1), st.sampled_from([3, 20, 28, 32]))
    def run(case: Case, seed: int, marbles: int) -> None:
        check_validity(edited(reference.format_kfn(*case), seed), marbles)

    run()


@settings(max_examples=40)
@given(strategies.late_positions(10))
def test_perft_to_the_end(case: Case) -> None:
    assert as_position(*case).perft(8) == reference.perft(*case, 8)


@pytest.mark.parametrize(
    ("examples", "depth"), [(25, 2), pytest.param(100, 3, marks=pytest.mark.nightly)]
)
def test_perft_of_wide_positions(examples: int, depth: int) -> None:
    @settings(max_examples=examples)
    @given(strategies.positions())
    def run(case: Case) -> None:
        assert as_position(*case).perft(depth) == reference.perft(*case, depth)

    run()


@by_day_and_night(15, 300)
@pytest.mark.parametrize("name", reference.SCORINGS)
@pytest.mark.parametrize(
    "drawn", [strategies.endgames(12), strategies.placed(most_free=12)], ids=["played", "placed"]
)
def test_solve(drawn: st.SearchStrategy[Case], name: str, examples: int) -> None:
    @settings(max_examples=examples)
    @given(drawn)
    def run(case: Case) -> None:
        check_solve(case, name)

    run()


@settings(max_examples=30)
@given(strategies.placed(most_free=12, most_fields=12), st.sampled_from(list(reference.SCORINGS)))
def test_solve_small_boards(case: Case, name: str) -> None:
    check_solve(case, name)


@settings(max_examples=40)
@given(strategies.late_positions(10), st.sampled_from(list(reference.SCORINGS)), st.integers(1, 60))
def test_budgets_keep_true_bounds(case: Case, name: str, nodes: int) -> None:
    """However early a search is stopped, the exact margin lies within what it says."""
    rules, state = case
    values = field_values(case, name)
    solution = ks.solve(
        as_position(rules, state),
        scoring=ks.Scoring.parse(name),
        threads=1,
        memory=MEMORY,
        nodes=nodes,
        every_move=True,
    )
    value = max(values.values()) if values else reference.margin(rules, state, name)
    assert solution.lower <= value <= solution.upper
    assert solution.margin == (value if solution.exact else None)
    for move in solution.moves:
        assert move.lower <= values[move.field] <= move.upper
