"""Malawi and Just 4 Fun on the page, in headless Chromium: play, values, hands that are hidden."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from browser import Tab, carries, holds, mentions, reads, shows
from web_server import Server

import kulami_solver
from kulami_solver import just4fun, malawi

pytest.importorskip("starlette", reason="starlette is not installed: pip install -e '.[test]'")
pytest.importorskip("uvicorn", reason="uvicorn is not installed: pip install -e '.[test]'")

quiet = pytest.mark.usefixtures("values_hidden")

SMALL = "#game=just4fun&board=3x3&stones=2&line=3&hand=2&seed=3"


def open_game(tab: Tab, hash_text: str) -> None:
    """Go to a game, and wait until its position is there."""
    tab.open(hash_text)
    tab.page.locator("body[data-position]").wait_for()


def stands(tab: Tab, notation: str) -> None:
    """Wait until a position is on the board."""
    tab.page.locator(f'body[data-position="{notation}"]').wait_for()


def offers(tab: Tab, moves: Iterable[str]) -> None:
    """Wait until the moves below the board are these, in this order; they come after the board."""
    tab.until(
        """(moves) => JSON.stringify(moves) === JSON.stringify(
            [...document.querySelectorAll('#turns [data-move]')]
                .map((one) => one.dataset.move))""",
        list(moves),
    )


# The games of the page


@quiet
def test_a_game_is_chosen(tab: Tab) -> None:
    tab.open("#layout=square&moves=d4")
    for game, title in (("malawi", "Malawi"), ("just4fun", "Just 4 Fun"), ("kulami", "Kulami")):
        tab.page.select_option("#which", game)
        tab.page.locator(f'body[data-game="{game}"]').wait_for()
        tab.field({"malawi": "f6", "just4fun": "36", "kulami": "h8"}[game]).wait_for()
        reads(tab.page.locator("h1"), title)
        holds(tab.page.locator("#which"), game)
    tab.page.go_back()
    tab.page.locator('body[data-game="just4fun"]').wait_for()
    tab.field("36").wait_for()
    tab.paste(f"{tab.server.url}#game=malawi&board=2x3&moves=a3:b3")  # a link to another one
    stands(tab, "b2b2/../r0r3 b")
    for unknown in ("chess", "constructor"):
        tab.open(f"#game={unknown}")
        tab.field("h8").wait_for()


MALAWI_LINK = "#game=malawi&board=2x3&moves=a3:b3"


def put_in(tab: Tab, text: str) -> None:
    """Open a text in the dialog for other beginnings."""
    tab.page.click("#open-setup")
    if tab.page.locator("body").get_attribute("data-game") == "kulami":
        tab.page.click("#tab-import")
        tab.page.fill("#pasted", text)
        tab.page.click("#take-in .main")
    else:
        tab.page.fill("#position-text", text)
        tab.page.click("#beginning .main")


@quiet
def test_a_link_to_any_game_is_put_in(tab: Tab) -> None:
    tab.open("#layout=square&moves=d4")
    tab.stands(last="d4")
    put_in(tab, f"{tab.server.url}{MALAWI_LINK}")
    stands(tab, "b2b2/../r0r3 b")
    put_in(tab, f"{tab.server.url}#game=malawi&board=3x4&moves=a4-a2")
    tab.is_at("#game=malawi&board=3x4&moves=a4-a2")
    tab.page.locator("#begin").wait_for(state="hidden")
    put_in(tab, f"{tab.server.url}#game=just4fun&board=4x4&seed=7")
    tab.page.locator('body[data-game="just4fun"]').wait_for()
    shows(tab.page.locator("#board .field"), 16)
    put_in(tab, f"{tab.server.url}#layout=square&moves=d4,d7")
    tab.stands(last="d7")


@pytest.mark.parametrize("game", ["#game=malawi&board=3x4", SMALL])
@quiet
def test_a_record_is_put_in(tab: Tab, game: str) -> None:
    open_game(tab, game)
    first = "a4-a2"
    if game == SMALL:
        tab.page.locator("#open-hands").check()
        first = tab.page.locator("#turns [data-move]").first.get_attribute("data-move")
    tab.page.fill("#field", first)
    tab.page.keyboard.press("Enter")
    tab.stands(count=1)
    tab.page.click("#open-share")
    record = json.loads(tab.page.input_value("#export-record"))
    tab.page.keyboard.press("Escape")
    tab.page.click("#new-game")
    tab.page.locator("#moves:empty").wait_for(state="attached")
    put_in(tab, json.dumps({**record, "comments": {"1": "See #1."}}, indent=1))
    tab.page.locator("#moves .remark", has_text="See #1.").wait_for()
    assert tab.played == [first]
    tab.page.locator("#begin").wait_for(state="hidden")
    put_in(tab, json.dumps({**record, "moves": ["zz"]}))
    mentions(tab.page.locator("#begin-wrong"), "Move 1: ")


# Malawi


@quiet
def test_the_address_carries_a_game_of_malawi(tab: Tab) -> None:
    position = malawi.Position.start(malawi.Board(3, 4)).play_all("a4-a2 b1:a1,c1")
    open_game(tab, "#game=malawi&board=3x4&moves=a4-a2;b1:a1,c1")
    stands(tab, position.mfn())
    tab.has_played(["a4-a2", "b1:a1,c1"])
    carries(tab.field("a1"), "data-beads", "3")
    figures = {
        str(turn).replace("x", "-").replace(":", "-").split("-")[0] for turn in position.turns
    }
    tab.offers(figures)
    # A figure, then where it goes.
    tab.field("b4").click()
    tab.offers({"b2"})
    offers(tab, ["b4-b2", "b4:a2,c4"])
    tab.field("b2").click()
    position = position.play("b4-b2")
    stands(tab, position.mfn())
    tab.is_at("#game=malawi&board=3x4&moves=a4-a2;b1:a1,c1;b4-b2")
    tab.page.click("#undo")
    tab.page.click("#undo")
    stands(tab, malawi.Position.start(malawi.Board(3, 4)).play("a4-a2").mfn())
    tab.is_at("&ply=1")
    tab.page.reload()
    tab.page.click("#to-end")
    stands(tab, position.mfn())
    tab.page.click('[data-ply="2"]')
    tab.page.click("#new-game")
    stands(tab, "b2b2b2/.../.../r2r2r2 r")
    tab.has_played([])


@quiet
def test_hits_and_beads_given_away(tab: Tab) -> None:
    start = malawi.Position.start(malawi.Board(3, 3))
    open_game(tab, "#game=malawi&board=3x3")
    tab.field("a3").click()
    tab.offers({"a1"})
    tab.field("a1").click()
    stands(tab, start.play("a3xa1").mfn())
    # Black gives the beads of c1 to both others: as soon as a single turn is left it is played.
    tab.field("c1").click()
    tab.field("c1").click()
    tab.offers({"a1", "b1"})
    tab.field("b1").click()
    stands(tab, start.play_all("a3xa1 c1:a1,b1").mfn())
    # With fewer beads than others, who receives is chosen.
    mfn = "b2b2b2b2/..../..../r2r1r0r0 r"
    open_game(tab, f"#game=malawi&mfn={quote(mfn)}")
    stands(tab, mfn)
    for field in ("a4", "a4", "c4", "d4"):
        tab.field(field).click()
    stands(tab, malawi.Position.from_mfn(mfn).play("a4:c4,d4").mfn())


@quiet
def test_what_cannot_be_played_is_explained(tab: Tab) -> None:
    open_game(tab, "#game=malawi&board=3x4")
    wrong = tab.page.locator("#field-wrong")
    tab.field("a1").click()
    wrong.filter(has_text="the figure on a1 is black's").wait_for()
    tab.field("a4").click()
    tab.field("a3").click()
    wrong.filter(has_text="goes exactly 2, and a3 is 1 away").wait_for()
    for typed, said in (("a4", "'a4' is no turn"), ("a4-z9", "is not a field")):
        tab.page.fill("#field", typed)
        tab.page.keyboard.press("Enter")
        wrong.filter(has_text=said).wait_for()
    tab.page.fill("#field", "A4-A2")
    tab.page.keyboard.press("Enter")
    tab.page.locator('[data-ply="1"][aria-current]').wait_for()
    # In the reader's language, where it is known what is meant.
    tab.page.select_option("#language", "de")
    tab.page.locator("#new-game", has_text="Neues Spiel").wait_for()
    tab.field("a2").click()
    wrong.filter(has_text="Die Figur auf a2 gehört Rot").wait_for()
    # An address that is wrong from a move on.
    open_game(tab, "#game=malawi&board=3x4&moves=a4-a2;a1-a3")
    wrong.filter(has_text="Zug 2: ").wait_for()
    tab.has_played(["a4-a2"])


def test_values_of_malawi(tab: Tab) -> None:
    found = malawi.search(malawi.Position.start(malawi.Board(2, 4)), every_move=True)
    open_game(tab, "#game=malawi&board=2x4")
    tab.proved()
    reads(tab.role("value"), "Black wins in 11 plies")
    assert tab.role("line").inner_text().startswith("Best: ")
    worth = {str(one.move): one for one in found.moves}
    for figure in ("a4", "b4"):
        plies = max(v.plies or 0 for turn, v in worth.items() if turn.startswith(figure))
        carries(tab.field(figure), "data-plies", str(plies))
        carries(tab.field(figure), "data-outcome", "loss")
    carries(
        tab.field("a4"), "aria-label", "a4, red, beads: 2, may be played, black wins in 11 plies"
    )
    tab.field("a4").click()
    chips = tab.page.locator("#turns [data-move]").evaluate_all(
        "all => all.map(one => [one.dataset.move, Number(one.dataset.plies)])"
    )
    assert dict(chips) == {t: v.plies for t, v in worth.items() if t.startswith("a4")}
    tab.page.keyboard.press("Escape")
    tab.page.evaluate("document.activeElement.blur()")
    tab.page.keyboard.press("Space")  # the best turn
    tab.page.locator('[data-ply="1"][aria-current]').wait_for()
    assert worth[tab.played[0].split()[0]].plies == 11
    tab.page.keyboard.press("v")
    reads(tab.role("value"), "The values are hidden")
    shows(tab.page.locator("#board [data-outcome]"), 0)


def test_a_game_of_malawi_against_a_bot_with_keys_alone(tab: Tab) -> None:
    open_game(tab, "#game=malawi&board=2x3")
    tab.page.select_option("#player-black", "perfect 1")
    # Values are hidden from who plays a bot.
    carries(tab.page.locator("#values"), "aria-checked", "false")
    position = malawi.Position.start(malawi.Board(2, 3))
    tab.page.evaluate("document.activeElement.blur()")
    tab.page.keyboard.press("g")
    assert tab.page.evaluate("document.activeElement.dataset.field") == "a1"
    shows(tab.page.locator('#board [tabindex="0"]'), 1)
    for moves in range(0, 24, 2):
        tab.page.fill("#field", str(position.turns[0]))
        tab.page.keyboard.press("Enter")
        tab.until(
            """count => /Game over/.test(document.querySelector('.status').textContent)
                || document.querySelector(`[data-ply="${count}"][aria-current]`)""",
            moves + 2,
        )
        played = [move.split()[0] for move in tab.played]
        position = malawi.Position.start(malawi.Board(2, 3)).play_all(played)
        if position.is_over:
            break
    mentions(tab.role("status"), "black wins")
    tab.offers(set())
    tab.page.locator("#live", has_text="Game over").wait_for()


# Just 4 Fun


@quiet
def test_hands_are_not_shown_unasked(tab: Tab) -> None:
    start = just4fun.deal(just4fun.Board.parse("2006"), 7)
    open_game(tab, "#game=just4fun&seed=7")
    faces = tab.page.locator(".card-face:not(.back)")
    shows(faces, 0)
    tab.offers(set())
    offers(tab, [])
    tab.field("1").click()
    tab.page.locator("#field-wrong", has_text="The hand of red is hidden").wait_for()
    # Whoever is to move uncovers the own hand, and no other.
    tab.page.click(".uncover")
    tab.page.locator('[data-hand="red"] [data-card]').first.wait_for()
    cards = faces.evaluate_all("all => all.map(one => Number(one.textContent))")
    assert tuple(cards) == start.hands[0]
    offers(tab, map(str, start.legal_moves))
    tab.offers({str(move.field) for move in start.legal_moves})
    # After the move the screen is the other's, and all is covered.
    tab.page.click(f'[data-move="{start.legal_moves[0]}"]')
    tab.page.locator('[data-hand="blue"][data-turn]').wait_for()
    shows(faces, 0)
    # Unless all hands are to be seen.
    tab.page.check("#open-hands")
    tab.page.locator('[data-hand="red"] .card-face:not(.back)').first.wait_for()
    shows(faces, 8)
    tab.page.keyboard.press("Escape")
    tab.page.evaluate("document.activeElement.blur()")
    tab.page.keyboard.press("h")
    tab.page.locator('[data-hand="red"] .back').first.wait_for()


@quiet
def test_a_bots_hand_is_not_offered(tab: Tab) -> None:
    open_game(tab, "#game=just4fun&seed=7")
    tab.page.select_option("#player-blue", "random")
    tab.page.locator('[data-hand="red"] [data-card]').first.wait_for()
    tab.page.locator("#turns [data-move]").first.click()
    tab.page.locator('[data-ply="2"]').wait_for()
    tab.page.click('[data-ply="1"]')
    tab.page.locator('[data-hand="blue"][data-turn]').wait_for()
    shows(tab.page.locator(".uncover"), 0)
    # Redo goes on to the reader's turn.
    tab.page.click("#to-start")
    tab.page.locator("#undo:disabled").wait_for()
    tab.page.click("#redo")
    tab.page.locator('[data-ply="2"][aria-current=step]').wait_for()


def test_against_a_bot_the_own_hand_is_shown_and_no_other(tab: Tab) -> None:
    open_game(tab, SMALL)
    tab.page.select_option("#player-blue", "greedy")
    tab.page.locator('[data-hand="red"] [data-card]').first.wait_for()
    shows(tab.page.locator('[data-hand="blue"] .back'), 2)
    for _ in range(30):
        if tab.role("status").inner_text().startswith("Game over"):
            break
        count = len(tab.played)
        tab.page.locator("#turns [data-move]").first.click()
        tab.until(
            """count => /Game over/.test(document.querySelector('.status').textContent)
                || document.querySelectorAll('[data-ply]').length > count
                   && document.querySelector('[data-hand=red][data-turn] [data-card]')""",
            count + 1,
        )
    said = tab.role("status").inner_text()
    assert re.search(r"Game over, .*: (red wins|blue wins|draw)", said)
    sums = [int(tab.page.inner_text(f'[data-score="{side}"]')) for side in ("red", "blue")]
    assert ("red wins" in said) == (sums[0] > sums[1])


def test_nothing_is_played_for_a_hidden_hand_that_a_bot_holds(tab: Tab) -> None:
    open_game(tab, SMALL)
    tab.page.select_option("#player-blue", "greedy")
    tab.page.locator("#turns [data-move]").first.click()
    tab.page.locator('[data-ply="2"][aria-current]').wait_for()
    tab.page.locator("[data-hand=red][data-turn] [data-card]").first.wait_for()
    played, address = tab.played, tab.page.url
    tab.page.locator('[data-ply="1"]').click()  # where it was the bot's turn
    tab.page.locator('[data-hand="blue"][data-turn]').wait_for()
    tab.offers(set())
    for move in (played[1], "1=1", "40=40", "x"):
        tab.page.evaluate("document.querySelector('#field-wrong').textContent = ''")
        tab.page.fill("#field", move)
        tab.page.keyboard.press("Enter")
        tab.page.locator("#field-wrong", has_text="The hand of blue is hidden").wait_for()
        shows(tab.page.locator('[data-ply="1"][aria-current]'), 1)
        tab.has_played(played)
    # A link has what was dealt and played, and no hand.
    said = {"game", "board", "stones", "line", "hand", "seed", "moves"}
    assert {one.partition("=")[0] for one in address.partition("#")[2].split("&")} == said


@quiet
def test_cards_and_fields_choose_a_move(tab: Tab) -> None:
    start = just4fun.deal(just4fun.Board.parse("2006"), 3)
    assert start.hands[0] == (3, 4, 9, 10)
    open_game(tab, "#game=just4fun&seed=3")
    tab.page.click(".uncover")
    tab.page.click('[data-card="4"]')
    carries(tab.page.locator('[data-card="4"]'), "aria-pressed", "true")
    # The mouse is still there: white numbers need the ground of what is chosen.
    ground = "getComputedStyle(document.querySelector('[data-card=\"4\"]')).backgroundColor"
    assert tab.page.evaluate(ground) == "rgb(26, 95, 166)"
    tab.offers({str(move.field) for move in start.legal_moves if 4 in move.cards})
    tab.page.click('[data-card="4"]')
    tab.field("13").click()  # which two choices of cards make
    offers(tab, ["13=3+10", "13=4+9"])
    tab.field("13").click()
    tab.page.click('[data-card="9"]')
    tab.field("13").click()
    tab.page.locator('[data-ply="1"][aria-current]').wait_for()
    tab.has_played(["13=4+9"])
    carries(tab.field("13"), "data-stones", "r1")
    tab.is_at("#game=just4fun&board=2006&seed=3&moves=13=4%2B9")
    address = tab.page.url
    tab.page.reload()
    tab.page.locator('[data-ply="1"][aria-current]').wait_for()
    assert tab.page.url == address
    tab.page.click(".uncover")
    tab.page.locator("#turns [data-move]").nth(1).press("Enter")
    tab.page.locator('[data-ply="2"][aria-current]').wait_for()
    assert tab.page.evaluate("document.activeElement.getAttribute('role')") == "gridcell"
    tab.page.click("#undo")
    tab.page.locator('[data-ply="1"][aria-current]').wait_for()
    tab.page.click(".uncover")
    typed = tab.page.locator("#turns [data-move]").first.get_attribute("data-move")
    tab.page.fill("#field", typed)
    tab.page.keyboard.press("Enter")
    tab.page.locator('[data-ply="2"][aria-current]').wait_for()
    tab.has_played(["13=4+9", typed])


@pytest.mark.parametrize(
    ("more", "value"),
    [
        ("&dummy=true", "Blue wins"),
        ("", r"Red scores \d+\s% on average"),
    ],
)
def test_exact_values_of_just4fun(tab: Tab, more: str, value: str) -> None:
    open_game(tab, SMALL + more)
    tab.page.check("#open-hands")
    # What was proved of other hands may still stand there for a moment.
    tab.proved()
    tab.until(
        "value => RegExp(value).test(document.querySelector('[data-role=value]').innerText)", value
    )
    kind = "outcome" if more else "expected"
    tab.page.locator(f"#board [data-{kind}]").first.wait_for(state="attached")


def test_an_estimate_is_called_one(tab: Tab) -> None:
    open_game(tab, SMALL)
    tab.page.select_option("#seconds", "2")
    tab.page.click(".uncover")
    tab.page.locator("#board [data-estimate]").first.wait_for()
    assert tab.role("value").inner_text().startswith("An estimate, not proved: ")
    carries(tab.role("value"), "data-exact", None)
    # The sentence, the list and the board have one number for one value, at any time.
    listed, sentence, labels = tab.page.evaluate(
        """() => [
            document.querySelector("#turns .chip").innerText,
            document.querySelector("[data-role=value]").innerText,
            [...document.querySelectorAll("#board [data-estimate]")].map((one) => one.ariaLabel),
        ]"""
    )
    (number,) = re.findall(r"^~(\d+)$", listed)
    assert re.search(rf" scores about {number}\s% \(\d+ to \d+\s%\)$", sentence)
    assert any(re.search(rf"estimated at {number}\s%$", label) for label in labels)
    assert re.match(r"(1 deal|[\d,]+ deals), ", tab.role("searched").inner_text())


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_best_field_of_just4fun_is_seen(server: Server, browser: Any, scheme: str) -> None:
    tab = Tab(server, browser, color_scheme=scheme)
    open_game(tab, "#game=just4fun&seed=3")
    tab.page.select_option("#seconds", "2")
    tab.page.click(".uncover")
    tab.page.locator("#board .guess").wait_for()
    stroke, plate, covered = tab.page.evaluate(
        """() => {
            const luminance = (colour) => {
                const [r, g, b] = colour.match(/[\\d.]+/g).map((part) => part / 255).map(
                    (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
                return 0.2126 * r + 0.7152 * g + 0.0722 * b;
            };
            const box = (one) => one.getBoundingClientRect();
            const meet = (one, other) => one.left < other.right && other.left < one.right
                && one.top < other.bottom && other.top < one.bottom;
            const all = (names) => [...document.querySelectorAll(`#board ${names}`)];
            const rims = all('.plate').map(box);
            const covered = all('.value-mark').filter((mark) => {
                const { left, right, top, bottom } = box(mark);
                return all('.number').some((number) => meet(box(mark), box(number)))
                    || !rims.some((rim) => rim.left < left && right < rim.right
                        && rim.top < top && bottom < rim.bottom);
            });
            return [luminance(getComputedStyle(all('.guess')[0]).stroke),
                luminance(getComputedStyle(all('.plate')[0]).fill), covered.length];
        }"""
    )
    assert (plate + 0.05) / (stroke + 0.05) >= 3
    assert covered == 0
    tab.close()


# How a game begins


@quiet
def test_a_game_is_set_up(tab: Tab) -> None:
    open_game(tab, "#game=malawi")
    tab.page.click("#open-setup")
    tab.page.select_option("#begin-board", "3x4")
    tab.page.fill("#begin-beads", "1")
    tab.page.click("#beginning .main")
    stands(tab, "b1b1b1/.../.../r1r1r1 r")
    tab.is_at("#game=malawi&board=3x4&beads=1")
    tab.page.click("#open-setup")
    tab.page.fill("#position-text", "b1/r1 r")
    tab.page.click("#beginning .main")
    tab.page.locator("#begin-wrong", has_text=re.compile("board")).wait_for()
    tab.page.fill("#position-text", "b0b2/r1./.r0 b")
    tab.page.click("#beginning .main")
    stands(tab, "b0b2/r1./.r0 b")
    tab.page.click("#open-setup")
    tab.page.click("#position-now")
    holds(tab.page.locator("#position-text"), "b0b2/r1./.r0 b")
    with tab.page.expect_download() as download:
        tab.page.click("#begin-svg")
    svg = malawi.Position.from_mfn("b0b2/r1./.r0 b").svg()
    assert download.value.path().read_text() == svg
    tab.page.keyboard.press("Escape")
    tab.page.select_option("#which", "just4fun")
    tab.field("36").wait_for()
    tab.page.click("#open-setup")
    tab.page.select_option("#begin-board", "4x4")
    tab.page.select_option("#begin-players", "rbg")
    tab.page.fill("#begin-stones", "5")
    tab.page.fill("#begin-seed", "12")
    tab.page.click("#beginning .main")
    tab.page.locator("#player-green").wait_for()
    tab.is_at("#game=just4fun&board=4x4&players=rbg&stones=5&seed=12")
    shows(tab.page.locator("#board .field"), 16)
    # A position as text, pasted anywhere.
    tab.paste("3x3 5:b2 r2b2 r r1.4,b2.3 - -")
    tab.page.locator('[data-field="5"][data-stones="b2"][data-settled="blue"]').wait_for()


# Everyone


@pytest.mark.parametrize(
    "language",
    ["fr", *(pytest.param(name, marks=pytest.mark.nightly) for name in ("de", "es", "nl"))],
)
def test_they_speak_the_language(server: Server, browser: Any, language: str) -> None:
    folder = Path(kulami_solver.__file__).parent / "web"
    texts: dict[str, str] = {}
    for path in folder.rglob(f"{language}.json"):
        texts |= json.loads(path.read_text(encoding="utf-8"))
    tab = Tab(server, browser, locale=language, remembers={"values": "off"})
    for game in ("malawi&board=3x4", "just4fun&seed=1"):
        open_game(tab, f"#game={game}")
        tab.page.locator("[data-role=score] th", has_text=texts["red"]).wait_for()
        tab.page.click("#open-help")
        shown = tab.page.locator("[data-text]:visible").evaluate_all(
            "all => all.map(one => one.textContent)"
        )
        assert set(shown) <= set(texts.values())
        tab.page.keyboard.press("Escape")
        said = tab.page.inner_text("main")
        assert not re.search(r"\b[a-z]+_[a-z_]+\b", said), said  # no name of a text
    tab.close()


def test_moves_are_spoken_and_the_boards_are_grids(tab: Tab) -> None:
    for hash_text, roles in (("#game=malawi&board=2x3", 6), (SMALL, 9)):
        open_game(tab, hash_text)
        found = tab.page.locator("#board [role]").evaluate_all(
            """all => all.map(one => one.parentNode.closest('[role]')?.getAttribute('role')
                + ' ' + one.getAttribute('role'))"""
        )
        assert set(found) == {"undefined grid", "grid row", "row gridcell"}
        assert found.count("row gridcell") == roles
        shows(tab.page.locator("[aria-live=polite]"), 1)
    tab.page.click(".uncover")
    tab.page.locator("#turns [data-move]").first.click()
    tab.page.locator("#live", has_text=re.compile("red has played .*blue to move")).wait_for()


@pytest.mark.parametrize(
    ("width", "schemes"),
    [
        (1280, ("light",)),
        (390, ("dark",)),
        pytest.param(1280, ("light", "dark"), marks=pytest.mark.nightly),
        pytest.param(390, ("light", "dark"), marks=pytest.mark.nightly),
    ],
)
def test_nothing_is_cut_off_and_axe_has_nothing_to_say(
    server: Server, browser: Any, width: int, schemes: tuple[str, ...]
) -> None:
    tab = Tab(server, browser, viewport=(width, 844))

    def check(where: str, part: str | None = None) -> None:
        for scheme in schemes:
            tab.page.emulate_media(color_scheme=scheme)
            wide = tab.page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, (where, scheme)
            assert tab.barriers(part) == [], (where, scheme)

    open_game(tab, "#game=malawi&board=2x4&moves=a4-a2")
    tab.proved()
    tab.field("b1").click()
    check("values of malawi")
    tab.page.click("#open-setup")
    check("malawi set up", "#begin")
    tab.page.keyboard.press("Escape")
    open_game(tab, SMALL + "&dummy=true&moves=4=4")
    tab.proved()
    check("values of just 4 fun")
    tab.page.click("#open-setup")
    check("just 4 fun set up", "#begin")
    tab.page.keyboard.press("Escape")
    open_game(tab, "#game=just4fun&seed=3")
    check("hidden hands", "main")
    tab.page.select_option("#seconds", "2")
    tab.page.click(".uncover")
    tab.page.locator("#board [data-estimate]").first.wait_for()
    check("an estimate", ".board-side")
    tab.close()
