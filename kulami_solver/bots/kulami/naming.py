"""Kulami's bots by name.

random  greedy  alphabeta:4  mcts  mcts:5000  perfect      built in
perfect:FILE          likewise; it looks positions up in a solved database before it searches
module:name, exec ./bot --fast     as for every game, see `bots.naming`
"""

from __future__ import annotations

import sys

from ...kulami.position import Position
from ...kulami.probe import open_database
from ...kulami.scoring import Scoring
from ..naming import BotNames, engine_player, number_after
from ..protocol import Player
from ..sources import LookUp
from .builtin import AlphaBeta, Greedy, MonteCarlo, Perfect, Random

_DEEPEST = 64
_MOST_PLAYOUTS = 100_000_000


def _alphabeta(name: str, rest: str, seed: int) -> AlphaBeta:
    return AlphaBeta(number_after(name, rest, 4, _DEEPEST))


def _mcts(name: str, rest: str, seed: int) -> MonteCarlo:
    return MonteCarlo(number_after(name, rest, 0, _MOST_PLAYOUTS) or None, seed)


def _by_database(name: str, path: str, seed: int) -> Perfect:
    source = LookUp(name, path, open_database)
    database = source.database

    def best_field(position: Position, scoring: Scoring) -> str | None:
        if scoring is not database.scoring:
            return None
        return source.asked(lambda: database.probe(position).best if position in database else None)

    return Perfect(sources=(best_field,), seed=seed)


def _isolated(name: str, seed: int) -> Player:
    command = [sys.executable, "-m", "kulami_solver", "engine", "--bot", name]
    return engine_player(command, name, aloud=True)


BOTS = BotNames(
    game="kulami",
    called="bot",
    shown=("random", "greedy", "alphabeta:4", "mcts", "perfect"),
    plain={"random": Random, "greedy": Greedy, "perfect": lambda seed: Perfect(seed=seed)},
    more={"alphabeta": _alphabeta, "mcts": _mcts, "perfect": _by_database},
    isolated=_isolated,
)
"""What they are called."""
