"""A visitor who brings no link and knows nothing: how a game begins, and that none is lost."""

from __future__ import annotations

import itertools
import re
from typing import Any
from urllib.parse import quote

import pytest
from browser import Tab, carries, holds, mentions, reads, shows
from command_line import SMALL
from web_server import Server

pytest.importorskip("starlette", reason="starlette is not installed: pip install -e '.[test]'")
pytest.importorskip("uvicorn", reason="uvicorn is not installed: pip install -e '.[test]'")

GAMES = ("kulami", "malawi", "just4fun")
MOST_CLICKS = 5
FIRST = ("26=3+4+9+10", "35=6+8+10+11", "35=1+2+14+18", "36=5+7+9+15")
CARDS = f"#game=just4fun&players=rbg&seed=3&moves={quote(';'.join(FIRST))}"


def visit(tab: Tab, game: str) -> int:
    """Come to the page without a link, and choose a game; returns how many clicks that took."""
    tab.open()
    tab.page.locator("#start").wait_for()
    if game == "kulami":
        return 0
    tab.page.click(f'#start [data-which="{game}"]')
    tab.page.locator(f'body[data-game="{game}"] #start').wait_for()
    return 1


def play(tab: Tab) -> int:
    """Make a move with the mouse; returns how many clicks that took."""
    moves, chosen = tab.page.locator("[data-role=moves] [data-ply]"), "#board [data-chosen]"
    count, clicks = moves.count(), 1
    tab.page.locator("#board [data-legal]").first.click()
    tab.page.locator(f'{chosen}, [data-role=moves] [data-ply="{count + 1}"]').first.wait_for()
    if moves.count() == count:  # several moves are made so: they are listed
        tab.page.locator("#turns [data-move]").first.click()
        clicks = 2
    moves.nth(count).wait_for()
    return clicks


# How a game begins


@pytest.mark.parametrize("game", GAMES)
def test_the_first_move_comes_after_five_clicks_at_most(tab: Tab, game: str) -> None:
    clicks = visit(tab, game)
    weakest = tab.page.locator("#start-level option").first.get_attribute("value")
    tab.page.select_option("#start-level", weakest)
    tab.page.click("#start-play .main")
    tab.page.locator("#start").wait_for(state="detached")
    clicks += 2
    # One person against bots, with nothing told of what the moves are worth.
    seats = tab.page.locator("#seats select").evaluate_all("all => all.map(one => one.value)")
    assert seats == ["human", weakest]
    carries(tab.page.locator("#values"), "aria-checked", "false")
    tab.page.locator("#board [data-legal]").first.wait_for()
    assert clicks + play(tab) - 1 <= MOST_CLICKS
    tab.page.locator('[data-ply="2"][aria-current]').wait_for()  # the bot has answered


@pytest.mark.nightly
@pytest.mark.parametrize("game", GAMES)
def test_a_visitor_plays_a_whole_game(tab: Tab, game: str) -> None:
    visit(tab, game)
    weakest = tab.page.locator("#start-level option").first.get_attribute("value")
    tab.page.select_option("#start-level", weakest)
    tab.page.click("#start-play .main")
    ours = """() => /Game over/.test(document.querySelector('.status').textContent)
        || document.querySelector('#board:not([data-waiting]) [data-legal]')"""
    tab.until(ours)
    while "Game over" not in tab.role("status").inner_text():
        play(tab)
        tab.until(ours)
    said = tab.page.inner_text("#ending .result")
    assert said.lower() in tab.role("status").inner_text().lower()
    # Another game, in which everybody has the other's side.
    tab.page.click("#rematch")
    tab.page.locator("#ending:empty").wait_for(state="attached")
    seats = tab.page.locator("#seats select").evaluate_all("all => all.map(one => one.value)")
    assert seats == [weakest, "human"]
    tab.page.go_back()  # to what was played
    tab.page.click("#analyse")
    tab.page.locator("#graded:not(:empty)").wait_for()
    seats = tab.page.locator("#seats select").evaluate_all("all => all.map(one => one.value)")
    assert seats == ["human", "human"]


