"""The pages of the rules: each figure is what the package says, in five languages."""

from __future__ import annotations

import http.client
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
from browser import Tab, carries, shows
from web_server import Server

import kulami_solver as ks
from kulami_solver import just4fun, malawi
from kulami_solver.errors import KulamiError

pytest.importorskip("starlette", reason="starlette is not installed: pip install -e '.[test]'")

from kulami_solver.just4fun.cards import DECK
from kulami_solver.web.kulami.shown import chains

WEB = Path(ks.__file__).parent / "web"
LANGUAGES = ("en", "de", "fr", "es", "nl")
GAMES = ("kulami", "malawi", "just4fun")
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


def malawi_at(name: str) -> malawi.Position:
    return malawi.Position.from_mfn(asked("malawi", name)["mfn"])


def turns_of(position: malawi.Position, figure: str, sign: str) -> list[str]:
    """What turns of a kind with this figure are about."""
    begin = f"{figure}{sign}"
    found = [str(turn) for turn in position.legal_turns if str(turn).startswith(begin)]
    return [turn[len(begin) :] for turn in found]


def malawi_facts() -> dict[str, Any]:
    board = malawi.Board(6, 6, beads=2)
    start = malawi.Position.start(board)
    assert asked("malawi", "try_start") == {"board": str(board), "beads": 2, "moves": []}
    assert {cell for row in start.mfn().split()[0].split("/")[1:-1] for cell in row} == {"."}
    assert (start.turn, start.mfn().split("/")[0]) == ("red", "b2" * 6)
    move, give, hit, save, won = map(
        malawi_at, ("try_move", "try_give", "try_hit", "try_save", "show_won")
    )
    (three_to,) = turns_of(move, "b5", "-")
    (given,) = turns_of(give, "b5", ":")
    assert "b5" in beads_of(move, 3)
    assert "b5" in beads_of(give, 4)
    assert "c5" in beads_of(give, 2)
    assert "a3" in beads_of(move, 1)
    assert not any(turns_of(move, "d5", sign) for sign in "-:x")
    assert sorted(turns_of(give, "c5", ":")) == ["a3,b5", "a3,d5", "b5,d5"]  # "so you choose"
    hits = [str(turn) for turn in hit.legal_turns if turn.kind == "hit"]
    ((hitter_1, hit_1), (hitter_2, hit_2)) = (one.split("x") for one in sorted(hits))
    assert {hitter_1, hitter_2} <= beads_of(hit, 2)
    (saved,) = (str(turn) for turn in save.legal_turns if turn.kind == "hit")
    saver, runner = saved.split("x")
    for turn in save.legal_turns:  # "If black does anything else, red has won."
        after = save.play(turn)
        assert (after.winner == "red") == (str(turn) != saved)
    assert (save.turn, won.is_over, won.winner) == ("black", True, "red")
    assert won.mfn() in {save.play(turn).mfn() for turn in save.legal_turns}
    return {
        "side": board.rows,
        "figures": board.columns,
        "beads": board.beads,
        "start_from": "a6",
        "start_to": turns_of(start, "a6", "-")[0],
        "one": "a3",
        "one_to": turns_of(move, "a3", "-"),
        "three": "b5",
        "three_beads": 3,
        "three_to": three_to,
        "none": "d5",
        "four": "b5",
        "four_beads": 4,
        "four_to": given.split(","),
        "surplus": give.beads["red"] - give.play(f"b5:{given}").beads["red"],
        "two": "c5",
        "two_beads": 2,
        "two_others": len(given.split(",")),
        "hitter_1": hitter_1,
        "hit_1": hit_1,
        "hitter_2": hitter_2,
        "hit_2": hit_2,
        "hit_beads": 2,
        "runner": runner,
        "saver": saver,
        "times": 3,  # tests/web/test_web_siblings.py plays such a game
    }


