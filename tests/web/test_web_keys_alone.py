"""The tour by keys alone: from the first visit to a game, the rules, a puzzle and an analysis."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest
from browser import Tab, mentions, reads, shows
from command_line import SMALL

from kulami_solver.bots.kulami.puzzles import read_puzzles

pytest.importorskip("starlette", reason="starlette is not installed: pip install -e '.[test]'")
pytest.importorskip("uvicorn", reason="uvicorn is not installed: pip install -e '.[test]'")

GAMES = ("kulami", "malawi", "just4fun")
MOST_TABS = 60
PUZZLE = 3


def reach(tab: Tab, selector: str) -> None:
    """Go on with Tab until this has the focus, which must be seen at each stop."""
    tab.page.locator(selector).first.wait_for()
    for _ in range(MOST_TABS):
        there, seen = tab.page.evaluate(
            """(selector) => {
                const one = document.activeElement;
                const { outlineStyle, boxShadow } = getComputedStyle(one);
                const field = one.matches("[role=gridcell]"); // it has a mark of its own
                const seen = one === document.body || field || outlineStyle !== "none"
                    || boxShadow !== "none";
                return [one.matches(selector), seen];
            }""",
            selector,
        )
        assert seen, tab.page.evaluate("document.activeElement.outerHTML")
        if there:
            return
        tab.page.keyboard.press("Tab")
    raise AssertionError(f"{selector} is not reached")


def go(tab: Tab, field: str) -> None:
    """Go over the board with the arrows, from the field that has the focus."""
    reach(tab, "#board [role=gridcell]")
    at = tab.page.evaluate("document.activeElement.dataset.field")
    for axis, keys in ((0, ("ArrowLeft", "ArrowRight")), (1, ("ArrowUp", "ArrowDown"))):
        steps = (ord(field[0]) - ord(at[0]), int(field[1:]) - int(at[1:]))[axis]
        for _ in range(abs(steps)):
            tab.page.keyboard.press(keys[steps > 0])
    assert tab.page.evaluate("document.activeElement.dataset.field") == field


def focused(tab: Tab) -> Any:
    """What has the focus."""
    return tab.page.evaluate("document.activeElement.id || document.activeElement.tagName")


@pytest.mark.parametrize("game", GAMES)
def test_a_game_begins_and_goes_on(tab: Tab, game: str) -> None:
    tab.open()
    if game != "kulami":
        reach(tab, f'#start [data-which="{game}"]')
        tab.page.keyboard.press("Enter")
        tab.page.locator(f'body[data-game="{game}"] #start').wait_for()
    reach(tab, "#start-level")
    tab.page.keyboard.press("Home")  # the weakest
    reach(tab, "#start-play .main")
    tab.page.keyboard.press("Enter")
    shows(tab.page.locator("#start"), 0)
    if game == "just4fun":
        reach(tab, "#turns [data-move]")
    else:
        reach(tab, "#field")
        tab.page.keyboard.type({"kulami": "d4", "malawi": "a6-a4"}[game])
    tab.page.keyboard.press("Enter")
    # It is played, and answered.
    tab.page.locator('[data-role=moves] [data-ply="2"]').wait_for()
    tab.page.locator("#board [data-legal]").first.wait_for(state="attached")
    tab.page.keyboard.press("Escape")
    reach(tab, "#undo")
    tab.page.keyboard.press("Enter")
    shows(tab.page.locator("[data-role=moves] [data-ply][aria-current]"), 0)
    # The focus is not lost, and the keys are explained.
    assert focused(tab) != "BODY"
    tab.page.keyboard.press("?")
    tab.page.locator("#help[open]").wait_for()
    tab.page.keyboard.press("Escape")
    shows(tab.page.locator("#help[open]"), 0)
    assert focused(tab) != "BODY"


@pytest.mark.parametrize("game", GAMES)
def test_the_rules_are_read_and_tried(tab: Tab, game: str) -> None:
    tab.open(f"#game={game}")
    tab.page.keyboard.press("?")
    reach(tab, '#help a[href*="rules"]')
    tab.page.keyboard.press("Enter")
    tab.page.wait_for_url(f"**/rules/{game}/**")
    reach(tab, "[data-field]")
    tab.page.keyboard.press("Enter")
    tab.until("document.querySelector('.answer').textContent.trim() !== ''")
    tab.page.keyboard.press("Shift+Tab")
    reach(tab, "main a[href*='#']")
    tab.page.keyboard.press("Enter")
    tab.page.locator(f'body[data-game="{game}"] #board').wait_for()


def test_a_puzzle_is_solved_and_the_next_one_given_up(tab: Tab) -> None:
    puzzle = read_puzzles()[PUZZLE - 1]
    tab.page.goto(f"{tab.server.url}puzzles/kulami/#{PUZZLE}")
    tab.page.locator("#title", has_text=f"Puzzle {PUZZLE}").wait_for()
    go(tab, puzzle.best)
    tab.page.keyboard.press("Enter")
    tab.page.locator("#answer.right").wait_for()
    tab.page.locator("[data-role=status]", has_text="Game over").wait_for()
    reach(tab, "#next")
    tab.page.keyboard.press("Enter")
    tab.page.locator("#answer.right").wait_for(state="detached")
    reach(tab, "#solution")
    tab.page.keyboard.press("Enter")
    shows(tab.page.locator("#solution:visible"), 0)
    assert focused(tab) == "next"


def test_a_variation_is_made_and_commented(tab: Tab) -> None:
    moves = tab.server.whole("kulami", {"layout": SMALL})
    tab.open(f"#layout={SMALL}&moves={','.join(moves)}&ply=1")
    another = tab.page.locator("#board [data-legal]").evaluate_all(
        "(all, played) => all.map(one => one.dataset.field).find(one => one !== played)", moves[1]
    )
    tab.page.keyboard.press("g")
    go(tab, another)
    tab.page.keyboard.press("Enter")
    tab.page.locator("#moves .variation").wait_for()
    tab.page.keyboard.press("c")
    tab.page.keyboard.type("Another way.")
    tab.page.keyboard.press("Tab")
    tab.page.locator("#moves .remark", has_text="Another way.").wait_for()
    # A button that has done its work hands the focus on.
    reach(tab, "#lines button")
    tab.page.keyboard.press("Enter")
    tab.until("document.querySelector('#lines button').disabled")
    assert focused(tab) != "BODY"
    tab.page.keyboard.press("Shift+Tab")
    tab.page.keyboard.press("g")
    reach(tab, "#moves .variation button")  # what was the game before
    tab.page.keyboard.press("Enter")
    tab.stands(last=moves[1])


@pytest.mark.parametrize(
    ("game", "start", "between"),
    [
        ("kulami", {"layout": SMALL}, ","),
        pytest.param("just4fun", {"stones": 2, "seed": 3}, ";", marks=pytest.mark.nightly),
    ],
)
def test_a_game_is_graded(tab: Tab, game: str, start: dict[str, Any], between: str) -> None:
    seats = {"see": ["red", "blue"]} if game == "just4fun" else {}
    moves = tab.server.whole(game, {**start, **seats})
    tab.open("#" + urlencode({"game": game, **start, "moves": between.join(moves)}))
    tab.page.locator("#ending .result").wait_for()
    if game == "just4fun":
        reach(tab, "#open-hands")
        tab.page.keyboard.press("Space")
    reach(tab, "#grade:enabled")
    tab.page.keyboard.press("Enter")
    tab.page.locator("#graded", has_text="best moves").wait_for()
    reads(tab.page.locator("#grade"), "Grade the game")
    assert focused(tab) == "grade"
    # Whoever asks for it from the end of a game stays there.
    reach(tab, "#analyse")
    tab.page.keyboard.press("Enter")
    tab.page.locator("#graded", has_text="best moves").wait_for()
    reads(tab.page.locator("#grade"), "Grade the game")
    assert focused(tab) == "analyse"


def test_grading_is_stopped(tab: Tab) -> None:
    tab.open(f"#layout=square&moves={','.join(tab.server.whole('kulami', {'layout': 'square'}))}")
    reach(tab, "#grade:enabled")
    tab.page.keyboard.press("Enter")
    tab.page.locator("#graded", has_text="Grading, move").wait_for()
    tab.page.locator("#moves .worth:not(:empty)").first.wait_for()
    tab.page.keyboard.press("Enter")
    mentions(tab.page.locator("#graded"), "From move")
    reads(tab.page.locator("#grade"), "Grade the game")
    assert focused(tab) == "grade"
