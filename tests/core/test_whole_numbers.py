"""Numbers and rows of numbers from outside: what loses nothing is taken, all else refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kulami_solver as ks
from kulami_solver import just4fun, malawi
from kulami_solver.adapters.batch import Batch
from kulami_solver.bots import Greedy, Player, Random
from kulami_solver.bots.arena import Opening, play_game
from kulami_solver.bots.case import draw_cases
from kulami_solver.bots.kulami.match import KulamiTerms, draw_opening
from kulami_solver.bots.match import GameTerms, play_pair
from kulami_solver.bots.naming import bots_of
from kulami_solver.core.whole_numbers import whole_array
from kulami_solver.game import load_game
from kulami_solver.just4fun.cards import Move
from kulami_solver.malawi.notation import Placement, read_mfn

HIGH = 1 << 63
SMALL = ks.Layout.parse("AAB/CCB")


class Raising:
    def __array__(self, *_: object, **__: object) -> np.ndarray[Any, Any]:
        raise RuntimeError("no array today")


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ([HIGH, 1], [HIGH, 1]),
        ((HIGH, 1), [HIGH, 1]),
        ([np.uint64(HIGH), 0], [HIGH, 0]),
        (np.array([HIGH, 1], object), [HIGH, 1]),
        (np.array([3, 4], np.int8), [3, 4]),
        ([-1, HIGH], [-1, HIGH]),
        ([], []),
    ],
)
def test_rows_lose_nothing(given: Any, meant: list[int]) -> None:
    found = whole_array(given)
    assert found is not None
    assert found.tolist() == meant


@pytest.mark.parametrize(
    "given",
    [
        [1.0, 2],
        [0.5, HIGH],
        np.array([1.0, 2.0]),
        np.array([True]),
        ["1"],
        [[1], [2, 3]],
        np.ma.array([1, 2], mask=[False, True]),
        Raising(),
        [None],
    ],
)
def test_what_is_no_row_of_whole_numbers(given: Any) -> None:
    assert whole_array(given) is None


def test_rows_at_the_doors(tmp_path: Path) -> None:
    full = ks.Position(ks.Layout.square())
    database = ks.build(tmp_path / "s.kdb", ks.Position(SMALL)).path
    with ks.open_database(database) as opened:
        rows = [HIGH, 1], [0, 0], [-1, 0], [-1, -1]
        meant = opened.probe_many(np.array(rows[0], np.uint64), *rows[1:])
        assert opened.probe_many(*rows).tolist() == meant.tolist()
        for wrong in (np.ma.array([1, 2]), Raising()):
            with pytest.raises(ks.KulamiError, match="own: give a row of whole numbers"):
                opened.probe_many(wrong, *rows[1:])
    batch = Batch(3, full.layout)
    for high in ([HIGH, 1, 0], np.array([HIGH, 1, 0], object)):
        with pytest.raises(ks.KulamiError, match="game 0: there is no field"):
            batch.step(high)
    for bad in (np.ma.array([1, 2, 3]), Raising()):
        with pytest.raises(ks.KulamiError, match="actions are"):
            batch.step(bad)
        with pytest.raises(ks.KulamiError, match="where is"):
            batch.reset(where=bad)
    batch.step(np.array([0, 1, 2], object))


NUMBER = np.int64(2)
EMPTY = ks.Position(SMALL)
CARDS = just4fun.Position.from_jfn("3x3 5:b1 r2b1 r r1.2,b2.3 4.1 -", line=3, hand=2)


@pytest.mark.parametrize(
    "of",
    [
        lambda two: ks.Position(SMALL, marbles=two),
        lambda two: ks.Position.arranged(SMALL, two - 1, two - two, "black", ["a1"]),
        lambda two: EMPTY.play(two),
        lambda two: EMPTY.perft(two),
        lambda two: ks.Layout.random(two),
        lambda two: SMALL.image(two),
        lambda two: SMALL.rotated(two),
        lambda two: ks.Scoring.parse(two),
        lambda two: ks.solve(EMPTY, threads=two, nodes=49 * two, memory=two, time=two).margin,
        lambda two: [one.margin for one in ks.solve_many([EMPTY], workers=two)],
        lambda two: [str(one) for one in ks.enumerate_layouts(two, two)],
        lambda two: Batch(two, SMALL, seed=two, marbles=two).random_actions().tolist(),
        lambda two: malawi.Board(two, two + 2).rows,
        lambda two: malawi.search(malawi.Position.start(malawi.Board(2, 4)), depth=two).value,
        lambda two: just4fun.deal(just4fun.Board.parse("2006"), two).jfn(),
        lambda two: just4fun.advise(CARDS, deals=two, seed=two).best,
    ],
)
@pytest.mark.parametrize("kind", [np.int64, np.uint8])
def test_numpys_numbers_are_numbers(of: Callable[[Any], object], kind: Any) -> None:
    assert of(kind(2)) == of(2)


@pytest.mark.parametrize("seed", [np.uint8(200), np.array(200)])
def test_seeds_of_matches_and_suites(seed: Any) -> None:
    layout = ks.Layout.parse("AABCC/AABDD/EEFFG")
    assert draw_opening(seed, layout, np.int8(2)) == draw_opening(200, layout, 2)
    terms, same = (KulamiTerms(layout, plies=2, seed=one) for one in (seed, 200))
    for number in (0, 5000):
        assert terms.opening(number) == same.opening(number)
    players = Player(Greedy()), Player(Random(seed))
    games = [terms.record(game) for game in play_pair(*players, 0, terms)]
    assert json.loads(json.dumps(games))[0]["moves"] == games[0]["moves"]
    assert type(GameTerms(load_game("malawi", board="3x4"), seed=seed).seed) is int
    dice = load_game("just4fun", board="3x3", stones=2, line=3, hand=2)
    greedy = [bots_of("just4fun").make("greedy") for _ in range(2)]
    played = [play_game(greedy, Opening(dice.start()), seed=one).moves for one in (seed, 200)]
    assert played[0] == played[1]
    kulami = load_game("kulami", layout="AABC/AABC")
    cases = [[case.best for case in draw_cases(kulami, one, 2)] for one in (seed, 200)]
    assert cases[0] == cases[1]


def in_numpys(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(in_numpys, value))
    return np.int64(value) if type(value) is int else value


def test_masks_and_counts_of_the_sibling_games() -> None:
    placed = read_mfn("b2b2/../r0r12 b")
    words = (np.int8(2), np.int64(3), np.uint64(placed.red), np.int64(placed.black))
    position = malawi.Position(Placement(*words, placed.beads, "black"))
    assert position.mfn() == "b2b2/../r0r12 b"
    counts = dict(zip(CARDS.written._fields, map(in_numpys, CARDS.written), strict=True))
    again = just4fun.Position(**counts, line=np.int8(3), hand=np.uint8(2))
    assert again == CARDS
    assert again.jfn() == CARDS.jfn()
    numbers = (*again.left, *again.stock, again.seat, again.line, *(again.hands[0] or ()))
    assert {type(number) for number in (*numbers, *again.stones[4])} == {int}
    move = Move(NUMBER + 1, (np.int8(2), NUMBER - 1))
    assert move == Move.parse("3=1+2")
    assert json.dumps(move.to_json()) == '{"field": 3, "cards": [1, 2]}'
    assert just4fun.Board(NUMBER, in_numpys((1, 2, 3, 4))) == just4fun.Board(2, (1, 2, 3, 4))


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, Fraction])
def test_times_and_sizes_are_numbers_of_any_kind(kind: Any, tmp_path: Path) -> None:
    assert ks.solve(EMPTY, time=kind(20), memory=kind(2)).exact
    assert malawi.search(malawi.Position.start(malawi.Board(2, 3)), time=kind(20)).value.outcome
    assert just4fun.advise(CARDS, time=kind(0.125)).best
    assert just4fun.solve(CARDS, time=kind(20)).outcome
    board = malawi.Board(2, 3)
    malawi.build(tmp_path / "2x3.kdb", board, checkpoint_seconds=kind(0.5))
    wrong: Any
    for wrong in (kind(-1), "1", True, np.True_):
        with pytest.raises(ks.BudgetError, match="time is"):
            ks.solve(EMPTY, time=wrong)
