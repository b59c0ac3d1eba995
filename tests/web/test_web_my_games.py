"""The games that the browser keeps: nothing that was played is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from browser import Tab, carries, mentions, reads, shows
from web_server import Server

pytestmark = pytest.mark.usefixtures("values_hidden")


def moves_kept(tab: Tab, *counts: int) -> None:
    """Wait until games of so many moves are kept, the newest first."""
    tab.keeps(
        """(games, counts) => JSON.stringify(counts) === JSON.stringify(
            games.map((one) => one.moves))""",
        list(counts),
    )


def show(tab: Tab) -> None:
    tab.page.click("#open-games")
    tab.page.locator("#games[open]").wait_for()


def test_each_game_is_kept_and_opened_again(tab: Tab) -> None:
    tab.open("#layout=square")
    tab.play("d4", "d7", "a7")
    moves_kept(tab, 3)
    tab.page.click("#new-game")
    tab.until("() => !document.querySelector('[data-marble]')")
    moves_kept(tab, 3)
    tab.play("e5")
    moves_kept(tab, 1, 3)
    assert len({one["id"] for one in tab.kept}) == 2
    show(tab)
    rows = tab.page.locator("#games-list li")
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


def test_another_move_in_the_middle_keeps_both_lines_in_one_game(tab: Tab) -> None:
    tab.open("#layout=square")
    tab.play("d4", "d7", "a7")
    tab.page.click("#undo")
    tab.stands(last="d7")
    tab.play("g7")
    moves_kept(tab, 3)
    (one,) = tab.kept
    assert "moves=d4,d7,g7" in one["hash"]
    assert one["line"] == {
        "moves": ["d4", "d7", "a7"],
        "variations": {"3": [{"moves": ["g7"]}]},
    }
    tab.page.go_back()
    tab.stands(last="d7")
    tab.page.click("#redo")
    tab.stands(last="a7")
    tab.play("a1")
    moves_kept(tab, 4)
    assert "d7,a7,a1" in tab.kept[0]["hash"]


def test_what_is_only_looked_at_is_not_kept(tab: Tab) -> None:
    tab.open("#layout=square&moves=d4,d7")
    tab.page.click("#undo")
    tab.stands(last="d4")
    assert tab.kept == []
    show(tab)
    reads(tab.page.locator("#games-list"), "No game has been played yet.")


def test_two_tabs_keep_their_own(server: Server, browser: Any, tab: Tab) -> None:
    tab.open("#layout=square")
    tab.play("d4")
    moves_kept(tab, 1)
    page = tab.context.new_page()
    page.goto(f"{server.url}#layout=rulebook")
    page.locator('#board [data-field="d6"]').click()
    page.locator('#board [data-field="d6"][data-last="1"]').wait_for()
    moves_kept(tab, 1, 1)
    tab.play("d7")
    moves_kept(tab, 2, 1)
    page.close()


def test_names_deleting_and_bringing_back(tab: Tab) -> None:
    tab.open("#layout=square")
    tab.play("d4")
    moves_kept(tab, 1)
    show(tab)
    tab.page.fill("#games-list input", "  A win <b>at</b> last ")
    tab.page.keyboard.press("Tab")
    tab.keeps("([game]) => game.name !== ''")
    assert tab.kept[0]["name"] == "A win <b>at</b> last"
    tab.page.click("#games-list .delete")
    tab.page.locator("#games-list .gone").wait_for()
    assert tab.kept == []
    tab.page.keyboard.press("Enter")  # the focus is on the way back
    shows(tab.page.locator("#games-list li[data-game]"), 1)
    assert tab.kept[0]["name"] == "A win <b>at</b> last"
    tab.page.keyboard.press("Escape")
    tab.play("d7")
    moves_kept(tab, 2)
    assert tab.kept[0]["name"] == "A win <b>at</b> last"


def test_a_file_of_games_goes_out_and_comes_in(tab: Tab, tmp_path: Path) -> None:
    tab.open("#layout=AAB/AAC")
    tab.play("a1", "c1")
    moves_kept(tab, 2)
    show(tab)
    with tab.page.expect_download() as waiting:
        tab.page.click("#games-save")
    path = tmp_path / "games.json"
    waiting.value.save_as(path)
    saved = json.loads(path.read_text(encoding="utf-8"))
    assert [one["moves"] for one in saved["games"]] == [2]
    tab.page.click("#games-list .delete")
    tab.page.locator("#games-list .gone").wait_for()
    tab.page.set_input_files("#games-file", path)
    shows(tab.page.locator("#games-list li[data-game]"), 1)
    waiting = [{**one, "waiting": 1} for one in saved["games"]]
    assert tab.kept == waiting
    for number, wrong in enumerate(
        (
            "no JSON",
            "[]",
            '{"games": 3}',
            '{"games": [{"id": "x", "hash": "javascript:alert(1)", "game": "kulami", '
            '"changed": 1, "begun": 1}]}',
            '{"games": [{"id": "x", "hash": "#moves=d4", "game": "chess", "changed": 1, '
            '"begun": 1}]}',
        )
    ):
        bad = tmp_path / f"{number}.json"
        bad.write_text(wrong, encoding="utf-8")
        tab.page.set_input_files("#games-file", bad)
        tab.page.locator("#games [role=status]", has_text="no games that were saved").wait_for()
        assert tab.kept == waiting


def entry(number: int, **more: Any) -> dict[str, Any]:
    """A game as an earlier version kept it, in the page's local storage."""
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


