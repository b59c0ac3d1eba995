"""The suite that bots are judged by."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
import reference
from command_line import SUITE, good, kulami

from kulami_solver import KulamiError, Scoring
from kulami_solver.bots.kulami.suite import Case, draw_cases, read_suite, shipped


def test_it_is_what_its_description_says() -> None:
    cases = SUITE()
    assert len(cases) >= 1000
    assert len({case.position.kfn() for case in cases}) == len(cases)
    cells = Counter((case.scoring, case.position.free_count) for case in cases)
    assert set(cells) == {(scoring, free) for scoring in Scoring for free in range(10, 25)}
    assert len(set(cells.values())) == 1
    square = sum(case.position.layout.rows[0].count(".") == 0 for case in cases)
    assert abs(square - len(cases) / 2) < len(cases) / 20
    assert {case.origin for case in cases} == {"random", "alphabeta:2", "mcts:200"}
    for case in cases:
        assert len(case.values) >= 2
        assert len(set(case.values.values())) >= 2
        assert case.position.turn in ("red", "black")


def test_its_beginning_is_a_fair_sample() -> None:
    cases = read_suite(count=400)
    for scoring in Scoring:
        assert 70 <= sum(case.scoring is scoring for case in cases) <= 130
    assert 140 <= sum(case.origin == "random" for case in cases) <= 260


def test_values_are_those_of_the_solver() -> None:
    for case in SUITE()[::80]:
        if case.position.free_count <= 20:
            assert Case.of(case.position, case.scoring, case.origin) == case


@pytest.mark.nightly
def test_all_values_are_those_of_the_solver() -> None:
    for case in SUITE():
        assert Case.of(case.position, case.scoring, case.origin) == case


@pytest.mark.parametrize(
    ("most_free", "wanted"), [(11, 50), pytest.param(12, 120, marks=pytest.mark.nightly)]
)
def test_values_are_those_of_the_reference(most_free: int, wanted: int) -> None:
    checked = 0
    for case in SUITE():
        if case.position.free_count <= most_free and checked < wanted:
            rules, state = reference.parse_kfn(case.position.kfn())
            assert reference.field_values(rules, state, case.scoring.value, {}) == case.values
            checked += 1
    assert checked == wanted


def test_drawn_cases_are_the_same_for_a_seed() -> None:
    one, two, other = (list(draw_cases(seed, 8)) for seed in (1, 1, 2))
    assert one == two != other


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("nonsense", "line 1: it is not JSON"),
        ("[]", "line 1: it is no object"),
        ('{"kfn": "AAB/CCB r b a1", "scoring": "7", "values": {"c1": 0, "a2": 0}}', "'7'"),
        ('{"kfn": "AAB/CCB r b", "scoring": "0", "values": {}}', "line 1"),
        ('{"kfn": "AAB/CCB r b a1", "scoring": "0", "values": {"c1": 0}}', "c1 a2"),
        ('{"kfn": "AAB/CCB r b a1", "scoring": "0", "values": {"c1": 0, "a2": "1"}}', "whole"),
        ("", "holds no position"),
    ],
)
def test_bad_suites(line: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "suite.jsonl"
    path.write_text(line + "\n", encoding="ascii")
    with pytest.raises(KulamiError, match=message):
        read_suite(path)


def test_not_enough_positions(tmp_path: Path) -> None:
    path = tmp_path / "suite.jsonl"
    path.write_text("".join(f"{case.line}\n" for case in read_suite(count=5)), encoding="ascii")
    assert read_suite(path, 5) == read_suite(path)
    with pytest.raises(KulamiError, match="holds 5 positions: ask for no more"):
        read_suite(path, 6)


@pytest.mark.parametrize("count", [0, -1, 1.5, "x"])
def test_counts_that_make_no_sense(count: object) -> None:
    with pytest.raises(KulamiError, match=r"^count is .*: give a whole number above 0$"):
        read_suite(count=count)  # type: ignore[arg-type]


def test_lines_are_read_as_they_are_written() -> None:
    path = shipped("suite.jsonl")
    assert path is not None
    with open(path, encoding="ascii") as file:
        for _, line in zip(range(50), file, strict=False):
            assert json.loads(Case.parse(line).line) == json.loads(line)


def test_other_marbles_and_the_short_end() -> None:
    record = {
        "kfn": "AAB/CCB r2/3 b a1",
        "scoring": "0",
        "values": {"c1": -1, "a2": -1},
        "marbles": 2,
        "short_end": True,
    }
    case = Case.parse(json.dumps(record))
    assert (case.position.marbles, case.position.short_end) == (2, True)
    assert json.loads(case.line) == record


def test_cases_of_games_that_end_early() -> None:
    drawn = list(draw_cases(3, 4, most=12, short_end=True))
    assert all(case.position.short_end for case in drawn)
    assert [Case.parse(case.line) for case in drawn] == drawn
    assert drawn != list(draw_cases(3, 4, most=12))


def test_a_check_of_games_that_end_early() -> None:
    words = ("check", "greedy", "--positions", "4", "--free", "10-12", "--short-end")
    assert good(*words, "--live", "--json").answer["positions"] == 4
    assert "a suite says itself" in kulami(*words).err
