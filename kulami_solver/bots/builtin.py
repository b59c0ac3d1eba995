"""Bots of any game: they are shown the state itself, so they play no more than by its rules.

A game that has no bots of its own has these. The answer depends on the state, the clock and the
seed alone; only a limit in seconds lets chance in.
"""

from __future__ import annotations

import hashlib
import random
from typing import Any, Final

from ..game import Budget, State
from .protocol import BotError, Clock, Player

_USUAL: Final = 100_000  # positions a search looks at where the clock has no limit


def chance(*words: object) -> int:
    """Return 64 random bits that belong to some words, of which the first is a seed."""
    text = " ".join(map(str, words))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def draw(seed: int, notation: str) -> random.Random:
    """Return the chance that belongs to a seed and a position."""
    return random.Random(chance(seed, notation))


class Random:
    """Plays any legal move, the same for a seed in a state that looks the same to its player.

    Examples:
        >>> from kulami_solver.game import load_game
        >>> start = load_game("malawi", board="2x3").start()
        >>> Random(1).choose(start) == Random(1).choose(start)
        True
    """

    name = "random"

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def choose(self, state: State, *, clock: Clock | None = None) -> str:
        """Return any legal move."""
        return draw(self.seed, state.known_to(state.to_move)).choice(state.moves)


class Perfect(Random):
    """Plays what `State.evaluate` finds to be best in the clock's time, else any legal move.

    Examples:
        >>> from kulami_solver.game import load_game
        >>> Perfect().choose(load_game("kulami", layout="AAB/CCB").start().play("a1"))
        'c1'
    """

    name = "perfect"

    def choose(self, state: State, *, clock: Clock | None = None) -> str:
        """Return a move that is best as far as is known in the time.

        Raises:
            BotError: if players know less than the state says.
        """
        if state.game.has_hidden:
            raise BotError("perfect_sees_all")
        clock = clock or Clock()
        nodes = clock.nodes if clock.limited else _USUAL
        budget = Budget(seconds=clock.seconds, nodes=nodes, stop=clock.stop)
        return state.evaluate(budget).best or super().choose(state)


class StatePlayer(Player):
    """A bot that is shown the state itself."""

    def choose(self, state: State, clock: Clock | None = None, **others: Any) -> str:
        return state.move_of(self.ask(state, {"clock": clock or Clock()}, **others))
