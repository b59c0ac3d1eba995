"""Positions of Just 4 Fun to judge bots by, each with the double-dummy value of every move.

A move is worth 1 if it wins when all cards and their order are known, 0 if it draws, and -1 if it
loses.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from ...errors import KulamiError
from ...just4fun import Position, deal, deals, random_game, solve
from ...just4fun.game import Just4FunGame, Just4FunState
from ..case import Case, outcome

__all__ = ["Just4FunCase", "draw_cases"]

_WORTH: Mapping[str | None, int] = {"win": 1, "draw": 0, "loss": -1}
_TRIES = 1000  # games that bring no further position, before there are none left


@dataclass(frozen=True)
class Just4FunCase(Case):
    """A position of Just 4 Fun, and what each legal move is worth double-dummy."""

    game: Just4FunGame
    position: Position
    values: Mapping[str, int]
    origin: str = ""

    unit: ClassVar = "points"
    named_by: ClassVar = ("position",)
    grouped_by: ClassVar = ("outcome", "left")
    tabled_by: ClassVar = ("outcome", "left")

    @property
    def state(self) -> Just4FunState:
        """The position; the game says how much of it bots are shown."""
        return self.game.state(self.position)

    @property
    def line(self) -> str:
        """The case as a line of text."""
        return json.dumps(
            {
                "position": self.position.jfn(),
                "line": self.game.line,
                "hand": self.game.hand,
                "hidden": self.game.hidden,
                "values": dict(self.values),
            }
        )

    def column(self, name: str) -> object:
        """Return its JFN, what it is for the side to move, or how many stones that one has left."""
        if name == "position":
            return self.position.jfn()
        if name == "outcome":
            return outcome(self.best)
        return self.position.left[self.position.seat]


def draw_cases(game: Just4FunGame, seed: int, count: int, left: int = 4) -> Iterator[Just4FunCase]:
    """Yield late positions of random games, each once, in which a move can spoil something.

    Args:
        game: double-dummy, for two.
        seed: 0 or more; the same positions for a seed on every machine.
        count: how many.
        left: stones that the side to move may have left at most.

    Raises:
        KulamiError: if there are not so many.
    """
    draw = random.Random(seed)
    seen: set[Position] = set()
    tries = 0
    while len(seen) < count:
        position = _late_position(game, draw, left)
        if position is not None and position not in seen:
            moves = solve(position, every_move=True).moves
            values = {str(found.move): _WORTH[found.outcome] for found in moves}
            if len(set(values.values())) > 1:
                tries = 0
                seen.add(position)
                ordered = {str(move): values[str(move)] for move in position.legal_moves}
                yield Just4FunCase(game, position, ordered, "random")
                continue
        tries += 1
        if tries == _TRIES:
            raise KulamiError(
                f"random games on a board of {game.board} came to {len(seen)} positions in "
                f"which a move can spoil something: ask for no more (not {count})"
            )


def _late_position(game: Just4FunGame, draw: random.Random, left: int) -> Position | None:
    """Return a position of a random game in which so few stones are left; None if it has none.

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
    return next(deals(draw.choice(late), draw.randrange(10**9)))
