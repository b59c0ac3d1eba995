"""Databases of earlier versions that leave plies out, and are worth what the full one says."""

from __future__ import annotations

import random
from pathlib import Path

import crafted
import numpy as np
import pytest
from command_line import good, kulami

import kulami_solver as ks
from kulami_solver.kulami.database.build_tasks import BuildPlan
from kulami_solver.kulami.database.header import kept_plies
from kulami_solver.kulami.database.probe import ABSENT, arrays_of
from kulami_solver.kulami.database.verification import LeftOut

ROOT = ks.Position(ks.Layout.parse("AABBC/AABBC/DDEEC"))


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("full") / "full.kdb"
    ks.build(path, ROOT, "2", shard=500)
    return path


def thin(full: Path, folder: Path, every: int = 1, until: int = 0) -> Path:
    """A database that leaves plies out, in several parts a ply."""
    path = folder / "thin.kdb"
    crafted.leave_plies_out(full, path, every, until)
    return path


@pytest.mark.parametrize("options", [{"every": 2}, {"every": 3, "until": 2}, {"until": 12}])
def test_what_is_kept_is_as_in_the_full_one(
    options: dict[str, int], full: Path, tmp_path: Path
) -> None:
    with (
        ks.open_database(full) as known,
        ks.open_database(thin(full, tmp_path, **options)) as database,
    ):
        plies = kept_plies(len(known.plies), options.get("every", 1), options.get("until", 0))
        assert database.kept_plies() == plies
        assert 0 < database.kept < database.positions == known.positions
        for before, ply in zip(known.plies, database.plies, strict=True):
            assert (ply.positions, ply.moves, ply.values) == (
                before.positions,
                before.moves,
                before.values,
            )
            assert ply.bytes == (before.bytes if ply.ply in plies else 0)
        for ply in plies:
            for part in range(known.parts(ply)):
                pairs = zip(known.records(ply, part), database.records(ply, part), strict=True)
                assert all(np.array_equal(*pair) for pair in pairs)
        assert ks.verify(database, sample=2).ok


def test_strangers_are_absent_or_right(full: Path, tmp_path: Path) -> None:
    """A position of a ply left out need not be below the root; what is said of it is true."""
    draw = random.Random(5)
    ks.build(tmp_path / "late.kdb", ROOT.play("a1"), "2")
    crafted.leave_plies_out(tmp_path / "late.kdb", tmp_path / "late.kdb", 2, 0)
    absent = answered = 0
    with (
        ks.open_database(full) as known,
        ks.open_database(tmp_path / "late.kdb") as database,
    ):
        for _ in range(400):
            position = ROOT
            while not position.is_over:
                position = position.play(draw.choice(position.legal_fields))
                found = database.get(position)
                assert found in (None, known.get(position)), position
                assert database.probe_many(*arrays_of([position]))[0] == (
                    ABSENT if found is None else found
                )
                absent += found is None
                answered += found is not None and not position.is_over
    assert absent > 1000
    assert answered > 100


def test_a_search_uses_it(full: Path, tmp_path: Path) -> None:
    with ks.open_database(thin(full, tmp_path, every=2)) as database:
        alone = ks.solve(ROOT, "2", threads=1)
        found = ks.solve(ROOT, "2", threads=1, database=database)
    assert found.margin == alone.margin
    assert found.hits > 0
    assert found.nodes < alone.nodes / 4


def test_compact_keeps_at_most_what_it_keeps(full: Path, tmp_path: Path) -> None:
    path = thin(full, tmp_path, every=2, until=1)
    ks.compact(full, tmp_path / "one.kdb", every=4, until=3)
    ks.compact(path, tmp_path / "other.kdb", every=4, until=3)
    assert (tmp_path / "one.kdb").read_bytes() == (tmp_path / "other.kdb").read_bytes()
    with ks.open_database(tmp_path / "other.kdb") as small:
        assert ks.verify(small, against=path).positions == small.kept
    ks.compact(full, tmp_path / "whole.kdb")
    found = ks.verify(tmp_path / "whole.kdb", against=path)
    assert "leaves out plies that it keeps" in found.problems[0]
    for every, until in ((1, 0), (2, 0), (3, 1)):
        with pytest.raises(ks.DatabaseError, match="made with --every 2 and --until 1"):
            ks.compact(path, tmp_path / "other.kdb", every=every, until=until)


