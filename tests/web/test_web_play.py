"""Games of every kind on the page, by every device, alone and against bots.

At each move the page has to show and to say what the package does.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from browser import Tab, carries, expected, mentions, reads, shows
from web_server import Server

import kulami_solver as ks
from kulami_solver import just4fun, malawi

MOST = 10  # moves of a game that need not end
SIGN = re.compile("([-x:])")


class Game:
    """A game as the package plays it, from an address of the page on."""

    def __init__(self, address: str, start: Any) -> None:
        self.address, self.start, self.position = address, start, start
        self.moves: list[str] = []
        self.kind = type(start).__module__.split(".")[1]
        self.sides = ("red", "blue") if self.kind == "just4fun" else ("red", "black")

    @property
    def legal(self) -> list[str]:
        name = {"kulami": "legal_fields", "malawi": "legal_turns", "just4fun": "legal_moves"}
        return [*map(str, getattr(self.position, name[self.kind]))]

    @property
    def fields(self) -> set[str]:
        """The fields that begin a move."""
        begins = (re.split("[-x:=]", move)[0] for move in self.legal)
        return {field for field in begins if field != "discard"}

    def play(self, move: str) -> None:
        self.moves.append(move)
        self.position = self.position.play(move)

    @property
    def ended(self) -> tuple[str | None, dict[str, int]]:
        """Who has won, and what is counted."""
        if self.kind != "kulami":
            return self.position.winner, getattr(self.position, "scores", {})
        score = self.position.score()
        winner = "red" if score.margin > 0 else "black" if score.margin else None
        return winner, {"red": score.red, "black": score.black}


def kulami_on(layout: str) -> Game:
    return Game(f"#layout={layout}", ks.Position(ks.Layout.parse(layout)))


def malawi_from(mfn: str, address: str = "") -> Game:
    return Game(f"#game=malawi&{address or f'mfn={mfn}'}", malawi.Position.from_mfn(mfn))


def with_cards() -> Game:
    address = "#game=just4fun&board=3x3&stones=2&line=3&hand=2&seed=3&dummy=true"
    return Game(address, just4fun.deal(just4fun.Board.parse("3x3"), 3, stones=2, line=3, hand=2))


def by_pointer(tab: Tab, game: Game, move: str, tap: bool) -> None:
    """Make a move on the board: a field; a figure and where it goes; cards and a field."""

    def press(name: str) -> None:
        tab.field(name).tap() if tap else tab.field(name).click()

    figure, *further = SIGN.split(move)
    if game.kind == "just4fun":
        field, _, cards = move.partition("=")
        if field == "discard":
            tab.page.click(f'#turns [data-move="{move}"]')
            return None
        for card in cards.split("+"):
            unchosen = f'[data-turn] [data-card="{card}"]:not([aria-pressed=true])'
            tab.page.locator(unchosen).first.click()
        return press(field)
    press(figure)
    if not further:
        return None
    turns = [SIGN.split(turn) for turn in game.legal if turn.startswith(figure)]
    sign, targets = further
    tab.offers({to for _, kind, to in turns if kind != ":"})
    if sign != ":":
        return press(targets)
    press(figure)
    gives, given = [{*to.split(",")} for _, kind, to in turns if kind == ":"], set[str]()
    for target in targets.split(","):
        left = [to for to in gives if given <= to]
        if given and len(left) == 1:
            break  # as soon as a single turn is left it is played
        tab.offers({field for to in left for field in to})
        press(target)
        given.add(target)
    return None


def by_keys(tab: Tab, game: Game, move: str) -> None:
    if game.kind == "just4fun":
        tab.page.locator(f'#turns [data-move="{move}"]').press("Enter")
        return
    figure, *further = SIGN.split(move)
    targets = further[1].split(",") if further else []
    for field in (figure, *([figure] if ":" in further else []), *targets):
        tab.steer(field)
        tab.page.keyboard.press("Enter")


def check(tab: Tab, game: Game, bot: str) -> None:
    """Wait until a position is on the board with its moves, and said; so is the end of a game."""
    position, live = game.position, tab.page.locator("#live")
    tab.has_played(game.moves)
    tab.offers(game.fields)
    if game.kind == "just4fun":
        tab.lists_moves(game.legal)
    else:
        notation = position.mfn() if game.kind == "malawi" else position.kfn()
        name = {"malawi": "position", "kulami": "kfn"}[game.kind]
        tab.sees(f'body[data-{name}="{notation}"]')
    if position.is_over:
        winner, counted = game.ended
        for place in (live, tab.role("status")):
            mentions(place, "Game over")
            mentions(place, f"{winner} wins" if winner else "draw")
        for side, count in counted.items():
            reads(tab.page.locator(f'[data-score="{side}"]'), str(count))
        if game.kind == "kulami" and winner:
            margin = abs(counted["red"] - counted["black"])
            mentions(tab.role("status"), f"wins by {margin}")
    elif game.moves:
        to_move = "Your turn" if bot else f"{position.turn} to move"
        side = next(one for one in game.sides if one != position.turn)
        mentions(live, f"{side.capitalize()} has played {game.moves[-1]}.")
        for place in (live, tab.role("status")):
            expected(place).to_contain_text(re.compile(re.escape(to_move), re.IGNORECASE))


GAMES: list[tuple[str, Callable[[], Game], str]] = [
    ("mouse", lambda: kulami_on("AABBC/AABBC/DDDEE"), "alphabeta:2"),
    ("touch", lambda: kulami_on("AABB/AABB/CCDD"), "perfect 1"),
    ("keys", lambda: kulami_on("AAB/CCB"), ""),
    ("typed", lambda: kulami_on("AABB/AABB/CCDD"), ""),
    # With fewer beads than others, who receives is chosen.
    ("mouse", lambda: malawi_from("b2b2b2b2/..../..../r2r1r2r0 r"), ""),
    ("keys", lambda: malawi_from("b2b2/../r2r2 r", "board=2x3"), "perfect 1"),
    ("typed", lambda: malawi_from("b2b2/../../r2r2 r", "board=2x4"), "random"),
    ("touch", with_cards, ""),
    ("keys", with_cards, "greedy"),
]


@pytest.mark.parametrize(("by", "make", "bot"), GAMES)
def test_a_game_is_played(
    server: Server, browser: Any, by: str, make: Callable[[], Game], bot: str
) -> None:
    tab = Tab(server, browser, **({"has_touch": True} if by == "touch" else {}))
    tab.becomes(width=390 if by == "touch" else 1280)
    game, draw = make(), random.Random(by)
    tab.open(game.address)
    tab.values(shown=False)
    tab.is_a_grid()
    if bot:
        tab.page.select_option(f"#player-{game.sides[1]}", bot)
    elif game.kind == "just4fun":
        tab.page.check("#open-hands")
    tab.page.evaluate("document.activeElement.blur()")
    if by == "keys" and game.kind != "just4fun":
        # The board is one stop for Tab, on one field; a key leads there, too.
        tab.page.reload()
        tab.offers(game.fields)
        for _ in range(13 if game.kind == "kulami" else 0):
            tab.press("Tab")
            if tab.page.evaluate("document.activeElement.matches('[role=gridcell]')"):
                break
        else:
            tab.press("g")
        tab.until("document.activeElement.dataset.field === 'a1'")
        shows(tab.page.locator('#board [tabindex="0"]'), 1)
        for key, field in (("ArrowDown", "a2"), ("End", ""), ("Home", "a2"), ("ArrowUp", "a1")):
            tab.page.keyboard.press(key)
            focus = tab.page.evaluate("document.activeElement.dataset.field")
            assert focus == field or (key == "End" and focus[0] > "a")
        tab.page.keyboard.press("ArrowUp")  # nothing is there
    while not game.position.is_over and len(game.moves) < MOST:
        check(tab, game, bot)
        move = draw.choice(game.legal)
        if by == "typed":
            tab.enter(move.upper())
        elif by == "keys":
            by_keys(tab, game, move)
        else:
            by_pointer(tab, game, move, by == "touch")
        game.play(move)
        if bot and not game.position.is_over:
            tab.sees(f'[data-role=moves] [data-ply="{len(game.moves) + 1}"]')
            assert tab.played[:-1] == game.moves
            game.play(tab.played[-1])
    check(tab, game, bot)
    # Back and forth, from the address, and anew.
    address, count = tab.page.url, len(game.moves)
    between = "," if game.kind == "kulami" else ";"
    said = address.partition("moves=")[2].partition("&")[0].replace("%2B", "+")
    assert said.split(between) == game.moves
    last = tab.page.locator(f'[data-role=moves] [data-ply="{count}"]')
    tab.page.keyboard.press("Escape")
    tab.page.evaluate("document.activeElement.blur()")
    for key, there in (("u", None), ("r", "step"), ("Home", None), ("End", "step")):
        tab.page.keyboard.press(key)
        carries(last, "aria-current", there)
    tab.page.reload()
    tab.has_played(game.moves)
    carries(last, "aria-current", "step")
    assert tab.page.url == address
    tab.page.click("#new-game")
    tab.has_played([])
    if game.kind != "just4fun":  # other cards are dealt
        game.position = game.start
        tab.offers(game.fields)
    tab.close()
