"""Hand odds against counting every hand, and the figures of the whole deck."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from math import comb
from typing import Any

import just4fun_reference as reference
import pytest

from kulami_solver.errors import PositionError
from kulami_solver.just4fun import Position, odds
from kulami_solver.just4fun.cards import DECK, taken
from kulami_solver.just4fun.odds import hand_odds


def test_the_whole_deck() -> None:
    found = odds()
    by_field = {field.field: field.makeable for field in found.fields}
    assert (found.hands, by_field[12], by_field[36]) == (341_055, 197_308, 30_766)
    assert max(by_field.values()) == by_field[12]
    assert min(by_field.values()) == by_field[36]

    def timed() -> float:
        began = time.process_time()
        hand_odds()
        return time.process_time() - began

    assert min(timed() for _ in range(5)) < 0.1


@pytest.mark.parametrize("seed", range(10))
def test_against_counting_every_hand(seed: int) -> None:
    draw = random.Random(seed)
    deck = list(DECK)
    draw.shuffle(deck)
    hand = draw.randint(1, 5)
    kept = deck[: draw.randint(0, hand)]
    cards = deck[len(kept) : len(kept) + draw.randint(hand, 13)]
    fields = draw.randint(1, 40)
    hands, makeable = reference.makeable(tuple(cards), hand, fields, tuple(kept))
    found = hand_odds(cards, hand=hand, fields=fields, kept=kept)
    assert found.hands == hands
    assert {field.field: field.makeable for field in found.fields} == makeable


@pytest.mark.parametrize(
    "text",
    [
        "1x9 - r2b2 r r1.2.4,b3.3.3 5.7.1.1 {2}",  # the order is known
        "1x9 - r2b2 r r1.2.4,b3.3.3 5 {2.6.6}",  # discards after the last card
        "1x9 - r2b2 r r1.2.4,b3.3.3 {5.7} {2.6.6}",
        "1x9 - r2b2 r r1.2.4,b3.3.3 {1.5.6.7} {2}",
        "1x9 - r2b2 r r1.2.4,b3.3.3 - -",  # only what is played comes back
    ],
)
def test_next_turn_is_what_the_draws_of_every_move_say(text: str) -> None:
    position = Position.from_jfn(text, hand=3)
    table, state = reference.read(text, 4, 3)
    ordered = position.ordered and bool(position.stock)
    for move in position.legal_moves:
        chances = dict.fromkeys(range(1, 10), Fraction(0))
        if ordered:
            drawn = {draw.cards: draw.chance for draw in position.draws(move)}
            after = reference.placed(table, state, (move.field, move.cards))
            hands = {(*after.hands[0], *cards): chance for cards, chance in drawn.items()}
        else:
            found = reference.draws(table, state, (move.field, move.cards))
            hands = {after.hands[0]: chance for after, chance in found.items()}
        for hand, chance in hands.items():
            made = reference.makeable(hand, 3, 9)[1]
            for field in chances:
                chances[field] += chance * made[field]
        kept = taken(position.hands[0] or (), move.cards)
        assert {f.field: f.chance for f in odds(position, kept=kept).fields} == chances


@pytest.mark.parametrize("unseen", [(1, 2, 2, 5), (1, 2, 2, 5, 6, 6), (3, 5)])
def test_a_hidden_hand_leaves_the_stock_what_it_has_not(unseen: tuple[int, ...]) -> None:
    """Every deal of the unseen cards counts the same."""
    text = f"1x9 - r2b2 r r1.2,b? {{{'.'.join(map(str, unseen))}}} {{4}}"
    position = Position.from_jfn(text, hand=2)
    chances = dict.fromkeys(range(1, 10), Fraction(0))
    deals = list(permutations(unseen))
    for deal in deals:
        dealt = replace(position, hands=((1, 2), deal[:2]), stock=deal[2:], ordered=True)
        for draw in dealt.draws("1=1"):
            made = reference.makeable((2, *draw.cards), 2, 9)[1]
            for field in chances:
                chances[field] += draw.chance * Fraction(made[field], len(deals))
    assert {f.field: f.chance for f in odds(position, kept=(2,)).fields} == chances


def test_what_is_seen_is_taken_out() -> None:
    position = Position.from_jfn("2006 - r20b20 r r1.4.7.12,b? - {2.2.19}")
    assert odds(position).hands == comb(55 - 7, 4)
    assert odds(position, kept=(1, 4, 7)).hands == 55 - 7
    assert odds(position, kept=(1, 4, 7, 12)).hands == 1


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"cards": (1, 1, 1, 1, 1)}, "5 cards of 1 are given: the deck has 4"),
        ({"cards": (1, 20)}, "there is no card 20: cards are 1 to 19"),
        ({"cards": (1, 2)}, "kept cards: 0, cards to draw: 2; they make no hand of 4"),
        ({"hand": 13}, "hand is 13: give a whole number from 1 to 12"),
        ({"fields": 65}, "fields is 65: give a whole number from 1 to 64"),
        (
            {"cards": (1, 2), "kept": (1, 2, 3, 4, 5)},
            "kept cards: 5, cards to draw: 2; they make",
        ),
    ],
)
def test_refusals(said: dict[str, Any], message: str) -> None:
    with pytest.raises(PositionError, match=message):
        hand_odds(**said)
