"""Game records checked against the rules."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest
from command_line import good

from kulami_solver.core.game_records import Verdict, numbered_records, parse_record
from kulami_solver.errors import KulamiError
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


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            {"moves": ["a1", "a2"]},
            "move 2: black cannot play a2: it is on the panel of the last marble, a1",
        ),
        (
            {"moves": ["a1", "c1", "c2", "a2", "b2"]},
            "move 5: b2 cannot be played: the game is over, red has no legal field",
        ),
        (
            {"moves": ["a1", "d1"]},
            "move 2: there is no field d1 in this layout: row 1 has a1 b1 c1",
        ),
        (
            {"moves": ["a1", "c1", "c2"]},
            "the record stops after move 3, but black can still play a2 and 1 more",
        ),
        (
            {"moves": ["a1", "c1"]},
            "the record stops after move 2, but red can still play c2",
        ),
        (
            {"score": {"red": 4, "black": 1}},
            "the record's score is red 4, black 1; by the rules it is red 1, black 1",
        ),
        (
            {"score": {"red": 10**30, "black": 1}},
            "the record's score is red a number of 100 bits, black 1; "
            "by the rules it is red 1, black 1",
        ),
        (
            {"level": 1, "score": {"red": 2, "black": 1}},
            "the record's score is red 2, black 1; by the rules it is red 1, black 1",
        ),
    ],
)
def test_records_that_disagree(change: dict[str, object], reason: str) -> None:
    verdict = check_record(GAME | change, 7)
    assert (verdict.number, verdict.agrees, verdict.reason) == (7, False, reason)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ([], "it is a list: write an object with board, level, first, moves and score"),
        (None, "it is None: write an object with board, level, first, moves and score"),
        *(
            (
                {key: value for key, value in GAME.items() if key != missing},
                f"'{missing}' is missing: give ",
            )
            for missing in GAME
        ),
        (GAME | {"board": 5}, "a layout's rows are a list of text, not 5"),
        (GAME | {"board": {"A": 1, "AA": 2}}, "panel A is not a rectangle"),
        (GAME | {"level": 3}, "3 is not a scoring"),
        (GAME | {"first": "r2"}, "first 'r2' is no colour"),
        (GAME | {"moves": 3}, "a list of fields is text like 'd4 d7' or names, not 3"),
        (GAME | {"moves": ["a1", None]}, "number 2 of the list: None is not a field"),
        (GAME | {"score": 3}, "'score' is 3: write"),
        (GAME | {"score": {"red": 1}}, "'score' lacks 'black': write"),
        (GAME | {"score": {"red": 1, "black": 1.5}}, "black's score is 1.5: write a whole"),
        (GAME | {"marbles": "many"}, "marbles is a whole number, not 'many'"),
        (GAME | {"short_end": 1}, "short_end is True or False, not 1"),
    ],
)
def test_what_is_no_record(record: object, message: str) -> None:
    with pytest.raises(KulamiError) as caught:
        check_record(record, 3)
    assert str(caught.value).startswith(f"game record 3: {message}")


def test_lines_are_counted_and_blank_ones_skipped() -> None:
    lines = ["", json.dumps(GAME), "  \n", json.dumps(GAME | {"moves": []})]
    assert [(verdict.number, verdict.agrees) for verdict in verdicts(lines)] == [
        (2, True),
        (4, False),
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "game record 2 is not JSON at character 2: write one object a line"),
        ("\x00", "game record 2 is not JSON at character 1: write one object a line"),
        ('{"level": ' + "9" * 5000 + "}", "game record 2 is not JSON: write one object a line"),
        ("[" * 200_000, "game record 2 is nested too deeply: write one object of JSON a line"),
    ],
    ids=["cut", "nul", "digits", "deep"],
)
def test_lines_that_are_no_json(line: str, message: str) -> None:
    with pytest.raises(KulamiError) as caught:
        verdicts([json.dumps(GAME), line])
    assert str(caught.value) == message


def test_comments_are_lines_and_no_games() -> None:
    lines = ["# of a match", json.dumps(GAME), "", json.dumps(GAME | {"moves": []})]
    found = [(verdict.number, verdict.game, verdict.agrees) for verdict in verdicts(lines)]
    assert found == [(2, 1, True), (4, 2, False)]
    with pytest.raises(KulamiError, match=r"game record 2 \(game 1\): it is a list"):
        verdicts(["#", "[]"])


def test_a_game_may_be_read_before_it_is_over() -> None:
    record = {key: value for key, value in GAME.items() if key != "score"}
    found = read_game(record | {"moves": ["a1", "c1"]})
    assert (found.moves, found.end.is_over, found.end.turn) == (("a1", "c1"), False, "red")
    for change, message in (
        ({}, "'score' is missing"),
        ({"moves": ["a1"], "forfeit": "black"}, "'score' is missing"),
        ({"moves": ["a1"], "forfeit": "black", "score": {"red": 9, "black": 0}}, "score is red 9"),
        ({"moves": ["a1", "a2"]}, "move 2: black cannot play a2"),
    ):
        with pytest.raises(KulamiError, match=f"^game record 4 \\(game 3\\): .*{message}"):
            read_game(record | change, 4, 3)


def test_the_example_in_the_help_agrees() -> None:
    said = good("replay", "--help").out
    record = " ".join(said[said.index('{"board"') : said.index("}}") + 2].split())
    answer = good("replay", "-", "--json", stdin=record.encode()).answer
    assert (answer["games"], answer["disagree"]) == (1, 0)
