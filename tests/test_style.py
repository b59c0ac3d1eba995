"""The sources pass ruff, cython-lint and mypy --strict."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

CHECKED = ["kulami_solver", "kulami_start.py", "scripts", "tests", "setup.py"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("ruff", ["check", "--quiet", *CHECKED]),
        ("cython_lint.cython_lint", ["ext"]),
        ("mypy", ["--strict", *CHECKED]),
    ],
)
def test_nothing_to_complain_about(repository: Path, tool: str, arguments: list[str]) -> None:
    if importlib.util.find_spec(tool.partition(".")[0]) is None:
        pytest.skip(f"{tool} is not installed: pip install -e '.[test]'")
    # cython-lint looks for pycodestyle on the PATH, which lacks this environment if not activated.
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", tool, *arguments],
        cwd=repository,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"\n{done.stdout}{done.stderr}"
