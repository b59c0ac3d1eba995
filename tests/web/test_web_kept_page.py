"""The page of a server that keeps games: its list is the server's, and finds games by position."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import PATIENCE, Tab, shows
from web_server import Server, serving


@pytest.fixture
def keeper(tmp_path: Path) -> Iterator[Server]:
    with serving("--keep", str(tmp_path / "games.sqlite")) as server:
        yield server


@pytest.fixture
def tab(keeper: Server, browser: Any) -> Iterator[Tab]:
    tab = Tab(keeper, browser, remembers={"values": "off"})
    yield tab
    tab.close()


def kept(server: Server) -> list[dict[str, Any]]:
    games: list[dict[str, Any]] = server.good("/api/kept", {})["games"]
    return games


def sent(tab: Tab, count: int) -> None:
    """Wait until the server has so many games, and all of them."""
    tab.keeps(
        "(games, count) => games.length === count && games.every(({ waiting }) => !waiting)", count
    )


def newest(server: Server, name: str, value: object) -> None:
    """Wait until the newest game of the server has a value."""
    end = time.monotonic() + PATIENCE / 1000
    while kept(server)[0][name] != value:
        assert time.monotonic() < end, kept(server)
        time.sleep(0.02)


def show(tab: Tab) -> Any:
    tab.page.click("#open-games")
    tab.page.locator("#games[open]").wait_for()
    return tab.page.locator("#games-list li[data-game]")


def test_a_game_is_in_the_file_and_in_the_list_of_every_browser(
    keeper: Server, browser: Any, tab: Tab
) -> None:
    tab.open("#layout=AAB/CCB")
    tab.play("a1", "a2")
    sent(tab, 1)
    (game,) = kept(keeper)
    assert "moves=a1,a2" in game["hash"]
    assert (game["game"], game["moves"], game["name"]) == ("kulami", 2, "")
    other = Tab(keeper, browser, remembers={"values": "off"})
    other.open("#layout=square")
    rows = show(other)
    shows(rows, 1)
    rows.locator("input").fill("Mine")
    other.page.keyboard.press("Tab")
    shows(other.page.locator('#games-list input[placeholder="Kulami"]'), 1)
    newest(keeper, "name", "Mine")
    # It goes on there, under its name.
    rows.locator(".open").click()
    other.stands(last="a2")
    other.play("c2")
    newest(keeper, "moves", 3)
    (game,) = kept(keeper)
    assert (game["name"], game["over"]) == ("Mine", True)
    other.close()


def test_a_game_is_found_by_its_position_and_opened_there(keeper: Server, tab: Tab) -> None:
    tab.open("#layout=AAB/CCB")
    tab.play("a1", "a2", "c2")
    sent(tab, 1)
    # Another one, on the board turned, by black.
    tab.open("#layout=YX/YX/ZZ&first=black")
    tab.page.reload()
    found = tab.page.locator("#found li[data-game]")
    tab.field("b1").click()
    tab.stands(last="b1")
    shows(found, 1)
    tab.field("a1").click()
    tab.stands(last="a1")
    shows(found, 1)
    found.locator(".open").click()
    tab.stands(last="a2")
    assert "ply=2" in tab.page.url
    tab.has_played(["a1", "a2", "c2"])


def test_games_that_the_browser_has_are_handed_on(keeper: Server, browser: Any) -> None:
    entries = [
        {"id": "old", "game": "malawi", "hash": "#game=malawi&board=2x3&moves=a3:b3", "name": "Old",
         "begun": 5, "changed": 6, "moves": 1},
        {"id": "wrong", "game": "kulami", "hash": "#layout=square&moves=d4,d4", "name": "Wrong",
         "begun": 3, "changed": 4, "moves": 2},
    ]  # fmt: skip
    tab = Tab(keeper, browser, remembers={"values": "off", "games": json.dumps(entries)})
    tab.open("#layout=square")
    rows = show(tab)
    tab.keeps("(games) => !games.find(({ id }) => id === 'old').waiting")
    assert [(one["id"], one["name"], one["begun"]) for one in kept(keeper)] == [("old", "Old", 5)]
    # What is no game for the server stays here.
    tab.page.keyboard.press("Escape")
    rows = show(tab)
    shows(rows, 2)
    tab.page.locator("#games [role=status]", has_text="move 2").wait_for()
    assert rows.evaluate_all("(all) => all.map((one) => one.dataset.game)") == ["wrong", "old"]
    tab.close()


def test_a_game_that_is_too_large_for_the_server_keeps_no_other_back(
    keeper: Server, browser: Any
) -> None:
    tried = {"moves": ["a1"], "comments": {"1": "x" * 900}}
    line = {"moves": ["d4"], "variations": {"1": [tried] * 80}}
    more = {"game": "kulami", "hash": "#layout=square&moves=d4", "begun": 1, "changed": 1}
    games = [{"id": "a-large-one", **more, "line": line}, {"id": "b", **more}]
    tab = Tab(keeper, browser, remembers={"values": "off", "games": json.dumps(games)})
    tab.open("#layout=square")
    show(tab)
    tab.keeps("(games) => games.map(({ waiting }) => waiting ?? 0).join() === '1,0'")
    assert [one["id"] for one in kept(keeper)] == ["b"]
    tab.problems = [said for said in tab.problems if "413" not in said]
    tab.close()


def test_what_the_file_cannot_show_is_counted(keeper: Server, tab: Tab, tmp_path: Path) -> None:
    for number in range(3):
        game = {"id": f"g{number}", "hash": "#layout=AAB/AAC&moves=a1", "changed": number}
        more = {"begun": number, "moves": 1, **({"players": 5} if number == 2 else {})}
        keeper.good("/api/kept/keep", {**game, "more": more})
    with sqlite3.connect(tmp_path / "games.sqlite") as file:
        file.execute("UPDATE games SET more = 'z' WHERE name = 'g1'")
    file.close()
    tab.open("#layout=square")
    shows(show(tab), 1)
    tab.page.locator("#games [role=status]", has_text="cannot be shown: 2").wait_for()


def test_a_game_is_deleted_and_brought_back(keeper: Server, tab: Tab) -> None:
    tab.open("#layout=AAB/CCB")
    tab.play("a1")
    sent(tab, 1)
    rows = show(tab)
    shows(rows, 1)
    rows.locator(".delete").click()
    tab.page.locator("#games-list .gone").wait_for()
    assert kept(keeper) == []
    tab.page.keyboard.press("Enter")
    shows(tab.page.locator("#games-list li[data-game]"), 1)
    assert len(kept(keeper)) == 1


def test_a_file_of_games_goes_out_and_comes_in(keeper: Server, tab: Tab, tmp_path: Path) -> None:
    tab.open("#layout=AAB/CCB")
    tab.play("a1")
    sent(tab, 1)
    show(tab)
    with tab.page.expect_download() as waiting:
        tab.page.click("#games-save")
    path = tmp_path / "saved.json"
    waiting.value.save_as(path)
    (saved,) = json.loads(path.read_text(encoding="utf-8"))["games"]
    assert saved == kept(keeper)[0]
    tab.page.click("#games-list .delete")
    tab.page.locator("#games-list .gone").wait_for()
    tab.page.set_input_files("#games-file", path)
    tab.page.locator("#games [role=status]", has_text="Games taken up: 1").wait_for()
    assert kept(keeper) == [saved]
    tab.page.set_input_files("#games-file", path)
    tab.page.locator("#games [role=status]", has_text="Games taken up: 0").wait_for()
    assert kept(keeper) == [saved]


def test_more_than_a_hundred_games_are_listed_in_parts(keeper: Server, tab: Tab) -> None:
    for number in range(101):
        game = {"id": f"g{number}", "hash": "#layout=AAB/AAC&moves=a1", "changed": number}
        more = {"name": f"N{number}", "begun": number, "moves": 1}
        keeper.good("/api/kept/keep", {**game, "more": more})
    tab.open("#layout=square")
    rows = show(tab)
    shows(rows, 100)
    tab.page.click("#games-more")
    shows(rows, 101)
    assert not tab.page.is_visible("#games-more")


def test_a_server_that_has_gone_is_said_and_nothing_is_lost(keeper: Server, tab: Tab) -> None:
    tab.open("#layout=AAB/CCB")
    tab.play("a1")
    sent(tab, 1)
    shows(show(tab), 1)
    keeper.running.kill()
    keeper.running.wait()
    tab.page.click("#games-list .delete")
    tab.page.locator("#games [role=status]", has_text="does not answer").wait_for()
    shows(tab.page.locator("#games-list li[data-game]"), 1)
    tab.problems = [said for said in tab.problems if "net::ERR_" not in said]


@pytest.mark.parametrize(
    ("width", "scheme"), [pytest.param(1280, "dark", marks=pytest.mark.nightly), (390, "light")]
)
def test_nothing_is_cut_off_and_axe_has_nothing_to_say(
    keeper: Server, browser: Any, width: int, scheme: str
) -> None:
    more = {"name": "A long name " * 6, "begun": 1, "moves": 1, "totals": {"red": 4, "black": 2}}
    game = {"id": "g", "hash": "#layout=AAB/AAC&moves=a1", "changed": 1, "more": more}
    keeper.good("/api/kept/keep", game)
    tab = Tab(
        keeper, browser, viewport=(width, 844), color_scheme=scheme, remembers={"values": "off"}
    )
    tab.open("#layout=AAB/AAC&moves=a1")
    shows(tab.page.locator("#found li[data-game]"), 1)
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.barriers() == []
    shows(show(tab), 1)
    assert tab.barriers() == []
    tab.close()
