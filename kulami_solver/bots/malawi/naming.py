"""Malawi's bots by name.

random  greedy  perfect      built in
perfect:FILE          likewise; it looks positions up in a solved database before it searches
module:name, exec ./bot --fast     as for every game, see `bots.naming`
"""

from __future__ import annotations

from ...malawi import Position, Solution
from ...malawi.probe import open_database
from ..isolated import IsolatedBot
from ..naming import BotNames
from ..protocol import Player
from ..sources import LookUp
from .builtin import Greedy, Perfect, Random

__all__ = ["BOTS", "make_player"]


def make_player(name: str, seed: int = 0, isolated: bool = False) -> Player:
    """Return the bot of this name, as `bots.naming.make_player` does.

    Examples:
        >>> make_player("greedy").name
        'greedy'
    """
    return BOTS.make(name, seed, isolated)


def _by_database(name: str, path: str, seed: int) -> Perfect:
    """Make a bot that asks a database for the value of every turn."""
    source = LookUp(name, path, open_database)
    database = source.database

    def solved(position: Position) -> Solution | None:
        return source.asked(
            lambda: database.probe(position, every_move=True) if position in database else None
        )

    return Perfect(solved, seed=seed)


def _isolated(name: str, seed: int) -> Player:
    return Player(IsolatedBot(make_player, name, seed), name)


BOTS = BotNames(
    game="malawi",
    called="bot of Malawi",
    shown=("random", "greedy", "perfect"),
    plain={"random": Random, "greedy": Greedy, "perfect": lambda seed: Perfect(seed=seed)},
    more={"perfect": _by_database},
    isolated=_isolated,
    built_from=(
        "bots.malawi.builtin",
        *(f"malawi.{name}" for name in ("board", "playing", "position", "searching", "turns")),
    ),
)
"""What they are called."""
