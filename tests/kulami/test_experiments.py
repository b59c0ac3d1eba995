"""The experiments on the search still fit the sources, and say what is wrong when they do not."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import experiments
import pytest
import random_play
import solve_listed

import kulami_solver as ks

pytestmark = pytest.mark.sources


def script(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A run of the script."""
    return subprocess.run(
        [sys.executable, experiments.__file__, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


SWITCHES = experiments.ROOT / "ext" / "kulami_solver" / "kulami" / "switches.pxd"


def defaults() -> dict[str, int]:
    """The switches and the values that they have without an experiment."""
    text = SWITCHES.read_text(encoding="utf-8")
    return {name: int(value) for name, value in re.findall(r"#define KULAMI_(\w+) (\d+)\n", text)}


@pytest.mark.parametrize("experiment", experiments.EXPERIMENTS, ids=lambda one: one.name)
def test_every_experiment_changes_something_that_is_there(
    experiment: experiments.Experiment,
) -> None:
    assert experiment.switches or experiment.driver
    for name, value in experiment.switches.items():
        assert value != defaults()[name], name
    assert set(experiment.driver) <= set(solve_listed.DRIVERS)


@pytest.mark.parametrize(
    "define", ["KULAMI_NONSENSE=1", "KULAMI_EXACT_PLIES", "KULAMI_EXACT_PLIES=one"]
)
def test_setup_refuses_what_is_no_switch(define: str, tmp_path: Path) -> None:
    copy = tmp_path / "ext" / "kulami_solver" / "kulami"
    copy.mkdir(parents=True)
    shutil.copy(SWITCHES, copy)
    shutil.copy(experiments.ROOT / "setup.py", tmp_path)
    done = subprocess.run(
        [sys.executable, "setup.py", "build_ext"],
        cwd=tmp_path,
        env=os.environ | {"KULAMI_DEFINES": f"KULAMI_KNAPSACK=0 {define}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert f"KULAMI_DEFINES={define}: no switch with a number; write NAME=NUMBER" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("driver", [[], *([driver] for driver in solve_listed.DRIVERS)])
def test_every_driver_finds_the_margin(driver: list[str]) -> None:
    case = experiments.Case(experiments.ROWS[0], ks.Position(ks.Layout.parse("AAB/CCB")))
    done = subprocess.run(
        [sys.executable, str(experiments.WORKER), "1M", *driver],
        input=case.line(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert experiments.Solved(**json.loads(done.stdout)).margin == 0


def test_pages_leave_the_nodes_alone() -> None:
    listed = "".join(
        experiments.Case(experiments.ROWS[0], position).line() + "\n"
        for position in itertools.islice(random_play.positions(28), 2)
    )
    nodes = {}
    for driver in ("", *solve_listed.DRIVERS):
        done = subprocess.run(
            [sys.executable, str(experiments.WORKER), "1M", *driver.split()],
            input=listed,
            capture_output=True,
            text=True,
            check=True,
        )
        nodes[driver] = [json.loads(line)["nodes"] for line in done.stdout.splitlines()]
    assert nodes["small-pages"] == nodes[""]


def test_a_driver_that_is_none_is_an_error() -> None:
    done = subprocess.run(
        [sys.executable, str(experiments.WORKER), "1M", "autopilot"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "no driver is called 'autopilot': take small-pages" in done.stderr


def test_a_reader_of_the_list_may_leave() -> None:
    running = subprocess.Popen(
        [sys.executable, str(experiments.ROOT / "scripts" / "bench" / "experiments.py"), "--list"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stdout is not None
    assert running.stderr is not None
    running.stdout.close()
    assert running.stderr.read() == ""
    running.stderr.close()
    running.wait(timeout=60)


def test_names_are_different() -> None:
    names = [experiment.name for experiment in experiments.EXPERIMENTS]
    assert len(set(names)) == len(names)
    assert experiments.UNCHANGED.name not in names


def test_a_command_that_fails_is_told_in_its_own_words() -> None:
    command = [sys.executable, "-c", "raise SystemExit('no such luck')"]
    with pytest.raises(experiments.ExperimentError, match=r"(?s)a try failed.*no such luck"):
        experiments.run(command, "a try")


def test_list_names_them_all() -> None:
    done = script("--list")
    assert done.returncode == 0, done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()] == [
        experiment.name for experiment in experiments.EXPERIMENTS
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nonsense"], "no experiment is called 'nonsense': --list names them"),
        (["--positions", "0"], "'0': give a whole number from 1 on"),
        (["--memory", "lots"], "'lots' is no memory size"),
    ],
)
def test_bad_options(arguments: list[str], message: str) -> None:
    done = script(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.nightly
def test_an_experiment_is_built_and_measured() -> None:
    """Everything is compiled here if what is installed was not compiled in place."""
    done = script("driver", "knapsack", "guess", "--positions", "1", "--repeat", "1")
    assert done.returncode == 0, done.stderr
    unchanged, driver, knapsack, guess = done.stdout.splitlines()[2:]
    assert unchanged.startswith("| (nothing taken out) | ")
    assert driver.startswith("| driver: ")
    assert " +" in driver.split("|")[2] or " times" in driver.split("|")[2]
    assert knapsack.startswith("| knapsack: ")
    assert " +" in knapsack.split("|")[2] or " times" in knapsack.split("|")[2]
    assert guess.startswith("| guess: ")
    nodes = guess.split("|")[2 : 2 + len(experiments.ROWS)]
    assert any(change.strip() != "0 %" for change in nodes), guess


@pytest.mark.nightly
def test_a_wrong_value_is_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = experiments.Experiment(
        "wrong", "fourteen plies pass for two, and get what two would", {"EXACT_PLIES": 14}
    )
    monkeypatch.setattr(experiments, "EXPERIMENTS", (wrong,))
    monkeypatch.setattr(sys, "argv", ["experiments.py", "--positions", "1", "--repeat", "1"])
    assert experiments.main() == 1
    assert "experiment wrong: margin " in capsys.readouterr().err
