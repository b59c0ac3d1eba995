"""Numbers and rows of numbers from outside: what loses nothing is taken, all else refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kulami_solver as ks
from kulami_solver import just4fun, malawi
from kulami_solver.adapters.batch import Batch
from kulami_solver.core.budgets import workers_of
from kulami_solver.core.whole_numbers import whole, whole_array

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
    ("numpy", "python"),
    [
        (lambda: ks.Position(SMALL, marbles=NUMBER), lambda: ks.Position(SMALL, marbles=2)),
        (
            lambda: ks.Position.arranged(SMALL, np.uint64(1), np.uint64(0), "black", ["a1"]),
            lambda: ks.Position.arranged(SMALL, 1, 0, "black", ["a1"]),
        ),
        (lambda: EMPTY.play(NUMBER), lambda: EMPTY.play(2)),
        (lambda: EMPTY.perft(NUMBER), lambda: EMPTY.perft(2)),
        (lambda: ks.Layout.random(NUMBER), lambda: ks.Layout.random(2)),
        (lambda: SMALL.image(NUMBER), lambda: SMALL.image(2)),
        (lambda: SMALL.rotated(NUMBER), lambda: SMALL.rotated(2)),
        (lambda: ks.Scoring.parse(NUMBER), lambda: ks.Scoring.parse(2)),
        (
            lambda: ks.solve(
                EMPTY, threads=NUMBER, nodes=np.int32(99), memory=NUMBER, time=NUMBER
            ).margin,
            lambda: ks.solve(EMPTY).margin,
        ),
        (
            lambda: [one.margin for one in ks.solve_many([EMPTY], workers=np.uint8(1))],
            lambda: [one.margin for one in ks.solve_many([EMPTY])],
        ),
        (
            lambda: [str(one) for one in ks.enumerate_layouts(NUMBER, NUMBER)],
            lambda: [str(one) for one in ks.enumerate_layouts(2, 2)],
        ),
        (
            lambda: Batch(NUMBER, SMALL, seed=NUMBER, marbles=NUMBER).random_actions().tolist(),
            lambda: Batch(2, SMALL, seed=2, marbles=2).random_actions().tolist(),
        ),
        (lambda: malawi.Board(NUMBER, np.int8(4)).rows, lambda: 4),
        (
            lambda: malawi.search(malawi.Position.start(malawi.Board(2, 4)), depth=NUMBER).value,
            lambda: malawi.search(malawi.Position.start(malawi.Board(2, 4)), depth=2).value,
        ),
        (
            lambda: just4fun.deal(just4fun.Board.parse("2006"), NUMBER).jfn(),
            lambda: just4fun.deal(just4fun.Board.parse("2006"), 2).jfn(),
        ),
        (
            lambda: just4fun.advise(CARDS, deals=NUMBER, seed=NUMBER).best,
            lambda: just4fun.advise(CARDS, deals=2, seed=2).best,
        ),
    ],
)
def test_numpys_numbers_are_numbers(
    numpy: Callable[[], object], python: Callable[[], object]
) -> None:
    assert numpy() == python()


def test_numbers_are_kept_as_pythons() -> None:
    assert type(ks.Position(SMALL, marbles=NUMBER).marbles) is int
    assert type(malawi.Board(NUMBER, 4).columns) is int
    assert [whole(True), whole(np.bool_(True)), whole(2.0), whole("2")] == [None] * 4


def test_workers_are_told_as_given() -> None:
    with pytest.raises(ks.BudgetError, match=r"^workers is 1\.5: give 1 to 256$"):
        workers_of(1.5)  # type: ignore[arg-type]
    with pytest.raises(ks.BudgetError, match=r"^threads is 1\.5: give 1 to 256$"):
        ks.verify("data/3x4-level2.kdb", threads=1.5)  # type: ignore[arg-type]
