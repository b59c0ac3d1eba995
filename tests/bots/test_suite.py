"""The suite that bots are judged by."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import reference
from command_line import SUITE, good, kulami
from documents import ROOT

from kulami_solver import KulamiError, Layout, Position, Scoring
from kulami_solver.bots.kulami.puzzles import THEMES, Puzzle, read_puzzles
from kulami_solver.bots.kulami.suite import Case, draw_cases, read_suite
from kulami_solver.kulami.position.edition import Edition
from kulami_solver.kulami.textbook import Textbook


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


SHIPPED = ROOT / "data" / "puzzles.jsonl"


def margin(position: Position, scoring: Scoring) -> int:
    """What the textbook search says for the side to move."""
    if position.is_over:
        return position.margin(scoring)
    textbook = Textbook(position.layout.geometry, 1 << 20, scoring.area, scoring.chains)
    found = textbook.margin(*position.view, position.supply)
    assert found is not None
    return found


def check(puzzle: Mapping[str, Any]) -> None:
    """One field alone is best, and the line keeps what it is worth to the end."""
    position, scoring = Position.from_kfn(puzzle["kfn"]), Scoring(puzzle["scoring"])
    worth = {f: -margin(position.play(f), scoring) for f in position.legal_fields}
    assert worth.pop(puzzle["best"]) == puzzle["value"] > max(worth.values())
    sign = 1
    for field in puzzle["line"]:
        position, sign = position.play(field), -sign
    assert position.is_over
    assert sign * position.margin(scoring) == puzzle["value"]


@pytest.mark.landing
def test_every_other_field_is_worse(tmp_path: Path) -> None:
    file = tmp_path / "puzzles.jsonl"
    good("puzzles", str(file), "--count", "8", "--seed", "5")
    puzzles = [*map(json.loads, file.read_text().splitlines())]
    assert [puzzle["theme"] for puzzle in puzzles] == [*THEMES, *THEMES[:3]]
    assert [puzzle["scoring"] for puzzle in puzzles] == ["0", "1", "2", "chains"] * 2
    for puzzle in puzzles:
        check(puzzle)


def test_the_shipped_puzzles_are_of_all_kinds() -> None:
    """Themes, scorings and difficulties are spread."""
    puzzles = read_puzzles()
    assert len({(puzzle.position.kfn(), puzzle.scoring) for puzzle in puzzles}) == 500
    assert {*Counter(puzzle.theme for puzzle in puzzles).values()} == {100}
    assert {*Counter(puzzle.scoring for puzzle in puzzles).values()} == {125}
    assert min(Counter(min(puzzle.difficulty // 25, 3) for puzzle in puzzles).values()) >= 100
    assert [puzzle.json_line for puzzle in puzzles] == SHIPPED.read_text("utf-8").splitlines()


@pytest.mark.parametrize("every", [100, pytest.param(1, marks=pytest.mark.nightly)])
def test_shipped_puzzles_have_one_best_field(every: int) -> None:
    for line in SHIPPED.read_text("utf-8").splitlines()[::every]:
        check(json.loads(line))


@pytest.mark.landing
def test_a_seed_has_one_file(tmp_path: Path) -> None:
    for name, count in (("one", "2"), ("two", "2"), ("less", "1")):
        good("puzzles", str(tmp_path / name), "--count", count, "--scoring", "2", "--seed", "1")
    one, two, less = ((tmp_path / name).read_text() for name in ("one", "two", "less"))
    assert one == two
    assert one.startswith(less)


def test_puzzles_of_given_layouts(tmp_path: Path) -> None:
    (tmp_path / "boards.txt").write_text("boardspace-3\nzack-1\n")
    file = tmp_path / "puzzles.jsonl"
    words = ["puzzles", str(file), "--count", "4", "--seed", "1", "--layout"]
    good(*words, str(tmp_path / "boards.txt"))
    puzzles = [*map(json.loads, file.read_text().splitlines())]
    boards = {str(Layout.parse(name)) for name in ("boardspace-3", "zack-1")}
    assert {puzzle["kfn"].split()[0] for puzzle in puzzles} == boards
    for puzzle in puzzles:
        check(puzzle)
    refused = kulami(*words, "AAB/CCB")
    assert refused.code == 2
    assert "puzzles need more than 26 fields, and this layout has 6" in refused.err
    refused = kulami(*words, "/".join(["A" * 9] * 3))  # a game has one move
    assert refused.code == 2
    assert "no puzzle came up in 10000 games, after 0 puzzles: take other layouts" in refused.err


@pytest.mark.parametrize("name", ["games.jsonl", "games.jsonl.gz"])
def test_games_are_not_replaced(name: str, tmp_path: Path) -> None:
    """They are lines of JSON, too."""
    file = tmp_path / name
    good("play", "--layout", "AAB/CCB", "--save", str(file), stdin=b"a1\n")
    before = file.read_bytes()
    ran = kulami("puzzles", str(file), "--count", "1")
    said = f"kulami: error: {file}: a file that holds no puzzles is in the way; name another\n"
    assert (ran.code, ran.err) == (2, said)
    assert file.read_bytes() == before


def test_ctrl_c_leaves_a_file_of_puzzles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The puzzles found so far are written where there was none."""
    shipped, file = read_puzzles()[:1], tmp_path / "puzzles.jsonl"

    def interrupted(*_: object) -> Iterator[Puzzle]:
        yield from shipped
        raise KeyboardInterrupt

    monkeypatch.setattr("kulami_solver.bots.kulami.puzzles.draw_puzzles", interrupted)
    kept = kulami("puzzles", str(file))
    assert (kept.code, kept.out) == (130, f"{file}: 1 puzzle (1 forced)\n")
    assert kept.err == "kulami: interrupted: Ctrl-C; 1 puzzle had been found\n"
    assert read_puzzles(file) == shipped

    before = SHIPPED.read_bytes()
    file.write_bytes(before)
    ran = kulami("puzzles", str(file), "--json")
    said = f"kulami: interrupted: Ctrl-C; {file} stays as it was; 1 puzzle had been found\n"
    assert (ran.code, ran.out, ran.err) == (130, "", said)
    assert file.read_bytes() == before

    file.unlink()
    shipped.clear()
    none = kulami("puzzles", str(file))
    said = "kulami: interrupted: Ctrl-C; 0 puzzles had been found\n"
    assert (none.code, none.out, none.err) == (130, "", said)
    assert not file.exists()


