"""A visitor who brings no link and knows nothing: how a game begins, and that none is lost."""

from __future__ import annotations

import re
from typing import Any

import pytest
from browser import Tab, carries, holds, mentions, reads, shows
from command_line import SMALL

GAMES = ("kulami", "malawi", "just4fun")
MOST_CLICKS = 5


def visit(tab: Tab, game: str) -> int:
    """Come to the page without a link, and choose a game; returns how many clicks that took."""
    tab.open()
    tab.sees("#start")
    if game == "kulami":
        return 0
    tab.page.click(f"#start-{game}")
    tab.sees(f'body[data-game="{game}"] #start')
    return 1


def begin(tab: Tab) -> str:
    """Begin a game against the weakest, which is returned."""
    weakest: str = tab.page.locator("#start-level option").first.get_attribute("value")
    tab.page.select_option("#start-level", weakest)
    tab.page.click("#start-play .main")
    tab.page.locator("#start").wait_for(state="detached")
    return weakest


def seats(tab: Tab) -> list[str]:
    found: list[str] = tab.page.locator("#seats select").evaluate_all(
        "all => all.map(one => one.value)"
    )
    return found


def play(tab: Tab) -> int:
    """Make a move with the mouse; returns how many clicks that took."""
    moves, chosen = tab.page.locator("[data-role=moves] [data-ply]"), "#board [data-chosen]"
    count, clicks = moves.count(), 1
    tab.page.locator("#board [data-legal]").first.click()
    tab.sees(f'{chosen}, [data-role=moves] [data-ply="{count + 1}"]')
    if moves.count() == count:  # several moves are made so: they are listed
        tab.page.locator("#turns [data-move]").first.click()
        clicks = 2
    moves.nth(count).wait_for()
    return clicks


# How a game begins


@pytest.mark.parametrize("game", GAMES)
def test_the_first_move_comes_after_five_clicks_at_most(newcomer: Tab, game: str) -> None:
    tab = newcomer
    clicks = visit(tab, game) + 2
    weakest = begin(tab)
    # One person against bots, with nothing told of what the moves are worth.
    assert seats(tab) == ["human", weakest]
    carries(tab.page.locator("#values"), "aria-checked", "false")
    tab.sees("#board [data-legal]")
    assert clicks + play(tab) - 1 <= MOST_CLICKS
    tab.stands(count=2)  # the bot has answered


@pytest.mark.parametrize("again", ["rematch", "new-game"])
def test_bots_play_again_after_a_game_was_learned_from(tab: Tab, again: str) -> None:
    tab.open("#layout=AAB/CCB&moves=a1,c1")  # red cannot move
    tab.page.select_option("#player-black", "random")
    tab.page.click("#analyse")
    tab.sees("#graded:not(:empty)")
    tab.page.click(f"#{again}")
    tab.page.locator("#ending:empty").wait_for(state="attached")
    assert seats(tab) == (["random", "human"] if again == "rematch" else ["human", "random"])
    carries(tab.page.locator("#values"), "aria-checked", "false")


ORDER_AND_LETTERS = """() => {
    const parts = [...document.querySelectorAll('#start, #board')];
    const select = document.querySelector('#language');
    const { clientWidth } = select;
    const { font, paddingLeft, paddingRight } = getComputedStyle(select);
    const pen = document.createElement('canvas').getContext('2d');
    pen.font = font;
    const letter = pen.measureText('n').width;
    return [
        ...parts.map((one) => one.getBoundingClientRect().y),
        (clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)) / letter,
    ];
}"""


def test_who_analyses_sees_values_and_two_people_do_not(newcomer: Tab) -> None:
    tab = newcomer
    visit(tab, "kulami")
    assert tab.page.evaluate("location.hash") == ""  # and no search has begun
    shows(tab.page.locator("#board [data-estimate]"), 0)
    # On a telephone the choices come first, to eyes and to ears, and the language has two letters.
    tab.becomes(width=390)
    before, after, letters = tab.page.evaluate(ORDER_AND_LETTERS)
    assert before < after
    assert letters == pytest.approx(2, abs=0.1)
    tab.becomes(width=1280)
    tab.page.click("#start-analyse")
    tab.sees("#board [data-estimate]")
    # An estimate comes first, and it is called one.
    assert re.match(r"(Red|Black) is ahead by about \d|About even", tab.role("value").inner_text())
    tab.page.go_back()
    tab.sees("#start")
    tab.page.click("#start-two")
    reads(tab.role("value"), "The values are hidden")
    tab.play("d4")
    mentions(tab.role("status"), "Black to move")


