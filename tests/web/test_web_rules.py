"""The pages of the rules: each figure is what the package says, in five languages."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browser import Tab
from web_server import Server

import kulami_solver as ks
from kulami_solver.errors import KulamiError

pytest.importorskip("starlette", reason="starlette is not installed: pip install -e '.[test]'")

from kulami_solver.web.kulami.groups import chains

WEB = Path(ks.__file__).parent / "web"
LANGUAGES = ("en", "de", "fr", "es", "nl")
GAMES = ("kulami",)
HOLE = re.compile(r"\{(\w+)\}")


def page_of(game: str) -> Any:
    """What a game lists for its page of rules."""
    text = (WEB / game / "static" / "rules" / "page.json").read_text(encoding="utf-8")
    return json.loads(text)


def texts_of(folder: Path, language: str) -> dict[str, str]:
    found: dict[str, str] = json.loads((folder / f"{language}.json").read_text(encoding="utf-8"))
    return found


def asked(game: str, name: str) -> dict[str, Any]:
    """The question to the server about a position of a page."""
    said = page_of(game)["positions"][name]
    return {**said["start"], "moves": said.get("moves", []), **said.get("counts", {})}


# What stands there


def kulami_facts() -> dict[str, Any]:
    square, layout = ks.Layout.square(), ks.Layout.rulebook()
    first = ks.Position(layout).play("d6")
    third = first.play_all("d3 i3")
    panel = {field: layout.panel_of(layout.fields.index(field)).name for field in layout.fields}
    end = ks.Position.from_kfn(asked("kulami", "try_end")["kfn"])
    score = end.score(ks.Scoring.LEVEL2)
    totals = {one.value: end.score(one) for one in ks.Scoring}
    lengths = {
        colour: sorted((len(chain) for chain in chains(end, colour)), reverse=True)
        for colour in ("red", "black")
    }
    facts = {
        "panels": len(layout.panels),
        "fields": len(layout),
        "side": square.width,
        "marbles": end.marbles,
        "move_1": first.last[0],
        "move_2": third.last[1],
        "move_3": third.last[0],
        "count_1": len(first.legal_fields),
        "count_3": len(third.legal_fields),
        "legal_3": sorted(third.legal_fields),
        "panels_red": score.panels.red,
        "panels_black": score.panels.black,
        "lead": score.panels.red - score.panels.black,
        "area_red": score.area.red,
        "area_black": score.area.black,
        "area_gain": score.area.black - score.area.red,
        "chain": min(lengths["red"] + lengths["black"]),
        "chains_red_each": lengths["red"],
        "chains_red": score.chains.red,
        "chains_black_each": lengths["black"],
        "chains_black": score.chains.black,
        "chains_gain": score.chains.black - score.chains.red,
        "last": end.last[0],
        # What docs/rules.md says of the rulebooks.
        "room": 10,
        "level_2": 2,
        "level_3": 3,
    }
    for name, total in totals.items():
        facts[f"red_{name}"], facts[f"black_{name}"] = total.red, total.black
        facts[f"margin_{name}"] = abs(total.margin)
    winners = {name: "red" if total.margin > 0 else "black" for name, total in totals.items()}
    assert winners == {"0": "red", "1": "black", "2": "black", "chains": "red"}  # winner_0 ...
    assert (score.panels.red > score.panels.black, score.area.red > score.area.black) == (1, 0)
    assert score.chains.black > score.chains.red
    (facts["beyond"],) = (field for field in third.legal_fields if field[1] != "3")
    assert "i7" not in layout.fields  # the gap between i3 and i8
    refused = {}
    for field in layout.fields:
        if field not in third.legal_fields and field not in ("d6", "d3", "i3"):
            with pytest.raises(KulamiError) as error:
                third.play(field)
            refused[field] = error.value.code
    facts["on_last"], facts["on_before"], facts["aside"] = "h3", "e3", "d7"
    assert (refused["h3"], panel["h3"]) == ("panel_last", panel["i3"])
    assert (refused["e3"], panel["e3"]) == ("panel_before", panel["d3"])
    assert refused["d7"] == "not_in_line"
    assert end.is_over
    assert end.turn == "black"
    return facts


FACTS: dict[str, Callable[[], dict[str, Any]]] = {"kulami": kulami_facts}


@pytest.mark.parametrize("game", GAMES)
def test_every_figure_is_what_the_package_says(game: str) -> None:
    assert page_of(game)["facts"] == FACTS[game]()


@pytest.mark.parametrize("game", ["", *GAMES])
def test_every_text_has_its_figures_in_each_language(game: str) -> None:
    folder = WEB / game / "static" / "rules" / "texts"
    english = texts_of(folder, "en")
    facts = set(page_of(game)["facts"]) if game else {"game", "side", "move", "moves"}
    for language in LANGUAGES:
        found = texts_of(folder, language)
        assert list(found) == list(english), language
        for name, text in found.items():
            holes = sorted(HOLE.findall(text))
            assert set(holes) == set(HOLE.findall(english[name])), (language, name)
            assert set(holes) <= facts, (language, name)
            # A figure in a text would be one that nothing compares.
            assert not re.search(r"[0-9]", HOLE.sub("", text)), (language, name)
            assert text.count("*") % 2 == 0, (language, name)
            assert text.count("*") == english[name].count("*"), (language, name)
        assert language == "en" or not [name for name in found if found[name] == english[name]]


@pytest.mark.parametrize("game", GAMES)
def test_every_text_and_position_is_on_the_page(game: str) -> None:
    page = page_of(game)
    used: list[str] = []
    for section in page["sections"]:
        for part in section["parts"]:
            (kind, named) = next(iter(part.items()))
            assert kind in ("text", "head", "list", "table", "position")
            rows = named if kind == "table" else [named if isinstance(named, list) else [named]]
            used += [name for row in rows for name in row]
    static = WEB / game / "static"
    own = texts_of(static / "rules" / "texts", "en")
    known = {*own, *texts_of(static / "texts", "en"), *texts_of(WEB / "static" / "texts", "en")}
    assert set(used) <= {*known, *page["facts"]}
    assert set(own) <= set(used)
    assert set(page["positions"]) <= set(used)
    assert [one["name"] for one in page["sections"]] == ["board", "aim", "moves", "count", "end"]


@pytest.mark.parametrize("game", GAMES)
def test_positions_are_sound(server: Server, game: str) -> None:
    for name in page_of(game)["positions"]:
        server.good(f"/api/{game}/position", asked(game, name))


# What is shown


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_the_rules_are_read_in_each_language(
    server: Server, browser: Any, game: str, language: str
) -> None:
    tab = open_rules(server, browser, game, language)
    assert tab.page.get_attribute("html", "lang") == language
    said = tab.page.inner_text("main")
    assert "{" not in said
    assert "_" not in said
    assert "undefined" not in said
    for fact in page_of(game)["facts"].values():
        for one in fact if isinstance(fact, list) else [fact]:
            assert re.search(rf"\b{one}\b", said), (language, one)
    links = tab.page.locator("main a.open").evaluate_all("all => all.map(one => one.href)")
    assert len(links) == len(page_of(game)["positions"])
    assert all(link.startswith(f"{server.url}#") for link in links)
    tab.close()


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_click_says_whether_a_field_may_be_played(
    server: Server, browser: Any, language: str
) -> None:
    tab = open_rules(server, browser, "kulami", language)
    shared = texts_of(WEB / "static" / "rules" / "texts", language)
    black = texts_of(WEB / "static" / "texts", language)["black"]
    position = ks.Position(ks.Layout.rulebook()).play_all("d6 d3 i3")
    answer = tab.page.locator("#answer-try_fourth")
    for field in ("i8", "h3", "e3", "d7", "d6"):
        tab.page.locator(f'#board-try_fourth [data-field="{field}"]').click()
        if field in position.legal_fields:
            said = shared["may_play"].replace("{side}", black).replace("{move}", field)
        else:
            with pytest.raises(KulamiError) as refused:
                position.play(field)
            said = refused.value.said(language)
        answer.get_by_text(said[0].upper() + said[1:], exact=True).wait_for()
    # With the keys alone: from the field that has the focus to the next one.
    tab.page.locator('#board-try_fourth [data-field="f3"]').focus()
    tab.page.keyboard.press("ArrowRight")
    tab.page.keyboard.press("Enter")
    answer.get_by_text("g3").wait_for()
    # What is tried is not played; the link opens what is shown.
    assert tab.page.locator("#board-try_fourth [data-marble]").count() == 3
    tab.page.click("#position-try_fourth a.open")
    tab.page.wait_for_url(f"{server.url}#layout=rulebook&first=red&moves=d6,d3,i3*")
    tab.stands(last="i3")
    tab.close()


@pytest.mark.parametrize("game", GAMES)
def test_the_board_leads_to_the_rules_and_back(server: Server, browser: Any, game: str) -> None:
    tab = Tab(server, browser, remembers={"values": "off"})
    tab.open(f"#game={game}")
    tab.page.click("#open-help")
    tab.page.click("#rules")
    tab.page.wait_for_url(f"{server.url}rules/{game}/")
    tab.page.locator("main figure svg").first.wait_for()
    tab.page.click("a.back")
    tab.page.locator(f"body[data-game={game}] #board .field").first.wait_for()
    tab.close()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "dark"), (390, "light")])
@pytest.mark.parametrize("game", GAMES)
def test_nothing_is_cut_off_and_axe_has_nothing_to_say(
    server: Server, browser: Any, game: str, width: int, scheme: str
) -> None:
    tab = open_rules(server, browser, game, viewport=(width, 844), color_scheme=scheme)
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.barriers() == []
    small = tab.page.locator("button, select, a").evaluate_all(
        """all => all.filter((one) => {
            const { width, height } = one.getBoundingClientRect();
            return width < 44 || height < 44;
        }).map((one) => one.outerHTML)"""
    )
    assert small == []
    tab.close()


def test_what_has_no_rules_is_not_there(server: Server) -> None:
    for path in ("/rules/", "/rules/chess/", "/rules/kulami/page.json"):
        assert server.ask(path)[0] == 404


def open_rules(
    server: Server, browser: Any, game: str, language: str = "en", **options: Any
) -> Tab:
    """A tab with the rules of a game, all positions drawn."""
    locale = {"en": "en-GB"}.get(language, language)
    tab = Tab(server, browser, locale=locale, **options)
    tab.page.goto(f"{server.url}rules/{game}/")
    for name in page_of(game)["positions"]:
        tab.page.locator(f"#board-{name} .field").first.wait_for(state="attached")
    return tab