def test_who_analyses_sees_values_and_two_people_do_not(tab: Tab) -> None:
    visit(tab, "kulami")
    assert tab.page.evaluate("location.hash") == ""  # and no search has begun
    shows(tab.page.locator("#board [data-estimate]"), 0)
    tab.page.click("#start-analyse")
    tab.page.locator("#board [data-estimate]").first.wait_for()
    # An estimate comes first, and it is called one.
    assert re.match(r"About [+\u2212]?\d.* for red, not proved", tab.role("value").inner_text())
    tab.page.go_back()
    tab.page.locator("#start").wait_for()
    tab.page.click("#start-two")
    tab.page.locator("[data-role=value]", has_text="The values are hidden").wait_for()
    tab.field("d4").click()
    tab.stands(last="d4")
    assert tab.role("status").inner_text().startswith("Black to move")


@pytest.mark.usefixtures("values_hidden")
def test_what_a_bot_thinks_about_invites_no_click(tab: Tab) -> None:
    tab.page.route("**/api/kulami/move", lambda _route: None)  # which is never answered
    tab.open(f"#layout={SMALL}")
    ring = "getComputedStyle(document.querySelector('#board .legal')).display"
    assert tab.page.evaluate(ring) != "none"
    tab.page.select_option("#player-red", "level:1")
    tab.page.locator("[data-role=status]", has_text="red is thinking").wait_for()
    assert tab.page.evaluate(ring) == "none"
    assert tab.legal  # they are legal all the same
    # The last move is seen meanwhile.
    tab.page.route("**/api/malawi/move", lambda _route: None)
    tab.open("#game=malawi&board=3x4&moves=a4-a2")
    tab.page.select_option("#player-black", "random")
    tab.page.locator("[data-role=status]", has_text="black is thinking").wait_for()
    stroke = "getComputedStyle(document.querySelector('#board [%s] .rim')).stroke"
    assert tab.page.evaluate(stroke % "data-moved") != "none"
    assert tab.page.evaluate(stroke % "data-legal") == "none"


@pytest.mark.usefixtures("values_hidden")
def test_rings_mark_few_fields_alone_and_the_last_move_is_seen(tab: Tab) -> None:
    tab.open("#layout=square")
    shows(tab.page.locator("#board[data-many] [data-legal]"), 64)
    tab.field("d4").click()
    tab.stands(last="d4")
    shows(tab.page.locator("#board[data-many]"), 0)
    tab.open("#game=malawi&board=3x4&moves=a4-a2")
    shows(tab.page.locator("#board [data-moved]"), 2)
    assert "last move" in (tab.field("a2").get_attribute("aria-label") or "")
    tab.open("#game=just4fun&seed=3&moves=13=4%2B9")
    shows(tab.page.locator('#board [data-field="13"][data-moved]'), 1)


def test_moves_of_several_bots_are_seen_one_after_the_other(tab: Tab) -> None:
    visit(tab, "just4fun")
    tab.page.select_option("#start-party", "rbgy")
    tab.page.select_option("#start-level", "random")
    tab.page.click("#start-play .main")
    tab.page.locator("#board [data-legal]").first.wait_for()
    tab.page.evaluate(
        """() => {
            window.seen = [];
            const status = document.querySelector('.status');
            const look = () => window.seen.push(status.textContent);
            new MutationObserver(look).observe(status, { childList: true });
        }"""
    )
    play(tab)
    tab.page.locator('[data-ply="4"][aria-current]').wait_for()
    seen = [said.partition(" ")[0] for said in tab.page.evaluate("window.seen")]
    assert list(dict.fromkeys(seen)) == ["blue", "green", "yellow", "red"]
    # A person who plays alone against bots sees one hand.
    shows(tab.page.locator(".hand:has(.back)"), 3)


