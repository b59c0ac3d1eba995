"""Advice and playouts: what is certain is exact, the rest near what all deals say."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from kulami_solver.core.interruption import SolveInterrupted
from kulami_solver.just4fun import (
    Board,
    Position,
    advise,
    advising,
    deal,
    expect,
    known_to,
    random_game,
    solve,
)
from kulami_solver.just4fun.cards import Move
from kulami_solver.just4fun.playouts import greedy_move, playout
from kulami_solver.just4fun.solving import as_scores

SCORES = {"loss": 0.0, "draw": 0.5, "win": 1.0}
LAST = "2,7,5/1,6,3/4,8,9 1:b1,2:b1,3:r1,5:r1 r1b1 r r2.6,b? {1.1.3.4.5.7} {2.3}"
LATER = "2,7,5/1,6,3/4,8,9 1:b1,3:r1 r2b2 r r2.6,b? {1.1.3.4.5} {2.3}"


def all_deals(position: Position) -> list[Position]:
    """Every deal of the unseen cards, equal cards told apart: all are as likely."""
    return [
        replace(position, hands=(position.hands[0], cards[:2]), stock=cards[2:], ordered=True)
        for cards in itertools.permutations(position.stock)
    ]


def test_estimates_are_near_the_mean_of_all_deals() -> None:
    position = Position.from_jfn(LATER, line=3, hand=2)
    every = all_deals(position)
    means: dict[str, float] = {}
    for dealt in every:
        for move in solve(dealt, every_move=True).moves:
            assert move.outcome is not None
            means[str(move.move)] = means.get(str(move.move), 0) + SCORES[move.outcome] / len(every)
    advice = advise(position, deals=200, method="double-dummy")
    assert (advice.deals, advice.undecided, advice.method) == (200, 0, "double-dummy")
    assert {str(move.move) for move in advice.moves} == set(means)
    for found in advice.moves:
        assert found.low <= found.mean <= found.high
        assert found.mean == pytest.approx(means[str(found.move)], abs=0.1)


def test_the_last_stones_are_worked_out_with_all_draws() -> None:
    position = Position.from_jfn(LAST, line=3, hand=2)
    hands = list(itertools.permutations(position.stock, 2))
    means: dict[str, Fraction] = {}
    for cards in hands:
        stock = list(position.stock)
        for card in cards:
            stock.remove(card)
        dealt = replace(position, hands=((2, 6), cards), stock=tuple(stock))
        for move in expect(dealt, every_move=True).moves:
            assert move.exact
            mean = means.get(str(move.move), Fraction(0))
            means[str(move.move)] = mean + as_scores(move)[0] / len(hands)
    advice = advise(position, deals=300)
    assert advice.method == "expectation"
    for found in advice.moves:
        assert found.mean == pytest.approx(float(means[str(found.move)]), abs=0.1)


def test_early_positions_and_several_players_are_played_out() -> None:
    advice = advise(known_to(deal(Board.parse("2006"), 1, players="rbg", stones=3), "red"), deals=3)
    assert (advice.method, advice.deals) == ("playouts", 3)
    assert all(0 <= move.mean <= 1 for move in advice.moves)
    assert advise(known_to(deal(Board.parse("2006"), 1), "red"), deals=1).method == "playouts"


def test_a_seed_gives_the_same_advice() -> None:
    position = Position.from_jfn(LATER, line=3, hand=2)
    one, two, other = (advise(position, deals=20, seed=seed) for seed in (3, 3, 4))
    assert one.moves == two.moves
    assert one.moves != other.moves


def test_time_ends_it() -> None:
    advice = advise(known_to(deal(Board.parse("2006"), 2), "red"), time=0.5)
    assert advice.seconds < 5
    assert advice.moves
    position = known_to(deal(Board.parse("2006"), 2, stones=9), "red")
    short = advise(position, time=0.2, method="double-dummy")
    assert short.deals >= 0
    assert short.seconds < 5
    for move in short.moves:
        assert 0 <= move.low <= move.mean <= move.high <= 1


def test_an_event_ends_it() -> None:
    stop = threading.Event()
    seen = []

    def progress(advice: Any) -> None:
        seen.append(advice.deals)
        if advice.deals == 3:
            stop.set()

    position = Position.from_jfn(LATER, line=3, hand=2)
    assert advise(position, deals=100, stop=stop, progress=progress).deals == 3
    assert seen == [1, 2, 3]


def test_ctrl_c_counts_no_deal_by_half(monkeypatch: pytest.MonkeyPatch) -> None:
    position = Position.from_jfn(LATER, line=3, hand=2)
    first, second = position.legal_moves[:2]
    left = iter((Fraction(1), Fraction(1), None))

    class Interrupting(Fraction):
        def __add__(self, other: object) -> Any:
            raise KeyboardInterrupt

    def valued(*_: object) -> Iterator[tuple[Move, tuple[Fraction, Fraction]]]:
        won = (Fraction(1), Fraction(1))
        yield first, won
        yield second, won if next(left) else (Interrupting(1), Fraction(1))

    monkeypatch.setattr(advising._Work, "_valued", valued)
    with pytest.raises(SolveInterrupted) as caught:
        advise(position, deals=100, method="double-dummy")
    advice = caught.value.solution
    assert advice.deals == 2
    assert {move.mean for move in advice.moves if move.move in (first, second)} == {1.0}


def test_a_game_that_is_over_needs_no_advice() -> None:
    advice = advise(Position.from_jfn("1x2 2:r1 r0b0 r r1,b2 - -", hand=1))
    assert (advice.best, advice.moves, advice.deals) == (None, (), 0)


# Playouts


def test_playouts_of_a_decided_game_say_so() -> None:
    over = Position.from_jfn("1x3 1:r2,2:r1,3:b2 r0b0 r r2,b3 - -", hand=1)
    draw = Random(1)
    assert playout(over, 0, draw) == 0
    assert playout(over, 1, draw) == 1
    nobody = Position.from_jfn("1x3 1:r1b1 r0b0g0 r r2,b3,g1 - -", hand=1)
    assert playout(nobody, 0, draw) == Fraction(1, 3)


def test_a_playout_without_end_is_counted_as_it_stands() -> None:
    assert playout(Position.from_jfn("1x2 2:r1 r1b1 b r5,b6 - -", hand=1), 0, Random(1)) == 1


def test_a_playout_follows_the_rules() -> None:
    """With one move at every turn it can only go as a random game does."""
    for seed in range(30):
        start = deal(Board.parse("2x3"), seed, stones=2, line=2, hand=1, cards=(1, 2, 3, 4, 5, 6))
        end = [position for _, position in random_game(start, 1, turns=6)][-1]
        if end.is_over and end.ordered:
            expected = {"red": 1, "blue": 0, None: Fraction(1, 2)}[end.winner]
            assert playout(start, 0, Random(1)) == expected


def test_greedy_takes_a_line() -> None:
    position = Position.from_jfn("3x3 1:r1,2:r1 r2b2 r r3.9,b1.1 - -", line=3, hand=2)
    assert str(greedy_move(position, Random(1))) == "3=3"
    blocked = Position.from_jfn("3x3 1:r1,2:r1,3:b1 r2b2 r r3.9,b1.1 - -", line=3, hand=2)
    assert str(greedy_move(blocked, Random(1))) == "9=9"
