"""`python -m kulami_solver.about` and `kulami about`: whole, quick, and without a traceback."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import IO

import pytest
from command_line import good

import kulami_solver
from kulami_solver import about
from kulami_solver.core import processor

FULL = Path("/dev/full")
NAMES = [
    *("kulami_solver", "folder", "python", "implementation", "abi", "free_threaded", "gil"),
    *("packages", "extras", "compiler", "cython", "command"),
    *("processor", "features", "processors"),
    *("memory", "memory_available", "platform", "libc", "environment"),
]


def module(
    *words: str, environment: dict[str, str] | None = None, stdout: IO[str] | int = subprocess.PIPE
) -> subprocess.CompletedProcess[str]:
    """Run `python -m kulami_solver.about`."""
    return subprocess.run(
        [sys.executable, "-m", "kulami_solver.about", *words],
        env=os.environ | (environment or {}),
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )


def test_the_module_and_the_command_say_the_same() -> None:
    done = module("--json")
    assert (done.returncode, done.stderr) == (0, "")
    by_module, by_command = json.loads(done.stdout), json.loads(good("about", "--json").out)
    assert list(by_module) == NAMES
    for found in (by_module, by_command):
        assert 0 < found.pop("memory_available") < found["memory"]
    assert by_module == by_command


def test_what_it_says_is_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("KULAMI_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("KULAMI_JOBS", "2")
    found = about.facts()
    assert found["kulami_solver"] == kulami_solver.__version__
    assert found["python"] == ".".join(map(str, sys.version_info[:3]))
    packages = found["packages"]
    assert isinstance(packages, dict)
    assert packages["numpy"] == metadata.version("numpy")
    assert found["environment"] == {"KULAMI_JOBS": "2"}
    assert None not in [found[name] for name in NAMES if name != "libc"]


def test_extras_are_those_of_the_package(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each with what it installs; what is not installed is said to be missing."""
    required = [
        *("numpy>=1.23", "no-such.package[all]>=2", 'pillow>=9; extra == "png"'),
        "pytest; extra == 'test'",
        'open_spiel>=2.0 ; python_version >= "3.11" and extra == "openspiel"',
        'absent ; extra == "plot"',
    ]
    monkeypatch.setattr(metadata, "requires", lambda _: required)
    monkeypatch.setattr(metadata, "version", lambda name: {"numpy": "1", "pillow": "2"}[name])
    assert about.facts()["packages"] is None  # A KeyError is not a missing package ...

    def version(name: str) -> str:
        if name not in ("numpy", "pillow"):
            raise metadata.PackageNotFoundError(name)
        return "1"

    monkeypatch.setattr(metadata, "version", version)
    found = about.facts()
    assert found["packages"] == {"numpy": "1", "no-such.package": None}
    assert found["extras"] == {
        "png": {"pillow": "1"},
        "openspiel": {"open_spiel": None},
        "plot": {"absent": None},
    }
    assert "\nextra openspiel         open_spiel missing\n" in about.shown(found)


def test_nothing_that_fails_keeps_it_from_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> object:
        raise RuntimeError("broken")

    for owner, name in [
        *((platform, one) for one in ("platform", "python_version", "libc_ver")),
        *((metadata, "requires"), (processor, "features")),
        *((about, "workers_of"), (about, "available_memory")),
    ]:
        monkeypatch.setattr(owner, name, fail)
    found = about.facts()
    assert list(found) == NAMES
    assert found["platform"] is found["extras"] is found["features"] is None
    assert "\nplatform                unknown\n" in about.shown(found)


def test_an_unknown_option_is_a_usage_error() -> None:
    done = module("--jsn")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_any_locale_will_do(tmp_path: Path) -> None:
    done = module(environment={"PYTHONIOENCODING": "ascii", "KULAMI_NAME": "Lübeck"})
    assert (done.returncode, done.stderr) == (0, "")
    assert "KULAMI_NAME=L\\xfcbeck" in done.stdout


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")
def test_a_full_disk_gives_no_traceback() -> None:
    with FULL.open("w") as full:
        done = module(stdout=full)
    assert (done.returncode, done.stderr) == (2, "")


def test_bug_reports_are_told_of_it(repository: Path) -> None:
    settings = (repository / "pyproject.toml").read_text(encoding="utf-8")
    _, _, extras = settings.partition("[project.optional-dependencies]\n")
    names = re.findall(r"^(\w+) = ", extras.partition("\n\n")[0], re.MULTILINE)
    assert len(names) > 7
    text = (repository / "docs" / "installing.md").read_text(encoding="utf-8")
    assert "python -m kulami_solver.about" in text
    missing = [name for name in names if f"`{name}`" not in text]
    assert missing == []
