"""Many games stepped at once are the same games that positions play one by one."""

from __future__ import annotations

import itertools
import threading

import numpy as np
import pytest

from kulami_solver import Layout, Position, Scoring
from kulami_solver.adapters.batch import NO_ACTION, Batch
from kulami_solver.adapters.planes import PLANES, Planes

LAYOUTS = [Layout.square(), Layout.rulebook(), Layout.parse("AAB/CCB"), Layout.random(3, True)]


def check_same(batch: Batch, positions: list[Position]) -> None:
    """Every array says of each game what its position says."""
    shown = batch.arrays()
    masks, ended = batch.legal_masks, batch.ended
    for i, position in enumerate(positions):
        assert batch.position(i) == position
        assert int(shown["legal"][i]) == position.legal_mask
        assert masks[i].nonzero()[0].tolist() == [
            position.layout.index(field) for field in position.legal_fields
        ]
        assert bool(ended[i]) == position.is_over
        assert int(shown["margin"][i]) == position.score(batch.scoring).margin
        assert int(shown["supply"][i]) == position.supply


@pytest.mark.parametrize(
    ("scoring", "marbles", "short_end", "first"),
    [
        *(("0", 28, False, "red"), ("2", 12, True, "black"), ("1", 3, False, "red")),
        ("chains", 32, True, "red"),
    ],
)
def test_the_same_games_as_positions_play(
    scoring: str, marbles: int, short_end: bool, first: str
) -> None:
    batch = Batch(
        12, LAYOUTS, scoring, first=first, marbles=marbles, short_end=short_end, seed=marbles
    )
    positions = [
        Position(LAYOUTS[i % len(LAYOUTS)], first, marbles, short_end) for i in range(len(batch))
    ]
    scored = Scoring.parse(scoring)
    for ply in itertools.count():
        if ply % 7 == 0 or batch.ended.all():
            check_same(batch, positions)
        if batch.ended.all():
            break
        actions = batch.random_actions()
        rewards, ended = batch.step(actions)
        for i, action in enumerate(actions.tolist()):
            over = positions[i].is_over
            assert (action == NO_ACTION) == over
            positions[i] = positions[i] if over else positions[i].play(action)
            assert bool(ended[i]) == (positions[i].is_over and not over)
            margin = positions[i].score(scored).margin if ended[i] else 0
            assert rewards[i].tolist() == [margin, -margin]


def test_random_games_have_the_seed_s_moves_however_many_there_are() -> None:
    few, many = Batch(3, Layout.square(), seed=9), Batch(50, Layout.square(), seed=9)
    other = Batch(3, Layout.square(), seed=10)
    drawn = []
    for batch in (few, many, other):
        for _ in range(20):
            batch.step(batch.random_actions())
        drawn.append([batch.position(i) for i in range(3)])
    assert drawn[0] == drawn[1] != drawn[2]
    assert len(set(drawn[0])) == 3


def test_rollouts_are_games_to_the_end_and_change_nothing() -> None:
    batch = Batch(5, LAYOUTS, "2", seed=4)
    batch.step(batch.random_actions())
    before = [batch.position(i) for i in range(5)]
    margins, plies = batch.rollouts(200)
    assert [batch.position(i) for i in range(5)] == before
    assert np.ptp(margins[0]) > 10
    # AAB/CCB: what can come of it is listed by playing all of its games.
    ends: set[tuple[int, int]] = set()
    waiting = [before[2]]
    while waiting:
        position = waiting.pop()
        waiting += [position.play(field) for field in position.legal_fields]
        if position.is_over:
            placed = position.red.bit_count() + position.black.bit_count() - 1
            ends.add((position.score(Scoring.LEVEL2).margin, placed))
    assert set(zip(margins[2].tolist(), plies[2].tolist(), strict=True)) == ends


def test_random_actions_are_all_as_likely() -> None:
    counts = np.bincount(Batch(6000, Layout.parse("AAB/CCB"), seed=2).random_actions(), minlength=6)
    assert counts.sum() == 6000
    assert (abs(counts - 1000) < 150).all()


def test_games_that_end_begin_anew_where_that_is_wanted() -> None:
    batch = Batch(40, LAYOUTS[2], rewards="outcome", again=True, seed=5)
    games = 0
    for _ in range(60):
        rewards, ended = batch.step(batch.random_actions())
        games += int(ended.sum())
        assert not batch.ended.any()
        assert set(rewards[ended].reshape(-1).tolist()) <= {1, 0, -1}
        assert (rewards[~ended] == 0).all()
        begun = np.flatnonzero(ended)[:1].tolist()
        assert all(batch.position(i) == Position(LAYOUTS[2]) for i in begun)
    assert games > 300


def test_resetting_some_games_leaves_the_others() -> None:
    batch = Batch(4, LAYOUTS, seed=1)
    for _ in range(2):
        batch.step(batch.random_actions())
    before = [batch.position(i) for i in range(4)]
    batch.reset(where=np.array([False, True, False, True]))
    assert [batch.position(i) == before[i] for i in range(4)] == [True, False, True, False]
    batch.reset(layouts=Layout.square(), seed=7)
    batch.step(batch.random_actions())
    first = [batch.position(i) for i in range(4)]
    batch.reset(seed=7)
    batch.step(batch.random_actions())
    assert [batch.position(i) for i in range(4)] == first
    assert first[0].layout == Layout.square()


@pytest.mark.parametrize("plies", [0, 1, 5, 18, 40])
def test_observations_show_the_board_of_the_side_to_move(plies: int) -> None:
    """As the planes of labels and of other libraries do; some games are over by then."""
    batch = Batch(8, LAYOUTS, seed=6)
    for _ in range(plies):
        batch.step(np.where(batch.ended, NO_ACTION, batch.random_actions()))
    seen = batch.observe()
    assert seen.shape == (8, len(PLANES), batch.height, batch.width)
    for i in range(8):
        position = batch.position(i)
        planes = Planes(position.layout, batch.height, batch.width)
        assert (seen[i] == planes.of(position, int(batch.turns[i]))).all()
        for field, (x, y) in enumerate(position.layout.squares):
            panel = position.layout.panel_of(field)
            said = dict(zip(PLANES, seen[i, :, y, x].tolist(), strict=True))
            names = ("other", "own") if batch.turns[i] else ("own", "other")
            assert [said[name] for name in names] == [
                mask >> field & 1 for mask in (position.red, position.black)
            ]
            assert said["panel_id"] == 1 + position.layout.panels.index(panel)
            assert (said["panel_size"], said["fields"], said["ones"]) == (panel.size, 1, 1)
            assert said["to_move"] == (not batch.ended[i])
    again = np.full_like(seen, 7)
    assert batch.observe(again) is again
    assert (again == seen).all()


def test_two_threads_cannot_step_one_batch() -> None:
    """It is refused, and not half done; which of them is, is chance."""
    batch = Batch(30_000, Layout.square(), seed=1)
    failures: list[BaseException] = []

    def play() -> None:
        try:
            for _ in range(5):
                batch.rollouts(1)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=play) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures
    assert all("another thread is at work" in str(error) for error in failures)
    assert all(isinstance(error, RuntimeError) for error in failures)
