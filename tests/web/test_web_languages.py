"""The page in five languages: every text is there, is shown, and is whole on a small screen."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from browser import Tab, carries, holds, mentions, reads

import kulami_solver as ks
from kulami_solver.bots.kulami.puzzles import read_puzzles

pytestmark = pytest.mark.landing

WEB = Path(ks.__file__).parent / "web"
LANGUAGES = ("en", "de", "fr", "es", "nl")
GAMES = ("kulami", "malawi", "just4fun")
FOLDERS = sorted(path for path in WEB.rglob("texts") if path.is_dir())

HOLES = re.compile(r"\{(\w+)[|}]")
NO_TEXT = re.compile(r"\b[a-z]+_[a-z_]+\b|undefined|\{")  # the name of one, or what is left of it


def texts_of(language: str, *folders: Path) -> dict[str, str]:
    """A language's texts in these folders; in all of them, if none is given."""
    found: dict[str, str] = {}
    for folder in folders or FOLDERS:
        found |= json.loads((folder / f"{language}.json").read_text(encoding="utf-8"))
    return found


def sources_of(folder: Path) -> str:
    """All that a folder gives to the browser but its texts."""
    return "".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.[jh]*")))


def keys_used(sources: str) -> set[str]:
    """The names of texts that sources ask for in so many words."""
    found = set(re.findall(r'\bt\(\s*"(\w+)"', sources))
    found |= set(re.findall(r'(?:text: |\? |: )"(key_\w+|bot_\w+)"', sources))
    return found | set(re.findall(r'data-(?:text|label)="(\w+)"', sources))


@pytest.mark.sources
def test_every_text_is_there_in_five_languages(repository: Path) -> None:
    # tests/web/test_web_sentences.py looks at the server's sentences.
    own = repository / "scripts/static_page"
    for folder in (*FOLDERS, own / "texts"):
        assert {path.stem for path in folder.iterdir()} == set(LANGUAGES)
        english = texts_of("en", folder)
        for language in LANGUAGES:
            found = texts_of(language, folder)
            assert list(found) == list(english), language
            for name, text in found.items():
                place = (folder, language, name)
                assert text.strip(), place
                assert {*HOLES.findall(text)} == {*HOLES.findall(english[name])}, place
                for sign in "|*":
                    assert text.count(sign) == english[name].count(sign), place
            same = [name for name in english if found[name] == english[name]]
            # Of the rules and of the page without a server, each is another one.
            few = 20 if folder.parent.name in ("static", "puzzles") else 1
            assert language == "en" or len(same) < few, same
    script = (own / "kulami-visit.js").read_text(encoding="utf-8")
    for name in texts_of("en", own / "texts"):
        assert f'"{name}"' in script or name == "from_file"
    # A figure in a text of the rules would be one that nothing compares.
    for folder in FOLDERS:
        if folder.parent.name == "rules":
            page = folder.parent / "page.json"
            facts = {"game", "side", "move", "moves"}
            if page.exists():
                facts = set(json.loads(page.read_text(encoding="utf-8"))["facts"])
            for text in (text for one in LANGUAGES for text in texts_of(one, folder).values()):
                assert set(re.findall(r"\{(\w+)\}", text)) <= facts, text
                assert not re.search(r"[0-9]", re.sub(r"\{\w+\}", "", text)), text
                assert text.count("*") % 2 == 0, text


#: How a stranger is addressed.
FORMAL = {
    "de": r"\w+en Sie\b|\bIhnen\b",
    "fr": r"\b[Vv](ous|otre)\b|(?<!ss)ez\b",
    "es": r"(?i)\busted|\b(abra|cópielo|dé|elija|escriba|inicie|permita|permítalo|use|vuelva)\b",
    "nl": r"\b[Uu]w?\b",
}


@pytest.mark.sources
@pytest.mark.parametrize("language", FORMAL)
def test_readers_are_addressed_as_friends_everywhere(language: str, repository: Path) -> None:
    # The rules speak to all players, who are several.
    folders = [folder for folder in FOLDERS if folder.parent.name != "rules"]
    for folder in (*folders, WEB.parent / "sentences", repository / "scripts/static_page/texts"):
        for name, text in texts_of(language, folder).items():
            assert not re.search(FORMAL[language], text), (folder, name)


