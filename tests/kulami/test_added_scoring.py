"""docs/adding-a-scoring.md: its diff is compiled in a copy of the tree and does what it says."""

from __future__ import annotations

import os
import shutil
import sys
from doctest import ELLIPSIS, OutputChecker
from pathlib import Path

import pytest
from command_line import completed
from documents import ROOT, blocks, commands

pytestmark = [
    pytest.mark.sources,
    pytest.mark.skipif(shutil.which("patch") is None, reason="there is no patch command"),
]

CHAPTER = ROOT / "docs" / "adding-a-scoring.md"


def test_its_change_fits_the_files(tmp_path: Path) -> None:
    (change,) = [block.text for block in blocks(CHAPTER) if block.language == "diff"]
    for line in change.splitlines():
        if line.startswith("--- a/"):
            name = line.removeprefix("--- a/")
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tmp_path / name)
    command = ["patch", "-p1", "--fuzz=0", "--dry-run"]
    done = completed(command, input=change, cwd=tmp_path)
    assert done.returncode == 0, done.stdout


@pytest.mark.nightly
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
        done = completed(words, input=text, cwd=tree, env=environment)
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    done = []
    for block in blocks(CHAPTER):
        if block.language == "python":
            (tree / block.name).write_text(block.text, encoding="utf-8")
        elif block.language == "diff":
            run("patch", "-p1", "--fuzz=0", text=block.text)
            run(sys.executable, "setup.py", "-q", "build_ext", "--inplace")
        elif block.language == "console":
            for command, answer in commands(block.text):
                program, *words = command.split()
                started = {"kulami": ["-m", "kulami_solver"], "python": []}[program]
                said = run(sys.executable, *started, *words)
                assert OutputChecker().check_output(answer, said, ELLIPSIS), f"{command}\n{said}"
        done.append(block.language)
    assert done.index("diff") < done.index("console")