def test_what_may_be_played_and_what_was_are_marked(tab: Tab) -> None:
    tab.open("#layout=square")
    shows(tab.page.locator("#board[data-many] [data-legal]"), 64)  # rings mark few fields alone
    tab.play("d4")
    shows(tab.page.locator("#board[data-many]"), 0)
    # What a bot thinks about invites no click.
    tab.page.route("**/api/*/move", lambda _route: None)  # which is never answered
    ring = "getComputedStyle(document.querySelector('#board .legal')).display"
    assert tab.page.evaluate(ring) != "none"
    tab.page.select_option("#player-black", "level:1")
    tab.sees("[data-role=status]", "black is thinking")
    assert tab.page.evaluate(ring) == "none"
    assert tab.legal  # they are legal all the same
    # The last move is seen meanwhile.
    tab.open("#game=malawi&board=3x4&moves=a4-a2")
    shows(tab.page.locator("#board [data-moved]"), 2)
    assert "last move" in (tab.field("a2").get_attribute("aria-label") or "")
    tab.page.select_option("#player-black", "random")
    tab.sees("[data-role=status]", "black is thinking")
    stroke = "getComputedStyle(document.querySelector('#board [%s] .rim')).stroke"
    assert tab.page.evaluate(stroke % "data-moved") != "none"
    assert tab.page.evaluate(stroke % "data-legal") == "none"


def test_moves_of_several_bots_are_seen_one_after_the_other(newcomer: Tab) -> None:
    tab = newcomer
    tab.hurries()
    visit(tab, "just4fun")
    tab.page.select_option("#start-party", "rbgy")
    tab.page.select_option("#start-level", "random")
    tab.page.click("#start-play .main")
    tab.sees("#board [data-legal]")
    tab.page.evaluate(
        """() => {
            window.seen = [];
            const status = document.querySelector('.status');
            const look = () => window.seen.push(status.textContent);
            new MutationObserver(look).observe(status, { childList: true });
        }"""
    )
    play(tab)
    tab.stands(count=4)
    seen = [said.partition(" ")[0] for said in tab.page.evaluate("window.seen")]
    assert list(dict.fromkeys(seen)) == ["blue", "green", "yellow", "Your"]
    # A person who plays alone against bots sees one hand.
    shows(tab.page.locator(".hand:has(.back)"), 3)


def test_a_bot_that_cannot_play_or_is_not_reached_is_asked_again(tab: Tab) -> None:
    tab.open("#game=just4fun&seed=3")
    tab.page.select_option("#player-red", "perfect 3")  # who would have to see all hands
    tab.sees(".said #field-wrong:not(:empty)")
    assert "thinking" not in tab.role("status").inner_text()
    again = tab.page.locator("#field-wrong button", has_text="Try again")
    again.wait_for()
    tab.open("#layout=square")
    tab.page.select_option("#player-black", "random")
    with tab.without("**/move"):
        tab.field("d4").click()
        again.wait_for()
        tab.looks_right()
    again.focus()
    tab.page.keyboard.press("Enter")
    tab.stands(count=2)
    shows(again, 0)
    tab.until("document.activeElement.matches('#board [data-field]')")


# Nothing is lost


def test_reloading_keeps_who_plays_and_whether_values_are_shown(newcomer: Tab) -> None:
    tab = newcomer
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


def click_at_once(tab: Tab, *fields: str) -> None:
    """Click fields one after the other, whatever the page shows meanwhile."""
    tab.page.evaluate(
        """(fields) => { for (const field of fields) {
            document.querySelector(`#board [data-field=${field}] .hit`)
                .dispatchEvent(new MouseEvent('click', { bubbles: true }));
        } }""",
        fields,
    )


