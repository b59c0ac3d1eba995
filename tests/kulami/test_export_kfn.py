"""An exported row's position is one that the row stands for."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterable
from pathlib import Path

import pytest

from kulami_solver import Position, build, open_database, solve
from kulami_solver.cli import main
from kulami_solver.kulami.export import export
from kulami_solver.kulami.position.layout import Panel


def points(position: Position, panels: Iterable[Panel]) -> int:
    """The margin on some panels as the marbles lie, for the side to move."""
    own, other, _, _ = position.view
    margin = 0
    for panel in panels:
        fields = sum(1 << field for field in panel.fields)
        lead = (own & fields).bit_count() - (other & fields).bit_count()
        margin += len(panel.fields) * ((lead > 0) - (lead < 0))
    return margin


def check_rows(database_path: Path, table: Path, every: int = 1) -> int:
    """Compare each row, or one of so many, with its position; the number of rows."""
    with open_database(database_path) as database, open(table, newline="") as file:
        count = 0
        seen = set()
        for row in itertools.islice(csv.DictReader(file), 0, None, every):
            position = Position.from_kfn(row["kfn"], database.root.marbles, database.root.short_end)
            layout = position.layout
            count += 1
            seen.add(position)
            assert position.legal_mask == int(row["legal"])
            assert position.free_count == database.root.free_count - int(row["ply"])
            assert database.get(position) == int(row["margin"])
            if "value" in row:
                settled = [panel for panel in layout.panels if row[f"lead_{panel.name}"] == ""]
                assert int(row["margin"]) - int(row["value"]) == points(position, settled)
            for panel in layout.panels:
                lead = row.get(f"lead_{panel.name}", "")
                if lead:
                    own, other, _, _ = position.view
                    fields = sum(1 << field for field in panel.fields)
                    assert int(lead) == (own & fields).bit_count() - (other & fields).bit_count()
            if "own" in row:
                assert position.view[:2] == (int(row["own"]), int(row["other"]))
        assert len(seen) == count
        return count


@pytest.mark.parametrize("name", ["3x4-level2", "4x4-level0"])
def test_rows_of_shipped_databases(repository: Path, tmp_path: Path, name: str) -> None:
    path, table = repository / "data" / f"{name}.kdb", tmp_path / "table.csv"
    plain = tmp_path / "plain.csv"
    assert main(["export", str(path), str(table), "--kfn", "--json"]) == 0
    assert main(["export", str(path), str(plain)]) == 0
    with open_database(path) as database:
        assert check_rows(path, table) == database.positions
    # Nothing else is changed by it.
    with open(table, newline="") as file, open(plain, newline="") as other:
        for row, known in zip(csv.DictReader(file), csv.DictReader(other), strict=True):
            assert row.items() >= known.items()


def test_rows_from_a_root_in_the_midst_of_a_game(tmp_path: Path) -> None:
    """With black to move, few marbles, the Spanish end, and marbles that were there before."""
    root = Position.from_kfn("ABBCD/ABBCD/ABBEE/FFFEE r4/5/5/4b b a1", 6, True)
    for scoring in ("0", "chains"):
        path, table = tmp_path / f"{scoring}.kdb", tmp_path / f"{scoring}.csv"
        build(path, root, scoring)
        with open_database(path) as database:
            assert export(database, table, kfn=True) == database.positions
        assert check_rows(path, table) > 500
        with open(table, newline="") as file:
            row = list(csv.DictReader(file))[-1]
        assert solve(Position.from_kfn(row["kfn"], 6, True), scoring).margin == int(row["margin"])


def test_parquet_has_the_same_positions(repository: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    with open_database(repository / "data" / "3x4-level2.kdb") as database:
        export(database, tmp_path / "t.csv", kfn=True)
        export(database, tmp_path / "t.parquet", kfn=True)
    table = parquet.read_table(tmp_path / "t.parquet")
    with open(tmp_path / "t.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert table["kfn"].to_pylist() == [row["kfn"] for row in rows]
    assert table["margin"].to_pylist() == [int(row["margin"]) for row in rows]


@pytest.mark.nightly
def test_rows_of_a_million(repository: Path, tmp_path: Path) -> None:
    path = repository / "data" / "4x5-level0.kdb"
    with open_database(path) as database:
        export(database, tmp_path / "t.csv", kfn=True)
    assert check_rows(path, tmp_path / "t.csv", 101) > 9000