@pytest.mark.usefixtures("values_hidden")
def test_a_bot_that_cannot_play_says_so_at_the_board(tab: Tab) -> None:
    tab.open("#game=just4fun&seed=3")
    tab.page.select_option("#player-red", "perfect 3")  # who would have to see all hands
    tab.page.locator(".said #field-wrong:not(:empty)").wait_for()
    assert "thinking" not in tab.role("status").inner_text()
    tab.page.locator("#field-wrong button", has_text="Try again").wait_for()


@pytest.mark.usefixtures("values_hidden")
def test_a_bot_that_was_not_reached_is_asked_again(tab: Tab) -> None:
    tab.open("#layout=square")
    tab.page.select_option("#player-black", "random")
    tab.page.route("**/move", lambda route: route.abort())
    tab.field("d4").click()
    again = tab.page.locator("#field-wrong button", has_text="Try again")
    again.wait_for()
    tab.looks_right()
    tab.page.unroute("**/move")
    again.focus()
    tab.page.keyboard.press("Enter")
    tab.stands(count=2)
    shows(again, 0)
    assert tab.page.evaluate("document.activeElement.matches('#board [data-field]')")
    tab.problems = [said for said in tab.problems if "net::ERR_" not in said]


# Nothing is lost


def test_reloading_keeps_who_plays_and_whether_values_are_shown(tab: Tab) -> None:
    visit(tab, "kulami")
    tab.page.select_option("#start-level", "level:2")
    tab.page.select_option("#start-side", "black")
    tab.page.click("#start-play .main")
    tab.stands(count=1)
    tab.page.reload()
    tab.stands(count=1)
    holds(tab.page.locator("#player-red"), "level:2")
    holds(tab.page.locator("#player-black"), "human")
    carries(tab.page.locator("#values"), "aria-checked", "false")
    # A link says nothing of that.
    other = tab.context.new_page()
    other.goto(tab.page.url)
    other.locator('[data-ply="1"]').wait_for()
    assert other.input_value("#player-red") == "human"
    assert other.get_attribute("#values", "aria-checked") == "true"
    # What is chosen in one tab changes nothing in the other.
    other.select_option("#player-black", "random")
    other.locator('[data-ply="2"]').wait_for()
    other.close()
    tab.page.reload()
    tab.stands(count=1)
    holds(tab.page.locator("#player-black"), "human")


@pytest.mark.usefixtures("values_hidden")
def test_back_takes_moves_back_and_does_not_leave(tab: Tab) -> None:
    tab.open(f"#layout={SMALL}")
    tab.play("d3", "b3")
    tab.page.select_option("#player-black", "random")
    move = sorted(tab.legal)[0]
    tab.field(move).click()
    tab.stands(count=4)
    tab.page.go_back()  # over the bot's answer to where we were to move
    tab.stands(last="b3")
    tab.has_played(["d3", "b3"])
    tab.page.go_back()
    tab.stands(last="d3")
    tab.page.go_forward()
    tab.stands(last="b3")
    holds(tab.page.locator("#player-black"), "random")


@pytest.mark.usefixtures("values_hidden")
def test_a_game_that_is_replaced_can_be_brought_back(tab: Tab) -> None:
    def bring_back(replaced: Any) -> None:
        replaced()
        tab.page.locator("#notice button").first.click()
        tab.stands(last="b3")
        tab.has_played(["d3", "b3"])
        tab.page.locator("#notice:empty").wait_for(state="attached")

    tab.open(f"#layout={SMALL}")
    tab.play("d3", "b3")
    bring_back(lambda: tab.page.click("#new-game"))
    bring_back(lambda: tab.paste("AAB/CCB - r -"))


@pytest.mark.usefixtures("values_hidden")
def test_what_was_played_stays_when_another_move_is_made(tab: Tab) -> None:
    tab.open(f"#layout={SMALL}")
    tab.play("d3", "b3")
    tab.page.click("#to-start")
    tab.page.locator("#undo:disabled").wait_for()
    tab.field("a1").click()  # instead of what was played
    tab.stands(last="a1")
    tab.has_played(["a1"])
    tab.page.locator("#moves button", has_text="b3").click()
    tab.stands(last="b3")
    tab.has_played(["d3", "b3"])
    tab.page.go_back()  # to before the other move
    tab.page.locator("#undo:disabled").wait_for()
    tab.has_played(["d3", "b3"])


