"""Rows and columns that panels cannot tell apart: the table keeps one position for them all."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

import kulami_solver as ks
from kulami_solver.kulami.solve.solver import Solver
from kulami_solver.kulami.textbook import Textbook

BOARDS = (
    "ABBCCD/ABBCCD/ABBCCD/EEFFGG/HHFFGG",
    "ABBCCD/ABBCCD/ABBCCD/EEFFGG/HHFFGG/HHIIJJ",
    "AABB/AABB/CCDD/CCDD/EEFF/EEFF",
    "AABBC/AABBC/.DD.E/.DD.E/FFGGE/FFGGE",
    "AAABB/CCCDD/CCCDD/EEEFF/EEEFF/EEEFF",
    "AAAABBBB/AAAABBBB/CCCCDDDD/CCCCDDDD",
)


def positions(layout: ks.Layout, games: int, most: int) -> Iterator[ks.Position]:
    """Positions of random games with 12 to `most` plies to come, so that the table is used."""
    chance = random.Random(layout.rows[0])
    for _ in range(games):
        position = ks.Position(layout)
        while not position.is_over:
            if 12 <= min(position.supply, position.free_count) <= most:
                yield position
            position = position.play(chance.choice(position.legal_fields))


@pytest.mark.parametrize(
    ("games", "most"), [(20, 19), pytest.param(200, 21, marks=pytest.mark.nightly)]
)
def test_answers_are_true(games: int, most: int) -> None:
    """A table that is shared by all positions of a board never makes an answer wrong."""
    asked = 0
    for rows in BOARDS:
        layout = ks.Layout.parse(rows)
        search = Solver(ks.Position(layout), ks.Scoring.LEVEL0, 1 << 20).search
        book = Textbook(layout.geometry, 1 << 20, False, False)
        for position in positions(layout, games, most):
            margin = book.margin(*position.view, position.supply)
            assert margin is not None
            lower, upper = search.set_position(*position.view, position.supply)
            for beta in range(lower + 1, upper + 1):
                answer = search.null_window(beta)
                assert answer is not None
                assert (beta <= answer <= margin) or (margin <= answer < beta), position.kfn()
                asked += 1
                field = search.proving_field()
                if answer >= beta and field is not None:
                    after = position.play(layout.fields[field])
                    worth = book.margin(*after.view, after.supply)
                    assert worth is not None
                    assert -worth >= answer, position.kfn()
    assert asked > 500, asked


def exchanged(position: ks.Position, rows: tuple[int, int]) -> ks.Position:
    """The position with two rows exchanged, with all that is on them."""
    layout, marbles, turn, last = position.kfn().split(" ")
    lines = marbles.split("/")
    first, second = rows
    lines[first], lines[second] = lines[second], lines[first]
    name = {str(first + 1): str(second + 1), str(second + 1): str(first + 1)}
    fields = ",".join(field[0] + name.get(field[1:], field[1:]) for field in last.split(","))
    return ks.Position.from_kfn(f"{layout} {'/'.join(lines)} {turn} {fields}", position.marbles)


def test_an_exchanged_position_is_known() -> None:
    """Where its image has been solved, a position takes hardly any search."""
    layout = ks.Layout.parse(BOARDS[0])
    chance = random.Random(3)
    position = ks.Position(layout)
    while position.free_count > 25:
        position = position.play(chance.choice(position.legal_fields))
    image = exchanged(position, (0, 2))
    assert image != position
    search = Solver(ks.Position(layout), ks.Scoring.LEVEL0, 1 << 20).search
    nodes = []
    answers: list[dict[int, bool]] = []
    for one in (position, image):
        before = search.nodes
        search.set_position(*one.view, one.supply)
        found = [(beta, search.null_window(beta)) for beta in range(-9, 10)]
        answers.append({beta: answer >= beta for beta, answer in found if answer is not None})
        nodes.append(search.nodes - before)
    assert answers[0] == answers[1]
    assert nodes[0] > 1000
    assert nodes[1] < nodes[0] / 20, nodes


@pytest.mark.parametrize(
    "scoring", [scoring for scoring in ks.Scoring if scoring is not ks.Scoring.LEVEL0]
)
def test_lines_are_not_alike_where_more_than_panels_counts(scoring: ks.Scoring) -> None:
    """Areas and chains can tell such rows apart: values of images differ somewhere."""
    assert any(
        ks.solve(position, scoring=scoring).margin
        != ks.solve(exchanged(position, (0, 1)), scoring=scoring).margin
        for position in positions(ks.Layout.parse(BOARDS[0]), 5, 14)
    )
