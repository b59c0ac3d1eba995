"""The games that the browser keeps: nothing that was played is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from browser import Tab, carries, mentions, reads, shows
from command_line import SMALL

pytestmark = pytest.mark.landing

ROWS = "#games-list li[data-game]"
STATUS = "#games [role=status]"


def moves_kept(tab: Tab, *counts: int) -> None:
    """Wait until games of so many moves are kept, the newest first."""
    tab.keeps(
        """(games, counts) => JSON.stringify(counts) === JSON.stringify(
            games.map((one) => one.moves))""",
        list(counts),
    )


def test_each_game_is_kept_and_opened_again(tab: Tab) -> None:
    tab.page.add_init_script(
        "navigator.storage.persist = async () => { window.asked = (window.asked ?? 0) + 1; };"
    )
    tab.open("#layout=square&moves=d4,d7")
    tab.page.click("#undo")
    tab.stands(last="d4")
    # What is only looked at is not kept, and the browser is not asked to keep it.
    assert (tab.kept, tab.page.evaluate("window.asked")) == ([], None)
    tab.show_games()
    reads(tab.page.locator("#games-list"), "No games.")
    tab.page.keyboard.press("Escape")
    tab.open("#layout=square")
    tab.play("d4", "d7", "a7")
    moves_kept(tab, 3)
    assert tab.page.evaluate("window.asked") == 1
    tab.page.click("#new-game")
    tab.until("() => !document.querySelector('[data-marble]')")
    moves_kept(tab, 3)
    tab.play("e5")
    moves_kept(tab, 1, 3)
    assert len({one["id"] for one in tab.kept}) == 2
    rows = tab.show_games()
    shows(rows, 2)
    mentions(rows.nth(1), "moves: 3")
    rows.nth(1).locator(".open").click()
    tab.stands(last="a7")
    tab.has_played(["d4", "d7", "a7"])
    # It goes on under its own name, and so it does after reloading.
    tab.play("a1")
    moves_kept(tab, 4, 1)
    tab.page.reload()
    tab.play("h1")
    moves_kept(tab, 5, 1)
    # It keeps its name, also when it is deleted and brought back.
    tab.show_games()
    tab.page.fill("#games-list li:first-child input", "  A win <b>at</b> last ")
    tab.press("Tab")
    tab.keeps("([game]) => game.name !== ''")
    tab.page.locator("#games-list .delete").first.click()
    tab.sees("#games-list .gone")
    moves_kept(tab, 1)
    tab.press("Enter")  # the focus is on the way back
    shows(rows, 2)
    tab.press("Escape")
    tab.play(min(tab.legal))
    moves_kept(tab, 6, 1)
    assert tab.kept[0]["name"] == "A win <b>at</b> last"
    # Another tab keeps its own, which is one of another game.
    page = tab.context.new_page()
    page.goto(f"{tab.server.url}#game=malawi&board=3x4")
    page.locator("#board [data-legal]").first.wait_for()
    page.fill("#field", "a4-a2")
    page.keyboard.press("Enter")
    page.locator('[data-ply="1"][aria-current]').wait_for()
    moves_kept(tab, 1, 6, 1)
    page.close()
    tab.play(min(tab.legal))
    moves_kept(tab, 7, 1, 1)
    tab.page.reload()
    row = tab.show_games().nth(1)
    carries(row.locator("input"), "placeholder", "Malawi")
    row.locator(".open").click()
    tab.sees("body[data-game=malawi] #board .field")
    tab.has_played(["a4-a2"])


def test_a_finished_game_stays_finished_whatever_is_tried_in_it(tab: Tab) -> None:
    tab.open("#layout=AAB/CCB&moves=a1")
    tab.page.select_option("#player-red", "random")
    tab.play("c1")  # red cannot move
    tab.keeps("([game]) => game.over")
    ended = tab.kept[0]
    tab.page.click("#undo")
    tab.field("a2").click()  # and red answers
    tab.keeps("([game]) => game.line !== undefined")
    for name in ("hash", "moves", "over", "winner", "totals"):
        assert tab.kept[0][name] == ended[name]
    assert tab.kept[0]["line"]["moves"] == ["a1", "c1"]


def test_the_list_is_a_shelf_and_changes_survive_leaving_at_once(tab: Tab) -> None:
    ended = f"#layout={SMALL}&moves=e4,c4,c3,e3,a3,a4,d4,d2,e2,c2,a2"
    over = {"over": True, "winner": "red", "totals": {"red": 9, "black": 5, "area": [2, 2]}}
    games = [
        entry(1, name="Final", hash=ended, players={"red": "human"}, others="level:4", **over),
        entry(2, game="malawi", hash="#game=malawi&board=3x4&moves=a4-a2"),
    ]
    tab.remembers(games=json.dumps(games))
    tab.open("#layout=square")
    rows = tab.show_games()
    shows(rows, 2)
    mentions(rows.nth(1), "against Bot: club player, red wins, Jan 1, 1970")
    assert rows.nth(1).locator("p").inner_text().endswith("moves: 2 9 5")
    tab.until("[...document.querySelectorAll('#games-list img')].every((one) => one.complete)")
    for text, found in (("final", ["g1"]), ("CLUB", ["g1"]), ("mal", ["g2"]), ("zzz", [])):
        tab.page.fill("#games-search", text)
        listed = "[...document.querySelectorAll('#games-list [data-game]')]"
        tab.until(f"(ids) => ids.join() === {listed}.map((one) => one.dataset.game).join()", found)
    tab.page.fill("#games-search", "")
    shows(rows, 2)
    # Renamed or brought back, and the page is left before its database has it.
    leave = """(act) => {
        if (act === "rename") {
            const name = document.querySelector("#games-list [data-game=g1] input");
            name.value = "Renamed";
            name.dispatchEvent(new Event("change"));
        } else {
            document.querySelector("#games-list .gone button").click();
        }
        location.hash = "#layout=AAB/AAC";
        location.reload();
    }"""
    tab.page.evaluate(leave, "rename")
    tab.is_at("AAB/AAC&first=red&scoring=0")
    tab.show_games()
    tab.keeps("(games) => games.some(({ name }) => name === 'Renamed')")
    rows.first.locator(".delete").click()
    tab.sees("#games-list .gone")
    tab.page.evaluate(leave, "bring back")
    tab.until("!document.querySelector('#games') && document.querySelector('[data-legal]')")
    shows(tab.show_games(), 2)
    tab.keeps("(games) => games.length === 2")


def entry(number: int, **more: Any) -> dict[str, Any]:
    """A game as the page keeps it; in the local storage it waits for the database."""
    return {
        "id": f"g{number}",
        "game": "kulami",
        "hash": "#layout=square&moves=d4,d7",
        "players": {},
        "others": "human",
        "name": "",
        "begun": number,
        "changed": number,
        "moves": 2,
        **more,
    }


def stored(tab: Tab) -> Any:
    return json.loads(tab.page.evaluate("localStorage.getItem('games')"))


NO_DATABASE = "indexedDB.constructor.prototype.open = () => { throw new DOMException('no'); };"
NO_ROOM = """IDBObjectStore.prototype.put = () => {
    throw new DOMException('no room', 'QuotaExceededError');
};"""


@pytest.mark.parametrize("script", [NO_DATABASE, NO_ROOM])
def test_what_cannot_be_kept_is_said_once_and_nothing_is_lost(tab: Tab, script: str) -> None:
    games = [entry(2, name="Two"), entry(1)]
    tab.remembers(games=json.dumps(games))
    tab.page.add_init_script(script)
    tab.open("#layout=square")
    tab.play("d4")
    mentions(tab.page.locator("#notice"), "This browser cannot keep games now")
    tab.page.keyboard.press("Escape")
    tab.play("d7")
    shows(tab.page.locator("#notice:not(:empty)"), 0)
    rows = tab.show_games()
    shows(rows, 2)
    mentions(tab.page.locator(STATUS), "This browser cannot keep games now")
    assert stored(tab) == games
    rows.first.locator(".open").click()
    tab.stands(last="d7")
    tab.has_played(["d4", "d7"])
    assert stored(tab) == games


def test_a_file_of_games_goes_out_and_comes_in(tab: Tab, tmp_path: Path) -> None:
    """What is wrong in it is left out, and takes nothing away (test_web_structures.py)."""
    path = tmp_path / "games.json"

    def take_up(text: str) -> None:
        path.write_text(text, encoding="utf-8")
        tab.page.evaluate("(said) => { document.querySelector(said).textContent = ''; }", STATUS)
        tab.page.set_input_files("#games-file", path)

    tab.open("#layout=AAB/AAC")
    tab.play("a1", "c1")
    moves_kept(tab, 2)
    rows = tab.show_games()
    with tab.page.expect_download() as waiting:
        tab.page.click("#games-save")
    waiting.value.save_as(path)
    saved = path.read_text(encoding="utf-8")
    kept = json.loads(saved)["games"]
    assert [one["moves"] for one in kept] == [2]
    tab.page.click("#games-list .delete")
    tab.sees("#games-list .gone")
    take_up(saved)
    shows(rows, 1)
    wrong = entry(1, players={"red": 5})
    for text in ("no JSON", "[]", '{"games": 3}', json.dumps({"games": [wrong]})):
        take_up(text)
        tab.sees(STATUS, "no games that were saved")
        assert tab.kept == kept, text
    # Whatever an object of JavaScript has: each name at each place of an entry.
    names = tab.page.evaluate("Object.getOwnPropertyNames(Object.prototype)")
    assert "__proto__" in names
    forms = [
        form
        for name in names
        for form in (
            {"over": True, "winner": name, "totals": name},
            {"over": True, "winner": "red", "totals": {name: 3, "red": 2}},
            {"players": {name: name, "red": name}, "others": name, "name": name},
            {"hash": f"#{name}={name}&layout={name}&moves={name}&scoring={name}"},
        )
    ]
    games = [entry(number, **form) for number, form in enumerate(forms)]
    with tab.without("**/malawi/game.js"):
        take_up(json.dumps({"games": [wrong, *games, entry(999, game="malawi")]}))
        shows(rows, len(games) + 2)
    # The part that describes the moves of Malawi is not there.
    malawi = tab.page.locator("#games-list [data-game=g999]")
    mentions(malawi, "cannot be shown")
    assert not malawi.locator(".open").is_visible()
    malawi.locator(".delete").click()
    tab.sees("#games-list .gone")
    assert rows.locator(".open:visible").count() == len(games) + 1
    assert "native code" not in tab.page.inner_text("#games")


def test_as_many_games_as_there_are_are_kept_and_counted(tab: Tab) -> None:
    """294 games with long comments were 147 after the next move."""
    line = {"moves": ["d4", "d7"], "comments": {"1": "x" * 1000, "2": "y" * 1000}}
    line["variations"] = {"2": [{"moves": ["a4"], "comments": {"1": "z" * 1000}}] * 4}
    games = [entry(number, line=line) for number in range(301)]
    tab.remembers(games=json.dumps(games))
    tab.open("#layout=square")
    tab.play("d4")
    tab.keeps("(games) => games.length === 302")
    assert stored(tab) == []
    assert [one["id"] for one in tab.kept[1:]] == [one["id"] for one in reversed(games)]
    assert all(one["line"] == line for one in tab.kept[1:])
    # Two are damaged: a hundred are listed at a time.
    tab.page.evaluate(
        """async (games) => {
            const request = indexedDB.open("kulami");
            await new Promise((done) => { request.onsuccess = done; });
            const writing = request.result.transaction("games", "readwrite");
            for (const game of games) writing.objectStore("games").put(game);
            await new Promise((done) => { writing.oncomplete = done; });
            request.result.close();
        }""",
        [entry(number, players=5) for number in (0, 300)],
    )
    rows = tab.show_games()
    tab.sees(STATUS, "cannot be shown: 1")
    for count in (99, 199, 299):
        shows(rows, count)
        tab.page.click("#games-more")
    shows(rows, 300)
    tab.sees(STATUS, "cannot be shown: 2")
    assert not tab.page.is_visible("#games-more")


def test_another_tab_and_a_full_store_take_no_moves_away(tab: Tab) -> None:
    tab.remembers(games="nonsense")  # which is left as it is
    tab.open("#layout=square")
    tab.play("d4", "d7", "b7")
    moves_kept(tab, 3)
    assert tab.page.evaluate("localStorage.getItem('games')") == "nonsense"
    other = tab.beside()
    other.open("#layout=square")
    other.show_games().first.locator(".open").click()
    other.stands(last="b7")
    other.page.click("#undo")  # who only looks plays nothing
    other.stands(last="d7")
    other.page.click("#redo")
    other.stands(last="b7")
    tab.page.evaluate(
        """() => {
            for (let size = 1 << 22; size; size >>= 1) {
                try {
                    for (let n = 0; ; n += 1) localStorage[`${size} ${n}`] = 'x'.repeat(size);
                } catch {
                    // No more of this size.
                }
            }
        }"""
    )
    tab.play("b2", "h2", "h7")
    moves_kept(tab, 6)
    other.play("b1", "c1")
    moves_kept(tab, 5, 6)
    # Each goes on in its own game, also after reloading.
    other.page.reload()
    other.stands(last="c1")
    other.play("c6")
    moves_kept(tab, 6, 6)
    other.close()
    tab.play("a7")
    moves_kept(tab, 7, 6)
    played = {one["hash"].partition("moves=")[2].partition("&")[0] for one in tab.kept}
    assert played == {"d4,d7,b7,b1,c1,c6", "d4,d7,b7,b2,h2,h7,a7"}
