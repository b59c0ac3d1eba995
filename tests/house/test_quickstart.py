"""The first thing a user sees: the solved position of scripts/quickstart.sh."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from command_line import completed


def test_quickstart_solves_its_position_at_all_scorings(repository: Path) -> None:
    done = completed([sys.executable, repository / "scripts" / "quickstart.py"], encoding="utf-8")
    assert done.returncode == 0, done.stderr
    values = re.findall(r"(black|red) wins by (\d+) +[\d,]+ nodes", done.stdout)
    assert values == [("black", "4"), ("black", "1"), ("red", "5"), ("red", "2")]
    assert "1,000,151 positions" in done.stdout
    assert re.search(r"red wins by 2 .*\bd3\b", done.stdout)
    assert "kulami --help" in done.stdout
