"""The table of the lengths of games: the page and its pictures are made from it, and it is so."""

from __future__ import annotations

import hashlib
from pathlib import Path

import build_lengths
import pytest
from build_openings import BOARDS
from build_small_boards import EVERY_SCORING, Row


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return build_lengths.table()


def test_the_table_is_whole(rows: list[Row]) -> None:
    layouts = (build_lengths.SMALL, *map(str, BOARDS.values()))
    scorings = (*EVERY_SCORING, build_lengths.RANDOM)
    cases = [(layout, scoring) for layout in layouts for scoring in scorings]
    assert [(row["layout"], row["scoring"]) for row in rows] == cases
    for row in rows:
        counts = build_lengths.counts_of(row)
        assert sum(counts.values()) == int(row["games"])
        assert max(counts) <= (25 if row["layout"] == build_lengths.SMALL else 56)


def test_random_games_are_played_again(rows: list[Row]) -> None:
    row = next(row for row in rows if row["play"] == "random" and row["layout"] != "5x5")
    counts = build_lengths.counts_of(row)
    lengths = [build_lengths.random_game(seed, row["layout"]) for seed in range(20)]
    assert all(counts[length] for length in lengths)


@pytest.mark.nightly
@pytest.mark.parametrize("scoring", ["0", "chains"])
def test_best_games_are_played_again(rows: list[Row], scoring: str) -> None:
    (row,) = [row for row in rows if (row["play"], row["scoring"]) == ("best", scoring)]
    counts = build_lengths.counts_of(row)
    lengths = build_lengths.best_games(scoring)
    assert {plies: lengths.count(plies) for plies in counts} == counts


def test_good_games_are_played_again(rows: list[Row]) -> None:
    row = next(row for row in rows if row["play"] == "good")
    assert build_lengths.counts_of(row)[build_lengths.good_game(3, row["layout"], row["scoring"])]


def test_what_the_page_says_is_so(repository: Path, rows: list[Row]) -> None:
    page = (repository / "docs" / "explanation" / "first-player.md").read_text(encoding="utf-8")
    assert "\n".join(build_lengths.summary(rows)) in page


def test_the_pictures_are_drawn_from_the_table(repository: Path) -> None:
    """`python scripts/data/draw_lengths.py` draws them; they name what they were drawn from."""
    digest = hashlib.sha256(build_lengths.FILE.read_bytes()).hexdigest()
    page = (repository / "docs" / "explanation" / "first-player.md").read_text(encoding="utf-8")
    pictures = sorted((repository / "docs" / "_static").glob("lengths-*.svg"))
    assert len(pictures) == 4
    for picture in pictures:
        assert f"lengths.csv {digest}" in picture.read_text(encoding="utf-8"), picture.name
        assert f"../_static/{picture.name}" in page
