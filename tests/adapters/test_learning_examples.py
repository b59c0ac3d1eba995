"""The learners of docs/examples: regret falls, whatever plays, and as far as the page says."""

from __future__ import annotations

import json
import os
import runpy
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import training_loop
from command_line import completed

import kulami_solver as ks
from kulami_solver.adapters.labels import LabelPlan, write_labels


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


FOLDER = Path(__file__).resolve().parents[2] / "docs" / "examples"


def run(*command: str) -> str:
    """What a command prints, run in the folder of the examples."""
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
    done = completed(
        command, cwd=FOLDER, env=os.environ | {"PATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def checked(bot: str, *options: str) -> dict[str, Any]:
    """What `kulami check` says of a bot."""
    pytest.importorskip("pyspiel", reason="OpenSpiel is not for this Python")
    report: dict[str, Any] = json.loads(run("kulami", "check", bot, "--json", *options))
    return report


def test_openspiel_s_mcts_is_judged() -> None:
    report = checked("openspiel_mcts:Mcts", "--positions", "3", "--workers", "1")
    assert (report["positions"], report["faults"]) == (3, {"illegal": 0, "timeout": 0, "crash": 0})


@pytest.mark.parametrize("learner", ["sklearn", "numpy"])
def test_labels_teach_to_give_away_half_of_what_chance_does(
    learner: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    if learner == "numpy":
        monkeypatch.setitem(sys.modules, "sklearn.kernel_ridge", None)
    else:
        pytest.importorskip("sklearn.kernel_ridge", reason="scikit-learn is not installed")
    path = str(tmp_path / "late.parquet")
    write_labels(path, LabelPlan(3000, (2, 15), layout=training_loop.LAYOUT), workers=1)
    monkeypatch.setattr(sys, "argv", ["learn_from_labels.py", path])
    runpy.run_path(str(FOLDER / "learn_from_labels.py"))
    _, learned, _, chance = capsys.readouterr().out.split()
    assert float(learned) < float(chance) / 2


@pytest.mark.nightly
def test_openspiel_s_mcts_is_better_than_chance() -> None:
    options = ("--positions", "60", "--workers", "1")
    assert checked("openspiel_mcts:Mcts", *options)["mean_loss"] < 1.5
    assert checked("random", *options)["mean_loss"] > 2


@pytest.mark.nightly
def test_a_table_is_learnt(tmp_path: Path) -> None:
    suite = str(tmp_path / "suite.jsonl")
    run(sys.executable, "openspiel_qlearning.py", suite)
    options = ("--suite", suite, "--workers", "1")
    learner = checked("openspiel_qlearning:Learner", *options)
    chance = checked("random", *options)
    assert learner["positions"] == chance["positions"] == 200
    assert learner["optimal_rate"] > 0.8 > chance["optimal_rate"]
    assert learner["mean_loss"] < chance["mean_loss"] / 2 + 0.1
