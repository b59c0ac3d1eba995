"""A game that no room knows is on the page once it is registered: the toy game of the tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import Tab, shows
from web_server import Server, serving

from kulami_solver.game import load_game
from kulami_solver.web.games import GamePage
from kulami_solver.web.replays import Replays

pytest.importorskip("uvicorn", reason="uvicorn is not installed: pip install -e '.[test]'")

TESTS = Path(__file__).resolve().parent.parent
REGISTERED = f"""
import sys
sys.path.insert(0, {str(TESTS)!r})
from kulami_solver.game import GAMES
GAMES["dice"] = "toy_game"
from kulami_solver.cli import main
sys.exit(main(sys.argv[1:]))
"""
NIM = REGISTERED.replace(str(TESTS), str(TESTS.parent / "docs" / "examples" / "nim")).replace(
    'GAMES["dice"] = "toy_game"', 'GAMES["nim"] = "nim"'
)
# Nim whose moves have capitals, and the signs that stand between moves in an address.
TAIL = "; \u00c9%41,x"
ODD = f"""
import sys
sys.path.insert(0, {str(TESTS.parent / "docs" / "examples" / "nim")!r})
import nim
plain, turned = nim.NimState.moves.fget, nim.NimState
def play(self, move):
    if move not in self.moves:
        raise nim.IllegalMoveError(f"{{move}} cannot be played")
    heaps = list(self.heaps)
    heaps[ord(move[0]) - 65] -= int(move[1])
    return turned(self.game, tuple(heaps), 1 - self.turn)
turned.moves = property(lambda self: tuple(one.upper() + {TAIL!r} for one in plain(self)))
turned.play = play
{NIM}"""
ALL = ["ann", "bob", "cid"]


@pytest.fixture(scope="module")
def dice() -> Iterator[Server]:
    with serving(program=("-c", REGISTERED)) as server:
        yield server


def test_it_is_asked_as_any_other(dice: Server) -> None:
    hidden = dice.good("/api/dice/position", {"seed": 1})
    assert (hidden["turn"], hidden["seats"], hidden["legal"]) == ("ann", ALL, None)
    assert hidden["notation"] is None
    assert dice.good("/api/dice/position", {"seed": 1, "see": ["ann"]})["legal"] == ["take", "pass"]
    said = dice.refused("/api/dice/position", {"seed": 1, "moves": ["steal"]})
    assert said == "move 1: ann cannot play steal: the hand is hidden, and does not allow it"
    asked: dict[str, Any] = {"seed": 1, "see": ALL, "moves": ["take", "pass"] * 3}
    told = dice.good("/api/dice/position", asked)
    assert (told["over"], told["legal"]) == (True, [])
    assert told["movers"] == ALL * 2
    notation = told["notation"].split()
    assert notation[1::2] == asked["moves"]
    assert set(notation[::2]) <= {"1", "2"}
    again = dice.good("/api/dice/position", {**asked, "moves": []})
    read = dice.good("/api/dice/position", {"throws": again["notation"], "see": ALL})
    assert read["notation"] == again["notation"]


def test_its_values_bots_and_grades(dice: Server) -> None:
    asked: dict[str, Any] = {"seed": 1, "see": ALL, "moves": ["take"]}
    kind, told = dice.events("/api/dice/analyse", asked)[-1]
    assert (kind, told["exact"], told["best"]) == ("solution", True, "take")
    assert "is hidden" in dice.refused("/api/dice/analyse", {"seed": 1})
    assert dice.good("/api/dice/move", {**asked, "bot": "random"})["move"] in ("take", "pass")
    graded = dice.events("/api/dice/grade", {**asked, "moves": ["take", "pass"] * 3})
    assert [said["ply"] for kind, said in graded if kind == "move"] == [6, 5, 4, 3, 2, 1]
    costs = {said["ply"]: said["worth"]["cost"] for kind, said in graded if kind == "move"}
    assert all((cost > 0) == (ply % 2 == 0) for ply, cost in costs.items())


def test_a_record_says_the_options_of_its_game() -> None:
    """The notation of a board need not be read on another: `grade` makes the game first."""
    page = GamePage("malawi")
    asked: Any = page.asked
    game = Replays().game(asked(board="2x3", moves="a3:b3"))
    record = page.record(game)
    assert record["moves"] == ["a3:b3"]
    options = {one.name: record[one.name] for one in page.descriptor.options}
    assert load_game("malawi", **options).read(record["start"]) == game.begun


def test_it_is_played_on_the_page(dice: Server, browser: Any) -> None:
    tab = Tab(dice, browser)
    page = tab.page
    page.goto(f"{dice.url}#game=dice&seed=1")
    page.locator("[data-role=status]", has_text="ann to move").wait_for()
    shows(page.locator("#turns button"), 0)
    page.locator("#open-hands").wait_for(state="visible")
    page.click(".uncover")
    shows(page.locator("#turns button"), 2)
    page.click("#open-hands")
    page.locator("[data-role=value][data-exact]").wait_for()
    for ply in range(1, 7):
        page.click('#turns [data-move="take"]')
        tab.stands(count=ply)
        tab.sees("#board:not([aria-busy])")  # until then the same move is half of a double click
    page.locator("[data-role=status]", has_text="Game over").wait_for()
    assert page.url.endswith("#game=dice&seed=1&moves=take;take;take;take;take;take")
    page.click("#grade")
    page.locator("#graded", has_text="ann: 100 % best moves").wait_for()
    page.click("#open-setup")
    page.locator("#begin .main").click()
    page.locator("#moves:empty").wait_for(state="attached")
    tab.close()


def test_the_smallest_game_has_its_option_and_no_hands(browser: Any) -> None:
    """docs/examples/nim: its heaps are an option, and a part of its notation."""
    with serving(program=("-c", NIM)) as nim:
        told = nim.good("/api/nim/position", {"heaps": "1,2", "moves": ["b1"]})
        assert (told["notation"], told["legal"]) == ("1,1 second", ["a1", "b1"])
        assert nim.good("/api/nim/position", {"nfn": "2,2 second"})["turn"] == "second"
        tab = Tab(nim, browser)
        tab.page.goto(f"{nim.url}#game=nim&heaps=1,2")
        tab.is_told("Proved: 1 position in ")
        tab.page.locator("#open-hands").wait_for(state="hidden")
        tab.close()


def test_moves_of_any_signs_are_typed_kept_and_opened_again(browser: Any) -> None:
    with serving(program=("-c", ODD)) as server:
        tab = Tab(server, browser)
        page = tab.page
        page.goto(f"{server.url}#game=nim&heaps=2,2")
        page.locator("#turns button").first.wait_for()
        played = [f"A1{TAIL}", f"B2{TAIL}", f"A1{TAIL}"]
        for ply, typed in enumerate((played[0], played[1].lower()), 1):
            page.fill("#field", typed)
            page.keyboard.press("Enter")
            tab.stands(count=ply)
        tab.has_played(played[:2])
        tab.sees("#board:not([aria-busy])")  # then they stand in the address, too
        page.reload()
        page.locator("#turns button").first.click()
        tab.has_played(played)
        tab.keeps("(games) => games[0]?.moves === 3")
        page.goto(f"{server.url}#game=nim&heaps=1,2")
        tab.show_games().first.locator(".open").click()
        tab.has_played(played)
        tab.close()
