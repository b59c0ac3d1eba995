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
from browser import Tab, shows
from translated import sentence
from web_server import Server

import kulami_solver as ks
from kulami_solver import just4fun, malawi
from kulami_solver.errors import KulamiError
from kulami_solver.just4fun.cards import DECK
from kulami_solver.web.kulami import chains

pytestmark = pytest.mark.landing

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
    end = ks.Position.from_kfn(asked("kulami", "try_end")["kfn"])
    score = end.score(ks.Scoring.LEVEL2)
    totals = {one.value: end.score(one) for one in ks.Scoring}
    lengths = {
        colour: sorted((len(chain) for chain in chains(end, colour)), reverse=True)
        for colour in ("red", "black")
    }
    facts: dict[str, Any] = {
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
    (facts["beyond"],) = (field for field in third.legal_fields if field[1] != "3")
    assert "i7" not in layout.fields  # the gap between i3 and i8
    codes = {"on_last": "panel_last", "on_before": "panel_before", "aside": "not_in_line"}
    facts |= {"on_last": "h3", "on_before": "e3", "aside": "d7"}
    for name, code in codes.items():
        with pytest.raises(KulamiError) as refused:
            third.play(facts[name])
        assert refused.value.code == code
    assert (end.is_over, end.turn) == (True, "black")
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
    # tests/web/test_web_languages.py sees that each has the holes of the English one.
    folder = WEB / game / "static" / "rules" / "texts"
    english = texts_of(folder, "en")
    facts = set(page_of(game)["facts"]) if game else {"game", "side", "move", "moves"}
    for language in LANGUAGES:
        found = texts_of(folder, language)
        for name, text in found.items():
            assert set(HOLE.findall(text)) <= facts, (language, name)
            # A figure in a text would be one that nothing compares.
            assert not re.search(r"[0-9]", HOLE.sub("", text)), (language, name)
            assert text.count("*") % 2 == 0, (language, name)
            assert text.count("*") == english[name].count("*"), (language, name)
        assert language == "en" or not [name for name in found if found[name] == english[name]]


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
    tab.page.keyboard.press("ArrowRight")
    tab.page.keyboard.press("Enter")
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
