"""Bots, and how good they are: protocol, built-in bots, engines, checks, matches and grades.

    protocol    what a bot is; `Player` is any bot behind one face
    builtin     bots of any game
    suite       cases read from files, and drawn from random games
    naming      bots by name, as on the command line; sources, the databases they look up in
    engine      programs that speak UGI, as bots; dialect, what a game says in UGI
    case        a state with every move's exact value
    check       how often a bot's choice is optimal, and the cost of its mistakes
    report      a check as text, JSON and CSV; page, as one HTML page
    arena       games between bots; match, many of them, with Elo and SPRT
    journal     files of results that grow; only the bots that began one may continue it
    fingerprint the files and versions of a bot when it answered
    overheard   the output of a bot, and the place where it failed
    grade       the cost of every move of a game
    isolated    Python bots in a process of their own, where they do not speak UGI
    kulami, malawi, just4fun    the part of one game: its bots and their names, its words for cases,
                its matches, and its dialect of UGI

Only these parts know their game; the rest knows games through `kulami_solver.game` alone.

Examples:
    >>> from kulami_solver import bots
    >>> player = bots.make_player("greedy")
    >>> player.name
    'greedy'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.lazy import imported_when_used
from .protocol import Bot as Bot
from .protocol import BotCrashed as BotCrashed
from .protocol import BotError as BotError
from .protocol import BotTimedOut as BotTimedOut
from .protocol import Clock as Clock
from .protocol import IllegalAnswer as IllegalAnswer
from .protocol import Player
from .protocol import Thought as Thought

if TYPE_CHECKING:
    from .kulami.builtin import AlphaBeta, Greedy, MonteCarlo, Random
    from .kulami.solving import Master, Perfect
    from .naming import make_player

__all__ = [
    "AlphaBeta",
    "Greedy",
    "Master",
    "MonteCarlo",
    "Perfect",
    "Player",
    "Random",
    "make_player",
]

__getattr__ = imported_when_used(
    __name__,
    {
        "kulami.builtin": ("AlphaBeta", "Greedy", "MonteCarlo", "Random"),
        "kulami.solving": ("Master", "Perfect"),
        "naming": ("make_player",),
    },
)
