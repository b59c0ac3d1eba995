"""The tour: every screen that a visitor comes by, large and small, light and dark.

Nothing is cut off. Axe has nothing to say, either: of each screen at one size and in one scheme
before a change lands, and at all of them at night. KULAMI_SCREENS=FOLDER keeps pictures to look at:

    KULAMI_SCREENS=screens pytest -m nightly tests/web/test_web_tour.py
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from browser import Tab, link, shows
from command_line import SMALL, SQUARE
from test_web_contrast import LEAST, colour, contrast

from kulami_solver.bots.kulami.puzzles import read_puzzles

LOOKS = [(390, "light"), (1280, "dark"), (390, "dark"), (1280, "light")]
GAMES = ("kulami", "malawi", "just4fun")
STARTS: dict[str, dict[str, Any]] = {
    "kulami": {"layout": "rulebook", "scoring": "2"},
    "malawi": {"board": "3x4", "beads": 1},
    "just4fun": {"stones": 8, "seed": 3},
}
LATE = f"{SQUARE} 1b2rrbr/rrrrrbbb/brr5/2b1b3/r1b1rb1b/bb1r2b1/1rbbrbr1/2r3rb r f7,b7"
ENDED = f"#layout={SMALL}&moves=e4,c4,c3,e3,a3,a4,d4,d2,e2,c2,a2&scoring=2"
FIRST = ("26=3+4+9+10", "35=6+8+10+11", "35=1+2+14+18", "36=5+7+9+15")
CARDS = f"#game=just4fun&players=rbg&seed=3&moves={quote(';'.join(FIRST))}"
PUZZLE = 3


def games(tab: Tab) -> Iterator[str]:
    """From the first visit to the end of a game."""
    tab.remembers(values="off")
    for game, start in STARTS.items():
        tab.open(anew=True)
        if game != "kulami":
            tab.page.click(f"#start-{game}")
        tab.sees(f'body[data-game="{game}"] #start')
        yield f"{game}-first-visit"
        seats = {"see": ["red", "blue"]} if game == "just4fun" else {}
        moves = tab.server.whole(game, {**start, **seats})
        between = "," if game == "kulami" else ";"
        for name, ply in (("middle", len(moves) // 2), ("end", len(moves))):
            tab.open("#" + urlencode({"game": game, **start, "moves": between.join(moves[:ply])}))
            tab.stands(count=ply)
            if name == "end":
                tab.sees("#rematch")
            elif game == "just4fun":
                yield "hidden-hands"
                tab.page.click(".uncover")
                tab.sees("#turns button")
            yield f"{game}-{name}"


def kulami(tab: Tab) -> Iterator[str]:
    """Values, and the dialogs."""
    tab.open(link(LATE))
    tab.proved()
    yield "values"
    tab.open(ENDED)
    tab.sees("#rematch")
    tab.page.click("#grade")
    tab.sees("#graded", "best moves")
    yield "graded"
    tab.page.click("#open-setup")
    for name, part in (
        ("layout", "#preview svg"),
        ("panels", "#panels-grid [data-square]"),
        ("position", "#arrange-board svg"),
        ("import", "#pasted"),
    ):
        tab.page.click(f"#tab-{name}")
        tab.sees(part)
        yield name
    for button, part in (("#open-share", "#export-hagen"), ("#open-help", "#help[open]")):
        tab.page.keyboard.press("Escape")
        tab.page.click(button)
        if button == "#open-share":
            tab.page.click("#exports summary")
        tab.sees(part)
        yield part.strip("#")
    tab.page.keyboard.press("Escape")


def analysis(tab: Tab) -> Iterator[str]:
    """Variations and comments, and the games that are kept."""
    moves = tab.server.whole("kulami", {"layout": SMALL})
    tab.open(f"#layout={SMALL}&moves={','.join(moves)}&ply=1")
    tab.proved()
    tab.page.locator("#board [data-legal]").first.click()
    tab.sees("#moves .variation")
    tab.proved()
    tab.comment("A comment that is long enough to go over more than one line of it.")
    tab.page.click("#lines summary")
    tab.page.locator("#grade:enabled").click()
    tab.sees("#graded", "best moves")
    tab.sees("#grade:enabled")
    yield "analysis"
    tab.page.click("#open-games")
    tab.sees("#games-list li")
    yield "games"


def siblings(tab: Tab) -> Iterator[str]:
    """Values of Malawi and Just 4 Fun, and how their games begin."""
    small = "#game=just4fun&board=3x3&stones=2&line=3&hand=2&seed=3&dummy=true&moves=4=4"
    for name, address in (("malawi", "#game=malawi&board=2x4&moves=a4-a2"), ("just4fun", small)):
        tab.open(address)
        tab.proved()
        if name == "malawi":
            tab.field("b1").click()
        tab.comment("Quiet.")
        yield f"{name}-values"
        tab.page.click("#open-setup")
        tab.sees("#beginning")
        yield f"{name}-set-up"
        tab.page.keyboard.press("Escape")
    tab.open("#game=just4fun&seed=3")
    tab.searches_for(2)
    tab.page.click(".uncover")
    tab.sees("#board [data-estimate]")
    yield "an-estimate"
    tab.open(CARDS)
    tab.page.click(".uncover")
    tab.sees("#turns button")
    yield "long-moves"


def reading(tab: Tab) -> Iterator[str]:
    """The rules, and a puzzle, right and wrong."""
    tab.hurries()
    for game in GAMES:
        tab.page.goto(f"{tab.server.url}rules/{game}/")
        tab.until("[...document.querySelectorAll('.board')].every((one) => one.firstChild)")
        yield f"{game}-rules"
    puzzle = read_puzzles()[PUZZLE - 1]
    wrong = next(field for field in puzzle.position.legal_fields if field != puzzle.best)
    for name, field, answer in (("right", puzzle.best, "right"), ("wrong", wrong, "no")):
        tab.page.goto("about:blank")  # what is behind # alone does not load a page anew
        tab.page.goto(f"{tab.server.url}puzzles/kulami/#{PUZZLE}")
        tab.sees("#title", f"Puzzle {PUZZLE}")
        if name == "right":
            yield "puzzle"
        tab.field(field).click()
        tab.sees(f"#answer.{answer}")
        tab.sees("[data-role=status]", "Game over")  # played out
        yield f"puzzle-{name}"


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("tour", [games, kulami, analysis, siblings, reading])
def test_every_screen_looks_right(
    newcomer: Tab, tour: Callable[[Tab], Iterator[str]], every: bool, pytestconfig: pytest.Config
) -> None:
    folder = os.environ.get("KULAMI_SCREENS")
    landing = "landing" not in pytestconfig.getoption("markexpr")  # longer tests are not left out
    for number, name in enumerate(tour(newcomer)):
        # By day, both sizes, each in one scheme.
        looks = LOOKS if every else LOOKS[number % 4 // 2 * 2 :][:2]
        for at, (width, scheme) in enumerate(looks):
            newcomer.becomes(width=width, scheme=scheme)
            if folder:
                path = Path(folder) / f"{name}-{width}-{scheme}.png"
                newcomer.page.screenshot(path=path, full_page=True)
            found = newcomer.misfits()
            if name == "help[open]":  # its links stand in sentences
                found = [one for one in found if not one.startswith("<a ")]
            assert found == [], (name, width)
            if every or (landing and at == number % 2):
                assert newcomer.barriers(every=every) == [], (name, width, scheme)
        newcomer.becomes(width=1280, scheme="light")


# Small screens, and large letters


@pytest.mark.parametrize("address", ["#layout=square&moves=d4,d7", "#game=malawi", CARDS, ""])
def test_letters_twice_as_large_fit_a_telephone(tab: Tab, address: str) -> None:
    tab.becomes(width=390)
    tab.open(address)
    tab.page.evaluate("document.documentElement.style.fontSize = '200%'")
    tab.sees("#moves [data-ply]" if "moves=" in address else "#board" if address else "#start")
    for language in ("en", "de", "fr"):
        tab.page.select_option("#language", language)
        tab.sees(f"html[lang={language}]")
        if "layout" in address:  # fields are not broken
            name = tab.page.locator("#moves [data-ply] > :first-child").first
            assert name.bounding_box()["height"] < 30
            assert tab.page.locator("#scoring").bounding_box()["x"] > 0
        assert tab.misfits() == [], language


def test_the_board_fits_a_page_that_is_enlarged_twice(tab: Tab) -> None:
    tab.page.set_viewport_size({"width": 640, "height": 400})
    for address in ("#layout=square", "#game=malawi", "#game=just4fun&seed=3"):
        tab.open(address)
        box = tab.page.locator("#board").bounding_box()
        assert box["height"] <= 400, address
        assert box["x"] >= 0, address
        assert box["x"] + box["width"] <= 640, address


def test_long_moves_and_notations_on_a_small_screen(tab: Tab) -> None:
    tab.becomes(width=390)
    tab.open(CARDS)
    tab.sees(f'#moves [data-ply="{len(FIRST)}"]')
    lines = tab.page.locator("#moves [data-ply] > :first-child").evaluate_all(
        """all => all.map((one) => {
            const lines = [], walker = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
            while (walker.nextNode()) {
                const { data } = walker.currentNode, range = document.createRange();
                for (let at = 0; at < data.length; at++) {
                    range.setStart(walker.currentNode, at);
                    range.setEnd(walker.currentNode, at + 1);
                    const { bottom } = range.getBoundingClientRect();
                    const same = lines.length && Math.abs(lines.at(-1).bottom - bottom) < 2;
                    if (same) lines.at(-1).text += data[at];
                    else if (data[at].trim()) lines.push({ bottom, text: data[at] });
                }
            }
            return lines.map(({ text }) => text.trim());
        })"""
    )
    # Each has a line of its own, with all its cards.
    assert [line[0] for line in lines] == list(FIRST)  # after it only what is read aloud
    tab.open("#game=malawi")
    tab.click("#open-share", "#exports summary")
    shows(tab.page.locator(".export"), 3)
    boxes = [one.bounding_box() for one in tab.page.locator(".export").all()]
    for above, below in itertools.pairwise(boxes):
        assert below["y"] - above["y"] - above["height"] > 8


def test_the_best_field_of_just4fun_is_seen(newcomer: Tab) -> None:
    newcomer.open("#game=just4fun&seed=3")
    newcomer.searches_for(2)
    newcomer.page.click(".uncover")
    newcomer.sees("#board .guess")
    measured = """() => {
            const box = (one) => one.getBoundingClientRect();
            const meet = (one, other) => one.left < other.right && other.left < one.right
                && one.top < other.bottom && other.top < one.bottom;
            const all = (names) => [...document.querySelectorAll(`#board ${names}`)];
            const rims = all('.plate').map(box);
            const covered = all('.value-mark').filter((mark) => {
                const { left, right, top, bottom } = box(mark);
                return all('.number').some((number) => meet(box(mark), box(number)))
                    || !rims.some((rim) => rim.left < left && right < rim.right
                        && rim.top < top && bottom < rim.bottom);
            });
            return [getComputedStyle(all('.guess')[0]).stroke,
                getComputedStyle(all('.plate')[0]).fill, covered.length];
        }"""
    for scheme in ("light", "dark"):
        newcomer.becomes(scheme=scheme)
        stroke, plate, covered = newcomer.page.evaluate(measured)
        assert contrast(colour(stroke), colour(plate)) >= LEAST, scheme
        assert covered == 0, scheme
