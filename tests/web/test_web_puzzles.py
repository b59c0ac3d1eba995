"""The page of puzzles: right and wrong fields, hints, what is kept, and its languages."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from browser import Tab, mentions, reads
from web_server import Server

import kulami_solver as ks
from kulami_solver.bots.kulami.puzzles import Puzzle, read_puzzles

LANGUAGES = ("en", "de", "fr", "es", "nl")
FOLDER = Path(ks.__file__).parent / "web" / "kulami" / "static" / "puzzles"


def open_puzzle(tab: Tab, number: int) -> Puzzle:
    tab.page.goto(f"{tab.server.url}puzzles/kulami/#{number}")
    tab.page.locator("#board [data-legal]").first.wait_for()
    puzzle = read_puzzles()[number - 1]
    tab.offers(set(puzzle.position.legal_fields))
    return puzzle


def kept(tab: Tab) -> Any:
    return json.loads(tab.page.evaluate("localStorage.getItem('puzzles')"))


def test_the_right_field_ends_a_puzzle_and_is_played_out(tab: Tab) -> None:
    puzzle = open_puzzle(tab, 1)
    tab.field(puzzle.best).click()
    tab.page.locator("#answer.right").wait_for()
    mentions(tab.page.locator("#answer"), f"{puzzle.best}: black wins by {puzzle.value}")
    tab.page.locator("#line b", has_text=puzzle.line[-1]).wait_for()
    tab.stands(last=puzzle.line[-1])
    assert kept(tab) == {"solved": [1], "streak": 1, "longest": 1}
    assert not tab.page.is_visible("#solution")
    tab.page.click("#to-start")
    tab.page.locator("#undo:disabled").wait_for()
    tab.field(puzzle.best).click()  # it has been answered
    assert kept(tab)["streak"] == 1
    tab.page.click("#redo")
    tab.stands(last=puzzle.best)


def test_what_the_browser_does_not_keep_is_said(tab: Tab) -> None:
    tab.page.add_init_script(
        "Storage.prototype.setItem = () => { throw new DOMException('full'); };"
    )
    for number, solved in ((1, 1), (2, 2)):
        puzzle = open_puzzle(tab, number)
        tab.field(puzzle.best).click()
        tab.page.locator("#kept", has_text=f"{solved} of 500 solved").wait_for()
        mentions(tab.page.locator("#kept"), "This browser does not keep that")


def test_two_tabs_count_what_both_have_solved(tab: Tab) -> None:
    puzzle = open_puzzle(tab, 1)
    tab.page.evaluate(
        'localStorage.setItem(\'puzzles\', \'{"solved": [7], "streak": 4, "longest": 9}\')'
    )
    tab.field(puzzle.best).click()
    tab.page.locator("#answer.right").wait_for()
    assert kept(tab) == {"solved": [7, 1], "streak": 5, "longest": 9}


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
    tab.page.locator("#answer.no", has_text="With the best field").wait_for()
    said = tab.page.inner_text("#answer")
    points = abs(value)
    assert (f"wins by {points} then" if points else "draw then") in said
    tab.page.locator("#redo:disabled").wait_for()
    line = tab.page.inner_text("#line").split()
    assert line[0] == wrong
    end = puzzle.position.play_all(line)
    assert end.is_over
    assert end.margin(puzzle.scoring) * (1 if end.turn == after.turn else -1) == value
    assert kept(tab) == {"solved": [], "streak": 0, "longest": 0}
    tab.page.click("#again")
    tab.page.locator("#again").wait_for(state="hidden")
    tab.field(puzzle.best).click()
    tab.page.locator("#answer.right").wait_for()
    assert kept(tab)["solved"] == []  # the first answer counts


def test_hints_the_solution_and_the_next_one(tab: Tab) -> None:
    puzzle = open_puzzle(tab, 1)
    tab.page.click("#hint")
    reads(tab.page.locator("#answer"), "After it, the other side has a single field twice.")
    tab.page.click("#hint")
    reads(tab.page.locator("#answer"), f"It is in column {puzzle.best[0]}.")
    tab.page.click("#solution")
    tab.stands(last=puzzle.line[-1])
    tab.page.select_option("#band", "3")
    tab.page.select_option("#counted", "chains")
    tab.page.click("#next")
    tab.page.locator("#title", has_not_text=re.compile("^Puzzle 1$")).wait_for()
    number = int(tab.page.url.partition("#")[2])
    found = read_puzzles()[number - 1]
    assert found.difficulty >= 75
    assert found.scoring.value == "chains"
    assert f"kfn={found.position.kfn().split()[0]}" in (
        tab.page.get_attribute("#analyse", "href") or ""
    ).replace("%2F", "/")


def test_what_is_illegal_is_explained_and_costs_nothing(tab: Tab) -> None:
    puzzle = open_puzzle(tab, 1)
    taken = next(field for field in puzzle.position.layout.fields if field in "a1")
    tab.field(taken).click()
    tab.page.locator("#refused", has_text="it is taken").wait_for()
    assert tab.page.evaluate("localStorage.getItem('puzzles')") is None


def test_an_address_without_a_puzzle_shows_one_that_is_not_solved(
    server: Server, browser: Any
) -> None:
    solved = [number for number in range(1, 501) if number != 77]
    tab = Tab(
        server,
        browser,
        remembers={"puzzles": json.dumps({"solved": solved, "streak": 3, "longest": 4})},
    )
    tab.page.goto(f"{server.url}puzzles/kulami/#9999")
    tab.page.locator("#title", has_text="Puzzle 77").wait_for()
    mentions(tab.page.locator("#kept"), "Streak 3, longest 4; 499 of 500 solved")
    mentions(tab.page.locator("#refused"), "There is no such puzzle")
    tab.page.evaluate("location.hash = 'abc'")
    tab.page.wait_for_url(re.compile(r"#[0-9]+$"))
    mentions(tab.page.locator("#refused"), "their numbers go from 1 to 500")
    tab.page.click("#next")
    tab.page.locator("#refused:empty").wait_for(state="attached")
    tab.page.goto(f"{server.url}puzzles/kulami/")
    tab.page.locator("#title", has_text=re.compile("Puzzle [0-9]")).wait_for()
    reads(tab.page.locator("#refused"), "")
    tab.close()


def test_it_is_found_from_the_first_page_and_leads_back(tab: Tab) -> None:
    tab.open()
    tab.page.click("#start .ways a")
    tab.page.wait_for_url("**/puzzles/kulami/**")
    tab.page.locator("#board .field").first.wait_for()
    tab.page.click("a.back")
    tab.page.locator("body[data-game=kulami] #board .field").first.wait_for()


@pytest.mark.parametrize(
    ("width", "scheme"), [pytest.param(1280, "light", marks=pytest.mark.nightly), (390, "dark")]
)
def test_nothing_is_cut_off_and_axe_has_nothing_to_say(
    server: Server, browser: Any, width: int, scheme: str
) -> None:
    tab = Tab(server, browser, viewport=(width, 844), color_scheme=scheme)
    puzzle = open_puzzle(tab, 3)
    for _ in range(2):
        tab.looks_right()
        tab.field(puzzle.best).click()
        tab.page.locator("#answer.right").wait_for()
    tab.close()


def test_every_text_is_there_in_five_languages(server: Server, browser: Any) -> None:
    texts = {
        language: json.loads((FOLDER / "texts" / f"{language}.json").read_text(encoding="utf-8"))
        for language in LANGUAGES
    }
    for language, found in texts.items():
        assert list(found) == list(texts["en"]), language
        for name, text in found.items():
            holes = re.findall(r"\{\w+\}", text)
            assert sorted(holes) == sorted(re.findall(r"\{\w+\}", texts["en"][name]))
    tab = Tab(server, browser, locale="de")
    open_puzzle(tab, 1)
    reads(tab.page.locator("#next"), texts["de"]["next_puzzle"])
    tab.page.select_option("#language", "nl")
    tab.page.locator("#title", has_text="Puzzel 1").wait_for()
    reads(tab.page.locator("#hint"), texts["nl"]["hint"])
    tab.close()


def test_numbers_that_are_none(server: Server) -> None:
    said = server.refused("/api/kulami/puzzle", {"number": 501})
    assert said == "there are 500 puzzles: ask for one of them"
    for number in (0, -1, "1", 1.5, 10**30, None):
        assert server.ask("/api/kulami/puzzle", {"number": number})[0] == 400
