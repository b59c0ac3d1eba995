"""Marks on the board can be told from what they lie on: three to one, as WCAG asks of graphics."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest
from browser import Tab
from command_line import SMALL

pytestmark = pytest.mark.landing

Image = pytest.importorskip("PIL.Image", reason="pillow is not installed: pip install -e '.[test]'")

LEAST = 3.0
MARBLE_MARKS = "#board :is(.last, .before) circle"
MOVED = "#board [data-moved] .rim"
BARRED = "#board .panels [data-barred]"
BEST = "#board .value-mark .best"
CASED = "#board .value-mark :is(.best, .casing)"  # two dark lines that are one

#: An address, and the marks there.
DRAWN = [
    # The newest marble is black and the one before it red; then the other way round.
    ("#layout=square&moves=d4,d7", MARBLE_MARKS),
    ("#layout=square&moves=d4,d7,a7", MARBLE_MARKS),
    *((f"#layout=square&moves={moves}", BARRED) for moves in ("d4,d7", "a1,h1", "a1,h1,h4,c4")),
    *((f"#layout={SMALL}&scoring=1&moves={moves}", BEST) for moves in ("e4,c4,c3,e3,a3,a4", "e4")),
    ("#game=malawi&board=3x4&beads=1&moves=a4-a3", MOVED),
    ("#game=malawi&board=2x3&moves=", BEST),
    ("#game=just4fun&seed=3&moves=13%3D4%2B9", MOVED),
    ("#game=just4fun&board=3x3&stones=2&line=3&hand=2&seed=3&dummy=true&moves=", CASED),
]

COLOUR = """(marks) => {
    const { stroke, fill } = getComputedStyle(document.querySelector(marks));
    return stroke === 'none' ? fill : stroke;
}"""
#: Panels keep their tint, on which their rim lies.
HIDE = """([marks, hidden]) => {
    for (const one of document.querySelectorAll(marks)) {
        one.style.stroke = hidden ? 'none' : '';
        if (!one.closest('.panels')) one.style.fill = hidden ? 'none' : '';
    }
}"""
SETTLE = """([marks, side]) => {
    document.querySelector(marks).parentNode.dataset.settled = side;
}"""


def colour(said: str) -> tuple[int, ...]:
    """A colour as a style says it."""
    return tuple(int(part) for part in said.removeprefix("rgb(").rstrip(")").split(","))


def luminance(colour: tuple[int, ...]) -> float:
    """The relative luminance of a colour, by WCAG."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (byte / 255 for byte in colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(*colours: tuple[int, ...]) -> float:
    """The contrast of two colours, by WCAG."""
    dark, light = sorted(map(luminance, colours))
    return (light + 0.05) / (dark + 0.05)


def pixels(tab: Tab) -> Iterator[tuple[int, ...]]:
    """The colours of the board as it is seen."""
    shot = tab.page.locator("#board").screenshot()
    parts = iter(Image.open(io.BytesIO(shot)).convert("RGB").tobytes())
    return zip(parts, parts, parts, strict=True)


def least_contrast(tab: Tab, marks: str) -> float:
    """The least contrast of a pixel of these marks with the same pixel without them."""
    mark = colour(tab.page.evaluate(COLOUR, marks))
    shown = pixels(tab)
    tab.page.evaluate(HIDE, [marks, True])
    bare = pixels(tab)
    tab.page.evaluate(HIDE, [marks, False])
    below = [under for over, under in zip(shown, bare, strict=True) if over == mark != under]
    found = [contrast(mark, under) for under in below]
    assert len(found) > 20
    return min(found)


@pytest.mark.parametrize(("address", "marks"), DRAWN)
def test_marks_stand_out(newcomer: Tab, address: str, marks: str) -> None:
    tab = newcomer
    tab.page.emulate_media(reduced_motion="reduce")
    valued = marks in (BEST, CASED)
    if not valued:
        tab.remembers(values="off")
    tab.open(address)
    if valued:
        tab.values()
        tab.sees("[data-role=value][data-exact]")
    tab.page.locator(marks).first.wait_for(state="attached")
    settles = "just4fun" in address and not valued
    for scheme in ("light", "dark"):
        tab.becomes(scheme=scheme)
        # A field of Just 4 Fun that is somebody's for good has another ground.
        for side in ("", "red", "blue", "green", "yellow") if settles else ("",):
            tab.page.evaluate(SETTLE, [marks, side])
            assert least_contrast(tab, marks) >= LEAST, (scheme, side)
