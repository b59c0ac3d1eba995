"""Positions close to the end: solved at once, in the thread that asks, and as true as others."""

from __future__ import annotations

import dataclasses
import itertools
import threading
from unittest import mock

import pytest
from random_play import positions, random_position

import kulami_solver as ks
from kulami_solver.core import memory
from kulami_solver.core.memory import default_table_size, table_size
from kulami_solver.core.table import TranspositionTable
from kulami_solver.kulami.solve import solver
from kulami_solver.kulami.solve.solution import Goal

each_scoring = pytest.mark.parametrize("scoring", list(ks.Scoring))


def a_position(free: int, seed: int = 1) -> ks.Position:
    position = random_position(ks.Layout.random(seed), free, seed)
    assert position is not None
    return position


@pytest.fixture
def no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a thread was begun")

    monkeypatch.setattr(threading.Thread, "start", refuse)


@pytest.mark.usefixtures("no_threads")
@each_scoring
@pytest.mark.parametrize("free", [10, 16, 20])
def test_no_thread_is_begun_for_them(free: int, scoring: ks.Scoring) -> None:
    for position in itertools.islice(positions(free), 5):
        solution = ks.solve(position, scoring)
        assert solution.exact
        assert position.play_all(solution.line).is_over


@pytest.mark.usefixtures("no_threads")
def test_few_nodes_are_kept_to_and_stop_is_looked_at_first() -> None:
    position, stop = a_position(24), threading.Event()
    whole = ks.solve(position, stop=stop)
    assert whole.exact
    few = ks.solve(position, nodes=200)
    stop.set()
    none = ks.solve(position, stop=stop)
    assert none.nodes == 0 < few.nodes < whole.nodes
    for found in (few, none):
        assert found.lower <= whole.lower <= found.upper
        assert found.lower < found.upper
        assert not found.exact


@pytest.mark.usefixtures("no_threads")
def test_progress_is_told_once_and_may_interrupt() -> None:
    seen: list[ks.Solution] = []
    solution = ks.solve(a_position(20), progress=seen.append)
    assert [(told.lower, told.upper, told.nodes) for told in seen] == [
        (solution.margin, solution.margin, solution.nodes)
    ]
    with pytest.raises(ks.SolveInterrupted) as caught:
        ks.solve(a_position(20), progress=mock.Mock(side_effect=KeyboardInterrupt))
    assert caught.value.solution.exact


def test_tables_are_as_small_as_the_position_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> int:
        raise AssertionError("the machine was asked for its memory")

    monkeypatch.setattr(memory, "available_memory", refuse)
    sizes = [default_table_size(plies) for plies in range(10, 31)]
    assert sizes[0] == 1 << 16
    assert sizes == sorted(sizes)
    assert sizes[-1] == 4 << 20
    assert table_size("1M", 24, tables=8) == 1 << 20


@pytest.mark.parametrize("size", [1 << 16, (2 << 20) - 64, 2 << 20])
def test_tables_of_either_kind_of_memory_serve(size: int) -> None:
    assert TranspositionTable(size).size == size
    position = a_position(22)
    searched = solver.Solver(position, ks.Scoring.LEVEL0, size)
    assert searched.inquire(position).lower == ks.solve(position, memory="16M").margin


@pytest.mark.parametrize("goal", ["margin", "outcome"])
@each_scoring
def test_those_of_a_batch_share_their_memory_and_nothing_else(
    scoring: ks.Scoring, goal: Goal
) -> None:
    """Boards of all sizes, games that are over, positions too long for it, budgets that end."""
    small = ks.Position(ks.Layout.parse("AAB/CCB"))
    chosen = [small, small.play_all(ks.solve(small).line), ks.Position(ks.Layout.parse("A/A"))]
    for free in (12, 24, 26, 14, 13, 20):
        chosen += itertools.islice(positions(free), 2)
    late = a_position(12)
    line = ks.solve(late).line
    chosen += [late.play_all(line[:plies]) for plies in range(1, len(line) + 1)]
    # The first go one by one, so that a batch sees how long they take.
    chosen = chosen * 4
    for nodes in (None, 1, 60):
        alone = [ks.solve(position, scoring, goal, nodes=nodes) for position in chosen]
        together = ks.solve_many(chosen, scoring, goal, nodes=nodes, workers=1)
        for one, other in zip(alone, together, strict=True):
            assert dataclasses.replace(other, seconds=one.seconds) == one
            assert other.seconds >= 0


@pytest.mark.parametrize(
    "kfn",
    [
        "AAABCDDD/AAABCEEF/GHHHIEEF/GJJJIKKF/GJJJLLMM/NNOOLLMM/NNOOPPQQ/NNOOPPQQ "
        "rr1brbbb/br1brrrb/bbrrrbbr/r2rbrbb/b1rbrrbr/b1b2brr/r1b1brb1/rr1bbrrb r c6,c3",
        "ABBBCCDD/ABBBCCDD/EEFFGHHH/EEIJGHHH/KKIJLLMN/KKIJLLMN/OOOPPPMN/OOOPPPQQ "
        "1rr1bbrb/br1rb1b1/bb1brrb1/bbbbrb1r/rrrbrrbb/b1br1r1r/rrrrbrbb/r1brbrbr r g2,d2",
    ],
)
def test_every_move_by_outcome_alone(kfn: str) -> None:
    """The position is shown to win by more than any of its fields is."""
    position = ks.Position.from_kfn(kfn)
    found = ks.solve(position, goal="outcome", every_move=True)
    known = ks.solve(position, every_move=True)
    outcomes = {move.field: move.outcome for move in known.moves}
    assert {move.field: move.outcome for move in found.moves} == outcomes
    assert found.best is not None
    assert outcomes[found.best] == found.outcome == known.outcome
    assert position.play_all(found.line).is_over