def test_every_text_that_is_used_is_there() -> None:
    shared = texts_of("en", WEB / "static" / "texts")
    for folder in (WEB / "static", *(WEB / game / "static" for game in GAMES)):
        assert keys_used(sources_of(folder)) <= {*shared, *texts_of("en", folder / "texts")}
    for path in (WEB / "static" / "index.html", WEB / "kulami" / "static" / "setup.html"):
        for element in re.findall(r'data-text="\w+"[^>]*>[^<]*<', path.read_text(encoding="utf-8")):
            assert element.rstrip("<").partition(">")[2], element


#: Whether what is chosen of a list can be read whole, with the width that it would like to have.
ROOM = """(select) => {
    const free = select.cloneNode(true);
    Object.assign(free.style, { maxWidth: "none", width: "max-content" });
    select.after(free);
    free.value = select.value;
    const needed = free.getBoundingClientRect().width;
    free.remove();
    return select.getBoundingClientRect().width - needed;
}"""


def is_whole(tab: Tab, *selects: str) -> None:
    for select in selects:
        assert tab.page.locator(select).evaluate(ROOM) >= -1, select


@pytest.mark.parametrize(
    ("language", "one", "several"),
    [
        ("en", "1 point lost", "2 points lost"),
        ("de", "1 Punkt verschenkt", "2 Punkte verschenkt"),
        ("fr", "1 point perdu", "2 points perdus"),
        ("es", "1 punto perdido", "2 puntos perdidos"),
        ("nl", "1 punt verloren", "2 punten verloren"),
    ],
)
def test_the_page_speaks_the_language(tab: Tab, language: str, one: str, several: str) -> None:
    texts = texts_of(language)
    tab.becomes(width=390, language={"en": "en-GB"}.get(language, language))
    tab.open()
    carries(tab.page.locator("html"), "lang", language)
    tab.sees("#start-play .main", texts["play_computer"])
    assert not NO_TEXT.search(tab.page.inner_text("#start"))
    is_whole(tab, "#start-level")
    told = tab.page.evaluate(
        """async () => {
            const { t } = await import('/static/texts.js');
            return [1, 2].map((cost) => t('cost_label', { cost }));
        }"""
    )
    assert told == [one, several]
    # A game that is all but over is solved at once: decimals have the comma of the language.
    tab.open("#layout=AABB/AABB/CCDD&moves=a1&scoring=2")
    tab.sees("[data-role=status]", texts["black"])
    tab.values()
    point = r"\." if language == "en" else ","
    tab.is_told(re.compile(rf" \d+{point}\d+\ss$"))
    tab.values(False)
    for width in (1280, 390):
        tab.becomes(width=width)
        # On a telephone all tools stand in one row of a finger's height.
        is_whole(tab, "#scoring", "#which", *(["#language"] if width > 480 else []))
    assert tab.page.locator(".bar").bounding_box()["height"] < 60
    tab.page.click("#lines summary")
    tab.becomes(width=1280)
    tops = tab.page.locator("#lines .row button").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().top)"
    )
    assert len(tops) == 2
    assert max(tops) - min(tops) < 1
    tab.page.click("#open-setup")
    tab.sees("#preview svg")
    # What other games and puzzles show differs in its texts alone: two languages stand for all.
    few = language in ("de", "es")
    for game in ("kulami", "malawi&board=3x4", "just4fun&seed=1")[: 3 if few else 1]:
        if game != "kulami":
            tab.open(f"#game={game}")
            tab.sees("[data-role=score] th", texts["red"])
            tab.page.click("#open-help")
        assert set(tab.page.locator("[data-text]").all_text_contents()) <= {*texts.values()}
        tab.page.keyboard.press("Escape")
        assert not NO_TEXT.search(tab.page.inner_text("main"))
    if few:
        tab.page.goto(f"{tab.server.url}puzzles/kulami/#1")
        reads(tab.page.locator("#next"), texts["next_puzzle"])
        reads(tab.page.locator("#hint"), texts["hint"])