@pytest.mark.usefixtures("values_hidden")
def test_a_second_click_before_the_answer_is_none(tab: Tab) -> None:
    tab.open(f"#layout={SMALL}")
    tab.page.evaluate(
        """() => { for (const field of ['d3', 'e1']) {
            document.querySelector(`#board [data-field=${field}] .hit`)
                .dispatchEvent(new MouseEvent('click', { bubbles: true }));
        } }"""
    )
    tab.stands(last="d3", count=1)
    tab.has_played(["d3"])
    reads(tab.page.locator("#field-wrong"), "")


@pytest.mark.usefixtures("values_hidden")
def test_a_move_that_the_server_has_not_heard_of_can_be_tried_again(tab: Tab) -> None:
    tab.open(f"#layout={SMALL}&moves=d3,b3")
    tab.page.route("**/api/kulami/position", lambda route: route.abort())
    field = sorted(tab.legal)[0]
    tab.field(field).click()
    tab.page.locator("#field-wrong", has_text="is 'kulami serve' still running?").wait_for()
    tab.page.unroute("**/api/kulami/position")
    tab.field(field).click()
    tab.stands(last=field)
    tab.has_played(["d3", "b3", field])
    tab.problems = [said for said in tab.problems if "net::ERR_" not in said]


@pytest.mark.usefixtures("values_hidden")
@pytest.mark.parametrize(
    ("script", "address", "button", "dialog"),
    [
        ("kulami/setup.js", f"#layout={SMALL}", "#open-setup", "#setup"),
        ("beginning.js", "#game=malawi&board=3x4", "#open-setup", "#begin"),
        ("tree.js", f"#layout={SMALL}", "#open-games", "#games"),  # which its script needs
    ],
)
def test_a_part_of_the_page_that_has_not_come_is_asked_for_again(
    tab: Tab, script: str, address: str, button: str, dialog: str
) -> None:
    tab.open(address)
    tab.page.route(f"**/static/{script}", lambda route: route.abort())
    tab.page.click(button)
    tab.page.locator("#field-wrong", has_text="is 'kulami serve' still running?").wait_for()
    tab.page.unroute(f"**/static/{script}")
    tab.page.click(button)
    tab.page.locator(f"{dialog}[open]").wait_for()
    tab.problems = [said for said in tab.problems if "net::ERR_" not in said]


def test_where_a_field_leads_is_asked_for_again(tab: Tab) -> None:
    tab.open("#layout=AAB/CCB")
    tab.proved()
    tab.page.route("**/api/kulami/analyse", lambda route: route.abort())
    with tab.page.expect_event("requestfailed"):
        tab.field("c2").hover()
    tab.page.unroute("**/api/kulami/analyse")
    tab.field("b1").hover()
    mentions(tab.role("line"), "b1 (")
    tab.problems = [said for said in tab.problems if "net::ERR_" not in said]


def test_sentences_of_the_language_are_asked_for_again(server: Server, browser: Any) -> None:
    tab = Tab(server, browser, locale="de", remembers={"values": "off"})
    tab.open(f"#layout={SMALL}&moves=d3")
    tab.page.route("**/sentences/de.json", lambda route: route.abort())
    tab.field("d3").click()
    tab.page.locator("#field-wrong", has_text="it is taken").wait_for()
    tab.page.unroute("**/sentences/de.json")
    tab.field("d3").click()
    tab.page.locator("#field-wrong", has_text="Das Feld ist besetzt").wait_for()
    tab.problems = [said for said in tab.problems if "net::ERR_" not in said]
    tab.close()


