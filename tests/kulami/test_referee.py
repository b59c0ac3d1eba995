"""The package against other people's games and values, where their files are there.

``referee-games.jsonl`` holds games refereed by an independent server, ``exact.jsonl`` late square
and irregular positions with every legal field's exact margin from an independent solver.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from agreement import assert_line_reaches
from command_line import good
from reference import parse_kfn

import kulami_solver as ks

SCORINGS = {"0": "0", "1": "1", "2": "2", "c": "chains"}

each_scoring = pytest.mark.parametrize("letter", SCORINGS)


@pytest.fixture(scope="module")
def games(shared_testdata: Path) -> Path:
    """The refereed games."""
    return shared_testdata / "referee-games.jsonl"


@pytest.fixture(scope="module")
def exact(shared_testdata: Path) -> list[dict[str, Any]]:
    """The positions with exact values."""
    return [json.loads(line) for line in (shared_testdata / "exact.jsonl").read_text().splitlines()]


def test_games_agree_on_the_command_line(games: Path) -> None:
    answer = good("replay", str(games), "--json").answer
    assert (answer["games"], answer["disagree"]) == (150, 0)


def test_exact_positions_follow_from_their_games(exact: list[dict[str, Any]]) -> None:
    """The moves lead to the position, and both programs write the same KFN."""
    for record in exact:
        layout = ks.Layout.parse("/".join(record["board"]))
        first = "red" if record["first"] == "r" else "black"
        position = ks.Position(layout, first=first).play_all(record["moves"])
        assert position == ks.Position.from_kfn(record["kfn"])
        assert position.kfn() == record["kfn"]
        assert position.free_count == record["empties"]
        assert set(position.legal_fields) == set(record["values"])


@each_scoring
def test_exact_values(exact: list[dict[str, Any]], letter: str) -> None:
    for record in exact:
        if record["scoring"] != letter:
            continue
        scoring = ks.Scoring.parse(SCORINGS[letter])
        position = ks.Position.from_kfn(record["kfn"])
        solution = ks.solve(position, scoring=scoring, threads=1, memory="64M", every_move=True)
        assert solution.exact
        assert solution.margin == record["margin"], record["kfn"]
        assert {move.field: move.margin for move in solution.moves} == record["values"]
        rules, state = parse_kfn(record["kfn"])
        assert_line_reaches(solution.line, record["margin"], rules, state, SCORINGS[letter])
