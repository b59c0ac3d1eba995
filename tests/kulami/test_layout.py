"""Layouts: reading, checking, numbering, and random ones."""

from __future__ import annotations

import copy
import hashlib
import pickle
from collections import Counter

import pytest

from kulami_solver.core.notation import field_name, parse_field, parse_fields
from kulami_solver.kulami.position.layout import Layout
from kulami_solver.kulami.position.layout_text import STANDARD_PANELS, Panel


def test_fields_are_numbered_row_by_row() -> None:
    layout = Layout.parse("AA.B/AACB/D")
    assert str(layout) == "AA.B/AACB/D..."
    assert layout.rows == ("AA.B", "AACB", "D...")
    assert (layout.width, layout.height, len(layout)) == (4, 3, 8)
    assert layout.fields == ("a1", "b1", "d1", "a2", "b2", "c2", "d2", "a3")
    assert layout.squares[2] == (3, 0)
    assert [layout.index(name) for name in layout.fields] == list(range(8))
    assert layout.panels == (
        Panel("A", (0, 1, 3, 4), 2, 2),
        Panel("B", (2, 6), 1, 2),
        Panel("C", (5,), 1, 1),
        Panel("D", (7,), 1, 1),
    )
    assert layout.panels[0].size == 4
    assert layout.panel_of(6).name == "B"
    assert layout.names(0b1000001) == ("a1", "d2")
    assert (layout.geometry.fields, layout.geometry.panels) == (8, 4)


@pytest.mark.parametrize("text", ["AAB\nAAB", "AAB\nAAB\n", "\nAAB\r\nAAB  \n", "AAB/AAB"])
def test_rows_end_with_a_slash_or_a_line_end(text: str) -> None:
    assert str(Layout.parse(text)) == "AAB/AAB"


def test_empty_outer_rows_and_columns_keep_their_place() -> None:
    layout = Layout.parse(".../.A./...")
    assert str(layout) == ".../.A./..."
    assert layout.fields == ("b2",)
    assert Layout.parse("A//B") == Layout.parse("A/./B")


def test_largest_grid() -> None:
    layout = Layout.parse("/".join(["A" + "." * 15] + ["." * 16] * 14 + ["." * 15 + "B"]))
    assert layout.fields == ("a1", "p16")


def test_every_name_may_name_a_panel() -> None:
    names = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    layout = Layout.from_rows([names[start : start + 16] for start in range(0, 62, 16)])
    assert "".join(panel.name for panel in layout.panels) == names


def test_warnings() -> None:
    assert Layout.square().warnings == ()
    assert Layout.rulebook().warnings == ()
    missing, apart = Layout.parse("AA./AA./..B").warnings
    assert missing == (
        "not the 17 standard panels: 0 of 2x3 (4), 1 of 2x2 (5), 0 of 1x3 (4), 0 of 1x2 (4), "
        "1 of 1x1 (0) (standard numbers in brackets)"
    )
    assert apart == "not in one piece: A / B do not touch"  # corners do not make them touch


def test_names_of_fields() -> None:
    assert [field_name(*parse_field(name)) for name in ("a1", "p16", "j10")] == ["a1", "p16", "j10"]


def test_lists_of_fields() -> None:
    assert parse_fields("d4 d7,a7 ,\n b2") == ("d4", "d7", "a7", "b2")
    assert parse_fields(["d4", "d7"]) == ("d4", "d7")
    assert parse_fields(" ") == ()


def test_a_layout_is_a_value() -> None:
    layout = Layout.parse("AAB/AAC")
    same = Layout.parse("AAB\nAAC")
    assert layout == same
    assert hash(layout) == hash(same)
    assert layout != Layout.parse("AAC/AAB")
    assert layout != "AAB/AAC"
    assert copy.copy(layout) is layout
    assert copy.deepcopy(layout) is layout
    assert pickle.loads(pickle.dumps(layout)) == layout
    assert repr(layout) == "Layout.parse('AAB/AAC')"
    with pytest.raises(AttributeError):
        layout.rows = ()  # type: ignore[misc]
    with pytest.raises(AttributeError):
        layout.colour = "red"  # type: ignore[attr-defined]


@pytest.mark.parametrize("irregular", [False, True])
def test_random_layouts_have_the_standard_panels_in_one_piece(irregular: bool) -> None:
    shapes = set()
    for seed in range(150):
        layout = Layout.random(seed, irregular)
        sizes = Counter(
            (min(panel.width, panel.height), max(panel.width, panel.height))
            for panel in layout.panels
        )
        assert sizes == STANDARD_PANELS
        assert layout.warnings == ()
        assert max(layout.width, layout.height) <= 10
        if not irregular:
            assert (layout.width, layout.height) == (8, 8)
        shapes.add(str(layout))
    assert len(shapes) == 150


def _outline_and_holes(layout: Layout) -> tuple[int, int]:
    """The sides of fields that face the outside, and the squares that are enclosed, by a walk."""
    fields = {
        (x, y) for y, row in enumerate(layout.rows) for x, name in enumerate(row) if name != "."
    }
    outside, new = set(), {(-1, -1)}
    sides = 0
    while new:
        outside |= new
        near = [(x + a, y + b) for x, y in new for a, b in ((1, 0), (-1, 0), (0, 1), (0, -1))]
        sides += sum(one in fields for one in near)
        new = {(x, y) for x, y in near if -1 <= x <= layout.width and -1 <= y <= layout.height}
        new -= outside | fields
    return sides, (layout.width + 2) * (layout.height + 2) - len(outside) - len(fields)


def test_compact_layouts_have_no_holes_and_a_short_outline() -> None:
    found = [Layout.random(seed, irregular=True, compact=True) for seed in range(60)]
    assert len({*found}) == 60
    assert not any(layout.warnings for layout in found)
    outlines, holes = zip(*map(_outline_and_holes, found), strict=True)
    assert {*holes} == {0}
    assert 32 < min(outlines) < max(outlines) <= 48
    scattered = [_outline_and_holes(Layout.random(seed, irregular=True)) for seed in range(60)]
    assert sum(sides > 48 or holes > 0 for sides, holes in scattered) > 50


def test_random_layouts_are_the_same_everywhere() -> None:
    """Pinned: another text for a seed would change every test and bench that draws from it."""
    texts = "\n".join(
        str(Layout.random(seed, irregular)) for irregular in (False, True) for seed in range(100)
    )
    assert (
        str(Layout.random(0))
        == "ABBBCCDE/AFFFCCDE/GFFFHHDI/GJJJHHKI/LLLMMMKI/LLLMMMNN/OOPPQQNN/OOPPQQNN"
    )
    assert (
        hashlib.sha256(texts.encode()).hexdigest()
        == "0052fe941cfd8b27a2df09403e6182aa25445f451acec6c1d76eee61e77ab7b2"
    )
