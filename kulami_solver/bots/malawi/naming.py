"""Malawi's bots by name.

random  greedy  perfect      built in
perfect:FILE          likewise; it looks positions up in a solved database before it searches
module:name, exec ./bot --fast     as for every game, see `bots.naming`
"""

from __future__ import annotations

from ...malawi.probe import open_database
from ..naming import BotNames
from ..sources import FileOfBot
from .builtin import Greedy, Perfect, Random


def _by_file(name: str, path: str, seed: int) -> Perfect:
    return Perfect((FileOfBot(name, path, open_database),), seed=seed)


BOTS = BotNames(
    game="malawi",
    called="bot of Malawi",
    shown=("random", "greedy", "perfect"),
    plain={"random": Random, "greedy": Greedy, "perfect": lambda seed: Perfect(seed=seed)},
    more={"perfect": _by_file},
)
"""The names of the bots."""