def test_another_language_is_chosen(tab: Tab) -> None:
    tab.open("#layout=square&moves=d4")
    for language in ("de", "nl"):
        texts = texts_of(language)
        tab.page.select_option("#language", language)
        tab.sees("#new-game", texts["new_game"])
        tab.sees("[data-role=status]", texts["black"])
    with tab.without("**/texts/fr.json"):
        tab.page.select_option("#language", "fr")
        holds(tab.page.locator("#language"), "nl")  # the one that the page goes on to speak
    tab.field("d4").click()
    tab.sees("#field-wrong", "bezet")
    tab.page.reload()
    tab.sees("#new-game", texts["new_game"])
    tab.field("d4").wait_for()
    tab.page.goto(f"{tab.server.url}puzzles/kulami/#1")  # and it is that of the puzzles
    tab.sees("#title", "Puzzel 1")
    tab.page.select_option("#language", "de")
    reads(tab.page.locator("#hint"), texts_of("de")["hint"])
    assert len(read_puzzles()) == 500


def test_a_language_stays_the_one_that_was_chosen_last(tab: Tab) -> None:
    tab.open("#layout=square&moves=d4")
    held: list[Any] = []
    tab.page.route("**/texts/de.json", lambda route: held.append(route))
    tab.page.select_option("#language", "de")
    tab.page.select_option("#language", "nl")  # before the German texts have come
    tab.sees("#new-game", texts_of("nl")["new_game"])
    for route in held:
        route.continue_()
    tab.page.evaluate("new Promise((done) => setTimeout(done, 300))")  # the page has read them
    reads(tab.page.locator("#new-game"), texts_of("nl")["new_game"])
    # Who leaves before the texts have come finds them at the next visit.
    tab.page.select_option("#language", "de")
    tab.page.goto("about:blank")
    tab.page.unroute("**/texts/de.json")
    tab.open("#layout=square&moves=d4")
    tab.sees("#new-game", texts_of("de")["new_game"])


def test_estimates_can_be_read_on_a_small_screen(newcomer: Tab) -> None:
    newcomer.becomes(width=390)
    newcomer.open("#layout=rulebook&moves=d6,d3")
    newcomer.sees("#board .value-mark.open")
    sizes = newcomer.page.evaluate(
        """() => [...document.querySelectorAll('#board .value-mark.open')].map((mark) => {
            const [shape, text] = ['.shape', 'text'].map((name) => mark.querySelector(name));
            const room = shape.getBoundingClientRect().width - text.getBoundingClientRect().width;
            return [parseFloat(getComputedStyle(text).fontSize) * mark.getCTM().a, room];
        })"""
    )
    assert len(sizes) == 11
    assert [one for one in sizes if one[0] < 9.5 or one[1] < 3] == []


def test_what_the_server_says_is_in_the_reader_s_language(tab: Tab) -> None:
    tab.becomes(language="de")
    tab.open("#layout=rulebook&moves=d6")
    # Sentences of the language that have not come are asked for again.
    with tab.without("**/sentences/de.json"):
        tab.field("d6").click()
        tab.sees("#field-wrong", "black cannot play d6: it is taken")
    tab.field("d6").click()
    tab.sees("#field-wrong", "Das Feld ist besetzt")
    tab.field("f5").click()
    tab.sees("#field-wrong", "Es liegt nicht in der Reihe oder Spalte der letzten Kugel, d6")
    mentions(tab.page.locator("#live"), "Schwarz kann nicht auf f5 setzen")
    tab.click("#open-setup", "#new-layout summary")
    tab.page.fill("#layout-text", "A.B")
    tab.page.locator("#layout-text").blur()
    tab.sees("#preview-note", "A / B berühren sich nicht")
    tab.page.keyboard.press("Escape")
    tab.page.click("#open-share")
    tab.sees("#exports", "es fehlt: Schwarz ist am Zug")
    tab.page.keyboard.press("Escape")
    tab.open("#layout=rulebook&moves=d6,a1")
    tab.sees("#field-wrong", "Zug 2: Diese Auslage hat kein Feld a1")
    tab.open("#game=malawi&board=3x4&moves=a4-a2")
    tab.sees("body[data-position]")
    tab.field("a2").click()
    tab.sees("#field-wrong", "Die Figur auf a2 gehört Rot")
    # Another language begins anew; English comes as it is.
    tab.page.select_option("#language", "en")
    tab.sees("#new-game", "New game")
    tab.field("a2").click()
    tab.sees("#field-wrong", "the figure on a2 is red's")
