"""Puzzles: one best field by the textbook search, and the same file for a seed."""

from __future__ import annotations

import json
from pathlib import Path

from command_line import good

from kulami_solver import Position, Scoring
from kulami_solver.kulami.textbook import Textbook


def margin(position: Position, scoring: Scoring) -> int:
    """What the textbook search says for the side to move."""
    if position.is_over:
        return position.margin(scoring)
    textbook = Textbook(position.layout.geometry, 1 << 20, scoring.area, scoring.chains)
    found = textbook.margin(*position.view, position.supply)
    assert found is not None
    return found


def test_every_other_field_is_worse(tmp_path: Path) -> None:
    file = tmp_path / "puzzles.jsonl"
    good("puzzles", str(file), "--count", "8", "--seed", "5")
    lines = file.read_text().splitlines()
    assert len(lines) == 8
    for puzzle in map(json.loads, lines):
        position, scoring = Position.from_kfn(puzzle["kfn"]), Scoring(puzzle["scoring"])
        worth = {f: -margin(position.play(f), scoring) for f in position.legal_fields}
        assert worth.pop(puzzle["best"]) == puzzle["value"] > max(worth.values())
        sign = 1
        for field in puzzle["line"]:
            position, sign = position.play(field), -sign
        assert position.is_over
        assert sign * position.margin(scoring) == puzzle["value"]


def test_a_seed_has_one_file(tmp_path: Path) -> None:
    for name, count in (("one", "6"), ("two", "6"), ("less", "3")):
        good("puzzles", str(tmp_path / name), "--count", count, "--scoring", "2")
    one, two, less = ((tmp_path / name).read_text() for name in ("one", "two", "less"))
    assert one == two
    assert one.startswith(less)