def test_what_was_played_can_be_brought_back(tab: Tab) -> None:
    tab.open(f"#layout={SMALL}")
    # A second click before the answer to the first is a move or a mistake of its own.
    click_at_once(tab, "d3", "e1")
    tab.stands(last="d3", count=1)
    tab.sees("#field-wrong", "not in the row or column")
    tab.page.click("#undo")
    tab.sees("#undo:disabled")
    click_at_once(tab, "d3", "d3", "b3")  # but no double click
    tab.stands(last="b3", count=2)
    reads(tab.page.locator("#field-wrong"), "")
    for replace in ("a new game", "another layout"):
        if replace == "a new game":
            tab.page.click("#new-game")
        else:
            tab.paste("hello")  # no game
            shows(tab.page.locator("dialog[open]"), 0)
            tab.paste("AAB/CCB - r -")
            holds(tab.page.locator("#pasted"), "AAB/CCB - r -")
            tab.has_played(["d3", "b3"])
            tab.press("Enter")  # the reader is asked whether it may replace the game
        tab.page.locator("#notice button").first.click()
        tab.stands(last="b3")
        tab.has_played(["d3", "b3"])
        tab.page.locator("#notice:empty").wait_for(state="attached")
    # A move instead of what was played leaves that in the list.
    tab.page.click("#to-start")
    tab.sees("#undo:disabled")
    tab.play("a1")
    tab.has_played(["a1"])
    tab.page.locator("#moves button", has_text="b3").click()
    tab.stands(last="b3")
    tab.has_played(["d3", "b3"])
    tab.page.go_back()  # to before the other move
    tab.sees("#undo:disabled")
    tab.has_played(["d3", "b3"])


def test_back_takes_moves_back_and_does_not_leave(tab: Tab) -> None:
    tab.open(f"#layout={SMALL}")
    tab.play("d3", "b3")
    tab.page.select_option("#player-black", "random")
    tab.field(sorted(tab.legal)[0]).click()
    tab.stands(count=4)
    tab.page.go_back()  # over the bot's answer to where we were to move
    tab.stands(last="b3")
    tab.has_played(["d3", "b3"])
    tab.page.go_back()
    tab.stands(last="d3")
    tab.page.go_forward()
    tab.stands(last="b3")
    holds(tab.page.locator("#player-black"), "random")


def test_what_has_not_come_is_asked_for_again(newcomer: Tab) -> None:
    tab, gone = newcomer, "is 'kulami serve' still running?"
    tab.remembers(values="off")
    # A move.
    tab.open(f"#layout={SMALL}&moves=d3,b3")
    tab.stands(last="b3")
    field = sorted(tab.legal)[0]
    with tab.without("**/api/kulami/position"):
        tab.field(field).click()
        tab.sees("#field-wrong", gone)
    tab.play(field)
    tab.has_played(["d3", "b3", field])
    # Parts of the page.
    for script, address, button, dialog in (
        ("kulami/setup.js", f"#layout={SMALL}", "#open-setup", "#setup"),
        ("beginning.js", "#game=malawi&board=3x4", "#open-setup", "#begin"),
        ("tree.js", f"#layout={SMALL}", "#open-games", "#games"),  # which its script needs
    ):
        tab.open(address, anew=True)
        with tab.without(f"**/static/{script}"):
            tab.page.click(button)
            tab.sees("#field-wrong", gone)
        tab.page.click(button)
        tab.sees(f"{dialog}[open]")


# By keys alone

MOST_TABS = 60


def reach(tab: Tab, selector: str) -> None:
    """Go on with Tab until this has the focus, which must be seen at each stop."""
    tab.sees(selector)
    for _ in range(MOST_TABS):
        there, seen = tab.page.evaluate(
            """(selector) => {
                const one = document.activeElement;
                const { outlineStyle, boxShadow } = getComputedStyle(one);
                const field = one.matches("[role=gridcell]"); // it has a mark of its own
                const seen = one === document.body || field || outlineStyle !== "none"
                    || boxShadow !== "none";
                return [one.matches(selector), seen];
            }""",
            selector,
        )
        assert seen, tab.page.evaluate("document.activeElement.outerHTML")
        if there:
            return
        tab.page.keyboard.press("Tab")
    raise AssertionError(f"{selector} is not reached")


