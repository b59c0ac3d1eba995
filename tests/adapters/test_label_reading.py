"""Labels as a learner takes them: planes of rows, and parts without leakage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import good

from kulami_solver import KulamiError, Layout, Position
from kulami_solver.adapters.labels import LabelPlan, label_planes, row_layouts, splits, write_labels
from kulami_solver.adapters.planes import Planes
from kulami_solver.cli import main


@pytest.fixture(scope="module")
def labels(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Any]:
    """The same positions from .npz and from Parquet, on several layouts, with parts."""
    parquet = pytest.importorskip("pyarrow.parquet")
    folder = tmp_path_factory.mktemp("labels")
    plan = LabelPlan(400, (8, 14), games=2)
    for name in ("l.npz", "l.parquet"):
        write_labels(folder / name, plan, kfn=True, split=(60, 20, 20))
    return dict(np.load(folder / "l.npz")), parquet.read_table(folder / "l.parquet")


def test_planes_are_those_of_the_positions(labels: tuple[dict[str, Any], Any]) -> None:
    columns, table = labels
    layouts = [Layout.parse(text) for text in row_layouts(columns)]
    height = max(layout.height for layout in layouts)
    width = max(layout.width for layout in layouts)
    expected = []
    for kfn, turn, layout in zip(columns["kfn"], columns["turn"], layouts, strict=True):
        position = Position.from_kfn(str(kfn))
        expected.append(Planes(layout, height, width).of(position, int(turn)))
    found = label_planes(columns)
    assert (found == np.array(expected)).all()
    assert (label_planes(table) == found).all()
    for rows in (slice(5, 90, 3), [7, 2], columns["free"] > 11):
        assert (label_planes(columns, rows) == found[rows]).all()


def test_no_layout_is_in_two_parts(labels: tuple[dict[str, Any], Any]) -> None:
    columns, table = labels
    canonical = [str(Layout.parse(text).canonical()) for text in row_layouts(columns)]
    parts_of: dict[str, set[int]] = {}
    for layout, part in zip(canonical, columns["split"].tolist(), strict=True):
        parts_of.setdefault(layout, set()).add(part)
    assert len(parts_of) > 10
    assert all(len(parts) == 1 for parts in parts_of.values())
    assert {0, 1, 2} == set(columns["split"].tolist())
    assert (splits(row_layouts(table), shares=(60, 20, 20)) == columns["split"]).all()
    assert (splits(row_layouts(table), shares=(60, 20, 20), seed=1) != columns["split"]).any()


def test_images_of_a_layout_are_in_one_part() -> None:
    layout = Layout.random(4)
    images = [layout, layout.mirrored(), layout.rotated(), layout.mirrored().rotated()]
    assert len({str(image) for image in images}) == 4
    for seed in range(20):
        assert len(set(splits(images, seed=seed).tolist())) == 1


def test_parts_have_about_their_shares_and_stay_when_a_file_grows() -> None:
    games = np.arange(20_000) // 4
    parts = splits(["AAB/CCB"] * 20_000, games, (70, 20, 10))
    assert np.bincount(parts) / 20_000 == pytest.approx([0.7, 0.2, 0.1], abs=0.02)
    assert (splits(["AAB/CCB"] * 50, games[:50], (7, 2, 1)) == parts[:50]).all()
    assert not (splits(["AAB/CCB"] * 9, range(9), (0, 1, 0)) - 1).any()


@pytest.mark.parametrize("shares", [(1, 2), (0, 0, 0), (1, -1, 1), "abc", 3, (1, 2, float("inf"))])
def test_what_are_no_shares(shares: Any) -> None:
    with pytest.raises(KulamiError, match="give three numbers"):
        splits(["AAB/CCB"], shares=shares)
    with pytest.raises(KulamiError, match="give 1 whole numbers"):
        splits(["AAB/CCB"], [1, 2])


def test_the_command_writes_parts_of_games(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "l.npz"
    words = ["labels", str(file), "--count", "200", "--free", "8-12", "--layout", "square"]
    told = good(*words, "--split", "50-25-25", "--json").answer
    columns = np.load(file)
    numbers = np.bincount(columns["split"], minlength=3).tolist()
    assert told["split"] == dict(zip(("train", "validation", "test"), numbers, strict=True))
    for game in set(columns["game"].tolist()):
        assert len(set(columns["split"][columns["game"] == game].tolist())) == 1
    card = (tmp_path / "l.npz.md").read_text()
    assert f"| train | {numbers[0]} |" in card
    assert "--split 50-25-25`" in card
    assert "@misc{kulami_labels" in card
    assert main([*words, "--split", "0-0-0"]) == 2
    assert "expected shares of three parts" in capsys.readouterr().err
    assert json.loads(str(columns["about"]))["seed"] == 0


def test_what_is_no_table_of_labels_is_a_sentence(tmp_path: Path) -> None:
    columns = {"layouts": np.array(["AAB/CCB"]), "layout": np.zeros(1, np.int32)}
    none: tuple[Any, ...] = (None, {}, [])
    for labels in none:
        for read in (row_layouts, label_planes):
            with pytest.raises(KulamiError, match="without a column layout: give all"):
                read(labels)
    with pytest.raises(KulamiError, match="without a column red: give all"):
        label_planes(columns)
    for rows in (0, 9, [9], "x"):
        with pytest.raises(KulamiError, match=r"rows are .*for 1 rows"):
            label_planes(columns, rows)
    for seed in ("x", -1):
        with pytest.raises(KulamiError, match=r"seed .* is not a whole number"):
            splits(["AB/AB"], seed=seed)  # type: ignore[arg-type]
    with pytest.raises(KulamiError, match="the plan is None: give a LabelPlan"):
        write_labels(tmp_path / "a.npz", None)  # type: ignore[arg-type]


def test_positions_that_a_supply_leaves_out(tmp_path: Path) -> None:
    """With one marble of each colour a game ends with many fields free."""
    plan = LabelPlan(5, (5, 5), marbles=1, games=1)
    with pytest.raises(KulamiError, match=r"with 1 marbles of each colour: .*--marbles"):
        write_labels(tmp_path / "a.npz", plan)
