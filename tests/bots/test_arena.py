"""The arena knows no game: a toy with dice, hidden coins and three seats is played to its end."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import pytest
from toy_game import Dice

from kulami_solver.bots import Clock, Player
from kulami_solver.bots.arena import Opening, draw_chance, play_game
from kulami_solver.game import NOBODY


class Taker:
    """Takes whatever it gets, and remembers what it was shown."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, int]] = []

    def choose(self, position: str, seat: int) -> str:
        self.seen.append((position, seat))
        return "take"


class Passer:
    def choose(self, position: str) -> str:
        return "pass"


def test_three_seats_chance_and_hidden_hands() -> None:
    taker = Taker()
    bots = (Player(Passer()), Player(taker), Player(Passer(), "other"))
    game = play_game(bots, Opening(Dice().start()), seed=5)
    assert game.players == ("Passer", "Taker", "other")
    assert (len(game.moves), game.forfeit) == (12, None)
    assert game.end.to_move == NOBODY
    assert game.end.returns()[::2] == (0, 0)
    assert (game.winner, [*map(int, game.shares)]) == (1, [0, 1, 0])
    # A bot sees its own coins and its own throw, and no one else's.
    first, second = game.moves[2], game.moves[8]
    assert taker.seen == [(f"[] {first}", 1), (f"[{first}] {second}", 1)]


def test_chance_goes_by_the_seed() -> None:
    def throws(seed: int) -> tuple[str, ...]:
        players = [Player(Passer()) for _ in range(3)]
        return play_game(players, Opening(Dice().start()), seed=seed).moves[::2]

    assert throws(1) == throws(1)
    assert len({throws(seed) for seed in range(20)}) > 5
    draw = random.Random(1)
    counted = Counter(draw_chance(Dice().start(), draw) for _ in range(3000))
    assert 0.63 < counted["1"] / 3000 < 0.70


def test_those_who_have_not_lost_by_forfeit_share_the_point() -> None:
    class Wrong:
        def choose(self, position: str, clock: Clock) -> str:
            return "steal"

    bots = (Player(Passer()), Player(Taker()), Player(Wrong()))
    game = play_game(bots, Opening(Dice().start(), ("1", "pass", "2")))
    assert (game.forfeit, game.fault, len(game.moves)) == (2, "illegal", 5)
    assert "steal is not among" in game.message
    assert (game.winner, game.shares) == (None, (Fraction(1, 2), Fraction(1, 2), Fraction(0)))


def test_equals_share_the_point_too() -> None:
    game = play_game([Player(Passer()) for _ in range(3)], Opening(Dice().start()))
    assert (game.winner, game.shares) == (None, (Fraction(1, 3),) * 3)


def test_as_many_bots_as_seats() -> None:
    with pytest.raises(ValueError, match="2 bots for 3 seats"):
        play_game([Player(Passer())] * 2, Opening(Dice().start()))


def test_what_is_no_answer_at_all() -> None:
    class Silent:
        def choose(self, position: str) -> None:
            return None

    game = play_game([Player(Silent())] * 3, Opening(Dice().start().play("1")))
    assert game.message == "Silent answers None, which is no choice"
