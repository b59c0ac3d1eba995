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
from kulami_solver import just4fun, malawi
from kulami_solver.errors import KulamiError
from kulami_solver.just4fun.cards import DECK
from kulami_solver.web.kulami import chains

pytestmark = pytest.mark.landing

WEB = Path(ks.__file__).parent / "web"
LANGUAGES = ("en", "de", "fr", "es", "nl")
GAMES = ("kulami", "malawi", "just4fun")


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


def refused(position: Any, move: str) -> str:
    with pytest.raises(KulamiError) as failed:
        position.play(move)
    return str(failed.value.code)


def kulami_facts(said: dict[str, Any]) -> dict[str, Any]:
    layout = ks.Layout.rulebook()
    first = ks.Position(layout).play("d6")
    third = first.play_all("d3 i3")
    end = ks.Position.from_kfn(asked("kulami", "try_end")["kfn"])
    score = end.score(ks.Scoring.LEVEL2)
    assert (end.is_over, end.turn, layout.fields.count("i7")) == (True, "black", 0)
    for name, code in (("on_last", "panel_last"), ("on_before", "panel_before")):
        assert refused(third, said[name]) == code
    assert refused(third, said["aside"]) == "not_in_line"
    facts: dict[str, Any] = {
        "panels": len(layout.panels), "fields": len(layout), "side": ks.Layout.square().width,
        "marbles": end.marbles, "move_1": first.last[0], "move_2": third.last[1],
        "move_3": third.last[0], "count_1": len(first.legal_fields), "last": end.last[0],
        "count_3": len(third.legal_fields), "legal_3": sorted(third.legal_fields),
        "beyond": next(field for field in third.legal_fields if field[1] != "3"),
        "lead": score.panels.red - score.panels.black,
        "area_gain": score.area.black - score.area.red,
        "chains_gain": score.chains.black - score.chains.red,
        "chain": min(len(one) for side in ("red", "black") for one in chains(end, side)),
    }  # fmt: skip
    for side in ("red", "black"):
        for part in ("panels", "area", "chains"):
            facts[f"{part}_{side}"] = getattr(getattr(score, part), side)
        facts[f"chains_{side}_each"] = sorted(map(len, chains(end, side)), reverse=True)
    for scoring, wins in zip(ks.Scoring, ("red", "black", "black", "red"), strict=True):
        total, name = end.score(scoring), scoring.value
        assert (total.margin > 0) == (wins == "red")
        facts |= {f"red_{name}": total.red, f"black_{name}": total.black}
        facts[f"margin_{name}"] = abs(total.margin)
    return facts


def malawi_facts(said: dict[str, Any]) -> dict[str, Any]:
    board = malawi.Board(said["side"], said["figures"], beads=said["beads"])
    assert asked("malawi", "try_start") == {"board": str(board), "beads": 2, "moves": []}
    start = malawi.Position.start(board)
    move, give, hit, save, won = (
        malawi.Position.from_mfn(asked("malawi", name)["mfn"])
        for name in ("try_move", "try_give", "try_hit", "try_save", "show_won")
    )

    def to(position: malawi.Position, begin: str) -> list[str]:
        turns = map(str, position.legal_turns)
        return [turn[len(begin) :] for turn in turns if turn.startswith(begin)]

    assert not any(to(move, f"{said['none']}{sign}") for sign in "-:x")
    assert sorted(to(give, "c5:")) == ["a3,b5", "a3,d5", "b5,d5"]  # "so you choose"
    hits = sorted(str(turn).split("x") for turn in hit.legal_turns if turn.kind == "hit")
    (saved,) = (str(turn) for turn in save.legal_turns if turn.kind == "hit")
    for turn in save.legal_turns:  # "If black does anything else, red has won."
        assert (save.play(turn).winner == "red") == (str(turn) != saved)
    assert (save.turn, won.winner) == ("black", "red")
    (given,) = to(give, "b5:")
    return {
        "start_to": to(start, f"{said['start_from']}-")[0], "one_to": to(move, f"{said['one']}-"),
        "three_to": to(move, f"{said['three']}-")[0], "four_to": given.split(","),
        "surplus": give.beads["red"] - give.play(f"b5:{given}").beads["red"],
        "two_others": len(given.split(",")), "saver": saved[:2], "runner": saved[3:],
        "hitter_1": hits[0][0], "hit_1": hits[0][1], "hitter_2": hits[1][0], "hit_2": hits[1][1],
    }  # fmt: skip


def just4fun_facts(said: dict[str, Any]) -> dict[str, Any]:
    board = just4fun.Board.parse("2006")
    hand = just4fun.deal(board, asked("just4fun", "try_hand")["seed"])
    ahead, sums, line = (
        just4fun.Position.from_jfn(asked("just4fun", name)["jfn"])
        for name in ("try_ahead", "show_sums", "show_line")
    )
    legal = {str(move) for move in hand.legal_moves}
    made = f"{said['made']}={'+'.join(map(str, said['made_of']))}"
    assert made in legal
    assert not any(move.startswith(f"{said['not_made']}=") for move in legal)
    often = [card for card in set(DECK) if DECK.count(card) > 1]
    # Who has a field for good may place there; the other may not.
    assert (refused(ahead, "5=1+4"), ahead.settled) == ("two_behind", {said["lost"]: "blue"})
    assert ahead.play("9=4+5", drawn=(4, 5)).settled == {5: "blue", said["own"]: "red"}
    assert ahead.play("6=1+5", drawn=(1, 5)).settled == {5: "blue"}
    assert (sums.is_over, sums.winner, line.winner, any(sums.left)) == (True, "red", "red", False)
    lies = [(field, red, blue) for field, (red, blue) in enumerate(sums.stones, 1) if red or blue]
    held = {
        sign: [field for field, red, blue in lies if (red > blue) - (red < blue) == sign]
        for sign in (1, 0, -1)
    }
    return {
        "fields": board.fields, "stones": hand.left[0], "hand": len(hand.hands[0] or ()),
        "cards": len(DECK), "low": max(often),
        "low_each": DECK.count(max(often)), "high": max(DECK),
        "row": len(line.winning_line or ()), "line": list(line.winning_line or ()),
        "ahead": ahead.stones[4][1], "hand_cards": list(hand.hands[0] or ()), "tied": held[0][0],
        "red_holds": held[1], "blue_holds": held[-1], "red_sum": sums.scores["red"],
        "blue_sum": sums.scores["blue"],
    }  # fmt: skip


FACTS = {"kulami": kulami_facts, "malawi": malawi_facts, "just4fun": just4fun_facts}


@pytest.mark.parametrize("game", GAMES)
def test_every_figure_is_what_the_package_says(game: str) -> None:
    said = page_of(game)["facts"]
    facts = FACTS[game](said)
    assert {name: said[name] for name in facts} == facts


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
