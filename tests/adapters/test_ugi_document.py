"""The bot that docs/ugi.md shows plays, and is as short as it says."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from kulami_solver.cli import main


@pytest.mark.parametrize(
    "command",
    [
        ["check", "BOT", "--positions", "6", "--workers", "1"],
        ["match", "BOT", "greedy", "--games", "2", "--scoring", "2"],
    ],
    ids=["check", "match"],
)
def test_the_bot_of_the_document_plays(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    text = (repository / "docs" / "ugi.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"```python middle.py\n(.*?)```", text, re.S)
    assert len([line for line in program.splitlines() if line]) <= 15
    path = tmp_path / "middle.py"
    path.write_text(program)
    bot = f"exec {sys.executable} {path}"
    assert main([bot if word == "BOT" else word for word in command] + ["--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    if command[0] == "check":
        assert answer["positions"] == 6
        assert set(answer["faults"].values()) == {0}
    else:
        assert answer["games"] == 2
        assert answer["faults"] == []
