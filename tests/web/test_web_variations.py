"""Lines that were tried beside the game, and comments: on the page, kept, and in records."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from browser import Tab, carries, holds, mentions, reads, shows

import kulami_solver as ks
from kulami_solver.just4fun import Board, deal, random_game
from kulami_solver.just4fun.replay import record_of

pytestmark = pytest.mark.landing

MOST = 20_000  # moves, lines and comments of a game that is kept
BRANCHED = ["d4", "d7", "a4", "a7", "g7", "g1"]


def listed(tab: Tab) -> list[str]:
    """All moves in the list, those of variations too."""
    found: list[str] = tab.page.locator("#moves button").evaluate_all(
        "all => all.map((one) => one.firstChild.textContent.trim())"
    )
    return found


def lists(tab: Tab, moves: list[str]) -> None:
    """Wait until these are all moves in the list, which comes after the board."""
    tab.until(
        """(moves) => JSON.stringify(moves) === JSON.stringify(
            [...document.querySelectorAll('#moves button')].map(
                (one) => one.firstChild.textContent.trim()))""",
        moves,
    )


def lines(tab: Tab) -> dict[str, Any]:
    """The line of the newest game that is kept."""
    line: dict[str, Any] = tab.kept[0]["line"]
    return line


def go_to(tab: Tab, move: str) -> None:
    """Click a move in the list."""
    tab.page.locator("#moves button", has_text=move).click()
    tab.stands(last=move)


def branched(tab: Tab) -> None:
    """Play three moves, and another one in the place of each of the last two."""
    tab.open("#layout=square")
    tab.play("d4", "d7", "a7")
    tab.page.click("#undo")
    tab.stands(last="d7")
    tab.play("g7", "g1")
    go_to(tab, "d4")
    tab.play("a4")


def test_each_line_is_listed_kept_promoted_and_deleted(tab: Tab) -> None:
    branched(tab)
    whole = {
        "moves": ["d4", "d7", "a7"],
        "variations": {"2": [{"moves": ["a4"]}], "3": [{"moves": ["g7", "g1"]}]},
    }
    assert listed(tab) == BRANCHED
    tab.has_played(["d4", "a4"])
    go_to(tab, "g7")
    tab.has_played(["d4", "d7", "g7", "g1"])
    tab.page.click("#redo")
    tab.stands(last="g1")
    # j and k go through what was tried in the place of a move.
    go_to(tab, "g7")
    for key, field in (("k", "a7"), ("j", "g7")):
        tab.page.keyboard.press(key)
        tab.stands(last=field)
    # Back leads to what was on the board before, and redo goes on from there.
    tab.page.go_back()
    tab.page.click("#redo:enabled")
    go_to(tab, "g7")
    tab.page.reload()
    tab.stands(last="g7")
    assert listed(tab) == BRANCHED
    assert (lines(tab), "moves=d4,d7,g7" in tab.kept[0]["hash"]) == (whole, True)
    # Both can be undone.
    tab.page.click("#lines summary")
    go_to(tab, "g1")
    tab.page.click("[data-text=promote]")
    tab.sees("[data-text=promote]:disabled")
    assert listed(tab) == ["d4", "d7", "a4", "g7", "a7", "g1"]
    tab.page.locator("#notice button").first.click()
    assert listed(tab) == BRANCHED
    go_to(tab, "g7")
    tab.page.click("[data-text=delete_line]")
    tab.stands(last="d7")
    assert listed(tab) == ["d4", "d7", "a4", "a7"]
    tab.page.locator("#notice button").first.click()
    tab.stands(last="g7")
    assert listed(tab) == BRANCHED
    assert lines(tab) == whole


def test_comments_are_shown_kept_shared_and_undone(tab: Tab) -> None:
    branched(tab)
    tab.comment("<i>Sharp</i>, but it loses.")
    go_to(tab, "d7")
    shows(tab.page.locator("#moves .remark"), 1)
    reads(tab.page.locator("#moves .remark"), "<i>Sharp</i>, but it loses.")
    holds(tab.page.locator("#comment"), "")
    tried = {"moves": ["a4"], "comments": {"1": "<i>Sharp</i>, but it loses."}}
    assert lines(tab)["variations"]["2"] == [tried]
    notice = tab.page.locator("#notice", has_text="The comment is changed")
    notice.get_by_role("button", name="Undo").click()
    shows(tab.page.locator("#moves .remark"), 0)
    assert lines(tab)["variations"]["2"] == [{"moves": ["a4"]}]
    tab.stands(last="d7")  # the board stays where it is
    go_to(tab, "a4")
    tab.comment("Quiet.")
    tab.click("#open-share", "#exports summary")
    text = tab.page.input_value("#export-record")
    tab.page.keyboard.press("Escape")
    tab.page.click("#new-game")
    tab.page.locator("#moves:empty").wait_for(state="attached")
    tab.paste(text)
    tab.stands(last="a7")
    assert listed(tab) == BRANCHED
    reads(tab.page.locator("#moves .remark"), "Quiet.")
    for length, said in ((1000, "A comment has at most 1,000 characters."), (999, "")):
        tab.page.fill("#comment", "x" * length)
        reads(tab.page.locator("#lines [role=status]"), said)


def test_a_move_taken_back_in_a_game_with_a_bot_makes_room(tab: Tab) -> None:
    tab.open("#layout=square")
    tab.page.select_option("#player-black", "random")
    for field in ("d4", "e4"):
        tab.field(field).click()
        tab.stands(count=2)
        if field == "d4":
            tab.page.click("#undo")
            tab.sees("#undo:disabled")
    assert (listed(tab)[0], tab.played[0]) == ("e4", "e4")
    assert "d4" in listed(tab)


def test_a_notice_can_be_closed_and_covers_nothing_at_the_end_of_the_page(tab: Tab) -> None:
    def change(text: str) -> None:
        tab.page.locator("#comment").fill(text)
        tab.page.locator("#comment").blur()
        mentions(notice, "The comment is changed")

    notice = tab.page.locator("#notice")
    branched(tab)
    tab.page.click("#lines summary")
    for width in (1280, 390):
        tab.becomes(width=width)
        # The buttons below the comment would be where the notice comes.
        tab.page.evaluate(
            "scrollBy(0, document.querySelector('#lines .row').getBoundingClientRect().bottom"
            " - innerHeight)"
        )
        change(f"At {width}.")
        tab.until(
            """() => [...document.querySelectorAll('#lines button')].every((button) => {
                const { x, y, width, height } = button.getBoundingClientRect();
                return button.contains(document.elementFromPoint(x + width / 2, y + height / 2));
            })"""
        )
        if width == 1280:  # nor the buttons below the board before that
            assert notice.bounding_box()["x"] > tab.page.locator("#side").bounding_box()["x"] - 2
        tab.until("() => { scrollTo(0, document.body.scrollHeight); return scrollY > 0; }")
        box, main = notice.bounding_box(), tab.page.locator("main").bounding_box()
        assert box["y"] >= main["y"] + main["height"], width
        notice.get_by_role("button", name="Close").click()
        shows(tab.page.locator("#notice:not(:empty)"), 0)
    change("Shut by a key.")
    tab.page.keyboard.press("?")
    tab.page.keyboard.press("Escape")  # closes the help alone
    shows(tab.page.locator("dialog[open]"), 0)
    mentions(notice, "The comment is changed")
    tab.page.locator("#field").focus()
    tab.page.keyboard.press("Escape")
    shows(tab.page.locator("#notice:not(:empty)"), 0)


def test_a_game_of_cards_that_was_played_elsewhere_is_taken_up(tab: Tab) -> None:
    dealt = deal(Board.parse("2006"), 5, stones=6)
    start = replace(dealt, ordered=False)  # as the games of a match and of `kulami just4fun play`
    played = list(random_game(start, 8))
    end = played[-1][1]
    tab.open("#game=just4fun")
    tab.page.locator("#open-hands").check()
    tab.paste(json.dumps(record_of(start, [turn for turn, _ in played], end)))
    tab.sees("#rematch")
    tab.sees("[data-role=moves] [data-ply]")
    assert tab.played == [str(turn.move) for turn, _ in played]
    carries(tab.page.locator("body"), "data-position", end.jfn())
    # Its link has the cards, too.
    tab.page.reload()
    tab.sees("#rematch")
    tab.page.locator("#open-hands").check()
    carries(tab.page.locator("body"), "data-position", end.jfn())
    # What is no game of these rules is said, and takes nothing away.
    wrong = json.dumps({"start": start.jfn(), "moves": ["1=1+2+3+4+5"], "draws": [[]]})
    tab.paste(wrong)
    tab.sees("#field-wrong", "Move 1")
    tab.put_in(wrong)
    mentions(tab.page.locator("#begin-wrong"), "Move 1: ")
    carries(tab.page.locator("body"), "data-position", end.jfn())


def open_kept(tab: Tab, line: dict[str, Any]) -> None:
    """Open a game with this line that a page has left."""
    game: dict[str, Any] = {"id": "long", "game": "kulami", "line": line}
    game |= {
        "hash": "#layout=square&moves=d4,d7",
        "begun": 1,
        "changed": 2,
        "players": {},
        "others": "human",
        "moves": 2,
    }
    tab.remembers(games=json.dumps([game]))
    tab.open("#layout=square&moves=d4,d7")
    tab.stands(last="d7")
    tab.click("#open-games", '#games [data-game="long"] .open')
    tab.sees("#moves .variation")


def test_a_long_list_is_cut_short_away_from_the_board(tab: Tab) -> None:
    position = ks.Position(ks.Layout.square()).play("d4")
    legal: list[str] = []
    while len(legal) < 21:
        legal.append(next(field for field in position.legal_fields if field != "d7"))
        position = position.play(legal[-1])
    others = [f"{column}{row}" for column in "abcdefgh" for row in range(1, 9)]
    tries = [legal, *([first, *legal[1:]] for first in others if first not in (legal[0], "d7"))]
    open_kept(tab, {"moves": ["d4", "d7"], "variations": {"2": [{"moves": one} for one in tries]}})
    shows(tab.page.locator("#moves .variation"), 8)
    shows(tab.page.locator("#moves button"), 2 + 8)
    mentions(tab.page.locator("#moves .variation").first, "20 more moves")
    mentions(tab.page.locator("#moves li").last, "55 more variations")
    # The one that is on the board is written out, and keeps the focus of the keyboard.
    first = tab.page.locator("#moves .variation button").first
    first.focus()
    tab.page.keyboard.press("Enter")
    shows(tab.page.locator("#moves .variation").first.locator("button"), 21)
    tab.until("document.activeElement.closest('#moves .variation') !== null")
    # It is kept, however long it is.
    tab.page.reload()
    shows(tab.page.locator("#moves .variation").first.locator("button"), 21)
    mentions(tab.page.locator("#moves li").last, "55 more variations")


def test_what_is_more_than_can_be_kept_is_said(tab: Tab) -> None:
    tried = [f"x{number}" for number in range(MOST - 4)]
    line = {"moves": ["d4", "d7"], "variations": {"2": [{"moves": tried}]}}
    open_kept(tab, line)
    mentions(tab.page.locator("#moves .variation"), "more moves")
    shows(tab.page.locator("#notice:not(:empty)"), 0)
    tab.play("a7")
    mentions(tab.page.locator("#notice"), "more than 20,000 moves")
    assert lines(tab) == line  # what was there is not lost


def test_a_kept_variation_is_opened_while_values_come_in(newcomer: Tab) -> None:
    """Values of moves that were not shown since the page was loaded are listed, too."""
    tab = newcomer
    tab.open("#layout=square&first=red&scoring=0")
    tab.play("d4", "d7", "b7", "b1")
    for last in ("b7", "d7"):
        tab.page.click("#undo")
        tab.stands(last=last)
    tab.play("c7")
    tab.page.reload()
    tab.stands(last="c7")
    lists(tab, ["d4", "d7", "b7", "c7", "b1"])
    for button, last in (("#undo", "d7"), ("#redo", "c7")):
        tab.page.click(button)
        tab.stands(last=last)
        tab.sees("#moves [aria-current=step]", last)
