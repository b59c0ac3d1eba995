"""Kulami's own part of the bots: their names, its dialect of UGI, and its cases in `case`.

random  greedy  alphabeta:4  mcts  mcts:5000  perfect  master      built in
level:1  ...  level:8        for people; the last one is `master`
master:0.5  master:50000     likewise; seconds below 1,000, nodes from there on
perfect:FILE          likewise; it looks positions up in a solved database, or plays from a proof,
                      before it searches
module:name, exec ./bot --fast     as for every game, see `bots.naming`
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ...core import imported_when_used
from ...errors import KulamiError, PositionError
from ...game import State
from ...kulami.game import GAME, KulamiState
from ...kulami.game import state_of as state_of
from ...kulami.position.scoring import Scoring
from ..builtin import sources_of_bot
from ..dialect import Dialect
from ..naming import BotNames, number_after
from ..protocol import BotError
from .builtin import AlphaBeta, Greedy, MonteCarlo, Random
from .solving import HIGHEST, USUAL, Master, Perfect, of_level

__getattr__ = imported_when_used(__name__, {"case": ("Case",)})

_DEEPEST = 64
_MOST_PLAYOUTS = 100_000_000
_FEWEST_NODES = 1000  # nodes of `master`; a smaller number means seconds
_MOST_NODES = 999_999_999
_LIMIT = re.compile(r"[0-9]{1,9}|[0-9]{0,3}\.[0-9]{1,3}", re.ASCII)


def _master(name: str, rest: str, seed: int) -> Master:
    limit = float(rest) if _LIMIT.fullmatch(rest) else 0.0
    if not limit:
        raise BotError("master_without_limit", name=name, fewest=_FEWEST_NODES, most=_MOST_NODES)
    return Master(nodes=int(limit)) if limit >= _FEWEST_NODES else Master(limit)


BOTS = BotNames(
    game="kulami",
    called="bot",
    shown=("random", "greedy", "level:4", "alphabeta:4", "mcts", "perfect", "master"),
    plain={
        "random": Random,
        "greedy": Greedy,
        "perfect": lambda seed: Perfect(seed=seed),
        "master": lambda seed: Master(),
    },
    more={
        "alphabeta": lambda name, rest, _: AlphaBeta(number_after(name, rest, 4, _DEEPEST)),
        "level": lambda name, rest, seed: of_level(number_after(name, rest, USUAL, HIGHEST), seed),
        "mcts": lambda name, rest, seed: MonteCarlo(
            number_after(name, rest, 0, _MOST_PLAYOUTS) or None, seed
        ),
        "perfect": lambda name, path, seed: Perfect(sources_of_bot(name, path, "kulami"), seed),
        "master": _master,
    },
)
"""The names of the bots."""


class KulamiDialect(Dialect):
    """The dialect of Kulami: positions as KFN, and three options.

    Examples:
        >>> state = DIALECT.state("AAB/CCB r/3 b a1", {"scoring": "1"})
        >>> DIALECT.text(*state.for_bots())
        ('AAB/CCB r2/3 b a1', {'scoring': '1', 'marbles': '28', 'shortend': 'false'})
    """

    def made(self, notation: str | None, options: Mapping[str, Any]) -> State:
        """Return the position of a KFN, or the rulebook's square."""
        try:
            return super().made(notation, options)
        except KulamiError as error:
            # This message's remedy fits UGI, where options are set in another way.
            if error.code != "too_many_marbles":
                raise
            side, count, most = (error.values[name] for name in ("side", "count", "most"))
            raise PositionError(
                f"{side} has {count} marbles on the board and {most} in all: ask for more with "
                f"setoption name marbles value {count}"
            ) from None

    def after(self, state: State, moves: Sequence[str]) -> KulamiState:
        """Return the state after some marbles, with the errors of `Position.play_all`."""
        assert isinstance(state, KulamiState)
        return KulamiState(state.game, state.position.play_all(moves))

    def read_option(self, name: str, value: str) -> str:
        """Return a value of an option; a scoring may be in any of its spellings."""
        if name == "scoring":
            return Scoring.parse(value).value
        return super().read_option(name, value)


DIALECT: Final = KulamiDialect(GAME)
"""The dialect of Kulami."""
