"""Kulami's bots by name.

random  greedy  alphabeta:4  mcts  mcts:5000  perfect  master      built in
level:1  ...  level:8        for people; the last one is `master`
master:0.5  master:50000     likewise; seconds below 1,000, nodes from there on
perfect:FILE          likewise; it looks positions up in a solved database, or plays from a proof,
                      before it searches
module:name, exec ./bot --fast     as for every game, see `bots.naming`
"""

from __future__ import annotations

import re
import sys

from ...kulami.database.probe import Database
from ...kulami.proof.proof import is_proof, open_proof
from ..naming import BotNames, engine_player, number_after
from ..protocol import BotError, Player
from ..sources import FileOfBot
from .builtin import AlphaBeta, Greedy, MonteCarlo, Random
from .levels import HIGHEST, USUAL, Level, of_level
from .solving import Master, Perfect

_DEEPEST = 64
_MOST_PLAYOUTS = 100_000_000
_FEWEST_NODES = 1000  # nodes of `master`; a smaller number means seconds
_MOST_NODES = 999_999_999
_LIMIT = re.compile(r"[0-9]{1,9}|[0-9]{0,3}\.[0-9]{1,3}", re.ASCII)


def _alphabeta(name: str, rest: str, seed: int) -> AlphaBeta:
    return AlphaBeta(number_after(name, rest, 4, _DEEPEST))


def _mcts(name: str, rest: str, seed: int) -> MonteCarlo:
    return MonteCarlo(number_after(name, rest, 0, _MOST_PLAYOUTS) or None, seed)


def _level(name: str, rest: str, seed: int) -> Level | Master:
    return of_level(number_after(name, rest, USUAL, HIGHEST), seed)


def _master(name: str, rest: str, seed: int) -> Master:
    limit = float(rest) if _LIMIT.fullmatch(rest) else 0.0
    if not limit:
        raise BotError("master_without_limit", name=name, fewest=_FEWEST_NODES, most=_MOST_NODES)
    return Master(nodes=int(limit)) if limit >= _FEWEST_NODES else Master(limit)


def _by_file(name: str, path: str, seed: int) -> Perfect:
    opening = open_proof if is_proof(path) else Database
    return Perfect((FileOfBot(name, path, opening),), seed=seed)


def _isolated(name: str, seed: int) -> Player:
    command = [sys.executable, "-m", "kulami_solver", "engine", "--bot", name]
    return engine_player(command, name, aloud=True)


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
        "alphabeta": _alphabeta,
        "level": _level,
        "mcts": _mcts,
        "perfect": _by_file,
        "master": _master,
    },
    isolated=_isolated,
)
"""The names of the bots."""
