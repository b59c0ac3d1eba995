"""The table of nodes by free fields: its page and pictures are made from it, and it is so still."""

from __future__ import annotations

import hashlib
from pathlib import Path

import build_nodes
import pytest


def test_the_table_is_whole() -> None:
    rows = build_nodes.table()
    kinds = [(row.scoring, row.free) for row in rows]
    expected = [(scoring, free) for scoring in build_nodes.SCORINGS for free in build_nodes.FREE]
    assert kinds == expected
    assert {len(row.nodes) for row in rows} == {build_nodes.COUNT}


@pytest.mark.parametrize("scoring", build_nodes.SCORINGS)
def test_solutions_take_about_as_many_nodes(scoring: str) -> None:
    """Exactly as many, until a change of the search; if this fails, make the table again."""
    (row,) = [row for row in build_nodes.table() if (row.scoring, row.free) == (scoring, 22)]
    now = sum(build_nodes.counted(scoring, 22, 5).nodes)
    assert sum(row.nodes[:5]) / 2 < now < 2 * sum(row.nodes[:5])


def test_the_page_and_its_pictures_are_made_from_it(repository: Path) -> None:
    """`python scripts/data/draw_nodes.py` draws them; they name what they were drawn from."""
    page = (repository / "docs" / "explanation" / "growth.md").read_text(encoding="utf-8")
    assert "\n".join(build_nodes.summary(build_nodes.table())) in page
    digest = hashlib.sha256(build_nodes.TABLE.read_bytes()).hexdigest()
    for scheme in ("light", "dark"):
        picture = repository / "docs" / "_static" / f"nodes-{scheme}.svg"
        assert f"nodes.csv {digest}" in picture.read_text(encoding="utf-8")
        assert f"../_static/{picture.name}" in page
