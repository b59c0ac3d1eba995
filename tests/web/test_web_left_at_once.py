"""A game of which the page has shown a move is kept, however soon the page is left after it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast
from urllib.parse import parse_qs

import pytest
from browser import Tab, shows
from web_server import Server

pytest.importorskip("starlette", reason="starlette is not installed: pip install -e '.[test]'")

from static_page import hosted, site_files

pytestmark = [pytest.mark.sources, pytest.mark.landing]

WAYS = [
    "location.reload()",
    "location.hash = '#layout=AAB/AAC'",
    "location.hash = '#game=malawi&board=2x3'",  # another game is another load of the page
    "location.hash = '#layout=AAB/AAC'; location.reload()",
    "document.querySelector('#new-game').click()",
    "location.href = 'rules/malawi/'",
]
# Plays a move, and leaves once its marble is there. A new document has no `left`. A click on a
# board that is about to be another one is not a move, so there may have to be several.
PLAY_AND_LEAVE = """([field, after]) => {
    const find = (mark) => document.querySelector(`#board [data-field="${field}"]${mark}`);
    const click = () => find('').dispatchEvent(new MouseEvent('click', { bubbles: true }));
    const clicks = setInterval(click, 200);
    const leave = () => {
        window.left = true;
        WAY;
    };
    window.left = false;
    new MutationObserver((_changes, watching) => {
        if (!find('[data-last]')) return;
        watching.disconnect();
        clearInterval(clicks);
        if (after) setTimeout(leave, after);
        else leave();
    }).observe(document.querySelector('#board'), { attributes: true, subtree: true });
    click();
}"""
LEFT = """document.querySelector('[data-legal]') && (window.left === undefined
    || (window.left && !document.querySelector('[data-marble]')))"""
EMPTY = "document.querySelectorAll('#board [data-legal]').length === 64"


@pytest.fixture(params=["served", "static"])
def place(request: pytest.FixtureRequest) -> Iterator[Server]:
    """Where the page comes from."""
    if request.param == "served":
        yield request.getfixturevalue("server")
    else:
        with hosted(site_files(built=False)) as found:
            yield cast(Server, found)


@pytest.mark.parametrize(
    "milliseconds", [[0], pytest.param([0, 3, 10, 30], marks=pytest.mark.nightly)], ids=str
)
def test_a_game_left_at_once_is_kept(place: Server, browser: Any, milliseconds: list[int]) -> None:
    """The page is left so long after the marble is there."""
    tab = Tab(place, browser, service_workers="allow")
    tab.open("#layout=square")
    tab.values(shown=False)
    ways = WAYS if isinstance(place, Server) else WAYS[::2]  # without a server the fewer
    rounds = [(way, after) for after in milliseconds for way in ways]
    played = [f"{column}{row}" for row in range(1, 9) for column in "abcd"][: len(rounds)]
    for field, (way, after) in zip(played, rounds, strict=True):
        tab.page.goto(f"{place.url}#layout=square")
        tab.until(EMPTY)
        tab.page.evaluate(PLAY_AND_LEAVE.replace("WAY", way), [field, after])
        tab.until(LEFT)
    tab.page.goto(f"{place.url}#layout=square")
    tab.until(EMPTY)
    tab.show_games()  # which takes up what earlier pages have left
    tab.keeps("(games, count) => games.length === count", len(played))
    tab.page.keyboard.press("Escape")
    shows(tab.show_games(), len(played))
    assert {parse_qs(one["hash"][1:])["moves"][0] for one in tab.kept} == set(played)
    tab.close()
