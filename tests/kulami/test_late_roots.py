"""Databases of hundreds of random late roots: every position in them is worth what a search says.

The roots that once were read wrongly are here by name: what took no bits in the file, because its
code had one symbol, kept the digit of the block's first record, which may be another.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import late_roots
import pytest
from command_line import good

import kulami_solver as ks
from kulami_solver.kulami.database.building import build
from kulami_solver.kulami.database.probe import Database
from kulami_solver.kulami.database.verification import verify

FIRST = "ABBCD/ABBCD/ABBEE/FFFEE"


def checked(numbers: range, folder: Path) -> late_roots.Tally:
    """What is found of these roots."""
    tally = late_roots.Tally()
    for number in numbers:
        late_roots.check_root(late_roots.random_root(1, number), folder, tally)
    return tally


def assert_right(tally: late_roots.Tally, roots: int) -> None:
    """All of them were built and verified, and nothing in them is missing or wrong."""
    assert tally.problems == []
    assert (tally.absent, tally.wrong) == (0, 0)
    assert tally.built == tally.verified == roots
    assert tally.records > 20 * roots
    assert tally.positions > 100 * roots
    assert 2 * tally.own > 3 * roots
    assert tally.foreign > roots


@pytest.mark.parametrize(
    "begin", [0, *(pytest.param(begin, marks=pytest.mark.nightly) for begin in range(20, 240, 20))]
)
@pytest.mark.landing
def test_every_position_of_random_roots(begin: int, tmp_path: Path) -> None:
    assert_right(checked(range(begin, begin + 20), tmp_path), 20)


@pytest.mark.nightly
@pytest.mark.parametrize("begin", range(1000, 4000, 100))
def test_every_position_of_many_random_roots(begin: int, tmp_path: Path) -> None:
    assert_right(checked(range(begin, begin + 100), tmp_path), 100)


class TestOnceReadWrongly:
    def test_an_early_root(self, tmp_path: Path) -> None:
        path = str(tmp_path / "q.kdb")
        good("build", path, "--layout", FIRST, "--moves", "b1 d1")
        assert good("verify", path, "--json").answer["ok"]

    @pytest.mark.parametrize(
        ("kfn", "scoring"),
        [
            ("AABC/DDBC/EEFF bbrr/r3/rrbb b a2,a1", "chains"),
            ("AABC/DDBC/EEFF r1rb/b3/r3 b c1,d1", "2"),
        ],
    )
    def test_every_position(self, kfn: str, scoring: str, tmp_path: Path) -> None:
        root = ks.Position.from_kfn(kfn)
        path = tmp_path / "b.kdb"
        counted = ks.Scoring.parse(scoring)
        build(path, root, counted)
        found = late_roots.reachable(root, 100_000)
        assert found is not None
        with Database(path) as database:
            assert verify(database).ok
            assert database.positions == len(late_roots.records_in(path))
            assert root in database
            for position in found:
                margin = ks.solve(position, counted).margin
                assert database.get(position) == margin
                assert ks.solve(position, counted, database=database).margin == margin


class TestShards:
    """Shards of any size make files of the same content."""

    @pytest.mark.parametrize(
        ("layout", "shards"),
        [
            ("AAB/CCB", [1, 2, 3, 5, 7, 11, 24]),
            ("ABC/DBE", [1, 4, 13, 37]),
            # Here the first shard of a ply of five used to be empty.
            ("ABBC/ABBC/DDE", [31, 1000]),
            pytest.param("AAB/CCB", range(1, 25), marks=pytest.mark.nightly),
            pytest.param("ABC/DBE", range(1, 40, 3), marks=pytest.mark.nightly),
            pytest.param("ABBC/ABBC/DDE", [5, 6, 7, 11, 16, 64, 100], marks=pytest.mark.nightly),
        ],
    )
    def test_any_size(self, layout: str, shards: Sequence[int], tmp_path: Path) -> None:
        root = ks.Position(ks.Layout.parse(layout))
        path = tmp_path / "s.kdb"
        build(path, root)
        values = late_roots.records_in(path)
        for shard in shards:
            build(path, root, executor=late_roots.Inline(), shard=shard)
            assert late_roots.records_in(path) == values
            with Database(path) as database:
                assert all(section.get("records", 1) for section in database.header["sections"])
                assert verify(database, sample=1).problems == ()
                assert database.positions == len(values)
