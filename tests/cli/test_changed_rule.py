"""docs/changing-a-rule.md: what it says is done in a copy of the game, and comes out as it says."""

from __future__ import annotations

import functools
import itertools
import operator
import re
import subprocess
import sys
from pathlib import Path

import pytest
from documents import blocks, commands
from installed_game import install


@pytest.fixture
def changed(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> subprocess.CompletedProcess[str]:
    """What is said of all small heaps when the chapter has been followed to its end."""
    page = repository / "docs" / "changing-a-rule.md"
    source = tmp_path / "docs" / "examples" / "nim"
    source.mkdir(parents=True)
    for name in ("nim.py", "pyproject.toml"):
        original = repository / "docs" / "examples" / "nim" / name
        (source / name).write_bytes(original.read_bytes())
    reader = tmp_path / "reader"
    reader.mkdir()
    done = []
    for block in blocks(page):
        environment = install(source, reader)
        if block.language == "python":
            (reader / block.name).write_text(block.text, encoding="utf-8")
        elif block.language == "diff":
            patch = ["patch", "-p1", "--fuzz=0", "--no-backup-if-mismatch"]
            subprocess.run(patch, input=block.text, cwd=tmp_path, text=True, check=True)
        elif block.language == "console":
            for command, answer in commands(block.text):
                ran = subprocess.run(
                    [sys.executable, *command.split()[1:]],
                    cwd=reader,
                    env=environment,
                    capture_output=True,
                    text=True,
                    check=False,
                )
                assert (ran.stdout, ran.stderr) == (answer, ""), command
        done.append(block.language)
    assert done.count("diff") == 1
    assert done.index("console") < done.index("diff") < len(done) - 1
    heaps = [one for one in itertools.product(range(5), repeat=3) if any(one)]
    named = [",".join(map(str, one)) for one in heaps]
    return subprocess.run(
        [sys.executable, "values.py", *named],
        cwd=reader,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )


def test_the_changed_rule_has_the_values_that_are_known(
    changed: subprocess.CompletedProcess[str],
) -> None:
    """Where the last stone loses, Bouton's rule holds until only heaps of one are left."""
    answers = [line.split() for line in changed.stdout.splitlines()]
    assert len(answers) == 124
    for heaps, *said in answers:
        sizes = [int(size) for size in re.findall(r"\d+", heaps)]
        lost = functools.reduce(operator.xor, sizes) == (max(sizes) == 1)
        assert " ".join(said).startswith("a loss" if lost else "a win"), heaps