def tab_with(server: Server, browser: Any, games: list[Any], script: str = "") -> Tab:
    """A tab of which the page's local storage has games of an earlier version."""
    tab = Tab(server, browser, remembers={"values": "off", "games": json.dumps(games)})
    tab.page.add_init_script(script)
    tab.open("#layout=square")
    return tab


def test_no_game_is_deleted_to_make_room_for_others(server: Server, browser: Any) -> None:
    """294 games with long comments were 147 after the next move."""
    line = {"moves": ["d4", "d7"], "comments": {"1": "x" * 1000, "2": "y" * 1000}}
    line["variations"] = {"2": [{"moves": ["a4"], "comments": {"1": "z" * 1000}}] * 4}
    games = [entry(number, line=line) for number in range(301)]
    tab = tab_with(server, browser, games)
    tab.play("d4")
    tab.keeps("(games) => games.length === 302")
    assert stored(tab) == []
    assert [one["id"] for one in tab.kept[1:]] == [one["id"] for one in reversed(games)]
    assert all(one["line"] == line for one in tab.kept[1:])
    show(tab)
    rows = tab.page.locator("#games-list li[data-game]")
    shows(rows, 100)
    tab.page.click("#games-more")
    shows(rows, 200)
    tab.close()


def test_a_store_that_others_have_filled_keeps_nothing_out(tab: Tab) -> None:
    tab.open("#layout=square")
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
    tab.play("d4", "d7")
    moves_kept(tab, 2)


def test_games_of_an_earlier_version_are_taken_over_once(server: Server, browser: Any) -> None:
    # A move that was interrupted, or another tab's, has left the first one in both places.
    other = {"id": "other", "game": "chess", "hash": "#e4", "begun": 1, "changed": 1}
    games = [entry(1, name="Old"), entry(2, sent=True), None, 7, other]
    tab = tab_with(server, browser, [entry(1, name="New", changed=5)])
    show(tab)
    shows(tab.page.locator("#games-list li[data-game]"), 1)
    tab.page.evaluate("(games) => localStorage.setItem('games', JSON.stringify(games))", games)
    for _ in range(2):
        page = tab.context.new_page()
        page.goto(f"{server.url}#layout=square")
        page.click("#open-games")
        rows = page.locator("#games-list li[data-game]")
        shows(rows, 2)
        assert rows.evaluate_all("all => all.map((one) => one.dataset.game)") == ["g1", "g2"]
        page.close()
    assert stored(tab) == [None, 7, other]  # what is not known is not touched
    assert [(one["id"], one["name"], one.get("waiting")) for one in tab.kept] == [
        ("g1", "New", 1),
        ("g2", "", None),
    ]
    tab.page.reload()
    show(tab)
    tab.page.click('#games-list [data-game="g2"] .delete')
    tab.keeps("(games) => games.length === 1")
    tab.page.reload()
    show(tab)
    shows(tab.page.locator("#games-list li[data-game]"), 1)
    tab.close()


NO_DATABASE = "indexedDB.constructor.prototype.open = () => { throw new DOMException('no'); };"
NO_ROOM = """IDBObjectStore.prototype.put = () => {
    throw new DOMException('no room', 'QuotaExceededError');
};"""


