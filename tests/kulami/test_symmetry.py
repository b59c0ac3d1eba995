"""Mirror images and rotations: the same game on another board, and one that stands for all."""

from __future__ import annotations

import csv
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import strategies
from agreement import as_position
from hypothesis import given, settings

from kulami_solver import Layout, Position, Scoring, enumerate_layouts, solve
from kulami_solver.kulami.position.layout_text import PANEL_NAMES, STANDARD_PANELS


def images(position: Position) -> list[Position]:
    turned = [position.rotated(quarters) for quarters in range(4)]
    return turned + [one.mirrored() for one in turned]


def where(position: Position) -> set[tuple[int, int, str]]:
    """The marbles by their squares, and the last ones."""
    layout = position.layout
    found = {
        (*layout.squares[field], colour)
        for colour, mask in {"red": position.red, "black": position.black}.items()
        for field in range(len(layout))
        if mask >> field & 1
    }
    lasts = enumerate(map(layout.index, position.last))
    return found | {(*layout.squares[field], f"last {which}") for which, field in lasts}


@settings(max_examples=30)
@given(strategies.games())
def test_images_are_the_same_game(game: strategies.Game) -> None:
    position = as_position(*game.replayed())
    width, height = position.layout.width, position.layout.height
    mirrored, rotated = position.mirrored(), position.rotated()
    assert where(mirrored) == {(width - 1 - x, y, what) for x, y, what in where(position)}
    assert where(rotated) == {(height - 1 - y, x, what) for x, y, what in where(position)}
    assert mirrored.mirrored() == position == rotated.rotated(-1) == position.rotated(4)
    for image in images(position):
        assert image.score() == position.score()
        assert image.legal_mask.bit_count() == position.legal_mask.bit_count()
        assert image.turn == position.turn
        assert image.supply == position.supply
        assert Position.from_kfn(image.kfn(), image.marbles, image.short_end) == image
        assert image.canonical() == position.canonical()
    assert position.canonical().canonical() == position.canonical()


def test_values_are_the_same_on_every_image() -> None:
    rng = random.Random(4)
    checked = 0
    for seed in range(12):
        position = Position(Layout.random(seed, irregular=seed % 2 == 1))
        while position.free_count > 14 and not position.is_over:
            position = position.play(rng.choice(position.legal_fields))
        if position.is_over:
            continue
        for scoring in (Scoring.LEVEL0, Scoring.LEVEL2):
            solution = solve(position, scoring, every_move=True)
            values = sorted(move.margin for move in solution.moves if move.margin is not None)
            for image in (*images(position)[1:], position.canonical()):
                found = solve(image, scoring, every_move=True)
                assert found.margin == solution.margin
                assert sorted(move.margin or 0 for move in found.moves) == values
        checked += 1
    assert checked > 5


@settings(max_examples=30)
@given(strategies.layouts())
def test_the_canonical_layout_stands_for_all_images(text: str) -> None:
    layout = Layout.from_rows(text.split("/"))
    canonical = layout.canonical()
    assert canonical.width >= canonical.height
    assert canonical.canonical() == canonical
    names = random.Random(str(layout)).sample(PANEL_NAMES, len(layout.panels))
    renamed = {panel.name: name for panel, name in zip(layout.panels, names, strict=True)}
    for symmetry in range(8):
        image = layout.image(symmetry)[0]
        rows = ["".join(renamed.get(name, ".") for name in row) for row in image.rows]
        if len(rows) < 16 and image.width < 15:
            rows = ["." * (image.width + 2), *("." + row + "." for row in rows)]
        assert Layout.from_rows(rows).canonical() == canonical


def test_different_layouts_have_different_canonical_ones() -> None:
    layouts = list(enumerate_layouts(4, 3))
    assert len({layout.canonical() for layout in layouts}) == len(layouts) == 29


# All layouts of a rectangle


@pytest.mark.parametrize(
    ("width", "height", "count"), [(3, 3, 5), (4, 3, 29), (4, 4, 45), (5, 4, 520)]
)
def test_every_layout_once_as_the_small_boards_have_them(
    repository: Path, width: int, height: int, count: int
) -> None:
    with open(repository / "data" / "small-boards.csv", encoding="ascii", newline="") as file:
        listed = {row["layout"] for row in csv.DictReader(file)}
    wanted = {text for text in listed if text.count("/") == height - 1 and text.index("/") == width}
    found = [str(layout) for layout in enumerate_layouts(width, height)]
    assert len(found) == len(set(found)) == count
    assert set(found) == wanted


def brute_force(
    width: int, height: int, allowed: Callable[[int, int], bool]
) -> set[frozenset[Any]]:
    """All ways to cover a rectangle, as sets of panels that are sets of squares."""
    every = frozenset((x, y) for x in range(width) for y in range(height))
    rectangles = [
        frozenset((x + i, y + j) for i in range(w) for j in range(h))
        for w in range(1, width + 1)
        for h in range(1, height + 1)
        if allowed(w, h)
        for x in range(width - w + 1)
        for y in range(height - h + 1)
    ]

    def covers(left: frozenset[Any]) -> set[frozenset[Any]]:
        if not left:
            return {frozenset()}
        square = min(left)
        return {
            rest | {panel}
            for panel in rectangles
            if square in panel and panel <= left
            for rest in covers(left - panel)
        }

    return covers(every)


@pytest.mark.parametrize(("width", "height"), [(1, 1), (3, 2), (2, 3), (4, 2), (3, 3)])
def test_layouts_of_any_panels_against_brute_force(width: int, height: int) -> None:
    anything = {(w, h): None for w in range(1, 5) for h in range(w, 5)}
    layouts = list(enumerate_layouts(width, height, anything, up_to_symmetry=False))
    covered = {
        frozenset(
            frozenset(layout.squares[field] for field in panel.fields) for panel in layout.panels
        )
        for layout in layouts
    }
    assert covered == brute_force(width, height, lambda w, h: max(w, h) <= 4)
    assert len(covered) == len(layouts)
    for layout in enumerate_layouts(width, height, up_to_symmetry=False):
        sizes = [(min(p.width, p.height), max(p.width, p.height)) for p in layout.panels]
        assert all(sizes.count(size) <= STANDARD_PANELS[size] for size in sizes)
