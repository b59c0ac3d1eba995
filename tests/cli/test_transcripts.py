"""Commands say what tests/transcripts.txt records, and what they refuse leaves nothing behind."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from transcripts import anew, commands, files, recorded

RECORDED = recorded()
REFUSED = re.compile(r"\$ kulami.*\n(?:! kulami: warning: .*\n)*! kulami: error: .*\n= 2(\n|$)")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))


@pytest.mark.parametrize("title", RECORDED)
def test_commands_say_what_is_recorded(title: str) -> None:
    """If what is said is meant to change, `python tests/transcripts.py` writes the record anew."""
    section = RECORDED[title]
    assert anew(section) == section
    if title.startswith("Refused"):
        assert {path.name: path.read_text("utf-8") for path in Path().iterdir()} == files(section)
        assert len(REFUSED.findall(section)) == len(commands(section)) > 1
