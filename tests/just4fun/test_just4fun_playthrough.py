"""Whole games of Just 4 Fun are what they were: every answer of the package on the way."""

from __future__ import annotations

import json
from pathlib import Path

from just4fun_playthrough import playthrough

KEPT = Path(__file__).parents[1] / "positions" / "just4fun-playthrough.jsonl"


def test_playthrough() -> None:
    kept = [json.loads(line) for line in KEPT.read_text(encoding="utf-8").splitlines()]
    found = [json.loads(json.dumps(record)) for record in playthrough()]
    assert len(found) == len(kept)
    for now, before in zip(found, kept, strict=True):
        assert now == before, now["notation"]


def test_it_shows_something_of_everything() -> None:
    records = list(playthrough())
    assert {record["to_move"] for record in records} >= {-2, -1, 0, 1, 2}
    assert any(record["settled"] for record in records)
    assert any("discard" in move for record in records for move in record["moves"])
    assert sum(record["to_move"] == -2 for record in records) == 3
