"""The desk beside the board: what a game teaches, and where it is asked."""

from __future__ import annotations

import pytest
from browser import Tab, carries, reads, shows

pytestmark = pytest.mark.landing

LOST = "d2,d5,d4,a4,a6,a1,a3,c3,c6,c2,c4,b4,b2,b6,d6,d3,d1,b1,b3,b5,c5,c1"
TALL = "AABB/AABB/CCDD/CCDD/EEFF/EEFF"


def test_who_is_ahead_is_seen_at_once_and_the_best_line_can_be_played(tab: Tab) -> None:
    page, bar = tab.page, tab.page.locator("#bar")
    share = "getComputedStyle(document.querySelector('#bar')).getPropertyValue('--share')"
    tab.open("#layout=square&moves=d4,d7")
    tab.values()
    tab.is_told("red from below")
    carries(bar, "data-proved", None)  # an estimate
    assert 20 < float(page.evaluate(share).rstrip("%")) < 80
    tab.open(f"#layout={TALL}&moves={','.join(LOST.split(',')[:16])}")
    tab.proved()
    carries(bar, "data-proved", "")
    wins = {"Red": "100%", "Bla": "0%", "Dra": "50%"}[tab.role("value").inner_text()[:3]]
    assert page.evaluate(share) == wins
    line = tab.role("line").inner_text().removeprefix("Best: ").split()
    page.click("[data-step='1']")
    tab.has_played([*LOST.split(",")[:16], *line])
    tab.stands(count=18)
    page.click("#redo")
    tab.stands(count=19)
    for _ in range(3):
        page.click("#undo")
    tab.stands(count=16)
    page.click("#follow")
    tab.stands(count=17)
    page.click("#values")
    shows(page.locator("#bar:visible, #follow:visible"), 0)


def test_what_has_nothing_to_say_is_not_there(tab: Tab) -> None:
    page = tab.page
    tab.open("#layout=square")
    tab.sees("#scoring")
    shows(page.locator(".game:visible, #go-on:visible, [data-role=line]:visible"), 0)
    page.select_option("#player-black", "level:1")
    reads(tab.role("status"), "Your turn")
    shows(page.locator("#value-card:visible, #players-card:visible"), 0)
    page.click("#open-share")
    tab.sees("#export-link")
    tab.sees("#save-picture", "Picture")
    shows(page.locator(".export:visible"), 1)  # notations are for programs


def test_screens_of_every_shape_are_used(tab: Tab) -> None:
    page = tab.page

    def box(name: str) -> dict[str, float]:
        return page.locator(name).first.bounding_box() or {}

    def beside(one: str, other: str) -> bool:
        return box(one)["x"] + box(one)["width"] <= box(other)["x"]

    # The board of Just 4 Fun fills its frame, and the hands of four players stand beside it.
    tab.open("#game=just4fun&players=rbgy&seed=3&moves=26%3D3%2B4%2B9%2B10")
    tab.sees("#moves [data-ply]")
    assert box("#board svg")["width"] > 570
    assert box("#board svg")["width"] == box("#board")["width"]
    assert beside("#board", ".hands")
    assert (
        box(".hands")["y"] + box(".hands")["height"] <= box("#board")["y"] + box("#board")["height"]
    )
    # On a telephone the header is one row, which needs no scrolling.
    tab.becomes(width=390)
    header = "document.querySelector('.bar')"
    assert box(".bar")["height"] < 60
    for width in (390, 320):  # or a narrow one two
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate(f"{header}.scrollWidth <= {header}.clientWidth")
    # Held sideways, it has the board and the list side by side.
    page.set_viewport_size({"width": 844, "height": 390})
    tab.open("#layout=square&moves=d4,d7")
    tab.has_played(["d4", "d7"])
    assert beside("#board", "#moves")
    for name in ("#board", "#moves"):
        assert box(name)["y"] + box(name)["height"] <= 390
    # A notice goes by itself, unless somebody is at it.
    page.evaluate("""() => {
        const later = setTimeout;
        window.setTimeout = (act, time) => time > 5000 ? (window.goes = act) : later(act, time);
    }""")
    page.click("#new-game")
    tab.sees("#notice button", "Bring back")
    page.evaluate("window.goes()")
    shows(page.locator("#notice button"), 0)


IN_SIGHT = """() => {
    const box = (one) => one.getBoundingClientRect();
    const { top, bottom } = box(document.querySelector('#moves'));
    const tops = [...document.querySelectorAll('#moves [data-ply]')].map(box)
        .filter((one) => one.top >= top && one.bottom <= Math.min(bottom, innerHeight))
        .map((one) => one.top);
    return [new Set(tops).size, document.documentElement.scrollHeight - innerHeight];
}"""


def test_the_moves_are_in_sight_and_on_paper_nothing_else(tab: Tab) -> None:
    moves = ",".join(tab.server.whole("kulami", {"layout": "square"}))
    for values in (True, False):
        tab.open(f"#layout=square&moves={moves}&ply=20", anew=True)
        tab.values(values)
        tab.stands(count=20)
        rows, beyond = tab.page.evaluate(IN_SIGHT)
        assert rows >= 15
        assert beyond <= 0  # the page needs no scrolling
    shows(tab.page.locator(".heads"), 0)  # there is nothing in columns before a grade
    tab.page.emulate_media(media="print")
    shows(tab.page.locator(":is(button, select):visible:not([data-ply])"), 0)
