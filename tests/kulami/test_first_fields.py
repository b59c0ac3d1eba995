"""The table of all 5x5 boards: what is committed is what the script makes."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path

import build_first_fields
import pytest
from build_small_boards import Row, case_of


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    """The committed table."""
    return build_first_fields.table()


def test_every_board_is_there_once_and_its_value_is_that_of_its_best_field(
    rows: list[Row],
) -> None:
    assert [case_of(row) for row in rows] == build_first_fields.cases()
    for row in rows:
        margins = [int(margin) for margin in row["first_fields"].split()]
        assert len(margins) == 25
        assert int(row["value"]) == max(margins)


def test_rows_are_solved_again(rows: list[Row]) -> None:
    chosen = random.Random(3).sample([row for row in rows if row["scoring"] == "0"], 5)
    assert list(build_first_fields.solved([case_of(row) for row in chosen])) == chosen


@pytest.mark.nightly
def test_rows_of_every_scoring_are_solved_again(rows: list[Row]) -> None:
    chosen = sorted(random.Random(4).sample(rows, 60), key=rows.index)
    assert list(build_first_fields.solved([case_of(row) for row in chosen])) == chosen


def test_what_the_page_says_is_so(repository: Path, rows: list[Row]) -> None:
    page = (repository / "docs" / "explanation" / "first-player.md").read_text(encoding="utf-8")
    said = "\n".join(build_first_fields.summary(rows))
    assert said in page


def test_the_pictures_are_drawn_from_the_table(repository: Path) -> None:
    """`python scripts/data/draw_boards.py` draws them; they name what they were drawn from."""
    digest = hashlib.sha256((repository / "data" / "boards-5x5.csv").read_bytes()).hexdigest()
    page = (repository / "docs" / "explanation" / "first-player.md").read_text(encoding="utf-8")
    pictures = sorted((repository / "docs" / "_static").glob("boards-*.svg"))
    assert len(pictures) == 6
    for picture in pictures:
        assert f"boards-5x5.csv {digest}" in picture.read_text(encoding="utf-8"), picture.name
        assert f"../_static/{picture.name}" in page
