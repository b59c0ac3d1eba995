"""The bots that may be asked for: built in, each with a strength between two bounds.

Names from the network never become a module, a program or a file: only the bots that a game's part
of the page lists are known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..bots import BotError
from ..bots.builtin import BestMover, RandomMover, StatePlayer


@dataclass(frozen=True)
class Opponent:
    """A kind of bot.

    Attributes:
        make: makes one from its strength and a seed.
        least, usual, most: its strengths; all 0 if it has only one.
        timed: whether it thinks for a given time.
    """

    make: Callable[[int, int], Any]
    least: int = 0
    usual: int = 0
    most: int = 0
    timed: bool = False


ANY_BOTS: Final = {
    "random": Opponent(lambda _strength, seed: StatePlayer(RandomMover(seed))),
    "perfect": Opponent(lambda _strength, seed: StatePlayer(BestMover(seed)), timed=True),
}
"""The bots of games that list none of their own."""

_NAME: Final = re.compile(r"([a-z]{1,12})(?::([0-9]{1,7}))?", re.ASCII)


def strengths(bots: Mapping[str, Opponent]) -> dict[str, dict[str, int | bool]]:
    """Return the bots to choose from, for `/api/options`."""
    return {
        name: {"least": bot.least, "usual": bot.usual, "most": bot.most, "timed": bot.timed}
        for name, bot in bots.items()
    }


def opponent(name: str, seed: int, bots: Mapping[str, Opponent]) -> Any:
    """Return the bot of a name.

    Args:
        name: the name, followed by `:` and the strength if the bot has several.
        seed: the seed of its random choices.
        bots: all bots, weakest first.

    Raises:
        BotError: if there is no such bot.

    Examples:
        >>> bots = {"greedy": Opponent(lambda strength, seed: seed)}
        >>> opponent("greedy", 7, bots)
        7
        >>> opponent("greedy:FILE", 7, bots)
        Traceback (most recent call last):
        ...
        kulami_solver.bots.protocol.BotError: 'greedy:FILE' is no bot of the page: use greedy
    """
    match = _NAME.fullmatch(name)
    kind = bots.get(match[1]) if match else None
    if match and kind:
        strength = kind.usual if match[2] is None else int(match[2])
        if kind.least <= strength <= kind.most and (kind.most or match[2] is None):
            return kind.make(strength, seed)
    known = [f"{one}:{it.least}-{it.most}" if it.most else one for one, it in bots.items()]
    raise BotError("no_page_bot", name=name, names=known)
