"""Malawi's bots by name, as the command line gives them.

random  greedy  perfect      built in
perfect:FILE          likewise; it looks positions up in a solved database before it searches
module:name           a class (made without arguments) or an instance in a Python module
"""

from __future__ import annotations

from collections.abc import Callable

from ...errors import KulamiError, quoted
from ...malawi import Position, Solution
from ..isolated import IsolatedBot
from ..naming import imported_bot, try_bot
from ..overheard import ImportedPlayer
from ..protocol import BotError, Player
from .builtin import Greedy, Perfect, Random

__all__ = ["BUILT_IN", "make_player"]

BUILT_IN = ("random", "greedy", "perfect")
"""The built-in bots, weakest first."""


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
        kulami_solver.bots.protocol.BotError: 'exec ./bot' is no bot of Malawi: use random, \
greedy, perfect, perfect:FILE or module:name
    """
    name = name.strip()
    kind, _, rest = name.partition(":")
    if name == "random":
        return Player(Random(seed))
    if name == "greedy":
        return Player(Greedy(seed))
    if name == "perfect":
        return Player(Perfect(seed=seed))
    if kind == "perfect" and rest:
        return Player(Perfect(_database(rest), seed=seed), name)
    if not rest or kind in BUILT_IN or " " in kind:
        raise BotError(
            f"{quoted(name)} is no bot of Malawi: use {', '.join(BUILT_IN)}, perfect:FILE or "
            "module:name"
        )
    if isolated:
        try_bot(kind, rest)  # what is wrong with it is said better here than from there
        return Player(IsolatedBot(make_player, name, seed), name)
    return ImportedPlayer(imported_bot(kind, rest), name)


def _database(path: str) -> Callable[[Position], Solution | None]:
    """The value of every turn of each position that is in a database."""
    from ...malawi import open_database

    try:
        database = open_database(path)
    except (KulamiError, OSError) as error:
        raise BotError(f"perfect:{path} is no bot: {error}") from None

    def solved(position: Position) -> Solution | None:
        return database.probe(position, every_turn=True) if position in database else None

    return solved