@pytest.mark.usefixtures("values_hidden")
def test_what_is_shared_stands_apart_from_other_beginnings(tab: Tab) -> None:
    tab.open(f"#layout={SMALL}&moves=d3")
    tab.page.click("#open-share")
    tab.page.locator("#export-link").wait_for()
    holds(tab.page.locator("#export-link"), tab.page.url)
    reads(tab.page.locator("#sharing-title"), "Share")
    assert not tab.page.locator("#setup").is_visible()
    tab.open("#game=malawi&board=3x4&moves=a4-a2")
    tab.page.click("#open-share")
    tab.page.locator("#export-link").wait_for()
    holds(tab.page.locator("#export-link"), tab.page.url)
    shows(tab.page.locator("#begin-board"), 0)
    reads(tab.page.locator("#begin-title"), "Share")


# Everyone


@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (390, "dark"),
        pytest.param(1280, "light", marks=pytest.mark.nightly),
        pytest.param(1280, "dark", marks=pytest.mark.nightly),
        pytest.param(390, "light", marks=pytest.mark.nightly),
    ],
)
def test_nothing_is_cut_off_and_axe_has_nothing_to_say(
    server: Server, browser: Any, width: int, scheme: str
) -> None:
    tab = Tab(server, browser, viewport=(width, 844), color_scheme=scheme)
    ended = f"#layout={SMALL}&moves=e4,c4,c3,e3,a3,a4,d4,d2,e2,c2,a2&scoring=2"
    for address, part in (("", "#start"), (ended, "#rematch"), (CARDS, "#turns button")):
        tab.open(address)
        if address == CARDS:
            tab.page.click(".uncover")
        tab.page.locator(part).first.wait_for()
        tab.looks_right()
    tab.close()


@pytest.mark.usefixtures("values_hidden")
def test_the_board_fits_a_page_that_is_enlarged_twice(tab: Tab) -> None:
    tab.page.set_viewport_size({"width": 640, "height": 400})
    for address in ("#layout=square", "#game=malawi", "#game=just4fun&seed=3"):
        tab.open(address)
        box = tab.page.locator("#board").bounding_box()
        assert box["height"] <= 400, address
        assert box["x"] >= 0, address
        assert box["x"] + box["width"] <= 640, address


@pytest.mark.parametrize("language", ["en", "de", "fr"])
@pytest.mark.parametrize("address", ["#layout=square&moves=d4,d7", "#game=malawi", CARDS, ""])
def test_letters_twice_as_large_fit_a_telephone(
    server: Server, browser: Any, address: str, language: str
) -> None:
    tab = Tab(server, browser, viewport=(390, 844), locale=language, remembers={"values": "off"})
    tab.open(address)
    tab.page.evaluate("document.documentElement.style.fontSize = '200%'")
    if not address:
        tab.page.locator("#start").wait_for()
    elif "moves=" in address:
        tab.page.locator("#moves [data-ply]").last.wait_for()
    if "layout" in address:  # fields are not broken
        name = tab.page.locator("#moves [data-ply] > :first-child").first
        assert name.bounding_box()["height"] < 30
        assert tab.page.locator("#scoring").bounding_box()["x"] > 0
    tab.looks_right()
    tab.close()


def test_names_of_columns_and_rows_are_of_one_size(tab: Tab) -> None:
    heights = []
    for width in (390, 1280):
        tab.page.set_viewport_size({"width": width, "height": 844})
        for address in ("#layout=square", "#layout=rulebook", "#game=malawi"):
            tab.page.goto(f"{tab.server.url}api/health")  # so that no board is replaced by the next
            tab.open(address)
            tab.page.wait_for_function(
                """() => {
                    const board = document.querySelector("#board svg");
                    if (!board) return false; // replaced while we look
                    const pixel = Number(board.style.getPropertyValue("--pixel"));
                    return Math.abs(board.getScreenCTM().a * pixel - 1) < 0.02;
                }"""
            )
            heights += tab.page.locator("#board .names text").evaluate_all(
                "all => all.map(one => one.getBoundingClientRect().height)"
            )
            out = tab.page.locator("#board .names text").evaluate_all(
                """all => {
                    const board = document.querySelector("#board svg").getBoundingClientRect();
                    return all.map(one => one.getBoundingClientRect()).filter((box) =>
                        box.left < board.left || box.top < board.top || box.right > board.right);
                }"""
            )
            assert out == [], (width, address)
    assert max(heights) <= 1.15 * min(heights)


