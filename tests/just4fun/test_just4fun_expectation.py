"""Expected scores of Just 4 Fun: against the slow reference, and bounds that are true."""

from __future__ import annotations

import functools
import itertools
import random
from collections import Counter
from fractions import Fraction
from typing import Any

import just4fun_reference as reference
import pytest
from just4fun_known import KNOWN
from random_just4fun import late_positions, small_position, with_stock

from kulami_solver.just4fun import Position, expect
from kulami_solver.just4fun.cards import DECK
from kulami_solver.just4fun.expectation import Expecter
from kulami_solver.just4fun.solving import Expectation, as_scores, compiled_rules, compiled_view

NIGHTLY = pytest.mark.nightly


class TooMuch(Exception):  # noqa: N818, what is found is no error
    """The reference would take too long."""


class Bounded(reference.Expectimax):
    """The reference, as far as it takes no more than so many states."""

    def value(self, state: reference.State) -> Fraction:
        if len(self.known) > 3000:
            raise TooMuch
        return super().value(state)


def known() -> list[dict[str, Any]]:
    return [record for record in KNOWN if "expected" in record]


@pytest.mark.parametrize("record", known(), ids=lambda record: record["expected"])
@pytest.mark.parametrize("pruning", [True, False])
def test_known_values(record: dict[str, Any], pruning: bool) -> None:
    position = Position.from_jfn(record["position"], line=record["line"], hand=record["hand"])
    found = expect(position, pruning=pruning)
    assert found.to_json()["expected"] == record["expected"]
    assert found.win is not None
    assert found.draw is not None
    assert found.loss == 1 - found.win - found.draw
    assert found.win + found.draw / 2 == found.expected


def assert_same(position: Position, draw: random.Random) -> bool:
    """The reference finds the same; False if it takes too long or finds a loop."""
    table, state = reference.read(position.jfn(), position.line, position.hand)
    solver = Bounded(table)
    every_move = draw.random() < 0.5
    found = expect(position, every_move=every_move, pruning=draw.random() < 0.8)
    try:
        expected = solver.expected(state)
        moves = solver.move_expectations(state)
    except reference.Loop:
        assert -1 <= found.lower <= found.upper <= 1
        return False
    except TooMuch:
        return False
    lower, upper = as_scores(found)
    assert lower <= expected <= upper, position.jfn()
    assert found.expected == expected, position.jfn()
    if not position.is_over:
        assert found.best is not None
        assert moves[found.best.field, found.best.cards] == expected
    if every_move:
        told = {(one.move.field, one.move.cards): as_scores(one)[0] for one in found.moves}
        assert told == moves, position.jfn()
        assert all(one.exact for one in found.moves)
        assert [as_scores(one)[0] for one in found.moves] == sorted(moves.values(), reverse=True)
    return True


def assert_many_are_the_same(count: int, seed: int) -> None:
    draw = random.Random(seed)
    agreed = 0
    while agreed < count:
        position = small_position(draw, draw.choice((4, 6, 9)), draw.choice((1, 2, 2)))
        agreed += assert_same(with_stock(position, ordered=False, seed=1), draw)


def test_random_positions_against_the_reference() -> None:
    assert_many_are_the_same(40, 1)


@NIGHTLY
def test_many_random_positions_against_the_reference() -> None:
    assert_many_are_the_same(5000, 2)


class Truncated(reference.Expectimax):
    """The reference, taking the worst or the best after so many hands put away in a row."""

    def __init__(self, table: reference.Table, beyond: Fraction) -> None:
        super().__init__(table)
        self.beyond = beyond

    @functools.cache  # noqa: B019, it lives as long as the test
    def within(self, state: reference.State, left: int) -> Fraction:
        if reference.is_over(self.table, state):
            return reference.score(self.table, state)
        if left == 0:
            return self.beyond
        return (max if state.turn == self.table.players[0] else min)(
            sum(
                (
                    chance * self.within(after, left - 1 if move[0] is None else 6)
                    for after, chance in reference.draws(self.table, state, move).items()
                ),
                Fraction(0),
            )
            for move in reference.moves(self.table, state)
        )


@pytest.mark.parametrize(
    ("text", "hand"),
    [
        ("1x2 - r1b1 r r5,b6 - -", 1),
        ("1x2 - r1b1 r r5,b6 {1} -", 1),
        ("1x2 - r1b1 r r1,b6 {2} {3}", 1),
        ("1x2 1:b2 r1b1 r r1,b1 {2.3} {3}", 1),
        ("1x3 2:b1 r2b1 r r3,b6 {2.3} {7.7}", 1),
        ("1x4 4:b2 r1b1 r r4,b4 {3.4} {7.7}", 1),
    ],
)
def test_hands_that_could_be_put_away_for_ever_give_true_bounds(text: str, hand: int) -> None:
    """The true value lies between those of games cut off very late, and these bounds around it."""
    found = expect(Position.from_jfn(text, hand=hand), every_move=True)
    table, state = reference.read(text, 4, hand)
    sides = [Truncated(table, Fraction(beyond)).within(state, 6) for beyond in (0, 1)]
    if state.turn != table.players[0]:
        sides = [1 - side for side in sides]
    lower, upper = as_scores(found)
    assert lower <= min(sides) <= max(sides) <= upper
    assert found.to_json()["expected"] is None or found.lower == found.upper


