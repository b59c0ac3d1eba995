"""Just 4 Fun's bots by name.

random  greedy  advised  perfect     built in; the last one has to see all cards
module:name, exec ./bot --fast       as for every game, see `bots.naming`
"""

from __future__ import annotations

from ..isolated import IsolatedBot
from ..naming import BotNames
from ..protocol import Player
from .builtin import Advised, Greedy, Perfect, Random

__all__ = ["BOTS", "make_player"]


def make_player(name: str, seed: int = 0, isolated: bool = False) -> Player:
    """Return the bot of this name, as `bots.naming.make_player` does.

    Examples:
        >>> make_player("greedy").name
        'greedy'
        >>> make_player("perfect:FILE")
        Traceback (most recent call last):
        ...
        kulami_solver.bots.protocol.BotError: 'perfect:FILE' is no bot of Just 4 Fun: use random, \
greedy, advised, perfect, module:name or 'exec program'
    """
    return BOTS.make(name, seed, isolated)


def _isolated(name: str, seed: int) -> Player:
    return Player(IsolatedBot(make_player, name, seed), name)


BOTS = BotNames(
    game="just4fun",
    called="bot of Just 4 Fun",
    shown=("random", "greedy", "advised", "perfect"),
    plain={"random": Random, "greedy": Greedy, "advised": Advised, "perfect": Perfect},
    more={},
    isolated=_isolated,
    built_from=(
        "bots.just4fun.builtin",
        *(
            f"just4fun.{name}"
            for name in ("advising", "board", "playouts", "position", "rules", "solving")
        ),
    ),
)
"""What they are called."""
