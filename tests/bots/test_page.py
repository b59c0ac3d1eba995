"""The HTML page of a check, as a browser shows it."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from command_line import good

from kulami_solver.bots import Player
from kulami_solver.bots.check import CheckReport, Choice, check
from kulami_solver.bots.kulami.suite import read_suite
from kulami_solver.bots.page import check_page


class Tags(HTMLParser):
    """Notes a page's elements, and sees that every one that is opened is closed."""

    VOID = frozenset({"meta", "br"})
    ASKING = frozenset({"src", "href", "xlink:href", "data", "action"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def of(self, kind: str) -> list[dict[str, str | None]]:
        """The elements of a class."""
        return [attrs for _, attrs in self.found if attrs.get("class") == kind]

    @property
    def foreign(self) -> list[str | None]:
        """What a page needs from elsewhere."""
        asked = [attrs[name] for _, attrs in self.found for name in self.ASKING & attrs.keys()]
        return [*asked, *(tag for tag, _ in self.found if tag in ("script", "link", "iframe"))]


def test_the_page_needs_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    good("check", "random", "--positions", "80", "--html", str(path), "--blunders", "5")
    page = path.read_text(encoding="utf-8")
    assert Tags(page).foreign == []
    assert page.count("<article") == 5
    assert "url(http" not in page


def test_names_are_escaped() -> None:
    page = check_page(CheckReport("<b>&$x", []))
    assert "<h1>&lt;b&gt;&amp;$x</h1>" in page


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
