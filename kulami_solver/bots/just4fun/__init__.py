"""Just 4 Fun's own part of the bots: their names, its dialect of UGI, and its cases.

random  greedy  advised  perfect     built in; the last one has to see all cards
module:name, exec ./bot --fast       as for every game, see `bots.naming`
"""

from __future__ import annotations

import functools
import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ...game import State
from ...just4fun import Position, deal, deals, random_game
from ...just4fun.game import GAME, Just4FunGame, Just4FunState, state_of
from ..builtin import RandomMover, StatePlayer
from ..case import Case as AnyCase
from ..case import draw_cases as draw_any
from ..case import json_number
from ..dialect import Dialect
from ..naming import BotNames
from .builtin import Advised, Greedy, Perfect

BOTS = BotNames(
    game="just4fun",
    called="bot of Just 4 Fun",
    shown=("random", "greedy", "advised", "perfect"),
    plain={
        "random": lambda seed: StatePlayer(RandomMover(seed)),
        "greedy": Greedy,
        "advised": Advised,
        "perfect": Perfect,
    },
)
"""The names of the bots."""


class Just4FunDialect(Dialect):
    """The dialect of Just 4 Fun, for two players: positions as JFN, options line and hand.

    An engine is shown what its player sees: the other hand is `?`, unless all cards are known.

    Examples:
        >>> state = DIALECT.state("1x3 2:b1 r1b1 r r1.3,b? {1.2.2.3} -", {"hand": "2"})
        >>> state.moves
        ('1=1', '3=3')
        >>> DIALECT.text(*state.for_bots())
        ('1x3 2:b1 r1b1 r r1.3,b? {1.2.2.3} -', {'line': '4', 'hand': '2'})
    """

    def made(self, notation: str | None, options: Mapping[str, Any]) -> State:
        """Return the position of a JFN as the player sees it, or the first deal."""
        if notation is None:
            return super().made(notation, options)
        position = Position.from_jfn(notation, **options)
        return state_of(position, dummy=position.ordered)

    def plies_left(self, position: Position) -> int:
        """Return how many stones are still to be placed."""
        return sum(position.left)


DIALECT = Just4FunDialect(GAME)
"""The dialect of Just 4 Fun."""


@dataclass(frozen=True)
class Case(AnyCase):
    """A position of Just 4 Fun, and the double-dummy value of each legal move.

    A move is worth 1 if it wins when all cards and their order are known, 0 if it draws, and -1 if
    it loses. The game decides how much of the position bots see.
    """

    game_called: ClassVar = "Just 4 Fun"
    unit: ClassVar = "points"
    named_by: ClassVar = ("position",)
    grouped_by: ClassVar = ("outcome", "left")
    tabled_by: ClassVar = ("outcome", "left")

    @property
    def line(self) -> str:
        game: Any = self.state.game
        return json.dumps(
            {
                "position": self.position.jfn(),
                "line": game.line,
                "hand": game.hand,
                "hidden": game.hidden,
                "values": {move: json_number(value) for move, value in self.values.items()},
            }
        )

    def column(self, name: str) -> object:
        """Return its JFN, its outcome, or the stones that the side to move has left."""
        if name == "left":
            return self.position.left[self.position.seat]
        return super().column(name)


def draw_cases(game: Just4FunGame, seed: int, count: int, left: int = 4) -> Iterator[Case]:
    """Yield late positions of random games as `bots.case.draw_cases` does.

    Args:
        game: double-dummy, for two.
        seed, count: as there.
        left: stones that the side to move may have left at most.

    Raises:
        KulamiError: if there are fewer than `count`.
    """
    return draw_any(game, seed, count, pick=functools.partial(_late_state, game, left))


def _late_state(game: Just4FunGame, left: int, draw: random.Random) -> Just4FunState | None:
    """Return a state of a random game with at most `left` stones; None if the game has none.

    The stock is in the order in which it would be drawn, and is not shuffled again.
    """
    dealt = {name: getattr(game, name) for name in ("stones", "line", "hand")}
    start = deal(game.board, draw.randrange(10**9), **dealt)
    late = [
        position
        for _, position in random_game(start, draw.randrange(10**9), turns=200)
        if not position.is_over and max(position.left) <= left
    ]
    if not late:
        return None
    return game.state(next(deals(draw.choice(late), draw.randrange(10**9))))