def beads_of(position: malawi.Position, count: int) -> set[str]:
    """The squares of figures with so many beads."""
    found = set()
    for row, text in enumerate(position.mfn().split()[0].split("/"), 1):
        for column, (_, beads) in enumerate(re.findall(r"(\.|[rb](\d))", text)):
            if beads == str(count):
                found.add(f"{'abcdef'[column]}{row}")
    return found


def just4fun_facts() -> dict[str, Any]:
    board = just4fun.Board.parse("2006")
    hand = just4fun.deal(board, asked("just4fun", "try_hand")["seed"])
    ahead, sums, line = (
        just4fun.Position.from_jfn(asked("just4fun", name)["jfn"])
        for name in ("try_ahead", "show_sums", "show_line")
    )
    cards = list(hand.hands[0] or ())
    legal = {str(move) for move in hand.legal_moves}
    assert "13=6+7" in legal
    assert not any(move.startswith("5=") for move in legal)
    known = {card: DECK.count(card) for card in set(DECK)}
    often = [card for card, count in known.items() if count > 1]
    assert {known[card] for card in known if card not in often} == {1}
    # Who has a field for good may place there; the other may not.
    with pytest.raises(KulamiError) as refused:
        ahead.play("5=1+4")
    assert (refused.value.code, ahead.settled) == ("two_behind", {5: "blue"})
    assert ahead.play("9=4+5", drawn=(4, 5)).settled == {5: "blue", 9: "red"}
    assert ahead.play("6=1+5", drawn=(1, 5)).settled == {5: "blue"}
    assert (ahead.stones[5], ahead.stones[4], ahead.stones[8]) == ((1, 1), (0, 2), (1, 0))
    held: dict[str, list[int]] = {"red": [], "blue": [], "both": []}
    for field, (red, blue) in enumerate(sums.stones, 1):
        if red or blue:
            held["red" if red > blue else "blue" if blue > red else "both"].append(field)
    assert (sums.is_over, sums.winner, line.winner) == (True, "red", "red")
    assert not any(sums.left)
    return {
        "fields": board.fields,
        "stones": hand.left[0],
        "hand": len(cards),
        "cards": len(DECK),
        "low": max(often),
        "low_each": known[max(often)],
        "high": max(known),
        "row": len(line.winning_line or ()),
        "ahead": ahead.stones[4][1],
        "hand_cards": cards,
        "made": 13,
        "made_of": [6, 7],
        "not_made": 5,
        "own": 9,
        "own_cards": [4, 5],
        "even": 6,
        "even_cards": [1, 5],
        "lost": 5,
        "red_holds": held["red"],
        "red_sum": sums.scores["red"],
        "blue_holds": held["blue"],
        "blue_sum": sums.scores["blue"],
        "tied": held["both"][0],
        "line": list(line.winning_line or ()),
    }


FACTS: dict[str, Callable[[], dict[str, Any]]] = {
    "kulami": kulami_facts,
    "malawi": malawi_facts,
    "just4fun": just4fun_facts,
}


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


@pytest.mark.parametrize(
    "language",
    ["de", *(pytest.param(name, marks=pytest.mark.nightly) for name in ("en", "fr", "es", "nl"))],
)
@pytest.mark.parametrize("game", GAMES)
def test_the_rules_are_read_in_each_language(
    server: Server, browser: Any, game: str, language: str
) -> None:
    tab = open_rules(server, browser, game, language)
    carries(tab.page.locator("html"), "lang", language)
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


@pytest.mark.parametrize("language", [pytest.param("en", marks=pytest.mark.nightly), "de"])
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
    shows(tab.page.locator("#board-try_fourth [data-marble]"), 3)
    tab.page.click("#position-try_fourth a.open")
    tab.page.wait_for_url(f"{server.url}#layout=rulebook&first=red&moves=d6,d3,i3*")
    tab.stands(last="i3")
    tab.close()


