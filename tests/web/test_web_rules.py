"""The pages of the rules: each figure is what the package says, in five languages."""

from __future__ import annotations

import http.client
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
from browser import Tab, shows
from translated import sentence
from web_server import Server

import kulami_solver as ks
from kulami_solver.errors import KulamiError

pytestmark = pytest.mark.landing

WEB = Path(ks.__file__).parent / "web"
LANGUAGES = ("en", "de", "fr", "es", "nl")
GAMES = ("kulami", "malawi", "just4fun")


def page_of(game: str) -> Any:
    """What a game lists for its page of rules."""
    return json.loads((WEB / game / "static" / "rules" / "page.json").read_text(encoding="utf-8"))


def texts_of(folder: Path, language: str) -> dict[str, str]:
    found: dict[str, str] = json.loads((folder / f"{language}.json").read_text(encoding="utf-8"))
    return found


def asked(game: str, name: str) -> dict[str, Any]:
    """The question to the server about a position of a page."""
    said = page_of(game)["positions"][name]
    return {**said["start"], "moves": said.get("moves", []), **said.get("counts", {})}


# What is shown


def open_rules(tab: Tab, game: str) -> None:
    """Go to the rules of a game, and wait until all positions are drawn."""
    tab.page.goto(f"{tab.server.url}rules/{game}/")
    for name in page_of(game)["positions"]:
        tab.page.locator(f"#board-{name} .field").first.wait_for(state="attached")


@pytest.mark.parametrize("game", GAMES)
def test_the_rules_are_read_in_each_language(tab: Tab, game: str) -> None:
    wood: list[str] = []
    tab.page.on("request", lambda asked: wood.append(asked.url))
    open_rules(tab, game)
    if game == "kulami":  # square, the rulebook's by its name, and by its rows: each once
        assert len([url for url in wood if url.endswith("/api/board")]) == 3
    positions = page_of(game)["positions"]
    for name in positions:
        tab.server.good(f"/api/{game}/position", asked(game, name))
    for language in (*LANGUAGES[::-1], "fr", "es"):  # the last while the one before is still drawn
        tab.page.select_option("#language", language)
        if language == "fr" and tab.page.evaluate("document.documentElement.lang") == "en":
            continue
        tab.sees(f"html[lang={language}]")
        title = texts_of(WEB / "static" / "rules" / "texts", language)["section_board"]
        tab.sees("#title-board", title)
        said = tab.page.inner_text("main")
        assert not re.search("[{_]|undefined", said), language
        for fact in page_of(game)["facts"].values():
            for one in fact if isinstance(fact, list) else [fact]:
                assert re.search(rf"\b{one}\b", said), (language, one)
    links = tab.page.locator("main a.open").evaluate_all("all => all.map(one => one.href)")
    assert len(links) == len(positions)
    assert all(link.startswith(f"{tab.server.url}#") for link in links)
    tab.sees(f"#board-{[*positions][-1]}:has(.field)")
    hands = tab.page.locator("figure").evaluate_all(
        "all => all.map(one => one.querySelectorAll('.hands').length)"
    )
    assert hands == [int(game == "just4fun")] * len(positions)


def test_a_click_says_whether_a_field_may_be_played(tab: Tab) -> None:
    language = "de"
    tab.becomes(language=language)
    open_rules(tab, "kulami")
    shared = texts_of(WEB / "static" / "rules" / "texts", language)
    black = texts_of(WEB / "static" / "texts", language)["black"]
    position = ks.Position(ks.Layout.rulebook()).play_all("d6 d3 i3")
    answer = tab.page.locator("#answer-try_fourth")
    for field in ("i8", "h3", "e3", "d7", "d6"):
        tab.page.click(f'#board-try_fourth [data-field="{field}"]')
        if field in position.legal_fields:
            said = shared["may_play"].replace("{side}", black).replace("{move}", field)
        else:
            with pytest.raises(KulamiError) as refused:
                position.play(field)
            said = sentence(refused.value.told(), language)
        answer.get_by_text(said[0].upper() + said[1:], exact=True).wait_for()
    # With the keys alone: from the field that has the focus to the next one.
    tab.page.locator('#board-try_fourth [data-field="f3"]').focus()
    tab.press("ArrowRight", "Enter")
    answer.get_by_text("g3").wait_for()
    # What is tried is not played; the link opens what is shown.
    shows(tab.page.locator("#board-try_fourth [data-marble]"), 3)
    tab.page.click("#position-try_fourth a.open")
    tab.page.wait_for_url(f"{tab.server.url}#layout=rulebook&first=red&moves=d6,d3,i3*")
    tab.stands(last="i3")


@pytest.mark.parametrize(
    ("game", "name", "tries"),
    [
        (
            "malawi",
            "try_hit",
            [
                ("a3", "Go on, you may choose: Hit a1 · Go to c3"),
                ("a1", "Yes, red may play a3xa1."),
                ("a3 d3", "so it hits at exactly 2, and d3 is 3 away"),
                ("a3 a3 b5", "you may choose: Give beads to b5, c5 · Give beads to b5, d5"),
                ("c5", "Yes, red may play a3:b5,c5."),
            ],
        ),
        (
            "just4fun",
            "try_ahead",
            [
                ("=1 =4", "Go on, you may choose: 10=1+4+5 · 14=1+4+9 · 19=1+4+5+9"),
                ("5", "an opponent has at least two stones more on field 5"),
                ("=4 =5 6", "add up to 9, not to field"),
                ("6", "Yes, red may play 6=1+5."),
            ],
        ),
    ],
)
def test_turns_and_cards_are_tried(
    tab: Tab, game: str, name: str, tries: list[tuple[str, str]]
) -> None:
    open_rules(tab, game)
    for clicks, said in tries:
        for one in clicks.split():
            kind = "card" if one[0] == "=" else "field"
            tab.page.click(f'#position-{name} [data-{kind}="{one.strip("=")}"]')
        tab.page.locator(f"#answer-{name}").get_by_text(said).wait_for()


def test_what_has_no_rules_is_not_there_and_a_last_slash_may_be_left_out(server: Server) -> None:
    for path in ("/rules/", "/rules/chess/", "/rules/kulami/page.json"):
        assert server.ask(path)[0] == 404
    for path in ("/rules/kulami", "/rules/malawi?lang=de", "/puzzles/kulami"):
        place, _, query = path.partition("?")
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        connection.request("GET", path)
        answer = connection.getresponse()
        assert answer.status == 307
        told = urljoin(path, answer.getheader("location"))
        assert told == f"{place}/" + (f"?{query}" if query else "")
        connection.close()
        assert server.ask(told)[0] == 200
