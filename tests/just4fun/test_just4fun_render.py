"""Positions of Just 4 Fun as text and pictures."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET

import pytest
from PIL import Image

from kulami_solver.drawing.png import picture_png
from kulami_solver.drawing.shapes import Ball, Label, Ring
from kulami_solver.just4fun import Board, Position, deal, random_game
from kulami_solver.just4fun.render import board_ansi, picture_of

FOUR = Position.from_jfn("2x2 1:r1b1g1y1,2:r3,4:r1b2 r2b2g2y2 g r1.2,b?,g2,y- - -", hand=3)
WON = Position.from_jfn("3x3 1:r1,5:r2,9:r1 r2b2 b r4.5,b1.2 1.2 -", line=3, hand=2)


def test_colours_change_no_width() -> None:
    for _, position in random_game(deal(Board.parse("2006"), 3, players="rbgy", stones=8), 1):
        plain = re.sub(r"\x1b\[[0-9;]*m", "", board_ansi(position))
        for coloured, line in zip(plain.splitlines(), position.text().splitlines(), strict=True):
            assert len(coloured) == len(line)


def test_a_picture_has_every_number_stone_and_card() -> None:
    position = [position for _, position in random_game(deal(Board.parse("2006"), 5), 2)][20]
    picture = picture_of(position)
    labels = [shape.text for shape in picture.shapes if isinstance(shape, Label)]
    for field in range(1, 37):
        assert str(field) in labels
    stones = sum(1 for counts in position.stones for number in counts if number)
    balls = [shape for shape in picture.shapes if isinstance(shape, Ball)]
    assert len(balls) == stones + 2 + 1  # and of each hand one, and of the caption
    assert (picture.title, picture.description) == (position.standing(), position.jfn())
    assert "?" not in labels
    assert [shape.text for shape in picture_of(FOUR).shapes if isinstance(shape, Label)].count(
        "?"
    ) == 3


@pytest.mark.parametrize("position", [FOUR, WON, deal(Board.parse("8x8"), 1, hand=12)])
def test_nothing_leaves_the_sheet(position: Position) -> None:
    picture = picture_of(position)
    rings = sum(isinstance(shape, Ring) for shape in picture.shapes)
    assert rings == len(position.winning_line or ())
    for shape in picture.shapes:
        if isinstance(shape, Label):
            wide = 0.6 * shape.size * len(shape.text)
            left = shape.x - wide / 2 if shape.centred else shape.x
            assert left >= 0
            assert left + wide <= picture.width, shape.text
            assert 0 <= shape.y <= picture.height
    assert ET.fromstring(position.svg()).tag.endswith("svg")
    image = Image.open(io.BytesIO(picture_png(picture, square=30)))
    assert image.size == (round(picture.width / 2), round(picture.height / 2))
