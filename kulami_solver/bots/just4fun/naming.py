"""Just 4 Fun's bots by name, as the command line gives them.

random  greedy  advised  perfect     built in
module:name           a class (made without arguments) or an instance in a Python module
"""

from __future__ import annotations

from ...errors import quoted
from ..isolated import IsolatedBot
from ..naming import imported_bot, try_bot
from ..overheard import ImportedPlayer
from ..protocol import BotError, Player
from .builtin import Advised, Greedy, Perfect, Random

__all__ = ["BUILT_IN", "make_player"]

_BOTS = {"random": Random, "greedy": Greedy, "advised": Advised, "perfect": Perfect}

BUILT_IN = tuple(_BOTS)
"""The built-in bots, weakest first; the last one has to see all cards."""


def make_player(name: str, seed: int = 0, isolated: bool = False) -> Player:
    """Return the bot of this name.

    Args:
        name: as above.
        seed: of the built-in bots.
        isolated: run a Python bot in a process of its own, so that it can neither hang nor end
            this one. Built-in bots are trusted.

    Raises:
        BotError: if there is no such bot, or it cannot be started.

    Examples:
        >>> make_player("greedy").name
        'greedy'
        >>> make_player("exec ./bot")
        Traceback (most recent call last):
        ...
        kulami_solver.bots.protocol.BotError: 'exec ./bot' is no bot of Just 4 Fun: use random, \
greedy, advised, perfect or module:name
    """
    name = name.strip()
    if name in _BOTS:
        return Player(_BOTS[name](seed))
    kind, _, rest = name.partition(":")
    if not rest or kind in BUILT_IN or " " in kind:
        raise BotError(
            f"{quoted(name)} is no bot of Just 4 Fun: use {', '.join(BUILT_IN)} or module:name"
        )
    if isolated:
        try_bot(kind, rest)  # what is wrong with it is said better here than from there
        return Player(IsolatedBot(make_player, name, seed), name)
    return ImportedPlayer(imported_bot(kind, rest), name)
