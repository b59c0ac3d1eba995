"""The experiments on the search still fit the sources, and say what is wrong when they do not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import experiments
import pytest


def script(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A run of the script."""
    return subprocess.run(
        [sys.executable, str(experiments.ROOT / "scripts" / "experiments.py"), *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("experiment", experiments.EXPERIMENTS, ids=lambda one: one.name)
def test_every_substitution_applies(experiment: experiments.Experiment, tmp_path: Path) -> None:
    before = {}
    for file in {change.file for change in experiment.changes}:
        before[file] = (experiments.ROOT / file).read_text(encoding="utf-8")
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(before[file], encoding="utf-8")
    experiment.apply(tmp_path)
    assert before
    for file, text in before.items():
        assert (tmp_path / file).read_text(encoding="utf-8") != text


def test_a_reader_of_the_list_may_leave() -> None:
    running = subprocess.Popen(
        [sys.executable, str(experiments.ROOT / "scripts" / "experiments.py"), "--list"],
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


@pytest.mark.parametrize(("source", "found"), [("two three", 0), ("one two one", 2)])
def test_a_text_that_is_not_there_once_is_an_error(source: str, found: int) -> None:
    change = experiments.Change("a/file.pyx", "one", "three")
    with pytest.raises(
        experiments.ExperimentError, match=rf"experiment odd: a/file.pyx has {found} times"
    ):
        change.applied(source, "odd")


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
    done = script("driver", "knapsack", "--positions", "1", "--repeat", "1")
    assert done.returncode == 0, done.stderr
    unchanged, driver, knapsack = done.stdout.splitlines()[2:]
    assert unchanged.startswith("| (nothing taken out) | ")
    assert driver.startswith("| driver: ")
    assert knapsack.startswith("| knapsack: ")
    assert " +" in knapsack.split("|")[2] or " times" in knapsack.split("|")[2]


@pytest.mark.nightly
def test_a_wrong_value_is_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = experiments.Experiment(
        "wrong",
        "the lower bound passes for the margin",
        (experiments.Change(experiments.DRIVER, "while not bounds.exact:", "while False:"),),
    )
    monkeypatch.setattr(experiments, "EXPERIMENTS", (wrong,))
    monkeypatch.setattr(sys, "argv", ["experiments.py", "--positions", "1", "--repeat", "1"])
    assert experiments.main() == 1
    assert "experiment wrong: margin " in capsys.readouterr().err
