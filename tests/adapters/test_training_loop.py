"""docs/examples/training_loop.py: regret falls, whatever plays, and as far as the page says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import training_loop

import kulami_solver as ks


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ks.Database]:
    path = tmp_path_factory.mktemp("training") / "board.kdb"
    ks.build(path, ks.Position(training_loop.LAYOUT))
    with ks.open_database(path) as opened:
        yield opened


def test_regret_falls(source: ks.Database) -> None:
    steps, regrets = zip(*training_loop.curve("numpy", source, 32), strict=True)
    assert steps == (0, 1, 2, 4, 8, 16, 32)
    assert max(regrets[-2:]) < 0.75 * regrets[0]


@pytest.mark.parametrize(("games", "module"), [("openspiel", "pyspiel"), ("pettingzoo",) * 2])
def test_games_of_other_libraries_teach_as_well(
    source: ks.Database, games: str, module: str
) -> None:
    pytest.importorskip(module, reason=f"{module} is not installed")
    points = list(training_loop.curve(games, source, 8, count=8))
    assert len(points) == 5
    assert points[-1][1] < points[0][1]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("games", "first", "last"),
    [("numpy", 0.486, 0.199), ("openspiel", 0.390, 0.204), ("pettingzoo", 0.4353, 0.174)],
)
def test_the_page_says_how_far_regret_falls(
    source: ks.Database, games: str, first: float, last: float, repository: Path
) -> None:
    """Sums of floating point numbers may differ from one processor to another."""
    if games != "numpy":
        pytest.importorskip({"openspiel": "pyspiel"}.get(games, games))
    page = (repository / "docs" / "training.md").read_text(encoding="utf-8")
    assert f"from {first:.2f} to {last:.2f}" in " ".join(page.split())
    found = [regret for _, regret in training_loop.curve(games, source, 512)]
    assert found[0] == pytest.approx(first, abs=1e-3)
    assert found[-1] == pytest.approx(last, abs=0.05)
    assert found[-1] < 0.6 * found[0]
