"""docs/examples/training_loop.py: regret falls, whatever plays the games, and as the curve says."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import draw_training
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
@pytest.mark.parametrize("games", list(training_loop.GAMES))
def test_the_curve_is_what_the_loop_says(source: ks.Database, games: str) -> None:
    """Sums of floating point numbers may differ from one processor to another."""
    if games != "numpy":
        pytest.importorskip({"openspiel": "pyspiel"}.get(games, games))
    recorded = draw_training.table()[games]
    found = list(training_loop.curve(games, source, draw_training.STEPS))
    assert [steps for steps, _ in found] == [steps for steps, _ in recorded]
    assert found[0][1] == pytest.approx(recorded[0][1], abs=1e-3)
    assert found[-1][1] == pytest.approx(recorded[-1][1], abs=0.05)
    assert found[-1][1] < 0.6 * found[0][1]


def test_the_pictures_are_drawn_from_the_curve(repository: Path) -> None:
    """`python scripts/data/draw_training.py` draws them; they name what they were drawn from."""
    digest = hashlib.sha256(draw_training.TABLE.read_bytes()).hexdigest()
    page = (repository / "docs" / "training.md").read_text(encoding="utf-8")
    for scheme in ("light", "dark"):
        picture = repository / "docs" / "_static" / f"training-{scheme}.svg"
        assert f"training.csv {digest}" in picture.read_text(encoding="utf-8")
        assert f"_static/{picture.name}" in page
