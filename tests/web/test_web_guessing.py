"""Guess the moves: a finished game gone through again on the page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from browser import Tab, carries, shows
from command_line import SMALL
from web_server import Server, serving

from kulami_solver import malawi

pytestmark = pytest.mark.landing


def graded(server: Server, path: str, asked: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """What the server says of each move."""
    told = server.events(path, asked)
    return {said["ply"]: said for kind, said in told if kind == "move"}


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that knows Malawi on a small board."""
    path = tmp_path_factory.mktemp("guessing") / "2x3.kdb"
    malawi.build(path, malawi.Board(2, 3))
    with serving("--database", str(path)) as found:
        yield found


def said(tab: Tab) -> list[str]:
    """What the panel says."""
    return list(tab.page.locator("#guessing > p").all_text_contents())


def begin(tab: Tab, question: str) -> None:
    tab.page.locator("#guess:enabled").click()
    tab.sees("#guessing p", question)


def test_guesses_are_told_beside_what_was_played(tab: Tab) -> None:
    server = tab.server
    moves = server.whole("kulami", {"layout": SMALL})
    told = graded(server, "/api/grade", {"layout": SMALL, "moves": moves})
    plies = [ply for ply in sorted(told) if len(told[ply]["worth"]["values"]) > 1]
    tab.open(f"#layout={SMALL}&moves={','.join(moves)}")
    begin(tab, f"move {plies[0]} of {len(moves)}: what would red play?")
    # Nothing tells what was played.
    shows(tab.page.locator("#moves button"), plies[0] - 1)
    shows(tab.page.locator("#graph:visible, #values:visible, #redo:visible"), 0)
    shows(tab.page.locator("#board [data-margin]"), 0)
    for key in ("v", " ", "ArrowRight", "End", "n"):
        tab.page.keyboard.press(key)
    shows(tab.page.locator("#board [data-margin]"), 0)
    best = lost = game_best = game_lost = 0
    for number, ply in enumerate(plies):
        worth, played = told[ply]["worth"], moves[ply - 1]
        values = worth["values"]
        top = max(values.values())
        # Every second guess is a worst move.
        guess = (min if number % 2 else max)(values, key=values.__getitem__)
        for again in [False, True] if number == 2 else [False]:
            if again:  # loading the page again changes nothing
                tab.page.reload()
            tab.sees("#guessing p", f"move {ply} of")
            tab.until("() => !document.querySelector('[data-role=value]').dataset.exact")
            tab.until(
                "count => document.querySelectorAll('#board [data-marble]').length === count",
                ply - 1,
            )
        tab.field(guess).click()
        tab.sees("#guessing p", "best: ")
        words = said(tab)
        right = values[guess] == top
        assert words[0].startswith("best: " if right else "not the best: ")
        assert f"{guess}, " in words[0]
        if guess == played:
            assert words[1] == "the game went on like this"
        else:
            assert words[1].startswith(f"in the game: {played}, ")
        assert (len(words) == 4) == (not right and worth["cost"] > 0)  # then the best one is named
        best, lost = best + right, lost + int(top - values[guess])
        game_best, game_lost = game_best + (worth["cost"] == 0), game_lost + int(worth["cost"])
        score = f"{best} of {number + 1} {'guesses' if number else 'guess'} best, lost {lost}; "
        assert words[-1] == f"{score}in the game {game_best}, lost {game_lost}"
        # The values are there now, and the button for the next one has the focus.
        tab.page.locator(
            f'#board [data-field="{guess}"][data-margin="{values[guess]:g}"]'
        ).wait_for()
        if number == 3:
            tab.page.reload()
        else:
            tab.page.keyboard.press("Enter")
    shows(tab.page.locator("#guess-next"), 0)
    assert said(tab) == [f"{score}in the game {game_best}, lost {game_lost}"]
    tab.has_played(moves)
    carries(tab.page.locator("#values"), "aria-checked", "false")  # as before


@pytest.mark.parametrize(
    ("game", "start", "worth"),
    [
        ("malawi", {"board": "2x3"}, r"wins in \d+ pl|no win"),
        (
            "just4fun",
            {"board": "3x3", "stones": 3, "hand": 2, "line": 3, "seed": 1, "dummy": True},
            "win|draw|loss",
        ),
    ],
)
def test_siblings_ask_too(
    solved: Server, browser: Any, game: str, start: dict[str, Any], worth: str
) -> None:
    server, tab = solved, Tab(solved, browser)
    tab.remembers(values="off")
    seen = {"see": ["red", "blue"]} if game == "just4fun" else {}
    moves = server.whole(game, {**start, **seen})
    told = graded(server, f"/api/{game}/grade", {**start, **seen, "moves": moves})
    ply = min(ply for ply in told if len(told[ply]["worth"]["values"]) > 1)
    said_in_link = {**start, "dummy": "true"} if "dummy" in start else start
    tab.open(f"#{urlencode({'game': game, **said_in_link, 'moves': ';'.join(moves)})}")
    begin(tab, f"move {ply} of {len(moves)}: what would")
    values = told[ply]["worth"]["values"]
    guess = max(values, key=values.__getitem__)
    tab.page.fill("#field", guess)
    tab.page.keyboard.press("Enter")
    tab.sees("#guessing p", "best: ")
    assert re.match(f"best: {re.escape(guess)}, .*({worth})", said(tab)[0])
    assert said(tab)[-1].startswith("1 of 1 guess best, lost 0; in the game ")
    tab.close()


def test_one_side_is_asked_in_the_readers_language(tab: Tab) -> None:
    tab.becomes(language="de")
    moves = tab.server.whole("kulami", {"layout": SMALL})
    tab.open(f"#layout={SMALL}&moves={','.join(moves)}")
    begin(tab, f"Zug 1 von {len(moves)}: Was spielt Rot am besten?")
    tab.page.select_option("#guess-side", "black")
    for ply in (2, 4):
        tab.page.click("#guess-next")
        tab.sees("#guessing p", f"Zug {ply} von {len(moves)}")
    tab.page.select_option("#language", "fr")
    tab.sees("#guessing p", f"coup 4 sur {len(moves)}")
    # Another game on the board ends it.
    tab.page.click("#new-game")
    tab.page.locator("#guessing:empty").wait_for(state="attached")
    tab.page.locator("#undo").wait_for()
    tab.play("d3")
