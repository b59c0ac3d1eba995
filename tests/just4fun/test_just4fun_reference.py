"""The slow reference of Just 4 Fun: known values, and its rules by examples made by hand."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import just4fun_reference as reference
import pytest
from just4fun_known import KNOWN

# What takes the reference longer than about half a second.
SLOW = {
    *(0, 5, 7, 10, 12, 16, 20, 23, 27, 28, 29, 31, 32, 33, 34, 35, 37, 41, 43, 44, 45, 46, 48, 50),
    *(53, 54),
}


def known() -> list[Any]:
    return [
        pytest.param(record, marks=pytest.mark.nightly) if number in SLOW else record
        for number, record in enumerate(KNOWN)
    ]


@pytest.mark.parametrize("record", known())
def test_known_values(record: dict[str, Any]) -> None:
    table, state = reference.read(record["position"], record["line"], record["hand"])
    if "outcome" in record:
        assert reference.Minimax(table).outcome(state) == record["outcome"]
    else:
        assert reference.Expectimax(table).expected(state) == Fraction(record["expected"])


def read(text: str, line: int = 4, hand: int = 2) -> tuple[reference.Table, reference.State]:
    return reference.read(text, line, hand)


def test_no_stone_where_a_single_opponent_is_two_ahead() -> None:
    table, state = read("1x4 1:b2,2:g1b1,3:g2b1 r2b2g2 r r1.2.3,b1,g1 - -", hand=3)
    assert reference.moves(table, state) == [(2, (2,)), (4, (1, 3))]


def test_equal_choices_of_cards_are_one_move() -> None:
    table, state = read("1x4 - r2b2 r r1.1.3,b1 - -", hand=3)
    assert reference.moves(table, state) == [
        (1, (1,)),
        (2, (1, 1)),
        (3, (3,)),
        (4, (1, 3)),
    ]


def test_two_more_than_every_other_settle_a_field() -> None:
    table, state = read("1x4 3:r2b1g1 r2b2g2 r r3,b1,g1 - -", hand=1)
    after = reference.played(table, state, (3, (3,)))
    assert after.stones == ((3, "r"),) * 3
    table, state = read("1x4 3:r2b2g1 r2b2g2 r r3,b1,g1 - -", hand=1)
    after = reference.played(table, state, (3, (3,)))
    assert len(after.stones) == 6


def test_a_hand_without_a_sum_is_put_away_and_drawn_anew() -> None:
    table, state = read("1x4 - r2b2 r r5.6,b1.2 3.4.7 {9}")
    assert reference.moves(table, state) == [(None, (5, 6))]
    after = reference.played(table, state, (None, (5, 6)))
    assert (after.hands, after.stock, after.discards) == (((3, 4), (1, 2)), (7,), (5, 6, 9))


def test_discards_become_the_stock_card_by_card() -> None:
    table, state = read("1x4 - r2b2 r r1.2,b1.2 {7} {9}")
    found = reference.draws(table, state, (3, (1, 2)))
    assert {after.hands[0]: chance for after, chance in found.items()} == {
        (1, 7): Fraction(1, 3),
        (2, 7): Fraction(1, 3),
        (7, 9): Fraction(1, 3),
    }
    assert {after.discards for after in found} == {()}


def test_a_line_ends_the_game_before_cards_are_drawn() -> None:
    table, state = read("3x3 1:r1,5:r1 r2b2 r r4.5,b1.2 1.2 -", line=3)
    after = reference.played(table, state, (9, (4, 5)))
    assert reference.is_over(table, after)
    assert reference.winner(table, after) == "r"
    assert after.stock == (1, 2)


def test_a_tie_goes_to_the_highest_number() -> None:
    table, state = read("1x5 1:r1,4:r1,5:b1 r0b0 r r1,b1 - -", hand=1)
    assert reference.sums(table, state) == {"r": 5, "b": 5}
    assert reference.winner(table, state) == "b"
    table, state = read("1x5 1:r1b1 r0b0 r r1,b1 - -", hand=1)
    assert reference.winner(table, state) is None


def test_who_has_no_stone_is_skipped() -> None:
    table, state = read("1x4 - r2b0g1 r r1,b1,g1 - -", hand=1)
    assert reference.played(table, state, (1, (1,))).turn == "g"


def test_a_game_that_comes_back_to_where_it_was_is_told() -> None:
    table, state = read("1x2 - r1b1 r r5,b6 - -", hand=1)
    with pytest.raises(reference.Loop):
        reference.Expectimax(table).expected(state)


@pytest.mark.nightly
def test_hands_of_the_whole_deck() -> None:
    hands, found = reference.makeable(reference.DECK, 4, 36)
    assert (hands, found[12], found[36]) == (341_055, 197_308, 30_766)


def test_hands_that_keep_cards() -> None:
    assert reference.makeable((1, 1, 2), 3, 4, kept=(1,)) == (3, {1: 3, 2: 3, 3: 3, 4: 2})
