"""The slow reference of Malawi: the known values, and its rules by examples made by hand."""

from __future__ import annotations

import malawi_reference as reference
import pytest

LONG = pytest.mark.nightly
KNOWN = [
    (2, 3, 2, 156, ("loss", 4)),
    (2, 4, 2, 1_775, ("loss", 11)),
    (2, 5, 2, 6_170, ("loss", 10)),
    (2, 6, 2, 17_476, ("draw", None)),
    pytest.param(3, 3, 1, 196_579, ("loss", 12), marks=LONG),
    pytest.param(3, 3, 2, 211_852, ("draw", None), marks=LONG),
]


@pytest.mark.parametrize(("columns", "rows", "beads", "reachable", "value"), KNOWN)
def test_known_values(
    columns: int, rows: int, beads: int, reachable: int, value: tuple[str, int | None]
) -> None:
    solved = reference.solve(reference.start(columns, rows, beads))
    assert len(solved.values) == reachable
    assert solved.values[solved.root] == value


def after(grid: reference.Grid) -> dict[reference.Turn, reference.Grid]:
    return dict(reference.turns(grid))


def test_a_move_goes_as_far_as_the_beads_over_empty_squares() -> None:
    grid = ((0, 0, -1), (0, 0, 0), (3, 0, 0))  # two beads in the corner
    assert [turn for turn in after(grid) if turn[0] == "move"] == [
        ("move", (0, 2), ((0, 0),)),
        ("move", (0, 2), ((2, 2),)),
    ]
    blocked = ((0, 0, 0), (-1, 0, 0), (3, 1, 0))
    assert [turn for turn in after(blocked) if turn[0] == "move"] == []


def test_a_hit_takes_all_beads_and_leaves_the_figure() -> None:
    grid = ((-4, -1), (0, 0), (3, 2))
    hits = {turn: grid for turn, grid in after(grid).items() if turn[0] == "hit"}
    assert hits == {("hit", (0, 2), ((0, 0),)): ((-3, -2), (0, 0), (1, 1))}


def test_beads_are_spread_one_each_and_the_surplus_is_gone() -> None:
    grid = ((0, -2, 0), (0, 0, 0), (4, 1, 2))  # three beads, two receivers
    assert after(grid)["spread", (0, 2), ((1, 2), (2, 2))] == (
        (-1, -2, -3),
        (0, 0, 0),
        (0, 2, 0),
    )
    chosen = {turn[2] for turn in after(grid) if turn[:2] == ("spread", (2, 2))}
    assert chosen == {((0, 2),), ((1, 2),)}  # one bead, two to choose from


def test_how_it_ends() -> None:
    assert reference.ended(((2, 0), (0, 0), (0, -2))) == "win"
    assert reference.ended(((1, 0), (2, 0), (0, -2))) is None  # no bead on the far row
    assert reference.ended(((1, 0), (0, 0), (0, -2))) == "loss"
    assert reference.ended(((0, 0), (2, 0), (0, -2))) is None


def test_what_a_turn_is_worth_counts_from_before_it() -> None:
    solved = reference.solve(reference.start(2, 3, 2))
    outcome, plies = solved.values[solved.root]
    values = reference.best_values(solved.root, solved)
    assert outcome == "loss"
    assert {found for found, _ in values.values()} == {"loss"}
    assert max(found or 0 for _, found in values.values()) == plies