@pytest.mark.parametrize("script", [NO_DATABASE, NO_ROOM])
def test_what_cannot_be_kept_is_said_once_and_nothing_is_lost(
    server: Server, browser: Any, script: str
) -> None:
    games = [entry(2, name="Two"), entry(1)]
    tab = tab_with(server, browser, games, script)
    tab.play("d4")
    mentions(tab.page.locator("#notice"), "This browser cannot keep games now")
    tab.page.keyboard.press("Escape")
    tab.play("d7")
    shows(tab.page.locator("#notice:not(:empty)"), 0)
    show(tab)
    rows = tab.page.locator("#games-list li[data-game]")
    shows(rows, 2)
    mentions(tab.page.locator("#games [role=status]"), "This browser cannot keep games now")
    assert stored(tab) == games
    rows.first.locator(".open").click()
    tab.stands(last="d7")
    tab.has_played(["d4", "d7"])
    assert stored(tab) == games
    tab.close()


def test_the_browser_is_asked_to_keep_the_games(tab: Tab) -> None:
    tab.page.add_init_script(
        "navigator.storage.persist = async () => { window.asked = (window.asked ?? 0) + 1; };"
    )
    tab.open("#layout=square")
    assert tab.page.evaluate("window.asked") is None
    tab.play("d4", "d7")
    moves_kept(tab, 2)
    assert tab.page.evaluate("window.asked") == 1


def test_a_file_with_games_of_another_form_is_refused(tab: Tab, tmp_path: Path) -> None:
    wrong: list[dict[str, Any]] = [
        {"players": 5},
        {"players": {"red": 5}},
        {"players": {"red": "x" * 99}},
        {"others": 5},
        {"id": "a b"},
        {"id": ""},
        {"changed": -1},
        {"begun": 1e300},
    ]
    path = tmp_path / "games.json"
    games = [{**entry(number), **one} for number, one in enumerate(wrong)]
    tab.open("#layout=square")
    show(tab)
    for one in games:
        path.write_text(json.dumps({"games": [one]}), encoding="utf-8")
        tab.page.set_input_files("#games-file", path)
        tab.page.locator("#games [role=status]", has_text="no games that were saved").wait_for()
        tab.page.evaluate("document.querySelector('#games [role=status]').textContent = ''")
    path.write_text(json.dumps({"games": [*games, entry(9)]}), encoding="utf-8")
    tab.page.set_input_files("#games-file", path)
    shows(tab.page.locator("#games-list li[data-game]"), 1)


@pytest.mark.parametrize("stored", ["nonsense", "{}", '[1, null, {"id": 3}]'])
def test_storage_that_holds_something_else_harms_nothing(
    server: Server, browser: Any, stored: str
) -> None:
    tab = Tab(server, browser, remembers={"values": "off", "games": stored})
    tab.open("#layout=square")
    tab.play("d4")
    moves_kept(tab, 1)
    assert tab.page.evaluate("localStorage.getItem('games')") == stored
    tab.close()


def test_games_of_other_kinds_open_where_they_belong(tab: Tab) -> None:
    tab.open("#game=malawi&board=3x4")
    tab.page.locator("#board [data-legal]").first.wait_for()
    tab.page.fill("#field", "a4-a2")
    tab.page.keyboard.press("Enter")
    tab.keeps("(games) => games.length === 1")
    tab.open("#layout=square")
    tab.page.reload()
    show(tab)
    row = tab.page.locator("#games-list li")
    carries(row.locator("input"), "placeholder", "Malawi")
    row.locator(".open").click()
    tab.page.locator("body[data-game=malawi] #board .field").first.wait_for()
    tab.has_played(["a4-a2"])


@pytest.mark.parametrize(
    ("width", "scheme"), [pytest.param(1280, "dark", marks=pytest.mark.nightly), (390, "light")]
)
def test_nothing_is_cut_off_and_axe_has_nothing_to_say(
    server: Server, browser: Any, width: int, scheme: str
) -> None:
    tab = Tab(
        server, browser, viewport=(width, 844), color_scheme=scheme, remembers={"values": "off"}
    )
    tab.open("#layout=AAB/AAC&moves=a1")
    tab.field("c1").click()
    tab.stands(last="c1")
    moves_kept(tab, 2)
    show(tab)
    shows(tab.page.locator("#games-list li"), 1)
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.barriers() == []
    tab.close()