@pytest.mark.parametrize(
    ("text", "hand"),
    [
        ("1x1 1:b7 r2b2 r r1.3,b1.3 {1.1.2.2.3.3.4.4.4} -", 2),
        ("1x1 1:b4 b1r1 b b5,r4 {2.3} {1.1.1.3.4.5.5}", 1),
        ("1x3 1:b2,3:b1 r2b2 r r9,b2 {7.8.10.12} {1.4.8.12.17}", 1),
    ],
)
def test_hands_that_come_back_are_searched_once(text: str, hand: int) -> None:
    position = Position.from_jfn(text, line=3, hand=hand)
    assert expect(position, nodes=20_000, every_move=True).nodes < 5000


def test_pruning_changes_no_value_and_saves_positions() -> None:
    draw = random.Random(7)
    for _ in range(12):
        position = with_stock(small_position(draw, 9, 2), ordered=False, seed=1)
        one, other = expect(position), expect(position, pruning=False)
        assert (one.lower, one.upper) == (other.lower, other.upper), position.jfn()
    fewer = full = 0
    for position in itertools.islice(late_positions(2, ordered=False), 2):
        one, other = expect(position), expect(position, pruning=False)
        assert one.expected == other.expected, position.jfn()
        fewer += one.nodes
        full += other.nodes
    assert fewer < full / 2


def test_a_bound_that_was_enough_once_is_not_taken_for_the_score() -> None:
    """Plays are looked at only as far as to see whether they are worth 9/10, and then in full."""
    draw = random.Random(1)
    for _ in range(30):
        position = with_stock(small_position(draw, 9, 2), ordered=False, seed=1)
        cards = compiled_view(position), bytes(position.stock), bytes(position.discards), False
        rules = compiled_rules(position)
        expecter = Expecter(rules, position.hand)
        for move in position.legal_moves:
            expecter.play_value(*cards, bytes(move.cards), Fraction(9, 10))
        found, plain = (
            one.value(*cards) for one in (expecter, Expecter(rules, position.hand, False))
        )
        assert found[0] == plain[0], position.jfn()


def test_cards_drawn_for_nothing_change_nothing_until_the_stock_is_used_up() -> None:
    """The last stones, one hand without a play: what the other side drew before is missing."""
    draw = random.Random(3)
    seen = 0
    while seen < 20:
        position = with_stock(small_position(draw, 6, 1), ordered=False, seed=1)
        if position.left == (1, 1) and len(position.stock) <= 2:
            seen += assert_same(position, draw)


def assert_true_bounds(found: Expectation, full: Expectation) -> None:
    assert full.expected is not None
    lower, upper = as_scores(found)
    assert lower <= full.expected <= upper
    exact = {one.move: as_scores(one)[0] if one.exact else None for one in full.moves}
    for one in found.moves:
        lower, upper = as_scores(one)
        assert lower <= (exact[one.move] or 0) <= upper


def test_budgets_leave_what_is_proved() -> None:
    draw = random.Random(5)
    ended = 0
    for _ in range(25):
        position = with_stock(small_position(draw, 9, 2), ordered=False, seed=1)
        full = expect(position, every_move=True)
        if full.expected is None:
            continue
        for nodes in (1, 3, 20, 100):
            found = expect(position, every_move=True, nodes=nodes)
            assert_true_bounds(found, full)
            ended += found.expected is None
            assert_true_bounds(expect(position, nodes=nodes), full)
    assert ended > 10


def test_a_last_draw_of_many_cards_can_be_stopped() -> None:
    """Twelve cards of forty: billions of draws, counted in one go."""
    hands = [[card for card in DECK if card in kinds][:12] for kinds in ((1, 2, 3), (5, 6, 7))]
    stock = (Counter(DECK) - Counter(hands[0] + hands[1])).elements()
    red, blue, pile = (".".join(map(str, sorted(cards))) for cards in (*hands, stock))
    position = Position.from_jfn(f"8x8 64:b2 r2b1 r r{red},b{blue} {{{pile}}} -", hand=12)
    brief = expect(position, time=0.02)
    assert brief.seconds < 3
    # Red cannot win; an idle machine has counted all of it by then.
    assert brief.lower == -1
    assert brief.upper in (-1, 1)
    assert expect(position, nodes=5000).nodes == 5000
