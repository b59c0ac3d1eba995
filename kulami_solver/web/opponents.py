"""The bots that may be asked for: built in, each with a strength between two bounds.

Names from the network never become a module, a program or a file: only what a game's part of the
page lists is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..bots import BotError
from ..bots.builtin import Perfect, Random, StatePlayer


@dataclass(frozen=True)
class Opponent:
    """A kind of bot.

    Attributes:
        make: makes one from its strength and a seed.
        least, usual, most: its strengths; all 0 if there is one only.
        timed: whether it thinks for as long as it is given.
    """

    make: Callable[[int, int], Any]
    least: int = 0
    usual: int = 0
    most: int = 0
    timed: bool = False


ANY_BOTS: Final = {
    "random": Opponent(lambda _strength, seed: StatePlayer(Random(seed))),
    "perfect": Opponent(lambda _strength, seed: StatePlayer(Perfect(seed)), timed=True),
}
"""The bots of games that bring none for the page."""

_NAME: Final = re.compile(r"([a-z]{1,12})(?::([0-9]{1,7}))?", re.ASCII)


def strengths(bots: Mapping[str, Opponent]) -> dict[str, dict[str, int | bool]]:
    """Return what there is to choose from, as `/api/options` tells it."""
    return {
        name: {"least": bot.least, "usual": bot.usual, "most": bot.most, "timed": bot.timed}
        for name, bot in bots.items()
    }


def opponent(name: str, seed: int, bots: Mapping[str, Opponent]) -> Any:
    """Return the bot of a name.

    Args:
        name: with its strength, if it has several.
        seed: of what it leaves to chance.
        bots: those there are, weakest first.

    Raises:
        BotError: if there is none.

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
