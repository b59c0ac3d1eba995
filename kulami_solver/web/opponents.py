"""The bots that may be asked for: built in, each with a strength between two bounds.

Names from the network never become a module, a program or a file: only what stands here is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..bots import AlphaBeta, BotError, Clock, Greedy, MonteCarlo, Perfect, Random, Thought
from ..errors import quoted
from ..kulami.position import Position
from ..kulami.scoring import Scoring

__all__ = ["OPPONENTS", "Choice", "Opponent", "choose", "opponent", "strengths"]


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


@dataclass(frozen=True)
class Choice:
    """What a bot has chosen.

    Attributes:
        field: where it plays.
        thought: what it thinks of it, None if it does not say.
    """

    field: str
    thought: Thought | None

    @property
    def proved(self) -> bool:
        """Whether it is proved to be best."""
        return self.thought is not None and bool(self.thought.proved)


OPPONENTS: Final = {
    "random": Opponent(lambda _strength, seed: Random(seed)),
    "greedy": Opponent(lambda _strength, seed: Greedy(seed)),
    "alphabeta": Opponent(lambda strength, _seed: AlphaBeta(strength), 1, 4, 8),
    "mcts": Opponent(MonteCarlo, 10, 1000, 100_000),
    "perfect": Opponent(lambda _strength, seed: Perfect(seed=seed), timed=True),
}
"""By name, weakest first; `NAME:STRENGTH` where there are several."""

_NAME: Final = re.compile(r"([a-z]{1,12})(?::([0-9]{1,7}))?", re.ASCII)


def strengths(bots: Mapping[str, Opponent]) -> dict[str, dict[str, int | bool]]:
    """Return what there is to choose from, as `/api/options` tells it."""
    return {
        name: {"least": bot.least, "usual": bot.usual, "most": bot.most, "timed": bot.timed}
        for name, bot in bots.items()
    }


def opponent(name: str, seed: int = 0, bots: Mapping[str, Opponent] = OPPONENTS) -> Any:
    """Return the bot of a name.

    Args:
        name: with its strength, if it has several.
        seed: of what it leaves to chance.
        bots: those there are.

    Raises:
        BotError: if there is none.

    Examples:
        >>> opponent("alphabeta:6").name
        'alphabeta:6'
        >>> opponent("perfect:FILE")
        Traceback (most recent call last):
        ...
        kulami_solver.bots.protocol.BotError: 'perfect:FILE' is no bot of the page: use random, \
greedy, alphabeta:1-8, mcts:10-100000 or perfect
    """
    match = _NAME.fullmatch(name)
    kind = bots.get(match[1]) if match else None
    if match and kind:
        strength = kind.usual if match[2] is None else int(match[2])
        if kind.least <= strength <= kind.most and (kind.most or match[2] is None):
            return kind.make(strength, seed)
    known = [
        f"{name}:{kind.least}-{kind.most}" if kind.most else name for name, kind in bots.items()
    ]
    raise BotError(
        f"{quoted(name)} is no bot of the page: use {', '.join(known[:-1])} or {known[-1]}"
    )


def choose(bot: Any, position: Position, scoring: Scoring, clock: Clock) -> Choice:
    """Return what a bot of `opponent` plays in a position whose game is not over."""
    if isinstance(bot, (Random, Greedy)):
        return Choice(bot.choose(position, scoring=scoring), None)
    field = bot.choose(position, scoring=scoring, clock=clock)
    return Choice(field, bot.thought)