def press(tab: Tab, selector: str) -> None:
    reach(tab, selector)
    tab.page.keyboard.press("Enter")


def focused(tab: Tab) -> Any:
    """What has the focus."""
    return tab.page.evaluate("document.activeElement.id || document.activeElement.tagName")


@pytest.mark.parametrize("game", ["kulami", "just4fun"])
def test_a_game_and_its_rules_with_keys_alone(newcomer: Tab, game: str) -> None:
    tab = newcomer
    tab.open()
    if game != "kulami":
        press(tab, f"#start-{game}")
        tab.sees(f'body[data-game="{game}"] #start')
    reach(tab, "#start-level")
    tab.page.keyboard.press("Home")  # the weakest
    press(tab, "#start-play .main")
    shows(tab.page.locator("#start"), 0)
    reach(tab, "#field" if game == "kulami" else "#turns [data-move]")
    if game == "kulami":
        tab.page.keyboard.type("d4")
    tab.page.keyboard.press("Enter")
    # It is played, and answered.
    tab.sees('[data-role=moves] [data-ply="2"]')
    tab.page.locator("#board [data-legal]").first.wait_for(state="attached")
    tab.page.keyboard.press("Escape")
    press(tab, "#undo")
    shows(tab.page.locator("[data-role=moves] [data-ply][aria-current]"), 0)
    # The focus is not lost, and the keys are explained.
    assert focused(tab) != "BODY"
    tab.page.keyboard.press("?")
    tab.sees("#help[open]")
    tab.page.keyboard.press("Escape")
    shows(tab.page.locator("#help[open]"), 0)
    assert focused(tab) != "BODY"
    tab.page.keyboard.press("?")
    press(tab, '#help a[href*="rules"]')
    tab.page.wait_for_url(f"**/rules/{game}/**")
    press(tab, "[data-field]")
    tab.until("document.querySelector('.answer').textContent.trim() !== ''")
    tab.page.keyboard.press("Shift+Tab")
    press(tab, "main a[href*='#']")
    tab.sees(f'body[data-game="{game}"] #board')
    tab.page.go_back()
    tab.page.click("a.back")
    tab.sees(f"body[data-game={game}] #board .field")


def test_variations_and_grades_with_keys_alone(newcomer: Tab) -> None:
    tab = newcomer
    moves = tab.server.whole("kulami", {"layout": SMALL})
    tab.open(f"#layout={SMALL}&moves={','.join(moves)}&ply=1")
    tab.stands(count=1)
    another = min(tab.legal - {moves[1]})
    tab.page.keyboard.press("g")
    tab.steer(another)
    tab.page.keyboard.press("Enter")
    tab.sees("#moves .variation")
    tab.comment("Another way.")
    # A button that has done its work hands the focus on.
    press(tab, "#lines button")
    tab.until("document.querySelector('#lines button').disabled")
    assert focused(tab) != "BODY"
    tab.press("Shift+Tab", "g")
    press(tab, "#moves .variation button")  # what was the game before
    tab.stands(last=moves[1])
    tab.open(f"#layout={SMALL}&moves={','.join(moves)}")
    # Whoever asks for a grade from the end of a game stays there, or comes to the first mistake.
    for button, focus in (("#analyse", "mistake-"), ("#grade:enabled", "grade")):
        press(tab, button)
        tab.sees("#graded", "best moves")
        reads(tab.page.locator("#grade"), "Grade the game")
        assert focused(tab).startswith(focus)
    # It can be stopped.
    whole = ",".join(tab.server.whole("kulami", {"layout": "square"}))
    tab.open(f"#layout=square&moves={whole}")
    tab.sees("#rematch")
    press(tab, "#grade:enabled")
    tab.sees("#graded", "Grading, move")
    tab.sees("#moves .worth:not(:empty)")
    tab.page.keyboard.press("Enter")
    mentions(tab.page.locator("#graded"), "From move")
    reads(tab.page.locator("#grade"), "Grade the game")
    assert focused(tab) == "grade"
