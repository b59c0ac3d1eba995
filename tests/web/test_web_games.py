"""Malawi and Just 4 Fun on the page, in headless Chromium: play, values, hands that are hidden."""

from __future__ import annotations

import re

from browser import Tab, carries, holds, reads, shows

from kulami_solver import just4fun, malawi

SMALL = "#game=just4fun&board=3x3&stones=2&line=3&hand=2&seed=3"
START = malawi.Position.start(malawi.Board(3, 4))


def stands(tab: Tab, notation: str) -> None:
    """Wait until a position is on the board."""
    tab.sees(f'body[data-position="{notation}"]')


# The games of the page


def test_a_game_is_chosen_linked_and_put_in(tab: Tab) -> None:
    url = tab.server.url
    tab.open("#layout=square&moves=d4")
    for game, title, corner in (
        ("malawi", "Malawi", "f6"),
        ("just4fun", "Just 4 Fun", "36"),
        ("kulami", "Kulami", "h8"),
    ):
        tab.page.select_option("#which", game)
        tab.sees(f'body[data-game="{game}"]')
        tab.field(corner).wait_for()
        reads(tab.page.locator("h1"), title)
        holds(tab.page.locator("#which"), game)
    tab.page.go_back()
    tab.sees('body[data-game="just4fun"]')
    tab.field("36").wait_for()
    tab.paste(f"{url}#game=malawi&board=2x3&moves=a3:b3")  # a link to another one
    stands(tab, "b2b2/../r0r3 b")
    tab.open("#game=constructor")
    tab.field("h8").wait_for()
    tab.put_in(f"{url}#game=malawi&board=3x4&moves=a4-a2")
    tab.is_at("#game=malawi&board=3x4&moves=a4-a2")
    tab.page.locator("#begin").wait_for(state="hidden")
    tab.put_in(f"{url}#game=just4fun&board=4x4&seed=7")
    tab.sees('body[data-game="just4fun"]')
    shows(tab.page.locator("#board .field"), 16)
    tab.put_in(f"{url}#layout=square&moves=d4,d7")
    tab.stands(last="d7")


# Malawi


def test_what_cannot_be_played_is_explained(tab: Tab) -> None:
    tab.open("#game=malawi&board=3x4")
    stands(tab, START.mfn())
    tab.field("a1").click()
    tab.sees("#field-wrong", "the figure on a1 is black's")
    tab.field("a4").click()
    tab.field("a3").click()
    tab.sees("#field-wrong", "goes exactly 2, and a3 is 1 away")
    for typed, said in (("a4", "'a4' is no turn"), ("a4-z9", "is not a field")):
        tab.enter(typed)
        tab.sees("#field-wrong", said)
    tab.enter("A4-A2")
    tab.stands(count=1)


def test_values_of_malawi(newcomer: Tab) -> None:
    tab = newcomer
    found = malawi.search(malawi.Position.start(malawi.Board(2, 4)), every_move=True)
    worth = {str(one.move): one for one in found.moves}
    tab.open("#game=malawi&board=2x4")
    tab.proved()
    reads(tab.role("value"), "Black wins in 11 plies")
    assert tab.role("line").inner_text().startswith("Best: ")
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
    tab.stands(count=1)
    assert worth[tab.played[0].split()[0]].plies == 11
    tab.page.keyboard.press("v")
    reads(tab.role("value"), "The values are hidden")
    shows(tab.page.locator("#board [data-outcome]"), 0)


# Just 4 Fun


def test_hands_are_not_shown_unasked(tab: Tab) -> None:
    start = just4fun.deal(just4fun.Board.parse("2006"), 7)
    tab.open("#game=just4fun&seed=7")
    faces = tab.page.locator(".card-face:not(.back)")
    tab.sees(".uncover")
    shows(faces, 0)
    tab.offers(set())
    tab.lists_moves([])
    tab.field("1").click()
    tab.sees("#field-wrong", "The hand of red is hidden")
    # Whoever is to move uncovers the own hand, and no other.
    tab.page.click(".uncover")
    tab.sees('[data-hand="red"] [data-card]')
    cards = faces.evaluate_all("all => all.map(one => Number(one.textContent))")
    assert tuple(cards) == start.hands[0]
    tab.lists_moves(map(str, start.legal_moves))
    tab.offers({str(move.field) for move in start.legal_moves})
    # After the move the screen is the other's, and all is covered.
    tab.page.click(f'[data-move="{start.legal_moves[0]}"]')
    tab.sees('[data-hand="blue"][data-turn]')
    tab.sees("#live", re.compile("Red has played .*blue to move"))
    shows(faces, 0)
    # Unless all hands are to be seen.
    tab.page.check("#open-hands")
    tab.sees('[data-hand="red"] .card-face:not(.back)')
    shows(faces, 8)
    tab.page.keyboard.press("Escape")
    tab.press("h", blurred=True)
    tab.sees('[data-hand="red"] .back')


