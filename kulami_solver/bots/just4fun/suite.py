"""Positions of Just 4 Fun to judge bots by, each with the double-dummy value of every move.

A move is worth 1 if it wins when all cards and their order are known, 0 if it draws, and -1 if it
loses.
"""

from __future__ import annotations

import functools
import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from ...game import Number, State
from ...just4fun import deal, deals, random_game
from ...just4fun.game import Just4FunGame, Just4FunState
from .. import suite
from ..case import GameCase, json_number


@dataclass(frozen=True)
class Just4FunCase(GameCase):
    """A position of Just 4 Fun, and the value of each legal move.

    The game decides how much of the position bots see.
    """

    game_called: ClassVar = "Just 4 Fun"
    named_by: ClassVar = ("position",)
    grouped_by: ClassVar = ("outcome", "left")
    tabled_by: ClassVar = ("outcome", "left")

    @property
    def line(self) -> str:
        return json.dumps(
            {
                "position": self.position.jfn(),
                "line": self.game.line,
                "hand": self.game.hand,
                "hidden": self.game.hidden,
                "values": {move: json_number(value) for move, value in self.values.items()},
            }
        )

    def column(self, name: str) -> object:
        """Return its JFN, its outcome, or the stones that the side to move has left."""
        if name == "left":
            return self.position.left[self.position.seat]
        return super().column(name)


def case_of(state: State, values: Mapping[str, Number], origin: str = "") -> Just4FunCase:
    """Return a state of Just 4 Fun as a case."""
    assert isinstance(state, Just4FunState)
    return Just4FunCase(state.game, state.position, values, origin)


def draw_cases(game: Just4FunGame, seed: int, count: int, left: int = 4) -> Iterator[Just4FunCase]:
    """Yield late positions of random games as `bots.suite.draw_cases` does.

    Args:
        game: double-dummy, for two.
        seed, count: as there.
        left: stones that the side to move may have left at most.

    Raises:
        KulamiError: if there are fewer than `count`.
    """
    return suite.draw_cases(game, seed, count, pick=functools.partial(_late_state, game, left))


def _late_state(game: Just4FunGame, left: int, draw: random.Random) -> Just4FunState | None:
    """Return a state of a random game with at most `left` stones; None if the game has none.

    The stock is in the order in which it would be drawn, and is not shuffled again.
    """
    start = deal(
        game.board,
        draw.randrange(10**9),
        stones=game.stones,
        line=game.line,
        hand=game.hand,
    )
    late = [
        position
        for _, position in random_game(start, draw.randrange(10**9), turns=200)
        if not position.is_over and max(position.left) <= left
    ]
    if not late:
        return None
    return game.state(next(deals(draw.choice(late), draw.randrange(10**9))))
