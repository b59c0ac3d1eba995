"""The depth-limited search of Malawi: what it proves is so, and it proves what there is."""

from __future__ import annotations

import functools
import random

import malawi_reference as reference
import pytest
from malawi_agreement import mfn, turn_text

from kulami_solver.core.table import TranspositionTable
from kulami_solver.malawi import Board, Position, search
from kulami_solver.malawi.rules import Rules
from kulami_solver.malawi.search import Search
from kulami_solver.malawi.values import Solution, value_in

SMALL = [(2, 4, 2), (2, 6, 2), pytest.param(3, 3, 2, marks=pytest.mark.nightly)]


@functools.cache
def solved(columns: int, rows: int, beads: int) -> reference.Solved:
    return reference.solve(reference.start(columns, rows, beads))


def assert_agrees(
    searched: Search, grid: reference.Grid, known: reference.Solved, most: int
) -> None:
    """Every question up to `most` plies: yes from the exact number of plies on, else no."""
    outcome, plies = known.values[grid]
    view = Position.from_mfn(mfn(grid, "r")).view
    for asked in range(most + 1):
        decided = plies is not None and asked >= plies
        assert searched.wins_within(*view, asked) == (decided and outcome == "win")
        assert searched.loses_within(*view, asked) == (decided and outcome == "loss")


@pytest.mark.parametrize(("columns", "rows", "beads"), SMALL)
@pytest.mark.parametrize("size", [1 << 12, 1 << 22])
def test_every_question_about_small_boards(columns: int, rows: int, beads: int, size: int) -> None:
    """From one table, roomy or too small, in any order of positions: what it keeps stays true."""
    known = solved(columns, rows, beads)
    searched = Search(Rules(columns, rows), TranspositionTable(size))
    for grid in random.Random(1).sample(sorted(known.values), min(len(known.values), 1500)):
        assert_agrees(searched, grid, known, 9)


def assert_solution_holds(
    solution: Solution, known: reference.Solved, grid: reference.Grid
) -> None:
    """The value, the line and the value of every turn."""
    value = solution.value
    assert (value.outcome, value.plies) == known.values[grid]
    assert len(solution.line) == value.plies
    position = solution.position
    for turn in solution.line:
        position = position.play(turn)
    assert position.is_over
    assert (position.winner == solution.position.turn) == (value.outcome == "win")
    side = solution.position.turn[0]
    expected = {
        turn_text(grid, turn, side): found
        for turn, found in reference.best_values(grid, known).items()
    }
    assert len(solution.turns) == len(expected)
    for found in solution.turns:
        outcome, plies = expected[str(found.move)]
        if found.outcome is None:
            assert plies is None or plies > (found.within or 0)
        else:
            assert (found.outcome, found.plies) == (outcome, plies)
    assert [value_in(found).rank for found in solution.turns] == sorted(
        value_in(found).rank for found in solution.turns
    )


@pytest.mark.parametrize("side", ["r", "b"])
def test_decided_positions_are_solved_to_the_end(side: str) -> None:
    known = solved(2, 5, 2)
    decided = [grid for grid, (_, plies) in known.values.items() if plies]
    for grid in random.Random(3).sample(sorted(decided), 60):
        solution = search(Position.from_mfn(mfn(grid, side)), memory="64K", every_move=True)
        assert_solution_holds(solution, known, grid)


def test_a_drawn_position_is_never_called_anything() -> None:
    drawn = [grid for grid, (outcome, _) in solved(2, 6, 2).values.items() if outcome == "draw"]
    for grid in random.Random(4).sample(sorted(drawn), 20):
        solution = search(Position.from_mfn(mfn(grid, "b")), depth=30)
        assert (solution.value.outcome, solution.value.within) == (None, 30)
        assert solution.line == ()


def test_a_position_has_one_key_whatever_led_to_it() -> None:
    """Positions are counted when they are not in the table: with other keys there are more.

    Played through the table, a position stands where other figures stood before; given by
    itself, it stands on a board that was empty. Both must be the same question.
    """
    searched = Search(Rules(6, 6), TranspositionTable(1 << 26))
    start = Position.start(Board(6, 6))
    assert not searched.wins_within(*start.view, 8)
    before = searched.nodes
    assert before
    for turn in start.turns:
        searched.loses_within(*start.play(turn).view, 7)
    assert searched.nodes == before
