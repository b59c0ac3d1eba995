"""The page for those who hear it: nothing is read here but names and announcements."""

from __future__ import annotations

import re

from browser import Tab, carries, expected, mentions, reads
from command_line import SMALL

FOCUSED = "document.activeElement.id"
NAME = "document.activeElement.getAttribute('aria-label')"


def test_what_is_on_the_board_is_heard(tab: Tab) -> None:
    page, live = tab.page, tab.page.locator("#live")

    def heard(key: str, start: str) -> str:
        page.keyboard.press(key)
        tab.until(f"document.querySelector('#live').textContent.startsWith({start!r})")
        return str(live.text_content())

    tab.open(f"#layout={SMALL}")
    page.get_by_role("combobox", name="Black").select_option(label="Bot: beginner")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("g")
    assert page.evaluate(NAME) == "a1, panel of 3, red 0, black 0, may be played"
    assert heard("l", "No move").endswith("made")
    assert heard("m", "May be played: ").partition(": ")[2].split(", ")[0] == "a1"
    page.keyboard.press("Enter")
    tab.until("/Your turn/.test(document.querySelector('#live').textContent)")
    said = str(live.text_content())
    assert re.match(r"Black has played \w\d\. Your turn$", said)
    answer = said.split()[3].strip(".")
    page.keyboard.press("l")
    reads(live, f"Black has played {answer}; red has played a1")
    assert re.match(r"Red \d+(, panel of \d at \w\d)+; black", heard("s", "Red "))
    assert re.search(r"of 3, red 1, black \d: a1, a2, a3\. Owner", heard("p", "Panel "))
    fields = heard("m", "May be played: ").partition(": ")[2].split(", ")
    assert {*fields} == tab.legal
    tab.steer(fields[0])
    assert page.evaluate(NAME).endswith("may be played")
    assert page.get_by_role("gridcell", name="barred, the last marble lies on it").count() > 0
    page.keyboard.press("?")
    mentions(page.get_by_role("dialog"), "hear the panel of the field")
    assert page.locator("#help kbd").count() > 12


def test_steps_through_the_game_are_said(tab: Tab) -> None:
    page, live = tab.page, tab.page.locator("#live")

    tab.open(f"#layout={SMALL}&moves=e4,c4,c3")
    tab.has_played(["e4", "c4", "c3"])
    page.keyboard.press("u")
    reads(live, "Red to move, fields: 3")
    page.keyboard.press("Home")
    reads(live, "Red to move, fields: 20")
    page.keyboard.press("r")
    reads(live, "Red has played e4. black to move, fields: 5")
    page.keyboard.press("End")
    reads(live, "Red has played c3. black to move, fields: 3")
    tab.page.click('#moves [data-ply="1"]')
    reads(live, "Red has played e4. black to move, fields: 5")
    # So is a value that is known.
    tab.values()
    tab.proved()
    value = tab.role("value").text_content()
    page.click("#undo")
    carries(page.locator("#undo"), "disabled", "")
    page.click("#redo")
    reads(live, f"Red has played e4. black to move, fields: 5. {value}")


def test_the_focus_stays_where_another_game_is_chosen(newcomer: Tab) -> None:
    tab, page = newcomer, newcomer.page
    tab.open()
    tab.sees("#start")
    for game in ("malawi", "just4fun"):
        page.focus(f"#start-{game}")
        page.keyboard.press("Enter")
        tab.sees(f'[data-game="{game}"] #start')
        tab.until(f"{FOCUSED} === 'start-{game}'")
    page.focus("#which")
    page.keyboard.press("ArrowUp")
    tab.sees('[data-game="kulami"] #start')
    tab.until(f"{FOCUSED} === 'which'")
    page.focus("#language")
    page.select_option("#language", "de")  # which makes the card anew
    tab.sees("#start", "Was möchtest du spielen?")
    assert page.evaluate(FOCUSED) == "language"


def test_the_next_puzzle_is_said(tab: Tab) -> None:
    page, live = tab.page, tab.page.locator("#live")
    page.goto(f"{tab.server.url}puzzles/kulami/#17")
    mentions(live, "Puzzle 17. One field alone is best. Find it for ")
    page.focus("#next")
    page.keyboard.press("Enter")
    expected(live).to_contain_text(re.compile(r"Puzzle (?!17\.)\d+\. .* for (red|black)\."))


def test_only_the_bar_of_the_player_to_move_is_drawn(tab: Tab) -> None:
    tab.page.emulate_media(forced_colors="active")
    tab.open("#game=just4fun&board=2006&seed=7&moves=10=3%2B7&players=rbgy")
    widths = tab.page.locator(".hand").evaluate_all(
        "hands => hands.map(one => [one.dataset.hand, getComputedStyle(one).borderLeftWidth])"
    )
    assert [side for side, width in widths if width != "0px"] == ["blue"]
    tab.page.emulate_media(forced_colors="none")


def test_each_kept_game_has_buttons_of_its_own(tab: Tab) -> None:
    tab.open("#layout=square&moves=d4")
    tab.has_played(["d4"])
    tab.enter("d7")
    tab.stands(last="d7")
    tab.keeps("(games) => games.length === 1")
    tab.show_games()
    page = tab.page
    page.get_by_label("Name of the game").fill("The first")
    page.keyboard.press("Tab")
    opening = page.get_by_role("button", name="Open: The first")
    described = re.compile(r"^Kulami, .*moves: 2")
    for one in (opening, page.get_by_role("button", name="Delete: The first")):
        expected(one).to_have_accessible_description(described)
    expected(page.get_by_label("Name of the game")).to_have_accessible_description(described)


def test_the_choice_of_a_figure_is_said_and_can_be_let_go(tab: Tab) -> None:
    page, live = tab.page, tab.page.locator("#live")
    tab.open("#game=malawi&board=3x4")
    tab.field("a4").focus()
    page.keyboard.press("Enter")
    reads(live, "a4, red, beads: 2, chosen")
    page.keyboard.press("Enter")
    reads(live, "Give beads to b4, c4")
    page.keyboard.press("Escape")
    reads(live, "a4, red, beads: 2, may be played")
    page.keyboard.press("Enter")
    page.focus("#turns button")
    page.keyboard.press("Escape")
    reads(live, "a4, red, beads: 2, may be played")
    assert page.evaluate(NAME) == "a4, red, beads: 2, may be played"