def test_a_part_of_a_suite(tmp_path: Path) -> None:
    """Its beginning is a fair sample; no more is given than there is."""
    cases = read_suite(count=400)
    for scoring in Scoring:
        assert 70 <= sum(case.scoring is scoring for case in cases) <= 130
    assert 140 <= sum(case.origin == "random" for case in cases) <= 260
    path = tmp_path / "suite.jsonl"
    path.write_text("".join(f"{case.line}\n" for case in cases[:5]), encoding="ascii")
    assert read_suite(path, 5) == read_suite(path) == cases[:5]
    with pytest.raises(KulamiError, match="holds 5 positions: ask for no more"):
        read_suite(path, 6)


def test_cases_are_drawn_by_a_seed_and_read_as_they_are_written() -> None:
    """Those of games that end early, too."""
    one, two, other = (list(draw_cases(seed, 8)) for seed in (1, 1, 2))
    assert one == two != other
    drawn = list(draw_cases(3, 4, most=12, edition=Edition(short_end=True)))
    assert all(case.position.short_end for case in drawn)
    assert drawn != list(draw_cases(3, 4, most=12))
    assert [Case.parse(case.line) for case in (*drawn, *one)] == [*drawn, *one]
    for case in SUITE()[:50]:
        assert Case.parse(case.line) == case
    words = ("check", "greedy", "--positions", "4", "--free", "10-12", "--short-end")
    assert good(*words, "--live", "--json").answer["positions"] == 4
    assert "a suite says itself" in kulami(*words).err
