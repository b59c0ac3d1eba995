"""The tables behind the pages about openings, lengths and growth: each is what its script makes."""

from __future__ import annotations

import hashlib
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import build_first_fields
import build_larger_boards
import build_lengths
import build_nodes
import build_openings
import pytest
from build_openings import BOARDS, TRIED, numbers
from build_small_boards import EVERY_SCORING, case_of, rows_of

import kulami_solver as ks

OPENINGS = build_openings.table()
LENGTHS = build_lengths.table()
FIRST_FIELDS = build_first_fields.table()


@pytest.mark.parametrize(
    ("page", "said", "table", "pictures", "count"),
    [
        (
            "first-player",
            lambda: "\n".join(build_openings.summary(OPENINGS)),
            "openings.csv",
            "openings",
            4,
        ),
        (
            "first-player",
            lambda: "\n".join(build_lengths.summary(LENGTHS)),
            "lengths.csv",
            "lengths",
            4,
        ),
        (
            "first-player",
            lambda: "\n".join(build_first_fields.summary(FIRST_FIELDS)),
            "boards-5x5.csv",
            "boards",
            6,
        ),
        (
            "growth",
            lambda: "\n".join(build_nodes.summary(build_nodes.table())),
            "nodes.csv",
            "nodes",
            2,
        ),
    ],
)
def test_the_page_and_its_pictures_are_made_from_the_table(
    repository: Path, page: str, said: Callable[[], str], table: str, pictures: str, count: int
) -> None:
    """`python scripts/data/draw_*.py` draws them; they name what they were drawn from."""
    text = (repository / "docs" / "explanation" / f"{page}.md").read_text(encoding="utf-8")
    for part in said().split("\n\n"):
        assert part in text
    digest = hashlib.sha256((repository / "data" / table).read_bytes()).hexdigest()
    drawn = sorted((repository / "docs" / "_static").glob(f"{pictures}-*.svg"))
    assert len(drawn) == count
    for picture in drawn:
        assert f"{table} {digest}" in picture.read_text(encoding="utf-8"), picture.name
        assert f"../_static/{picture.name}" in text


# Openings


def test_every_field_of_every_board_is_there() -> None:
    cases = [(row["layout"], row["scoring"]) for row in OPENINGS]
    assert cases == [(str(board), one.value) for board in BOARDS.values() for one in ks.Scoring]
    for row in OPENINGS:
        fields = ks.Layout.parse(row["layout"]).fields
        for column in ("margins", "wins", "losses"):
            assert len(row[column].split()) == len(fields)
        tried = row["tried"].split()
        assert len(set(tried)) == 2 * TRIED
        assert set(tried) <= set(fields)
        counts = zip(numbers(row["won"]), numbers(row["lost"]), strict=True)
        assert all(won + lost <= build_openings.GAMES for won, lost in counts)


def test_a_field_is_estimated_again() -> None:
    row = OPENINGS[0]
    number = ks.Layout.parse(row["layout"]).fields.index("d4")
    margin, win, loss = build_openings.estimated((row["layout"], row["scoring"], "d4"))
    assert round(margin, 1) == numbers(row["margins"])[number]
    assert round(100 * win) == numbers(row["wins"])[number]
    assert round(100 * loss) == numbers(row["losses"])[number]


@pytest.mark.nightly
def test_games_are_played_again() -> None:
    row = OPENINGS[4]
    field = row["tried"].split()[0]
    margins = build_openings.played((row["layout"], row["scoring"], field))
    assert sum(one > 0 for one in margins) == numbers(row["won"])[0]
    assert sum(one < 0 for one in margins) == numbers(row["lost"])[0]


# Lengths of games


def test_lengths_of_all_boards_are_there() -> None:
    layouts = (build_lengths.SMALL, *map(str, BOARDS.values()))
    scorings = (*EVERY_SCORING, build_lengths.RANDOM)
    cases = [(layout, scoring) for layout in layouts for scoring in scorings]
    assert [(row["layout"], row["scoring"]) for row in LENGTHS] == cases
    for row in LENGTHS:
        counts = build_lengths.counts_of(row)
        assert sum(counts.values()) == int(row["games"])
        assert max(counts) <= (25 if row["layout"] == build_lengths.SMALL else 56)


def test_games_have_the_same_lengths_again() -> None:
    row = next(row for row in LENGTHS if row["play"] == "random" and row["layout"] != "5x5")
    lengths = [build_lengths.random_game(seed, row["layout"]) for seed in range(20)]
    assert all(build_lengths.counts_of(row)[length] for length in lengths)
    row = next(row for row in LENGTHS if row["play"] == "good")
    assert build_lengths.counts_of(row)[build_lengths.good_game(3, row["layout"], row["scoring"])]


@pytest.mark.nightly
@pytest.mark.parametrize("scoring", ["0", "chains"])
def test_best_games_are_played_again(scoring: str) -> None:
    (row,) = [row for row in LENGTHS if (row["play"], row["scoring"]) == ("best", scoring)]
    counts = build_lengths.counts_of(row)
    lengths = build_lengths.best_games(scoring)
    assert {plies: lengths.count(plies) for plies in counts} == counts


