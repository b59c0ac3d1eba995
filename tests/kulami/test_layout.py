"""Layouts as values, and random ones; how they are read is in core/refusals.txt."""

from __future__ import annotations

import copy
import pickle
from collections import Counter

import pytest

from kulami_solver.kulami.position.layout import Layout
from kulami_solver.kulami.position.layout_text import STANDARD_PANELS


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
