"""The table of first fields on large boards: what is committed is what the script makes."""

from __future__ import annotations

import hashlib
from pathlib import Path

import build_openings
import pytest
from build_openings import BOARDS, TRIED, numbers
from build_small_boards import Row

import kulami_solver as ks


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    """The committed table."""
    return build_openings.table()


def test_every_field_of_every_board_is_there(rows: list[Row]) -> None:
    cases = [(row["layout"], row["scoring"]) for row in rows]
    assert cases == [(str(board), one.value) for board in BOARDS.values() for one in ks.Scoring]
    for row in rows:
        fields = ks.Layout.parse(row["layout"]).fields
        for column in ("margins", "wins", "losses"):
            assert len(row[column].split()) == len(fields)
        tried = row["tried"].split()
        assert len(set(tried)) == 2 * TRIED
        assert set(tried) <= set(fields)
        counts = zip(numbers(row["won"]), numbers(row["lost"]), strict=True)
        assert all(won + lost <= build_openings.GAMES for won, lost in counts)


def test_a_field_is_estimated_again(rows: list[Row]) -> None:
    row = rows[0]
    fields = ks.Layout.parse(row["layout"]).fields
    number = fields.index("d4")
    margin, win, loss = build_openings.estimated((row["layout"], row["scoring"], "d4"))
    assert round(margin, 1) == numbers(row["margins"])[number]
    assert round(100 * win) == numbers(row["wins"])[number]
    assert round(100 * loss) == numbers(row["losses"])[number]


@pytest.mark.nightly
def test_games_are_played_again(rows: list[Row]) -> None:
    row = rows[4]
    field = row["tried"].split()[0]
    margins = build_openings.played((row["layout"], row["scoring"], field))
    assert sum(one > 0 for one in margins) == numbers(row["won"])[0]
    assert sum(one < 0 for one in margins) == numbers(row["lost"])[0]


def test_what_the_page_says_is_so(repository: Path, rows: list[Row]) -> None:
    page = (repository / "docs" / "explanation" / "first-player.md").read_text(encoding="utf-8")
    for part in "\n".join(build_openings.summary(rows)).split("\n\n"):
        assert part in page


def test_the_pictures_are_drawn_from_the_table(repository: Path) -> None:
    """`python scripts/data/draw_openings.py` draws them; they name what they were drawn from."""
    digest = hashlib.sha256((repository / "data" / "openings.csv").read_bytes()).hexdigest()
    page = (repository / "docs" / "explanation" / "first-player.md").read_text(encoding="utf-8")
    pictures = sorted((repository / "docs" / "_static").glob("openings-*.svg"))
    assert len(pictures) == 4
    for picture in pictures:
        assert f"openings.csv {digest}" in picture.read_text(encoding="utf-8"), picture.name
        assert f"../_static/{picture.name}" in page