# All 5x5 boards


def test_every_board_is_there_once_and_its_value_is_that_of_its_best_field() -> None:
    assert [case_of(row) for row in FIRST_FIELDS] == build_first_fields.cases()
    for row in FIRST_FIELDS:
        margins = [int(margin) for margin in row["first_fields"].split()]
        assert len(margins) == 25
        assert int(row["value"]) == max(margins)


@pytest.mark.parametrize(
    ("seed", "scorings", "count"),
    [(3, ("0",), 5), pytest.param(4, EVERY_SCORING, 60, marks=pytest.mark.nightly)],
)
def test_rows_are_solved_again(seed: int, scorings: Any, count: int) -> None:
    rows = [row for row in FIRST_FIELDS if row["scoring"] in scorings]
    chosen = sorted(random.Random(seed).sample(rows, count), key=rows.index)
    assert list(build_first_fields.solved([case_of(row) for row in chosen])) == chosen


# Nodes by free fields


@pytest.mark.parametrize("scoring", build_nodes.SCORINGS)
def test_solutions_take_about_as_many_nodes(scoring: str) -> None:
    """Exactly as many, until a change of the search; if this fails, make the table again."""
    rows = build_nodes.table()
    kinds = [(row.scoring, row.free) for row in rows]
    assert kinds == [(one, free) for one in build_nodes.SCORINGS for free in build_nodes.FREE]
    assert {len(row.nodes) for row in rows} == {build_nodes.COUNT}
    (row,) = [row for row in rows if (row.scoring, row.free) == (scoring, 22)]
    now = sum(build_nodes.counted(scoring, 22, 5).nodes)
    assert sum(row.nodes[:5]) / 2 < now < 2 * sum(row.nodes[:5])


# Larger boards


def build_of_larger_boards(*words: str) -> list[str]:
    """A command that solves some boards of 5x5, two at a time."""
    script = Path(build_larger_boards.__file__)
    return [sys.executable, str(script), "--family", "5x5-0", "--threads", "2", *words]


def test_a_build_of_larger_boards_that_was_killed_goes_on(tmp_path: Path) -> None:
    path, begun = tmp_path / "killed.csv", tmp_path / "killed.csv.building"
    words = ("--boards", "24", "--table", str(path))
    with subprocess.Popen(build_of_larger_boards(*words)) as running:
        while not begun.exists() or b"\n" not in begun.read_bytes():
            assert running.poll() is None
            time.sleep(0.01)
        running.kill()
    assert running.returncode == -signal.SIGKILL
    assert not path.exists()
    kept = begun.read_bytes()
    begun.write_bytes(kept[: kept.rfind(b"\n") + 1] + b'{"layout": "AA')  # cut short
    subprocess.run(build_of_larger_boards(*words, "--partial"), check=True)
    some = rows_of(path)
    assert 1 <= len(some) < 24
    subprocess.run(build_of_larger_boards(*words), check=True)
    assert not begun.exists()
    rows = {case_of(row): row for row in rows_of(path)}
    assert sorted(rows) == sorted(build_larger_boards.cases("5x5-0", 24))
    assert all(rows[case_of(row)] == row for row in some)
    for case, row in random.Random(1).sample(sorted(rows.items()), 3):
        assert build_larger_boards.solved(case, every=True) == row
        moves = ks.analyse(ks.Position(ks.Layout.parse(case[0])), case[1])
        assert int(row["value"]) == moves[0].margin
        best = {move.field for move in moves if move.margin == moves[0].margin}
        assert set(row["best_first_fields"].split()) == best


def test_the_larger_boards_are_rows_of_the_script() -> None:
    listed = [
        case
        for family in build_larger_boards.FAMILIES
        for case in build_larger_boards.cases(family)
    ]
    rows = rows_of(build_larger_boards.TABLE)
    assert rows
    assert {case_of(row) for row in rows} <= set(listed)
    for row in rows:
        layout = ks.Layout.parse(row["layout"])
        assert set(row["best_first_fields"].split()) - {build_larger_boards.OTHERS} <= {
            *layout.fields
        }
        assert 0 < int(row["plies"]) <= len(layout.fields)


def test_larger_boards_are_checked(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "table.csv"
    words = ("--boards", "3", "--table", str(path))
    subprocess.run(build_of_larger_boards(*words, "--one-field"), check=True)
    subprocess.run(build_of_larger_boards(*words, "--check", "3"), check=True)
    row = rows_of(path)[0]
    best = row["best_first_fields"].removesuffix(" ...")
    assert best in build_larger_boards.solved(case_of(row), every=True)["best_first_fields"]
    line = ",".join(row.values())
    wrong = line.replace(f",{row['value']},", ",9,")
    path.write_text(path.read_text(encoding="ascii").replace(line, wrong), encoding="ascii")
    done = subprocess.run(build_of_larger_boards(*words, "--check", "3"), check=False)
    assert done.returncode == 1
    assert "3 rows solved again, 1 differ" in capfd.readouterr().out
    path.with_name("table.csv.building").write_bytes(b"notes\n")
    done = subprocess.run(build_of_larger_boards(*words), stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert b"in the way; remove it" in done.stderr
