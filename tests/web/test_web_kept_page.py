"""The page of a server that keeps games: its list is the server's, and finds games by position."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import PATIENCE, Tab, reads, shows
from command_line import SMALL
from web_server import Server, serving

pytestmark = pytest.mark.landing

STATUS = "#games [role=status]"


@pytest.fixture
def keeper(tmp_path: Path) -> Iterator[Server]:
    with serving("--keep", str(tmp_path / "games.sqlite")) as server:
        yield server


@pytest.fixture
def newcomer(keeper: Server, browser: Any) -> Iterator[Tab]:
    tab = Tab(keeper, browser)
    yield tab
    tab.close()


def kept(server: Server) -> list[dict[str, Any]]:
    games: list[dict[str, Any]] = server.good("/api/kept", {})["games"]
    return games


def keep(server: Server, number: int, link: str = "", /, **more: Any) -> None:
    game = {"id": f"g{number}", "hash": link or "#layout=AAB/AAC&moves=a1", "changed": number}
    server.good("/api/kept/keep", {**game, "more": {"begun": number, "moves": 1, **more}})


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


def test_a_game_is_in_the_list_of_every_browser_and_found_by_its_position(
    keeper: Server, browser: Any, tab: Tab, tmp_path: Path
) -> None:
    tab.open("#layout=AAB/CCB")
    tab.play("a1", "a2")
    sent(tab, 1)
    (game,) = kept(keeper)
    assert "moves=a1,a2" in game["hash"]
    assert (game["game"], game["moves"], game["name"]) == ("kulami", 2, "")
    other = Tab(keeper, browser)
    other.remembers(values="off")
    other.open("#layout=square")
    rows = other.show_games()
    shows(rows, 1)
    rows.locator("input").fill("A long name " * 6)
    other.page.keyboard.press("Tab")
    shows(other.page.locator('#games-list input[placeholder="Kulami"]'), 1)
    newest(keeper, "name", ("A long name " * 6).strip())
    # It goes on there, under its name.
    rows.locator(".open").click()
    other.stands(last="a2")
    other.play("c2")
    newest(keeper, "moves", 3)
    (game,) = kept(keeper)
    assert (game["name"][:6], game["over"]) == ("A long", True)
    # Another one, on the board turned, by black.
    other.open("#layout=YX/YX/ZZ&first=black")
    other.page.reload()
    found = other.page.locator("#found li[data-game]")
    for field in ("b1", "a1"):
        other.play(field)
        shows(found, 1)
    other.becomes(width=390)
    other.looks_right()
    found.locator(".open").click()
    other.stands(last="a2")
    assert "ply=2" in other.page.url
    other.has_played(["a1", "a2", "c2"])
    other.page.click("#open-games")
    other.becomes(scheme="dark")
    other.looks_right()
    other.close()


def test_games_that_the_browser_has_are_handed_on(keeper: Server, tab: Tab) -> None:
    more = {"hash": "#layout=square&moves=d4", "begun": 1, "changed": 1, "players": {}}
    more["game"] = "kulami"
    fields = ["a1", *(f"x{number}" for number in range(239))]
    tried = [{"moves": [field], "comments": {"1": "x" * 900}} for field in fields]
    line = {"moves": ["d4"], "variations": {"1": tried}}
    games = [
        {**more, "id": "old", "game": "malawi", "hash": "#game=malawi&board=2x3&moves=a3:b3",
         "name": "Old", "begun": 5, "changed": 6, "moves": 1},
        {**more, "id": "wrong", "hash": "#layout=square&moves=d4,d4", "name": "Wrong"},
        {**more, "id": "a-large-one", "line": line},
    ]  # fmt: skip
    tab.remembers(games=json.dumps(games))
    tab.open("#layout=square")
    tab.show_games()
    tab.keeps("(games) => !games.find(({ id }) => id === 'old').waiting")
    assert [(one["id"], one["name"], one["begun"]) for one in kept(keeper)] == [("old", "Old", 5)]
    # What is no game for the server, or too large for it, stays here, and keeps no other back.
    tab.page.keyboard.press("Escape")
    rows = tab.show_games()
    shows(rows, 3)
    tab.sees(STATUS, "move 2")
    ids = rows.evaluate_all("(all) => all.map((one) => one.dataset.game)")
    assert sorted(ids) == ["a-large-one", "old", "wrong"]
    waiting = "({ id, waiting }) => Boolean(waiting) === (id !== 'old')"
    tab.keeps(f"(games) => games.length === 3 && games.every({waiting})")
    # They are found by the position on the board, too: by one that a variation came to.
    tab.page.keyboard.press("Escape")
    tab.play("a1")
    tab.keeps("(games) => games.length === 4")
    tab.show_games()
    tab.page.check("#games-alike")
    large = rows.locator("xpath=self::*[@data-game='a-large-one']")
    shows(large, 1)
    shows(rows, 2)  # with the game on the board
    large.locator(".open").click()
    tab.stands(last="a1")
    tab.is_at("&moves=a1&scoring=0")
    # What is too large is said once where it is played.
    tab.play("a4")
    tab.sees("#notice", "Delete variations")
    tab.page.keyboard.press("Escape")
    tab.page.locator("#notice:empty").wait_for(state="attached")
    tab.play("c4")
    tab.keeps("([one]) => one.moves === 3")
    shows(tab.page.locator("#notice:not(:empty)"), 0)
    tab.forgives("413")


def test_a_game_of_a_file_with_fractions_of_milliseconds_goes_on(keeper: Server, tab: Tab) -> None:
    game: dict[str, Any] = {
        "id": "half",
        "game": "kulami",
        "hash": f"#layout={SMALL}&moves=d3",
        "moves": 1,
    }
    game |= {"players": {}, "begun": 5.5, "changed": 6.5}
    tab.remembers(values="off", games=json.dumps([game]))
    tab.open(f"#layout={SMALL}")
    tab.show_games().first.locator(".open").click()
    tab.stands(last="d3")
    for number, field in enumerate(["b3", "a3"], 2):
        tab.play(field)
        newest(keeper, "moves", number)
    sent(tab, 1)


def test_the_server_gets_the_games_of_two_tabs_that_play_on_in_one(
    keeper: Server, newcomer: Tab
) -> None:
    tab = newcomer
    tab.remembers(values="off")
    tab.open("#layout=AAB/CCB")
    tab.play("a1")
    sent(tab, 1)
    other = tab.beside()
    other.open("#layout=AAB/CCB")
    other.show_games().first.locator(".open").click()
    other.stands(last="a1")
    tab.play("c1")
    newest(keeper, "moves", 2)
    other.play("a2")
    sent(other, 2)
    other.close()
    assert [one["hash"].partition("moves=")[2][:5] for one in kept(keeper)] == ["a1,a2", "a1,c1"]


def test_the_server_gets_the_games_of_two_browsers_that_play_on_in_one(
    keeper: Server, browser: Any, tab: Tab
) -> None:
    tab.remembers(values="off")
    tab.open(f"#layout={SMALL}")
    tab.play("d3")
    sent(tab, 1)
    other = Tab(keeper, browser, java_script_enabled=True)
    other.open(f"#layout={SMALL}")
    other.values(shown=False)
    rows = other.show_games()
    rows.first.locator("input").fill("Ours")
    other.page.keyboard.press("Tab")
    newest(keeper, "name", "Ours")
    rows.first.locator(".open").click()
    other.stands(last="d3")
    tab.play("b3")  # the other one has only given a name
    newest(keeper, "moves", 2)
    assert kept(keeper)[0]["name"] == "Ours"
    # Who only looks takes nothing away.
    other.page.click("#undo")
    other.page.locator("#undo:disabled").wait_for()
    other.page.click("#redo")
    other.stands(last="d3")
    sent(other, 1)
    assert [one["moves"] for one in kept(keeper)] == [2]
    # Who plays goes on in a copy, also after a reload.
    other.play("d1")
    sent(other, 2)
    assert [one["moves"] for one in kept(keeper)] == [2, 2]
    other.play("b1")
    sent(other, 2)
    other.page.reload()
    other.stands(last="b1")
    tab.play("a3")
    newest(keeper, "moves", 3)
    sent(tab, 1)
    other.close()
    lines = {one["hash"].partition("moves=")[2].partition("&")[0] for one in kept(keeper)}
    assert lines == {"d3,d1,b1", "d3,b3,a3"}


def test_what_was_played_here_stays_where_the_version_of_another_browser_is_opened(
    keeper: Server, tab: Tab
) -> None:
    ours = {"id": "g5", "game": "kulami", "hash": f"#layout={SMALL}&moves=d3,b3"}
    times = {"begun": 1, "changed": 3, "seen": 1}
    tab.remembers(values="off", games=json.dumps([{**ours, **times, "players": {}}]))
    keep(keeper, 5, f"#layout={SMALL}&moves=d3,d1", game="kulami", players={})
    tab.open(f"#layout={SMALL}&moves=d3,d1")
    tab.page.locator("#found .open").click()
    tab.page.locator("#found li").wait_for(state="detached")  # it is on the board
    sent(tab, 2)
    lines = {one["hash"].partition("moves=")[2].partition("&")[0] for one in kept(keeper)}
    assert lines == {"d3,d1", "d3,b3"}


def test_a_game_of_the_server_is_opened_in_the_variation_that_came_there(
    keeper: Server, tab: Tab
) -> None:
    line = {"moves": ["d4", "d7"], "variations": {"2": [{"moves": ["d8", "a8"]}]}}
    keep(keeper, 1, "#layout=square&moves=d4,d7", line=line)
    tab.open("#layout=square&moves=d4,d8")
    found = tab.page.locator("#found li[data-game]")
    shows(found, 1)
    found.locator(".open").click()
    tab.is_at("&moves=d4,d8,a8&scoring=0&ply=2")
    tab.stands(last="d8")


def test_what_the_file_cannot_show_is_counted(keeper: Server, tab: Tab, tmp_path: Path) -> None:
    for number in range(103):
        keep(keeper, number, **({"players": 5} if number == 102 else {}))
    with sqlite3.connect(tmp_path / "games.sqlite") as file:
        file.execute("UPDATE games SET more = 'z' WHERE name = 'g101'")
    file.close()
    tab.open("#layout=square")
    rows = tab.show_games()
    tab.sees(STATUS, "cannot be shown: 2")
    # More than a hundred are listed in parts.
    shown = rows.count()
    tab.page.click("#games-more")
    shows(rows, 101)
    assert 90 < shown <= 100
    assert not tab.page.is_visible("#games-more")


def test_deleting_bringing_back_saving_and_a_server_that_has_gone(
    keeper: Server, tab: Tab, tmp_path: Path
) -> None:
    tab.open("#layout=AAB/CCB")
    with tab.without("**/api/kept/keep"):
        tab.play("a1")
        rows = tab.show_games()
        tab.sees(STATUS, "does not answer")
        tab.page.keyboard.press("Escape")
    tab.show_games()
    shows(rows, 1)
    sent(tab, 1)
    reads(tab.page.locator(STATUS), "")
    (game,) = kept(keeper)
    tab.page.click("#games-list .delete")
    tab.sees("#games-list .gone")
    assert kept(keeper) == []
    tab.page.keyboard.press("Enter")
    shows(rows, 1)
    assert kept(keeper) == [game]
    with tab.page.expect_download() as waiting:
        tab.page.click("#games-save")
    path = tmp_path / "saved.json"
    waiting.value.save_as(path)
    assert json.loads(path.read_text(encoding="utf-8"))["games"] == [game]
    tab.page.click("#games-list .delete")
    tab.sees("#games-list .gone")
    for count in (1, 0):
        tab.page.set_input_files("#games-file", path)
        tab.sees(STATUS, f"Games taken up: {count}")
        assert kept(keeper) == [game]
    shows(rows, 1)
    keeper.running.kill()
    keeper.running.wait()
    tab.page.click("#games-list .delete")
    tab.sees(STATUS, "does not answer")
    shows(rows, 1)
    tab.page.fill("#games-search", "zz")
    # Nobody knows whether there are any.
    shows(tab.page.locator("#games-list li:not(.gone)"), 0)
    tab.forgives("net::ERR_")
