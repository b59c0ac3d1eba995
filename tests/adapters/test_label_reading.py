"""Labels as a learner takes them: planes of rows, and parts without leakage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import good

from kulami_solver import KulamiError, Layout, Position
from kulami_solver.adapters.labels import LabelPlan, label_planes, read_labels, splits, write_labels
from kulami_solver.adapters.planes import Planes
from kulami_solver.cli import main


@pytest.fixture(scope="module")
def labels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Positions on several layouts, with parts."""
    pytest.importorskip("pyarrow")
    path = tmp_path_factory.mktemp("labels") / "l.parquet"
    write_labels(path, LabelPlan(400, (8, 14), games=2), split=(60, 20, 20))
    return read_labels(path)


def test_planes_are_those_of_the_positions(labels: dict[str, Any]) -> None:
    layouts = [Layout.parse(text) for text in labels["layout"]]
    height = max(layout.height for layout in layouts)
    width = max(layout.width for layout in layouts)
    expected = []
    for row, layout in enumerate(layouts):
        red, black, turn, last, before = (
            int(labels[name][row]) for name in ("red", "black", "turn", "last", "before")
        )
        lasts = [layout.fields[field] for field in (last, before) if field >= 0]
        position = Position.arranged(layout, red, black, ("red", "black")[turn], lasts)
        expected.append(Planes(layout, height, width).of(position, turn))
    found = label_planes(labels)
    assert (found == np.array(expected)).all()
    for rows in (slice(5, 90, 3), [7, 2], labels["free"] > 11):
        assert (label_planes(labels, rows) == found[rows]).all()


def test_no_layout_is_in_two_parts(labels: dict[str, Any]) -> None:
    layouts, split = labels["layout"], labels["split"]
    parts_of: dict[str, set[int]] = {}
    for layout, part in zip(layouts, split.tolist(), strict=True):
        parts_of.setdefault(str(Layout.parse(layout).canonical()), set()).add(part)
    assert len(parts_of) > 10
    assert all(len(parts) == 1 for parts in parts_of.values())
    assert {0, 1, 2} == set(split.tolist())
    assert (splits(layouts, shares=(60, 20, 20)) == split).all()
    assert (splits(layouts, shares=(60, 20, 20), seed=1) != split).any()


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
    pytest.importorskip("pyarrow")
    file = tmp_path / "l.parquet"
    words = ["labels", str(file), "--count", "200", "--free", "8-12", "--layout", "square"]
    told = good(*words, "--split", "50-25-25", "--json").answer
    columns = read_labels(file)
    numbers = np.bincount(columns["split"], minlength=3).tolist()
    assert told["split"] == dict(zip(("train", "validation", "test"), numbers, strict=True))
    for game in set(columns["game"].tolist()):
        assert len(set(columns["split"][columns["game"] == game].tolist())) == 1
    card = (tmp_path / "l.parquet.md").read_text()
    assert f"| train | {numbers[0]} |" in card
    assert "--split 50-25-25`" in card
    assert "@misc{kulami_labels" in card
    assert main([*words, "--split", "0-0-0"]) == 2
    assert "expected shares of three parts" in capsys.readouterr().err


def test_what_is_no_table_of_labels_is_a_sentence(tmp_path: Path) -> None:
    columns = {"layout": np.array(["AAB/CCB"])}
    none: tuple[Any, ...] = (None, {}, [])
    for labels in none:
        with pytest.raises(KulamiError, match="without a column layout: give all"):
            label_planes(labels)
    with pytest.raises(KulamiError, match="without a column red: give all"):
        label_planes(columns)
    for rows in (0, 9, [9], "x"):
        with pytest.raises(KulamiError, match=r"rows are .*for 1 rows"):
            label_planes(columns, rows)
    for seed in ("x", -1):
        with pytest.raises(KulamiError, match=r"seed .* is not a whole number"):
            splits(["AB/AB"], seed=seed)  # type: ignore[arg-type]
    with pytest.raises(KulamiError, match="the plan is None: give a LabelPlan"):
        write_labels(tmp_path / "a.parquet", None)  # type: ignore[arg-type]


def test_positions_that_a_supply_leaves_out(tmp_path: Path) -> None:
    """With one marble of each colour a game ends with many fields free."""
    pytest.importorskip("pyarrow")
    plan = LabelPlan(5, (5, 5), marbles=1, games=1)
    with pytest.raises(KulamiError, match=r"with 1 marbles of each colour: .*--marbles"):
        write_labels(tmp_path / "a.parquet", plan)
