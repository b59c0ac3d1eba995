"""Boards drawn: as text, in a terminal's colours, as SVG and as PNG."""

from __future__ import annotations

import functools
import io
import re
import sys
from collections.abc import Callable
from xml.etree import ElementTree

import pytest

from kulami_solver.drawing.png import picture_png
from kulami_solver.drawing.shapes import MARGIN, SQUARE, Ball, Label, Plank, Ring
from kulami_solver.drawing.svg import picture_svg
from kulami_solver.drawing.text import wants_colour
from kulami_solver.errors import KulamiError
from kulami_solver.kulami.drawing.render import board_ansi, board_text, panel_tones, picture_of
from kulami_solver.kulami.position.layout import Layout
from kulami_solver.kulami.position.position import Position

LARGEST = Layout.parse("/".join(["A" + "." * 15] + ["." * 16] * 14 + ["." * 15 + "B"]))


@pytest.fixture
def figure() -> Position:
    """The rulebook's third figure."""
    return Position(Layout.rulebook()).play_all("d6 d3 i3")


def test_colours_change_no_mark(figure: Position) -> None:
    for board in (figure, Position(LARGEST), Layout.square()):
        lines = re.sub("\x1b\\[[0-9;]*m", "", board_ansi(board)).splitlines()
        plain = board_text(board).splitlines()
        assert len(lines) == len(plain)
        for ansi, text in zip(lines[2::2], plain[2::2], strict=False):
            signs = re.sub(r"[\s│─┐┘┤┬┴┼├└┌▀▄]", "", text).replace("r", "●").replace("b", "●")
            if "to move" not in text:
                assert re.sub(r"[\s▀▄]", "", ansi) == signs


def test_every_line_ends_uncoloured(figure: Position) -> None:
    for line in board_ansi(figure).splitlines():
        assert "\x1b" not in line or line.endswith("\x1b[0m")


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_who_wants_colours(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], coloured: bool
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert wants_colour(Terminal()) is coloured
    assert wants_colour(io.StringIO()) is False


@pytest.mark.parametrize("seed", range(30))
def test_panels_that_touch_differ_in_tone(seed: int) -> None:
    layout = Layout.random(seed, irregular=seed % 2 == 1)
    tones = panel_tones(layout)
    tone = {
        layout.squares[field]: (number, tones[number])
        for number, panel in enumerate(layout.panels)
        for field in panel.fields
    }
    for (column, row), (panel, colour) in tone.items():
        for square in ((column + 1, row), (column, row + 1)):
            other, other_colour = tone.get(square, (panel, colour))
            assert panel == other or colour != other_colour


def test_picture_shows_panels_marbles_and_marks(figure: Position) -> None:
    shapes = picture_of(figure).shapes
    at_i3 = (MARGIN + 8.5 * SQUARE, MARGIN + 2.5 * SQUARE)
    at_d3 = (MARGIN + 3.5 * SQUARE, MARGIN + 2.5 * SQUARE)
    assert sum(isinstance(shape, Plank) and shape.rim is not None for shape in shapes) == 17
    rings = [(shape.x, shape.y) for shape in shapes if isinstance(shape, Ring)]
    assert len(rings) == 2 + 5
    assert {at_i3, at_d3} <= set(rings)
    assert sum(isinstance(shape, Ball) and shape.radius == 22 for shape in shapes) == 2 * 3


@pytest.mark.parametrize(
    "board",
    [
        Position(Layout.square()),
        Position(Layout.rulebook()).play_all("d6 d3 i3"),
        Position(LARGEST, first="black"),
        Layout.parse("A"),
    ],
    ids=["square", "figure", "largest", "layout"],
)
def test_svg_is_sound(board: Position | Layout) -> None:
    svg = picture_svg(picture_of(board))
    root = ElementTree.fromstring(svg)
    names = {element.get("id") for element in root.iter() if element.get("id")}
    assert set(re.findall(r"url\(#(.*?)\)", svg)) == names
    assert board._repr_svg_() == svg
    described = root.findtext("{http://www.w3.org/2000/svg}desc")
    assert described == (str(board) if isinstance(board, Layout) else board.kfn())


@pytest.mark.parametrize("columns", [1, 2, 3, 4, 5, 8, 16])
@pytest.mark.parametrize("rows", [1, 4, 16])
def test_captions_stay_on_the_sheet(columns: int, rows: int) -> None:
    """Measured with the font of the PNG, and with the widest that viewers take for the SVG's."""
    fonts = pytest.importorskip("PIL.ImageFont")
    names = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    rows = min(rows, 60 // columns)
    layout = Layout.from_rows(names[row * columns : (row + 1) * columns] for row in range(rows))
    game = [Position(layout)]
    while not game[-1].is_over:
        game.append(game[-1].play(game[-1].legal_fields[-1]))
    font = functools.cache(fonts.load_default)
    for position in (*game[::3], game[-1]):
        picture = picture_of(position)
        lines = [
            shape for shape in picture.shapes if isinstance(shape, Label) and not shape.centred
        ]
        assert " ".join(line.text for line in lines) == picture.title == position.standing()
        for line in lines:
            measured = font(line.size).getlength(line.text)
            assert line.x + max(measured, 0.58 * line.size * len(line.text)) <= picture.width
            assert line.y + line.size / 2 <= picture.height
        shown = re.findall(r"<text [^>]*>([^<]*)</text>", picture_svg(picture_of(position)))
        assert shown[-len(lines) :] == [line.text for line in lines]
        assert min(line.y - line.size / 2 for line in lines) > MARGIN + layout.height * SQUARE


@pytest.mark.parametrize("make", [Layout.square, lambda: Position(LARGEST)])
def test_png_has_the_size_asked_for(make: Callable[[], Position | Layout]) -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed: pip install pillow")
    board = make()
    picture = picture_of(board)
    drawn = image.open(io.BytesIO(picture_png(picture_of(board), square=30)))
    assert drawn.size == (picture.width / 2, picture.height / 2)


def test_png_has_a_letter_for_every_sign_of_a_value() -> None:
    """Pillow's own font draws a box in place of a sign that it does not have."""
    font = pytest.importorskip(
        "PIL.ImageFont", reason="Pillow is not installed: pip install pillow"
    )
    drawn: list[str] = []
    values = dict(zip(Layout.square().fields, [(-3, -3), (2, 9), (-9, -2), (1, 1)], strict=False))
    with pytest.MonkeyPatch.context() as patch:
        image = pytest.importorskip("PIL.ImageDraw").ImageDraw
        patch.setattr(image, "text", lambda _self, _at, text, *_rest, **_more: drawn.append(text))
        picture_png(picture_of(Position(Layout.square()), values=values))
    known = font.load_default(20)
    box = bytes(known.getmask("\u3042"))
    assert {"-3", ">=2", "<=-2"} <= {*drawn}
    assert not [sign for sign in {*"".join(drawn)} if bytes(known.getmask(sign)) == box]


def test_png_goes_to_a_file(tmp_path: object, figure: Position) -> None:
    pytest.importorskip("PIL.Image", reason="Pillow is not installed: pip install pillow")
    file = f"{tmp_path}/board.png"
    picture = figure.png(file)
    with open(file, "rb") as written:
        assert written.read() == picture
    assert picture.startswith(b"\x89PNG")


def test_png_without_pillow_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, figure: Position
) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(KulamiError, match=r'needs Pillow: run  pip install "kulami-solver\[png\]"'):
        figure.png()
