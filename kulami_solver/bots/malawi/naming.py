"""Malawi's bots by name.

random  greedy  perfect      built in
perfect:FILE          likewise; it looks positions up in a solved database before it searches
module:name, exec ./bot --fast     as for every game, see `bots.naming`
"""

from __future__ import annotations

from ...malawi import Position, Solution
from ...malawi.probe import open_database
from ..naming import BotNames
from ..sources import LookUp
from .builtin import Greedy, Perfect, Random


def _by_database(name: str, path: str, seed: int) -> Perfect:
    source = LookUp(name, path, open_database)
    database = source.database

    def solved(position: Position) -> Solution | None:
        return source.asked(
            lambda: database.probe(position, every_move=True) if position in database else None
        )

    return Perfect(solved, seed=seed)


BOTS = BotNames(
    game="malawi",
    called="bot of Malawi",
    shown=("random", "greedy", "perfect"),
    plain={"random": Random, "greedy": Greedy, "perfect": lambda seed: Perfect(seed=seed)},
    more={"perfect": _by_database},
)
"""The names of the bots."""