def test_turns_of_malawi_are_tried(server: Server, browser: Any) -> None:
    tab = open_rules(server, browser, "malawi")
    answer = tab.page.locator("#answer-try_hit")

    def click(*fields: str) -> None:
        for field in fields:
            tab.page.locator(f'#board-try_hit [data-field="{field}"]').click()

    click("a3")
    answer.get_by_text("Go on, you may choose: Hit a1 · Go to c3").wait_for()
    click("a1")
    answer.get_by_text("Yes, red may play a3xa1.").wait_for()
    click("a3", "d3")
    answer.get_by_text("so it hits at exactly 2, and d3 is 3 away").wait_for()
    click("a3", "a3", "b5")
    answer.get_by_text(
        "Go on, you may choose: Give beads to b5, c5 · Give beads to b5, d5"
    ).wait_for()
    click("c5")
    answer.get_by_text("Yes, red may play a3:b5,c5.").wait_for()
    tab.close()


def test_cards_of_just4fun_are_tried(server: Server, browser: Any) -> None:
    tab = open_rules(server, browser, "just4fun")
    figure = tab.page.locator("#position-try_ahead")
    answer = tab.page.locator("#answer-try_ahead")
    for card in (1, 4):
        figure.locator(f'[data-card="{card}"]').click()
    answer.get_by_text("Go on, you may choose: 10=1+4+5 · 14=1+4+9 · 19=1+4+5+9").wait_for()
    figure.locator('[data-field="5"]').click()
    answer.get_by_text("an opponent has at least two stones more on field 5").wait_for()
    for card in (4, 5):
        figure.locator(f'[data-card="{card}"]').click()
    figure.locator('[data-field="6"]').click()
    answer.get_by_text("add up to 9, not to field").wait_for()
    figure.locator('[data-field="6"]').click()
    answer.get_by_text("Yes, red may play 6=1+5.").wait_for()
    tab.close()


def test_another_language_draws_each_position_once(server: Server, browser: Any) -> None:
    tab = open_rules(server, browser, "just4fun")
    for language in ("fr", "es"):  # the second one while the first is still drawn
        tab.page.select_option("#language", language)
    tab.page.locator("html[lang=es]").wait_for()
    last = [*page_of("just4fun")["positions"]][-1]
    tab.page.locator(f"#board-{last}:has(.field)").wait_for()
    title = texts_of(WEB / "static" / "rules" / "texts", "es")["section_board"]
    tab.page.locator("#title-board", has_text=title).wait_for()
    hands = tab.page.locator("figure").evaluate_all(
        "all => all.map(one => one.querySelectorAll('.hands').length)"
    )
    assert hands == [1] * len(page_of("just4fun")["positions"])
    tab.close()


def test_the_same_wood_is_asked_for_once(server: Server, browser: Any) -> None:
    tab = Tab(server, browser)
    asked_for: list[str] = []
    tab.page.on("request", lambda request: asked_for.append(request.url))
    tab.page.goto(f"{server.url}rules/kulami/")
    tab.page.locator("#board-try_end .field").first.wait_for(state="attached")
    woods = [url for url in asked_for if url.endswith("/api/board")]
    assert len(woods) == 3  # square, the rulebook's by its name, and by its rows
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


@pytest.mark.parametrize(
    ("game", "width", "scheme"),
    [
        pytest.param("kulami", 1280, "dark", marks=pytest.mark.nightly),
        ("malawi", 390, "dark"),
        ("just4fun", 390, "light"),
        pytest.param("kulami", 390, "light", marks=pytest.mark.nightly),
        pytest.param("malawi", 1280, "light", marks=pytest.mark.nightly),
        pytest.param("just4fun", 1280, "dark", marks=pytest.mark.nightly),
    ],
)
def test_nothing_is_cut_off_and_axe_has_nothing_to_say(
    server: Server, browser: Any, game: str, width: int, scheme: str
) -> None:
    tab = open_rules(server, browser, game, viewport=(width, 844), color_scheme=scheme)
    tab.looks_right()
    tab.close()


def test_what_has_no_rules_is_not_there(server: Server) -> None:
    for path in ("/rules/", "/rules/chess/", "/rules/kulami/page.json"):
        assert server.ask(path)[0] == 404


def test_an_address_without_its_last_slash_leads_to_the_page(server: Server) -> None:
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
