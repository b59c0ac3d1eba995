"""Threads and the size of the table change how long a search takes, never what it finds.

Races need threads that meet: in games that can last only a few plies more, threads are not used,
so here they are made to be.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import pytest
import reference
from agreement import BoundedMemo, TooManyPositionsError, assert_solution_agrees
from random_play import positions, random_position

import kulami_solver as ks
from kulami_solver.kulami.solve import solver

each_scoring = pytest.mark.parametrize("scoring", list(ks.Scoring))

SMALL_BOARDS = [
    "ABBCD/ABBCD/ABBEE/FFFEE",
    "ABBBC/ABBBC/ADDEE/FDDEE/FDDGG",
    "ABBCCD/ABBCCD/ABBCCD/EEFFGG/HHFFGG",
    "AAB.C/DEB.C/DE.FF/GGGHH",
    "ABCDEF/AGHIJF/KGLMMF",
]


def check_agreement(position: ks.Position, scoring: ks.Scoring) -> None:
    """One thread and two, three tables: one margin, and lines that reach it."""
    found = ks.solve(position, scoring)
    assert found.exact
    for threads, memory in ((1, "64K"), (2, "64K"), (1, "16M"), (2, "16M"), (3, "1M")):
        other = ks.solve(position, scoring, threads=threads, memory=memory)
        assert other.exact
        assert other.margin == found.margin, f"{threads} threads, {memory}: {position.kfn()}"
        end = position.play_all(other.line)
        assert end.is_over
        margin = end.score(scoring).margin
        assert (margin if position.turn == "red" else -margin) == found.margin
        outcome = ks.solve(position, scoring, "outcome", threads=threads, memory=memory).outcome
        assert outcome == found.outcome, f"{threads} threads, {memory}: {position.kfn()}"


@pytest.mark.parametrize(
    ("most_free", "begin", "end"), [(26, 0, 3), pytest.param(29, 3, 18, marks=pytest.mark.nightly)]
)
@each_scoring
def test_deeper_positions(scoring: ks.Scoring, most_free: int, begin: int, end: int) -> None:
    free = most_free if scoring is ks.Scoring.LEVEL0 else most_free - 3
    for position in itertools.islice(positions(free), begin, end):
        check_agreement(position, scoring)


def late_positions(seed: int) -> Iterator[ks.Position]:
    """Positions of random games with 9 to 16 free fields, on small boards and large ones."""
    draw = random.Random(seed)
    while True:
        number = draw.randrange(1 << 30)
        if draw.random() < 0.5:
            layout = ks.Layout.random(number, irregular=draw.random() < 0.5)
            free = draw.randint(11, 16)
        else:
            layout = ks.Layout.parse(draw.choice(SMALL_BOARDS))
            free = draw.randint(9, min(14, len(layout) - 3))
        position = random_position(layout, free, number)
        if position is not None:
            limit = draw.choice([28, 28, max(position.red.bit_count(), 1) + draw.randint(1, 5)])
            limit = max(limit, position.black.bit_count() + 1)
            yield ks.Position.from_kfn(position.kfn(), limit, short_end=draw.random() < 0.25)


def check_against_reference(seed: int, scoring: ks.Scoring, count: int, most: int) -> None:
    """So many positions, every legal field of them, by one thread and by two.

    Those that follow from more than `most` positions would take the reference too long.
    """
    checked = 0
    for number, position in enumerate(late_positions(seed)):
        rules, state = reference.parse_kfn(position.kfn(), position.marbles, position.short_end)
        try:
            values = reference.field_values(rules, state, scoring.value, BoundedMemo(most))
        except TooManyPositionsError:
            continue
        solution = ks.solve(
            position, scoring, threads=1 + number % 2, memory="64K", every_move=True
        )
        assert_solution_agrees(solution, rules, state, scoring.value, values)
        checked += 1
        if checked == count:
            break


@pytest.mark.parametrize(
    ("seed", "count", "most"),
    [(1, 12, 2500), pytest.param(2, 150, 20_000, marks=pytest.mark.nightly)],
)
@each_scoring
def test_late_positions(
    scoring: ks.Scoring, seed: int, count: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(solver, "_ALONE", 0)
    check_against_reference(seed, scoring, count, most)


@each_scoring
def test_many_threads_on_one_question(scoring: ks.Scoring, monkeypatch: pytest.MonkeyPatch) -> None:
    """More threads than cores stop and start anywhere, and share a table of a thousand buckets."""
    monkeypatch.setattr(solver, "_ALONE", 0)
    for position in itertools.islice(positions(16), 20):
        expected = ks.solve(position, scoring).margin
        assert ks.solve(position, scoring, threads=8, memory="64K").margin == expected
