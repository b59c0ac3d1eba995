"""The sources pass ruff, cython-lint, pycodestyle and mypy --strict."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from pathlib import Path

import pytest
from command_line import completed

CHECKED = ["kulami_solver", "scripts", "tests", "docs", "setup.py"]


@pytest.mark.sources
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("ruff", ["check", "--quiet", *CHECKED]),
        # cython-lint would begin pycodestyle anew for each file, with these options.
        ("cython_lint.cython_lint", ["--no-pycodestyle", "ext"]),
        pytest.param(
            "pycodestyle",
            ["--max-line-length=100", "--filename=*.pyx,*.pxd", "ext"],
            marks=pytest.mark.nightly,
        ),
        ("mypy", ["--strict", *CHECKED]),
    ],
)
def test_nothing_to_complain_about(repository: Path, tool: str, arguments: list[str]) -> None:
    if importlib.util.find_spec(tool.partition(".")[0]) is None:
        pytest.skip(f"{tool} is not installed: pip install -e '.[test]'")
    if tool == "pycodestyle":
        import cython_lint.cython_lint as cython_lint  # type: ignore[import-untyped]

        arguments = [f"--ignore={','.join(sorted(cython_lint.PYCODESTYLE_CODES))}", *arguments]
    done = completed([sys.executable, "-m", tool, *arguments], cwd=repository)
    assert done.returncode == 0, f"\n{done.stdout}{done.stderr}"


def test_a_type_checker_knows_each_name_and_no_other(repository: Path, tmp_path: Path) -> None:
    """It follows the one that checks all sources, since mypy keeps what it has read of them."""
    pytest.importorskip("mypy")
    lines, wrong = [], []
    for package in ("kulami_solver", "kulami_solver.malawi"):
        names = importlib.import_module(package).__all__
        lines += [f"import {package}", *(f"{package}.{name}" for name in names)]
        wrong += [f"{package}.solv", f'{package}.open_database(path=b"", what=1)']
    snippet = tmp_path / "snippet.py"
    snippet.write_text("\n".join([*lines, *wrong]) + "\n", encoding="ascii")
    command = [sys.executable, "-m", "mypy", "--strict", str(snippet)]
    done = completed(command, cwd=repository, env=os.environ | {"MYPYPATH": str(repository)})
    found = {int(line) for line in re.findall(r"snippet\.py:(\d+): error", done.stdout)}
    assert found == {len(lines) + 1 + number for number in range(len(wrong))}, done.stdout
