"""Game records checked against the rules."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest
from command_line import good

from kulami_solver.core.game_records import Verdict, numbered_records, parse_record
from kulami_solver.kulami.replay import check_record, read_game

GAME: dict[str, object] = {
    "board": ["AAB", "AAC"],
    "level": 0,
    "first": "red",
    "moves": ["a1", "c1", "c2", "a2"],
    "score": {"red": 1, "black": 1},
}


def verdicts(lines: Iterable[str]) -> list[Verdict]:
    """What is found of the records in lines of JSON."""
    return [
        check_record(parse_record(line, number, game), number, game)
        for number, game, line in numbered_records(lines)
    ]


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"board": "AAB/AAC"},
        {"board": "AAB\nAAC"},
        {"level": "0"},
        {"moves": "a1 c1 c2 a2"},
        {"marbles": 32},
        {"marbles": 1, "moves": ["a1", "c1"], "score": {"red": 4, "black": 1}},
        {
            "marbles": 2,
            "short_end": True,
            "moves": ["a1", "c1", "c2"],
            "score": {"red": 5, "black": 1},
        },
        {"remark": "other keys are nobody's business"},
    ],
)
def test_records_that_agree(change: dict[str, object]) -> None:
    verdict = check_record(GAME | change)
    assert (verdict.agrees, verdict.reason) == (True, "")


def test_lines_are_counted_and_blank_ones_skipped() -> None:
    lines = ["", json.dumps(GAME), "  \n", json.dumps(GAME | {"moves": []})]
    assert [(verdict.number, verdict.agrees) for verdict in verdicts(lines)] == [
        (2, True),
        (4, False),
    ]


def test_comments_are_lines_and_no_games() -> None:
    lines = ["# of a match", json.dumps(GAME), "", json.dumps(GAME | {"moves": []})]
    found = [(verdict.number, verdict.game, verdict.agrees) for verdict in verdicts(lines)]
    assert found == [(2, 1, True), (4, 2, False)]


def test_a_game_may_be_read_before_it_is_over() -> None:
    record = {key: value for key, value in GAME.items() if key != "score"}
    found = read_game(record | {"moves": ["a1", "c1"]})
    assert (found.moves, found.end.is_over, found.end.turn) == (("a1", "c1"), False, "red")


def test_the_example_in_the_help_agrees() -> None:
    said = good("replay", "--help").out
    record = " ".join(said[said.index('{"board"') : said.index("}}") + 2].split())
    answer = good("replay", "-", "--json", stdin=record.encode()).answer
    assert (answer["games"], answer["disagree"]) == (1, 0)