def test_against_a_bot_the_own_hand_is_shown_and_no_other(tab: Tab) -> None:
    tab.open(SMALL)
    tab.is_a_grid()
    shows(tab.page.locator("#board [role=gridcell]"), 9)
    tab.page.select_option("#player-blue", "greedy")
    tab.sees('[data-hand="red"] [data-card]')
    shows(tab.page.locator('[data-hand="blue"] .back'), 2)
    tab.page.locator("#turns [data-move]").first.click()
    tab.stands(count=2)
    tab.sees("[data-hand=red][data-turn] [data-card]")
    played, address = tab.played, tab.page.url
    tab.page.click('[data-ply="1"]')  # where it was the bot's turn
    tab.sees('[data-hand="blue"][data-turn]')
    shows(tab.page.locator(".uncover"), 0)
    tab.offers(set())
    # Nothing is played for the bot: no refusal may tell what it holds.
    for move in (played[1], "1=1", "40=40", "x"):
        tab.page.evaluate("document.querySelector('#field-wrong').textContent = ''")
        tab.enter(move)
        tab.sees("#field-wrong", "The hand of blue is hidden")
        shows(tab.page.locator('[data-ply="1"][aria-current]'), 1)
        tab.has_played(played)
    # A link has what was dealt and played, and no hand.
    said = {"game", "board", "stones", "line", "hand", "seed", "moves"}
    assert {one.partition("=")[0] for one in address.partition("#")[2].split("&")} == said
    # Redo goes on to the reader's turn.
    tab.page.click("#to-start")
    tab.sees("#undo:disabled")
    tab.page.click("#redo")
    tab.stands(count=2)
    while "Game over" not in tab.role("status").inner_text():
        count = len(tab.played)
        tab.page.locator("#turns [data-move]").first.click()
        tab.until(
            """count => /Game over/.test(document.querySelector('.status').textContent)
                || document.querySelectorAll('[data-ply]').length > count
                   && document.querySelector('[data-hand=red][data-turn] [data-card]')""",
            count + 1,
        )
    # Now nothing is secret, until a move is taken back.
    tab.sees('[data-hand="blue"] .card-face:not(.back)')
    shows(tab.page.locator(".hands .back, .hands .uncover"), 0)
    tab.page.click("#undo")
    shows(tab.page.locator('[data-hand="blue"] .back'), 2)


def test_cards_and_fields_choose_a_move(tab: Tab) -> None:
    start = just4fun.deal(just4fun.Board.parse("2006"), 3)
    assert start.hands[0] == (3, 4, 9, 10)
    tab.open("#game=just4fun&seed=3")
    tab.click(".uncover", '[data-card="4"]')
    carries(tab.page.locator('[data-card="4"]'), "aria-pressed", "true")
    # The mouse is still there: white numbers need the ground of what is chosen.
    ground = "getComputedStyle(document.querySelector('[data-card=\"4\"]')).backgroundColor"
    assert tab.page.evaluate(ground) == "rgb(26, 95, 166)"
    tab.offers({str(move.field) for move in start.legal_moves if 4 in move.cards})
    tab.page.click('[data-card="4"]')
    tab.field("13").click()  # which two choices of cards make
    tab.lists_moves(["13=3+10", "13=4+9"])
    tab.field("13").click()
    tab.page.click('[data-card="9"]')
    tab.field("13").click()
    tab.stands(count=1)
    tab.has_played(["13=4+9"])
    carries(tab.field("13"), "data-stones", "r1")
    shows(tab.page.locator('#board [data-field="13"][data-moved]'), 1)
    tab.is_at("#game=just4fun&board=2006&seed=3&moves=13=4%2B9")
    tab.page.click(".uncover")
    tab.page.locator("#turns [data-move]").nth(1).press("Enter")
    tab.stands(count=2)
    tab.until("document.activeElement.matches('[role=gridcell]')")


def test_values_of_just4fun_are_exact_or_called_estimates(newcomer: Tab) -> None:
    tab = newcomer
    # All hands are open: what is to be expected; and with the order of the stock, who wins.
    for more, value, kind in (
        ("", r"Red scores \d+\s% on average", "expected"),
        ("&dummy=true", "Blue wins", "outcome"),
    ):
        tab.open(SMALL + more)
        tab.page.check("#open-hands")
        tab.sees("[data-role=value][data-exact]", re.compile(value, re.IGNORECASE))
        tab.page.locator(f"#board [data-{kind}]").first.wait_for(state="attached")
    # The own hand alone: an estimate, and called one.
    tab.page.uncheck("#open-hands")
    tab.open(SMALL)
    tab.searches_for(2)
    tab.page.click(".uncover")
    tab.sees("#board [data-estimate]")
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
    tab.is_told(re.compile(r"^(1 deal|[\d,]+ deals), "))


# How a game begins


def test_a_game_is_set_up(tab: Tab) -> None:
    tab.open("#game=malawi")
    tab.page.click("#open-setup")
    tab.page.select_option("#begin-board", "3x4")
    tab.page.fill("#begin-beads", "1")
    tab.page.click("#beginning .main")
    stands(tab, "b1b1b1/.../.../r1r1r1 r")
    tab.is_at("#game=malawi&board=3x4&beads=1")
    tab.put_in("b1/r1 r")
    tab.sees("#begin-wrong", re.compile("board"))
    tab.page.keyboard.press("Escape")
    tab.put_in("b0b2/r1./.r0 b")
    stands(tab, "b0b2/r1./.r0 b")
    tab.click("#open-setup", "#position-now")
    holds(tab.page.locator("#position-text"), "b0b2/r1./.r0 b")
    tab.page.keyboard.press("Escape")
    tab.page.select_option("#which", "just4fun")
    tab.field("36").wait_for()
    tab.page.click("#open-setup")
    tab.page.select_option("#begin-board", "4x4")
    tab.page.select_option("#begin-players", "rbg")
    tab.page.fill("#begin-stones", "5")
    tab.page.fill("#begin-seed", "12")
    tab.page.click("#beginning .main")
    tab.sees("#player-green")
    tab.is_at("#game=just4fun&board=4x4&players=rbg&stones=5&seed=12")
    shows(tab.page.locator("#board .field"), 16)
    # A position as text, pasted anywhere.
    tab.paste("3x3 5:b2 r2b2 r r1.4,b2.3 - -")
    tab.sees('[data-field="5"][data-stones="b2"][data-settled="blue"]')
