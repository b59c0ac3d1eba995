"""The HTML page of a check, as a browser shows it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from command_line import good, kulami

from kulami_solver import Layout, Position
from kulami_solver.bots import Player
from kulami_solver.bots.accuracy import GradedGame, accuracies, accuracy_table, players_of
from kulami_solver.bots.check import CheckReport, Choice, check
from kulami_solver.bots.grade import Grade, grade
from kulami_solver.bots.kulami.suite import read_suite
from kulami_solver.bots.page import check_page
from kulami_solver.kulami.game import state_of


class Tags(HTMLParser):
    """Notes what a page asks of others, and sees that every element that is opened is closed."""

    void = frozenset({"meta", "br"})
    asking = frozenset({"src", "href", "xlink:href", "data", "action"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.foreign: list[str | None] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open += {tag} - self.void
        self.foreign += [value for name, value in attrs if name in self.asking]
        self.foreign += {tag} & {"script", "link", "iframe"}

    def handle_endtag(self, tag: str) -> None:
        assert tag in self.void or self.open.pop() == tag


def test_the_page_needs_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    good("check", "random", "--positions", "80", "--html", str(path), "--blunders", "5")
    page = path.read_text(encoding="utf-8")
    assert Tags(page).foreign == []
    assert page.count("<article") == 5
    assert "url(http" not in page


def test_names_are_escaped() -> None:
    assert "<h1>&lt;b&gt;&amp;$x</h1>" in check_page(CheckReport("<b>&$x", []))


def test_a_page_without_blunders_and_one_with_faults() -> None:
    cases = read_suite(count=10)
    right = [Choice(case, case.best_moves[0], 0.001) for case in cases]
    assert "No blunders" in check_page(CheckReport("x", right))
    fault = Choice(cases[0], None, 2.0, "timeout", "too <slow>")
    page = check_page(CheckReport("x", [fault, *right[1:]]))
    assert "no legal field (timeout)" in page
    assert "too &lt;slow&gt;" in page
    assert "<pre>" not in page
    assert "earlier run" not in page
    traced = Choice(cases[0], None, 2.0, "crash", "boo", ('  File "<x>"', "boo"))
    page = check_page(CheckReport("x", [traced, *right[1:]], from_file=4))
    assert "<pre>  File &#34;&lt;x&gt;&#34;\nboo</pre>" in page
    assert "4 of the answers were kept from an earlier run" in page


def test_in_a_browser(browser: Any, tmp_path: Path) -> None:
    cases = read_suite(count=200)

    class First:
        def choose(self, position: Any) -> str:
            return str(position.legal_fields[0])

    report = check(Player(First(), "first & foremost"), cases)
    path = tmp_path / "report.html"
    path.write_text(check_page(report), encoding="utf-8")
    page = browser.new_page(viewport={"width": 400, "height": 900})
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("requestfailed", lambda request: problems.append(request.url))
    page.goto(path.as_uri())
    assert problems == []
    assert page.title() == "first & foremost against perfect play"
    assert f"{report.optimal_rate * 100:.1f} %" in page.inner_text(".figures")
    assert page.locator(".chart").count() == 4
    # A column for each number of free fields, and a board, wide and high, for each blunder.
    assert page.locator(".chart").first.locator("rect.bar").count() == len(report.by("free"))
    worst = report.blunders[0]
    said = page.locator(".blunder").first.inner_text()
    assert f"{worst.played} instead of {' or '.join(worst.case.best_moves)}" in said
    assert worst.case.position.kfn() in said
    for width in (400, 1200):
        page.set_viewport_size({"width": width, "height": 900})
        boxes = page.locator(".blunder > svg").evaluate_all(
            "boards => boards.map(board => board.getBoundingClientRect().toJSON())"
        )
        assert len(boxes) == 12
        assert all(box["width"] > 250 and box["height"] > 250 for box in boxes)
        # Nothing sticks out to the right.
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        # Charts can be read; where they can be scrolled, the edge is shaded.
        sizes, shades = page.evaluate(
            """() => {
                const all = (names) => [...document.querySelectorAll(names)];
                const size = (text) => parseFloat(getComputedStyle(text).fontSize);
                const shade = (card) => getComputedStyle(card).backgroundAttachment;
                return [all('.chart text').map((text) => size(text) * text.getCTM().a),
                    all('.chart').map(shade)];
            }"""
        )
        assert min(sizes) > 11
        assert all("local" in shade for shade in shades)
    page.close()


BOARD = "AABBC/AABBC/DDEEC"
BAD = {"board": "AAB/CCB", "level": 0, "first": "red", "moves": ["a1", "a2", "c2"]}
BAD |= {"score": {"red": 4, "black": 2}}


@pytest.fixture(scope="module")
def found() -> Grade:
    """A whole game, solved from its first move: the last legal field each time."""
    position = Position(Layout.parse(BOARD))
    moves = []
    while not position.is_over:
        moves.append(position.legal_fields[-1])
        position = position.play(moves[-1])
    graded = grade(state_of(Position(Layout.parse(BOARD))), moves)
    assert graded.first_ply == 1
    assert len(moves) >= 6
    return graded


def test_players_are_counted_over_their_games(found: Grade) -> None:
    games = [
        GradedGame("a 1", replace(found, players={"red": "Ann", "black": "Bob"})),
        GradedGame("a 2", replace(found, players={"red": "Bob", "black": "Ann"})),
        GradedGame("a 3", replace(found, players={"red": "Cleo", "black": "Cleo"})),
    ]
    both = [found.of(seat) for seat in ("red", "black")]
    for seat, told in zip(("red", "black"), both, strict=True):  # where there was a choice
        choices = [one for one in found.moves if one.colour == seat and len(one.case.values) > 1]
        assert told["moves"] == len(choices) < sum(one.colour == seat for one in found.moves)
    counted = accuracies(games)
    assert [counted[name]["games"] for name in ("Ann", "Bob", "Cleo")] == [2, 2, 1]
    for player in counted.values():
        for key in ("moves", "optimal", "lost"):
            assert player[key] == sum(seat[key] for seat in both)
    text = accuracy_table(games).splitlines()
    assert text[0] == "3 games"
    assert sum(line.endswith(", 2 games") for line in text) == 2


def test_names_are_those_of_the_record() -> None:
    seats = ("red", "black")
    assert players_of({"red": "x", "headers": {"Red": "y"}}, seats)["red"] == "x"
    assert players_of({"red": 7, "headers": []}, seats) == {"red": "red", "black": "black"}
    assert players_of(None, seats) == {"red": "red", "black": "black"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = [json.dumps(BAD | {"red": "Ann"}), json.dumps(BAD | {"black": "Ann"})]
    (tmp_path / "b.jsonl").write_text("\n".join(lines))
    (tmp_path / "a.jsonl").write_text(lines[0])
    (tmp_path / "README.md").write_text("no games")
    # What is no file of games: other systems put hidden files beside each file.
    (tmp_path / "._a.jsonl").write_bytes(b"\0\5\26\7\0\2\0\0Mac OS X        ")
    (tmp_path / "c.jsonl").symlink_to("nowhere")
    (tmp_path / "d.json").mkdir()
    return tmp_path


def test_a_folder_of_games(folder: Path) -> None:
    *games, last = good("grade", str(folder), "--json").answers
    assert [Path(game["file"]).name for game in games] == ["a.jsonl", "b.jsonl", "b.jsonl"]
    assert [game["game"] for game in games] == [1, 1, 2]
    assert last["games"] == 3
    assert (last["players"]["Ann"]["games"], last["players"]["Ann"]["lost"]) == (3, 2)
    assert good("grade", f"{folder}/a.jsonl", f"{folder}/b.jsonl", "--json").answers[-1] == last
    out = good("grade", str(folder)).out
    assert "b.jsonl, game 2: 3 moves" in out
    assert out.splitlines()[-1].startswith("red ")


@pytest.mark.parametrize("form", ["text", "json", "key"])
def test_players_are_named(form: str) -> None:
    start = json.dumps(BAD)[:-1]
    text = {
        "text": '[Layout "AAB/CCB"]\n[Red "Anna"]\n1. a1 a2 2. c2 4-2',
        "json": start + ', "headers": {"Red": "Anna"}}',
        "key": start + ', "red": "Anna"}',
    }[form]
    out = good("grade", "-", stdin=text.encode()).out
    assert re.search(r"^  1  Anna +a1 ", out, re.MULTILINE)
    assert re.search(r"^  2  black +a2 ", out, re.MULTILINE)
    assert re.search(r"^Anna \(red\) +100 %", out, re.MULTILINE)


TAKEN = "a1 c1 c3 a1 b3"  # the fourth is taken

UNFINISHED = {
    "text": f"Layout: {BOARD}\n1. {TAKEN} 3-2\n\nLayout: {BOARD}\n1. a1 c1 *\n",
    "moves": json.dumps({"board": BOARD.split("/"), "level": 0, "first": "red", "moves": TAKEN}),
    "list": json.dumps({**BAD, "board": BOARD, "moves": TAKEN.split()}),
    "malawi": json.dumps({"board": "2x3", "moves": ["a3xa1", "zz"], "winner": "red"}),
}


@pytest.mark.parametrize("form", UNFINISHED)
def test_what_is_before_an_illegal_move_is_judged(form: str, tmp_path: Path) -> None:
    """Then the move is told of, and the games after it are judged as always."""
    path = tmp_path / "games.txt"
    path.write_text(UNFINISHED[form], encoding="utf-8")
    ran = kulami(*["malawi"] * (form == "malawi"), "grade", str(path), "--json")
    judged = [json.loads(line) for line in ran.out.splitlines()]
    plies = {"text": [3, 2], "malawi": [1]}.get(form, [3])
    assert ran.code == 2
    assert [game["plies"] for game in judged] == plies
    assert [len(game["moves"]) for game in judged] == plies
    (error,) = ran.err.splitlines()
    assert f"game record 1: move {plies[0] + 1}: " in error
