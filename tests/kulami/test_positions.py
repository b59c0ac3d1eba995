"""The package against tests/positions: every legal field's exact margin, by plain Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import reference
from agreement import assert_line_reaches

import kulami_solver as ks

FILES = sorted(
    path
    for path in (Path(__file__).parents[1] / "positions").glob("*.jsonl")
    if not path.name.startswith("just4fun")
)

each_file = pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])


def records(path: Path) -> list[dict[str, Any]]:
    """The lines of a file."""
    return [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]


def position_of(record: dict[str, Any]) -> ks.Position:
    """The package's position of a line."""
    return ks.Position.from_kfn(
        record["kfn"], marbles=record["marbles"], short_end=record["short_end"]
    )


@each_file
def test_every_field(path: Path) -> None:
    for record in records(path):
        solution = ks.solve(
            position_of(record),
            scoring=ks.Scoring.parse(record["scoring"]),
            threads=1,
            memory="1M",
            every_move=True,
        )
        assert solution.exact
        assert solution.margin == record["margin"], record
        assert {move.field: move.margin for move in solution.moves} == record["values"], record
        rules, state = reference.parse_kfn(record["kfn"], record["marbles"], record["short_end"])
        assert_line_reaches(solution.line, record["margin"], rules, state, record["scoring"])


@each_file
def test_analyse_outcome_and_value_alone(path: Path) -> None:
    """``analyse`` gives the same values, best first, and the goal outcome their signs."""
    for record in records(path):
        position, scoring = position_of(record), ks.Scoring.parse(record["scoring"])
        moves = ks.analyse(position, scoring=scoring, threads=1, memory="1M")
        assert {move.field: move.margin for move in moves} == record["values"]
        margins = [record["values"][move.field] for move in moves]
        assert margins == sorted(margins, reverse=True)
        solution = ks.solve(position, scoring=scoring, goal="outcome", threads=1, memory="1M")
        assert solution.outcome == reference.outcome(record["margin"])
        assert solution.lower <= record["margin"] <= solution.upper
        alone = ks.solve(position, scoring=scoring, threads=1, memory="1M")
        assert alone.margin == record["margin"]
        assert alone.best is None or record["values"][alone.best] == record["margin"]
