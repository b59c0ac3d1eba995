"""Just 4 Fun's bots by name.

random  greedy  advised  perfect     built in; the last one has to see all cards
module:name, exec ./bot --fast       as for every game, see `bots.naming`
"""

from __future__ import annotations

from ..naming import BotNames
from .builtin import Advised, Greedy, Perfect, Random

BOTS = BotNames(
    game="just4fun",
    called="bot of Just 4 Fun",
    shown=("random", "greedy", "advised", "perfect"),
    plain={"random": Random, "greedy": Greedy, "advised": Advised, "perfect": Perfect},
)
"""The names of the bots."""
