"""Bots of Just 4 Fun: what they are shown, matches, checks, forfeits, and files of results."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import just4fun_reference as reference
import pytest
from command_line import good

from kulami_solver.bots import Player, make_player
from kulami_solver.bots.arena import Opening, play_game
from kulami_solver.bots.check import check
from kulami_solver.bots.just4fun import draw_cases
from kulami_solver.bots.just4fun.builtin import Advised, Greedy, Perfect
from kulami_solver.bots.just4fun.match import Just4FunTerms
from kulami_solver.errors import KulamiError
from kulami_solver.game import CHANCE, NOBODY, Budget, State
from kulami_solver.just4fun import Move, Position, known_to
from kulami_solver.just4fun.game import make_game
from kulami_solver.just4fun.rules import IDLE_TURNS

SMALL = ("--board", "3x3", "--stones", "3", "--line", "3", "--hand", "2")
# The game


def test_chance_draws_what_the_rules_draw() -> None:
    """Card by card, what comes out is as likely as in the reference."""
    game = make_game("3x3", stones=3, line=3, hand=2)
    text = "3x3 - r3b3 r r1.2,b3.4 {5} {6.6.6}"
    state = game.read(text)
    table, begun = reference.read(text, 3, 2)
    longer = make_game("3x3", stones=3, line=3, hand=3)
    half = longer.read("3x3 - r3b3 r r1.2.6,b3.4.7 {5} {6} 9=1+2+6 5")
    assert half.play("1").notation().endswith(" 9=1+2+6 1.5")
    assert longer.read(half.play("1").notation()) == half.play("1")
    found: Counter[tuple[int, ...]] = Counter()
    chances: dict[tuple[int, ...], Fraction] = {}

    def follow(here: State, chance: Fraction) -> None:
        if here.to_move != CHANCE:
            hand = here.position.hands[0]
            chances[hand] = chances.get(hand, Fraction(0)) + chance
            found[hand] += 1
            return
        again = game.read(here.notation())
        assert (again.moves, again.chances()) == (here.moves, here.chances())
        for move, likely in zip(here.moves, here.chances(), strict=True):
            follow(here.play(move), chance * likely)

    follow(state.play("3=1+2"), Fraction(1))
    expected = reference.draws(table, begun, (3, (1, 2)))
    assert chances == {after.hands[0]: chance for after, chance in expected.items()}


def test_bots_see_their_own_hand_alone() -> None:
    seen = []

    class Watching:
        def choose(self, position: Position) -> Move:
            seen.append(position)
            return position.legal_moves[-1]

    game = make_game("2006", stones=3, players="rbg")
    players = [Player(Watching()) for _ in range(3)]
    played = play_game(players, Opening(game.start()))
    assert played.forfeit is None
    for position in seen:
        hands = dict(zip(position.players, position.hands, strict=True))
        assert hands.pop(position.turn) is not None
        assert set(hands.values()) == {None}
        assert not position.ordered
    state = game.start()
    assert state.known_to(1) == known_to(state.position, "blue").jfn()


def test_a_game_nobody_can_go_on_with_is_counted_as_it_stands() -> None:
    state: State = make_game("1x2", stones=1, line=3, hand=1).read("1x2 2:r1 r1b1 b r5,b6 {7} -")
    turns = 0
    while state.to_move != NOBODY:
        state = state.play(state.moves[0])
        turns += state.to_move != CHANCE
    assert turns == IDLE_TURNS
    assert state.returns() == (1, -1)
    with pytest.raises(KulamiError, match="nothing can be played"):
        state.play("discard")


def test_several_players_share_what_the_winner_wins() -> None:
    game = make_game("1x3", players="rbg", stones=1, line=3, hand=1)
    won = game.read("1x3 3:r1 r0b0g0 r r1,b1,g1 - -")
    assert won.returns() == (1, Fraction(-1, 2), Fraction(-1, 2))
    drawn = game.read("1x3 3:r1b1 r0b0g0 r r1,b1,g1 - -")
    assert drawn.returns() == (0, 0, 0)
    with pytest.raises(KulamiError, match="two players"):
        game.start().evaluate(Budget())


def test_values_with_draws_are_expected_scores() -> None:
    game = make_game("3x3", stones=2, line=3, hand=2)
    state = game.read("3x3 2:b1,5:r1,6:r1 r1b2 b r3.3,b4.5 {1.1.2.2} -")
    found = state.evaluate(Budget(), every_move=True)
    assert (found.lower, found.upper, str(found.best)) == (Fraction(2, 3), Fraction(2, 3), "9=4+5")
    assert (str(found.moves[0].move), found.moves[0].lower) == ("9=4+5", Fraction(2, 3))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("3x3 - r3b3 r r1.2,b? {3.4} -", "a hand is hidden"),
        ("3x3 - r3g3 r r1.2,g3.4 - -", "this game is played by rb"),
        ("3x3 - r3b3 r r1.2,b3.4 {5} - 3=1+2 4", "4 cannot be drawn"),
        ("3x3 - r3b3 r r1.2,b3.4 {5} - 3=1+2 5.1", "1 after 5"),
        ("3x3 - r3b3 r r1.2,b3.4 {5} - 3=1+2 1.5", "no card is to be drawn"),
        ("3x3 - r3b3 r r1.2,b3.4 {5} - 3=1+2", "seven|7 parts"),
    ],
)
def test_texts_of_no_state(text: str, message: str) -> None:
    with pytest.raises(KulamiError, match=message):
        make_game("3x3", stones=3, line=3, hand=2).read(text)


def test_a_double_dummy_game_needs_an_order() -> None:
    with pytest.raises(KulamiError, match="in the order of drawing"):
        make_game("3x3", dummy=True, hand=2).read("3x3 - r3b3 r r1.2,b3.4 {5} -")


# Bots


def test_advised_beats_random_on_a_small_board() -> None:
    terms = Just4FunTerms(make_game("3x3", stones=4, line=3, hand=3))
    advised, other = Player(Advised(deals=6)), make_player("random", game="just4fun")
    points = Fraction(0)
    for number in range(8):
        points += play_game((advised, other), terms.opening(number), seed=number).shares[0]
        points += play_game((other, advised), terms.opening(number), seed=number).shares[1]
    assert points >= 10


def test_records_are_those_of_the_rules() -> None:
    terms = Just4FunTerms(make_game("2006", stones=6))
    for number in range(4):
        game = play_game(
            (Player(Greedy()), make_player("random", game="just4fun")),
            terms.opening(number),
            seed=number,
        )
        record = terms.record(game)
        assert good("just4fun", "replay", "-", stdin=json.dumps(record).encode()).code == 0
        assert terms.result(record).winner == game.winner
    assert terms.opening(3) == terms.opening(3) != terms.opening(4)


def test_checks_with_all_cards_and_with_advice() -> None:
    game = make_game("3x3", stones=4, line=3, hand=3, dummy=True)
    cases = list(draw_cases(game, 1, 25))
    assert cases == list(draw_cases(game, 1, 25))
    assert check(Perfect(), cases).optimal_rate == 1
    shown = replace(game, hidden=True)
    hidden = [replace(case, state=shown.state(case.position)) for case in cases]
    with_advice = check(Advised(deals=4), hidden)
    assert with_advice.optimal > 0
    assert sum(with_advice.faults.values()) == 0


def test_values_of_cases_are_those_of_the_reference() -> None:
    game = make_game("3x3", stones=3, line=3, hand=2, dummy=True)
    for case in draw_cases(game, 2, 8, left=2):
        table, state = reference.read(case.position.jfn(), 3, 2)
        found = reference.Minimax(table).move_outcomes(state)
        worth = {"win": 1, "draw": 0, "loss": -1}
        values = {str(Move(*move)): worth[outcome] for move, outcome in found.items()}
        assert dict(case.values) == values
