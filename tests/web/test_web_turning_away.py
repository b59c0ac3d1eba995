"""A reader who turns away while a bot thinks: its answer is played nowhere else."""

from __future__ import annotations

from typing import Any

import pytest
from browser import Tab

ANSWER = "c3"  # what the bot says; the page asks the server before it believes that
BEGINNINGS = {
    "kulami": ("#layout=square", ["d4", "d7"], "player-black"),
    "malawi": ("#game=malawi&board=3x4", ["a4-a2", "b1:a1,c1"], "player-black"),
    "just4fun": ("#game=just4fun&board=4x4&seed=7", [], "player-blue"),
}
#: What the reader does while the bot thinks, and which moves the list has then.
WAYS: dict[str, tuple[str, slice]] = {
    "undo": ("document.querySelector('#undo').click()", slice(None)),
    "back": ("history.back()", slice(-1)),
    "another game": ("document.querySelector('#new-game').click()", slice(0)),
    "the list": ("document.querySelector('#moves [data-ply=\"1\"]').click()", slice(None)),
    "a link": ("location.hash = location.hash.replace(/&(moves|seed)=[^&]*/g, '')", slice(0)),
    "a person": (
        """(() => {
            const player = document.querySelector('[id^=player] option:checked:not([value=human])')
                .closest('select');
            player.value = 'human';
            player.dispatchEvent(new Event('change'));
        })()""",
        slice(None),
    ),
}


def held(tab: Tab, path: str) -> list[Any]:
    """Leave requests of this path unanswered; returns them as they come."""
    found: list[Any] = []
    tab.page.route(path, lambda route: found.append(route))
    return found


@pytest.mark.parametrize(
    "game",
    ["kulami", *(pytest.param(game, marks=pytest.mark.landing) for game in ("malawi", "just4fun"))],
)
def test_a_bot_answers_nothing_but_the_game_that_it_was_asked_for(newcomer: Tab, game: str) -> None:
    tab = newcomer
    start, moves, player = BEGINNINGS[game]
    tab.remembers(values="off")
    for name, (way, left) in WAYS.items():
        if game == "just4fun" and name == "the list":
            continue  # the only move is the one on the board
        answers = held(tab, "**/move")
        # A page of its own: on the last one's, the move could be played before the link is open.
        tab.open(f"{start}&moves={(',' if game == 'kulami' else ';').join(moves)}", anew=True)
        tab.page.select_option(f"#{player}", index=1)
        if moves:
            tab.has_played(moves)
            tab.enter("b4-b2" if game == "malawi" else "b7")
        else:
            tab.page.locator("#turns [data-move]").first.click()
        tab.sees("[data-role=status]", "is thinking")
        tab.stands(count=len(moves) + 1)
        tab.until("() => location.hash.split('moves=')[1]")
        before = tab.played
        while not answers:  # the bot may not have been asked yet
            tab.page.evaluate("fetch('api/health')")
        # The server is slow: the bot's answer comes before that about the position.
        waiting = held(tab, "**/position")
        tab.page.evaluate(way)
        tab.page.evaluate("fetch('api/health')")
        answers[0].fulfill(json={"move": ANSWER})
        tab.page.evaluate("fetch('api/health')")
        for route in waiting:
            assert ANSWER not in route.request.post_data_json["moves"], name
        tab.page.unroute("**/position")
        for route in waiting:
            route.continue_()
        tab.has_played(before[left])
        tab.sees("#board:not([data-waiting])")
        tab.page.unroute("**/move")
