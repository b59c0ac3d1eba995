"""The page of puzzles: right and wrong fields, hints, and what is kept."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from browser import Tab, mentions, reads, shows
from web_server import Server

import kulami_solver as ks
from kulami_solver.bots.kulami.puzzles import Puzzle, read_puzzles

pytestmark = pytest.mark.landing


@pytest.fixture(autouse=True)
def _hurrying(tab: Tab) -> None:
    tab.hurries()


def open_puzzle(tab: Tab, number: int) -> Puzzle:
    tab.page.goto("about:blank")
    tab.page.goto(f"{tab.server.url}puzzles/kulami/#{number}")
    tab.sees("#board [data-legal]")
    puzzle = read_puzzles()[number - 1]
    tab.offers(set(puzzle.position.legal_fields))
    return puzzle


def kept(tab: Tab) -> Any:
    return json.loads(tab.page.evaluate("localStorage.getItem('puzzles')") or "null")


def test_a_puzzle_is_found_solved_and_played_out(tab: Tab) -> None:
    tab.open()
    tab.page.click("#start .ways a")
    tab.sees("#title", re.compile("Puzzle [0-9]"))
    tab.page.go_back()  # a puzzle that the page chose first adds no step to go back
    tab.sees("#start .ways a")
    puzzle = open_puzzle(tab, 1)
    tab.field("a1").click()  # what is illegal costs nothing
    tab.sees("#refused", "it is taken")
    assert kept(tab) is None
    tab.page.evaluate(
        'localStorage.setItem(\'puzzles\', \'{"solved": [7], "streak": 4, "longest": 9}\')'
    )  # as another tab does
    tab.field(puzzle.best).focus()
    tab.page.keyboard.press("Enter")
    tab.sees("#answer.right")
    mentions(tab.page.locator("#answer"), f"{puzzle.best}: black wins by {puzzle.value}")
    tab.sees("#line b", puzzle.line[-1])
    tab.stands(last=puzzle.line[-1])
    tab.sees("[data-role=status]", "Game over")
    assert kept(tab) == {"solved": [7, 1], "streak": 5, "longest": 9, "level": 4}
    assert not tab.page.is_visible("#solution")
    tab.page.click("#to-start")
    tab.sees("#undo:disabled")
    tab.field(puzzle.best).click()  # it has been answered
    assert kept(tab)["streak"] == 5
    tab.page.click("#redo")
    tab.stands(last=puzzle.best)
    tab.page.click("a.back")
    tab.sees("body[data-game=kulami] #board .field")


def test_what_the_browser_does_not_keep_is_said(tab: Tab) -> None:
    tab.page.add_init_script(
        "Storage.prototype.setItem = () => { throw new DOMException('full'); };"
    )
    open_puzzle(tab, 3)
    for number in (1, 2):
        tab.page.evaluate("(number) => { location.hash = number; }", number)
        tab.sees("#title", f"Puzzle {number}")
        tab.field(read_puzzles()[number - 1].best).click()
        tab.sees("#kept", f"{number} of 500 solved")
        mentions(tab.page.locator("#kept"), "This browser does not keep that")


@pytest.mark.parametrize(
    "number", [1, *(pytest.param(number, marks=pytest.mark.nightly) for number in (2, 3, 4))]
)
def test_a_wrong_field_is_refuted_by_best_play(tab: Tab, number: int) -> None:
    puzzle = open_puzzle(tab, number)
    wrong = next(field for field in puzzle.position.legal_fields if field != puzzle.best)
    after = puzzle.position.play(wrong)
    value = ks.solve(after, puzzle.scoring).margin
    assert value is not None
    assert -value < puzzle.value
    tab.field(wrong).click()
    tab.sees("#answer.no", "With the best field")
    points = abs(value)
    mentions(tab.page.locator("#answer"), f"wins by {points} then" if points else "draw then")
    for state in ("#undo:enabled", "#redo:disabled"):  # the line is there, and at its end
        tab.sees(state)
    line = tab.page.inner_text("#line").split()
    assert line[0] == wrong
    end = puzzle.position.play_all(line)
    assert end.is_over
    assert end.margin(puzzle.scoring) * (1 if end.turn == after.turn else -1) == value
    assert kept(tab) == {"solved": [], "streak": 0, "longest": 0, "level": 0}
    tab.page.click("#again")
    tab.page.locator("#again").wait_for(state="hidden")
    tab.field(puzzle.best).click()
    tab.sees("#answer.right")
    assert kept(tab)["solved"] == []  # the first answer counts


def test_hints_the_solution_and_the_next_one(tab: Tab) -> None:
    puzzle = open_puzzle(tab, 1)
    for said in (
        "After it, the other side has a single field twice.",
        f"It is in column {puzzle.best[0]}.",
    ):
        tab.page.click("#hint")
        reads(tab.page.locator("#answer"), said)
    tab.page.locator("#solution").focus()
    tab.page.keyboard.press("Enter")
    shows(tab.page.locator("#solution:visible"), 0)
    tab.until("document.activeElement.id === 'next'")  # the focus is handed on
    tab.stands(last=puzzle.line[-1])
    tab.page.select_option("#band", "3")
    tab.page.select_option("#counted", "chains")
    tab.page.click("#next")
    tab.sees("#title", re.compile("^Puzzle (?!1$)"))
    found = read_puzzles()[int(tab.page.url.partition("#")[2]) - 1]
    assert found.difficulty >= 75
    assert found.scoring.value == "chains"
    link = (tab.page.get_attribute("#analyse", "href") or "").replace("%2F", "/")
    assert f"kfn={found.position.kfn().split()[0]}" in link


def test_where_points_alone_decide_the_hint_is_the_value(tab: Tab) -> None:
    puzzle = open_puzzle(tab, 5)
    assert (puzzle.theme, puzzle.value, puzzle.position.turn) == ("points", -2, "red")
    tab.page.click("#hint")
    reads(tab.page.locator("#answer"), "With the best field: black wins by 2.")


def test_puzzles_begin_easy_and_follow_the_reader(tab: Tab) -> None:
    puzzles = read_puzzles()
    easy = sorted(puzzle.difficulty for puzzle in puzzles)[:20]

    def shown() -> Puzzle:
        tab.page.wait_for_url(re.compile(r"#[0-9]+$"))
        number = int(tab.page.url.partition("#")[2])
        tab.sees("#title", re.compile(f"^Puzzle {number}$"))
        return puzzles[number - 1]

    def easier(level: int) -> int:
        return min(level, max(level, shown().difficulty) - 8)

    tab.page.goto(f"{tab.server.url}puzzles/kulami/")
    assert shown().difficulty <= easy[9]
    # Each puzzle that is solved makes the next one harder, unless it was too easy.
    level = 0
    for _ in range(3):
        puzzle = shown()
        tab.offers(set(puzzle.position.legal_fields))
        tab.field(puzzle.best).click()
        tab.sees("#answer.right")
        level = max(level, min(level, puzzle.difficulty) + 4)
        assert kept(tab)["level"] == level
        tab.page.click("#next")
    assert level > 8
    assert kept(tab)["level"] == level
    tab.remembers(puzzles=json.dumps({"solved": [], "streak": 0, "longest": 0, "level": 60}))
    puzzle = open_puzzle(tab, 1)
    assert puzzle.difficulty < 56
    tab.field(puzzle.best).click()
    tab.sees("#answer.right")
    assert kept(tab)["level"] == 60
    tab.page.click("#next")
    assert 55 < shown().difficulty < 65
    # One that is skipped leaves the level, unless a hint was not enough.
    level = 60
    for hinted in (False, True):
        title = tab.page.inner_text("#title")
        if hinted:
            level = easier(level)
            tab.page.click("#hint")
        tab.page.click("#next")
        assert (kept(tab)["level"], kept(tab)["streak"]) == (level, 0)
        tab.until("(title) => document.querySelector('#title').textContent !== title", title)
    # One that is given up makes the next one easier, and so does the next visit.
    level = easier(level)
    tab.page.click("#solution")
    tab.sees("#answer.shown")
    assert kept(tab)["level"] == level
    tab.page.goto("about:blank")
    tab.page.goto(f"{tab.server.url}puzzles/kulami/")
    assert abs(shown().difficulty - level) < 5


def test_an_address_without_a_puzzle_shows_one_that_is_not_solved(tab: Tab) -> None:
    solved = [number for number in range(1, 501) if number != 77]
    tab.remembers(puzzles=json.dumps({"solved": solved, "streak": 3, "longest": 4}))
    tab.page.goto(f"{tab.server.url}puzzles/kulami/#9999")
    tab.sees("#title", "Puzzle 77")
    mentions(tab.page.locator("#kept"), "Streak 3, longest 4; 499 of 500 solved")
    mentions(tab.page.locator("#refused"), "There is no such puzzle")
    tab.page.evaluate("location.hash = 'abc'")
    tab.page.wait_for_url(re.compile(r"#[0-9]+$"))
    mentions(tab.page.locator("#refused"), "their numbers go from 1 to 500")
    tab.page.click("#next")
    tab.page.locator("#refused:empty").wait_for(state="attached")
    tab.page.goto(f"{tab.server.url}puzzles/kulami/")
    tab.sees("#title", re.compile("Puzzle [0-9]"))
    reads(tab.page.locator("#refused"), "")


def test_numbers_that_are_none(server: Server) -> None:
    said = server.refused("/api/kulami/puzzle", {"number": 501})
    assert said == "there are 500 puzzles: ask for one of them"
    for number in (0, -1, "1", 1.5, 10**30, None):
        assert server.ask("/api/kulami/puzzle", {"number": number})[0] == 400
