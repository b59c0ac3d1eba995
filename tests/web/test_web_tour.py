"""The tour: every screen that a visitor comes by, large and small, light and dark.

KULAMI_SCREENS=FOLDER keeps pictures of them, to be looked at:

    KULAMI_SCREENS=screens pytest -m nightly tests/web/test_web_tour.py
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from browser import Tab, shows
from command_line import SMALL
from web_server import Server

from kulami_solver.bots.kulami.puzzles import read_puzzles

pytest.importorskip("starlette", reason="starlette is not installed: pip install -e '.[test]'")
pytest.importorskip("uvicorn", reason="uvicorn is not installed: pip install -e '.[test]'")

pytestmark = pytest.mark.nightly

STARTS: dict[str, dict[str, Any]] = {
    "kulami": {"layout": "rulebook", "scoring": "2"},
    "malawi": {"board": "3x4", "beads": 1},
    "just4fun": {"stones": 8, "seed": 3},
}
PUZZLE = 3


@pytest.fixture(
    params=[(width, scheme) for width in (1280, 390) for scheme in ("light", "dark")],
    ids=lambda one: f"{one[0]}-{one[1]}",
)
def tab(server: Server, browser: Any, request: pytest.FixtureRequest) -> Iterator[Tab]:
    width, scheme = request.param
    tab = Tab(
        server, browser, viewport=(width, 844), color_scheme=scheme, remembers={"values": "off"}
    )
    yield tab
    tab.close()


@pytest.fixture
def look(tab: Tab, request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Looks at a screen, and keeps a picture of it where that is asked for."""
    folder = os.environ.get("KULAMI_SCREENS")
    kind = request.node.callspec.params["tab"]

    def looked(name: str) -> None:
        if folder:
            path = Path(folder) / f"{name}-{kind[0]}-{kind[1]}.png"
            tab.page.screenshot(path=path, full_page=True)
        tab.looks_right()

    return looked


@pytest.mark.parametrize("game", STARTS)
def test_a_game_from_the_first_visit_to_its_end(
    server: Server, tab: Tab, look: Callable[[str], None], game: str
) -> None:
    tab.open()
    tab.page.locator("#start").wait_for()
    if game != "kulami":
        tab.page.click(f'#start [data-which="{game}"]')
        tab.page.locator(f'body[data-game="{game}"] #start').wait_for()
        tab.page.locator("#board .field").first.wait_for(state="attached")
    look(f"{game}-first-visit")
    start = STARTS[game]
    seats = {"see": ["red", "blue"]} if game == "just4fun" else {}
    moves = server.whole(game, {**start, **seats})
    between = "," if game == "kulami" else ";"
    for name, ply in (("middle", len(moves) // 2), ("end", len(moves))):
        tab.open("#" + urlencode({"game": game, **start, "moves": between.join(moves[:ply])}))
        tab.page.locator(f'#moves [data-ply="{ply}"][aria-current]').wait_for()
        if name == "end":
            tab.page.locator("#ending .result").wait_for()
        elif game == "just4fun":
            tab.page.locator(".uncover").click()
            tab.page.locator("#turns button").first.wait_for()
        else:
            tab.page.locator("#board [data-legal]").first.wait_for()
        look(f"{game}-{name}")


@pytest.mark.parametrize("game", STARTS)
def test_the_rules(tab: Tab, look: Callable[[str], None], game: str) -> None:
    tab.page.goto(f"{tab.server.url}rules/{game}/")
    tab.page.locator(".field").first.wait_for(state="attached")
    look(f"{game}-rules")


def test_a_puzzle_right_and_wrong(tab: Tab, look: Callable[[str], None]) -> None:
    puzzle = read_puzzles()[PUZZLE - 1]
    wrong = next(field for field in puzzle.position.legal_fields if field != puzzle.best)
    for name, field, answer in (("right", puzzle.best, "right"), ("wrong", wrong, "no")):
        tab.page.goto("about:blank")  # what is behind # alone does not load a page anew
        tab.page.goto(f"{tab.server.url}puzzles/kulami/#{PUZZLE}")
        tab.page.locator("#title", has_text=f"Puzzle {PUZZLE}").wait_for()
        if name == "right":
            look("puzzle")
        tab.field(field).click()
        tab.page.locator(f"#answer.{answer}").wait_for()
        tab.page.locator("[data-role=status]", has_text="Game over").wait_for()  # played out
        look(f"puzzle-{name}")


def test_analysis_with_variations_and_guesses(tab: Tab, look: Callable[[str], None]) -> None:
    moves = tab.server.whole("kulami", {"layout": SMALL})
    tab.open(f"#layout={SMALL}&moves={','.join(moves)}&ply=1")
    tab.values()
    tab.proved()
    tab.page.locator("#board [data-legal]").first.click()
    tab.page.locator("#moves .variation").wait_for()
    tab.proved()
    tab.page.keyboard.press("c")
    tab.page.keyboard.type("Another way.")
    tab.page.locator("#grade:enabled").click()
    tab.page.locator("#graded", has_text="best moves").wait_for()
    tab.page.locator("#grade:enabled").wait_for()
    look("analysis")
    tab.page.click("#guess")
    tab.page.locator("#guess-next").wait_for()
    shows(tab.page.locator("#notice button"), 0)
    look("guess-asked")
    tab.page.locator("#board [data-legal]").first.click()
    tab.page.locator("#guessing .searched", has_text="of 1 guess").wait_for()
    tab.page.locator("#board [data-margin]").first.wait_for()
    look("guess-told")
