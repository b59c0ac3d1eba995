"""docs/adding-a-scoring.md: its diff is compiled in a copy of the tree and does what it says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from documents import ROOT, blocks, commands

pytestmark = [pytest.mark.nightly, pytest.mark.sources]


def test_the_chapter_is_followed(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    for name in ("kulami_solver", "ext", "data"):
        shutil.copytree(ROOT / name, tree / name)
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy2(ROOT / name, tree / name)
    # Not the package of this process: the copy alone, with what it needs.
    paths = [str(tree), *(path for path in sys.path if path and Path(path).resolve() != ROOT)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}

    def run(*words: str, text: str | None = None) -> str:
        done = subprocess.run(
            words,
            input=text,
            cwd=tree,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    done = []
    for block in blocks(ROOT / "docs" / "adding-a-scoring.md"):
        if block.language == "python":
            (tree / block.name).write_text(block.text, encoding="utf-8")
        elif block.language == "diff":
            run("patch", "-p1", "--fuzz=0", text=block.text)
            run(sys.executable, "setup.py", "-q", "build_ext", "--inplace")
        elif block.language == "console":
            for command, answer in commands(block.text):
                program, *words = command.split()
                started = {"kulami": ["-m", "kulami_solver"], "python": []}[program]
                assert run(sys.executable, *started, *words) == answer, command
        done.append(block.language)
    assert done.index("diff") < done.index("console")