@pytest.mark.parametrize("key", ["every", "until"])
def test_a_header_that_tells_of_other_plies(key: str, full: Path, tmp_path: Path) -> None:
    options = {"every": 3} if key == "every" else {"until": 2}
    for name, path in (("thin", thin(full, tmp_path, **options)), ("full", full)):
        for wrong in (0, 1, 2, 3, 4, 5, 12, 13, -1, "2", None):
            changed = crafted.Crafted.of(path.read_bytes())
            if changed.header.get(key, {"every": 1, "until": 0}[key]) == wrong:
                continue
            changed.header[key] = wrong
            spoilt = crafted.write(tmp_path / "spoilt.kdb", changed.whole())
            with pytest.raises(ks.DatabaseError):
                ks.open_database(spoilt)
            assert not ks.verify(spoilt).ok, (name, wrong)


def test_verify_finds_values_that_do_not_follow(full: Path, tmp_path: Path) -> None:
    """Files with right checksums in which a value or a count of a ply left out is another."""
    path = thin(full, tmp_path, every=2, until=3)
    sound = crafted.Crafted.of(path.read_bytes())
    for ply in range(1, len(sound.header["plies"])):
        for change in ("lowest", "moves"):
            changed = sound.copy()
            changed.header["plies"][ply][change] += 1
            spoilt = crafted.write(tmp_path / "spoilt.kdb", changed.whole())
            assert not ks.verify(spoilt, sample=0).ok, (ply, change)


def test_a_move_to_nowhere_is_damage(full: Path, tmp_path: Path) -> None:
    """A ply left out is made from the one after it, which may lack positions."""
    with ks.open_database(thin(full, tmp_path, every=2)) as database:
        frames, starts, details, values = database.records(4, 0)
        fewer = frames[1:], starts[1:] - starts[1], details[starts[1] :], values[starts[1] :]
        with pytest.raises(ks.DatabaseError, match="damaged"):
            LeftOut(database).made(3, [fewer])


def test_builds_that_earlier_versions_began_go_on() -> None:
    plan = BuildPlan("FOLDER", ROOT.kfn(), 28, False, "2", 500)
    begun = {"kfn": plan.kfn, "marbles": 28, "short_end": False, "scoring": "2", "shard": 500}
    assert plan.as_kept() == {"folder": "", **begun, "every": 1, "until": 0}


def test_it_is_not_replaced_by_mistake(full: Path, tmp_path: Path) -> None:
    path = thin(full, tmp_path, every=2)
    content = path.read_bytes()
    refused = kulami("build", str(path), "--kfn", ROOT.kfn(), "--scoring", "2")
    assert refused.code == 2
    assert "made with other options" in refused.err
    assert path.read_bytes() == content


def test_commands_read_it(full: Path, tmp_path: Path) -> None:
    path = str(thin(full, tmp_path, every=2, until=1))
    about = good("info", path, "--json").answer
    assert (about["every"], about["until"]) == (2, 1)
    assert about["kept"] < about["positions"]
    assert f"kept       {about['kept']:,}" in good("info", path).out
    verified = good("verify", path, "--json").answer
    assert (verified["ok"], verified["positions"]) == (True, about["positions"])
    asked = ("--kfn", ROOT.play("a1").kfn(), "--all", "--json")
    assert len(good("probe", path, *asked).answer["moves"]) > 1
    refused = kulami("compact", path, str(tmp_path / "small.kdb"))
    assert refused.code == 2
    assert "made with --every 2 and --until 1: give --every" in refused.err