@pytest.mark.parametrize("language", ["de", "fr"])
def test_the_panel_speaks_the_language(server: Server, browser: Any, language: str) -> None:
    tab = Tab(server, browser, locale=language)
    tab.open()
    said = {"de": "Gegen den Computer spielen", "fr": "Jouer contre l\u2019ordinateur"}
    tab.page.locator("#start-play .main", has_text=said[language]).wait_for()
    assert not re.search(r"\b[a-z]+_[a-z_]+\b", tab.page.inner_text("#start"))
    tab.page.select_option("#language", "en")
    tab.page.locator("#start-play .main", has_text="Play the computer").wait_for()
    tab.close()


# Small screens


@pytest.mark.parametrize("language", ["en", "fr", "es"])
def test_levels_can_be_read_whole(server: Server, browser: Any, language: str) -> None:
    tab = Tab(server, browser, viewport=(390, 844), locale=language)
    tab.open()
    level = tab.page.locator("#start-level")
    given = level.bounding_box()["width"]
    level.evaluate("select => { select.style.width = 'max-content'; }")
    assert level.bounding_box()["width"] <= given
    tab.close()


@pytest.mark.usefixtures("values_hidden")
def test_notations_stand_apart(tab: Tab) -> None:
    tab.page.set_viewport_size({"width": 390, "height": 844})
    tab.open("#game=malawi")
    tab.page.click("#open-setup")
    shows(tab.page.locator(".export"), 3)
    boxes = [one.bounding_box() for one in tab.page.locator(".export").all()]
    for above, below in itertools.pairwise(boxes):
        assert below["y"] - above["y"] - above["height"] > 8


def test_long_moves_are_broken_between_their_cards(server: Server, browser: Any) -> None:
    tab = Tab(server, browser, viewport=(390, 844))
    tab.open(CARDS)
    tab.page.locator(f'#moves [data-ply="{len(FIRST)}"]').wait_for()
    lines = tab.page.locator("#moves [data-ply]").evaluate_all(
        """all => all.map((one) => {
            const lines = [], walker = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
            while (walker.nextNode()) {
                const { data } = walker.currentNode, range = document.createRange();
                for (let at = 0; at < data.length; at++) {
                    range.setStart(walker.currentNode, at);
                    range.setEnd(walker.currentNode, at + 1);
                    const { bottom } = range.getBoundingClientRect();
                    const same = lines.length && Math.abs(lines.at(-1).bottom - bottom) < 2;
                    if (same) lines.at(-1).text += data[at];
                    else if (data[at].trim()) lines.push({ bottom, text: data[at] });
                }
            }
            return lines.map(({ text }) => text.trim());
        })"""
    )
    tab.close()
    assert ["".join(parts) for parts in lines] == list(FIRST)
    assert any(len(parts) > 1 for parts in lines)
    assert all(part.startswith("+") for parts in lines for part in parts[1:])


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "nl"])
def test_what_counts_can_be_read_whole(
    server: Server, browser: Any, language: str, width: int
) -> None:
    tab = Tab(server, browser, viewport=(width, 844))
    tab.open(f"#layout={SMALL}&scoring=2&moves=e4")
    tab.page.select_option("#language", language)
    tab.page.locator(f'html[lang="{language}"]').wait_for()
    needed, there = tab.page.locator("#scoring").evaluate(
        """one => {
            const free = one.cloneNode(true);
            free.style.maxWidth = "none";
            one.after(free);
            free.value = one.value;
            const needed = free.getBoundingClientRect().width;
            free.remove();
            return [needed, one.getBoundingClientRect().width];
        }"""
    )
    tab.close()
    assert there >= needed - 1
