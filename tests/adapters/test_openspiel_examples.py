"""The examples in docs/examples, as they are told to be run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspiel", reason="OpenSpiel is not for this Python")

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "examples"


def run(*command: str) -> str:
    """What a command prints, run in the folder of the examples."""
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
    done = subprocess.run(
        command,
        cwd=FOLDER,
        env=os.environ | {"PATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def checked(bot: str, *options: str) -> dict[str, Any]:
    """What `kulami check` says of a bot."""
    report: dict[str, Any] = json.loads(run("kulami", "check", bot, "--json", *options))
    return report


def test_openspiel_s_mcts_is_judged() -> None:
    report = checked("openspiel_mcts:Mcts", "--positions", "3", "--workers", "1")
    assert (report["positions"], report["faults"]) == (3, {"illegal": 0, "timeout": 0, "crash": 0})


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
