"""Bots, and how good they are: protocol, built-in bots, engines, checks, matches and grades.

    protocol    what a bot is; `Player` is any bot behind one face
    builtin     bots of any game, and the files that bots look up in
    description a bot as an object, as the words and files of arenas describe it
    naming      bots by name, as on the command line, and from Python files and modules
    engine      programs that speak UGI, as bots, and Python bots as such programs; dialect, what a
                game says in UGI
    program     a process that leads a group and ends with this one
    overheard   the output of a Python bot, and the place where it failed
    processes   the processes that ask bots and play; they end with this one
    case        a state with every move's exact value; cases from files or random games
    check       how often a bot's choice is optimal, and the cost of its mistakes
    report      checks as text, JSON and CSV, and several bots compared
    arena       a game between bots, and its clock
    match       many games, with Elo and SPRT; tournament, those of several bots, with ratings
    fingerprint the files and versions of a bot when it answered
    grade       the cost of every move of a game; accuracy, of players over several games
    page        a check as HTML, from `templates/`
    plot        a tournament as a figure
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

from ..core import imported_when_used
from .protocol import Bot as Bot
from .protocol import BotCrashed as BotCrashed
from .protocol import BotError as BotError
from .protocol import BotTimedOut as BotTimedOut
from .protocol import Clock as Clock
from .protocol import IllegalAnswer as IllegalAnswer
from .protocol import Player
from .protocol import Thought as Thought

if TYPE_CHECKING:
    from .description import BotDescription
    from .kulami.builtin import AlphaBeta as AlphaBeta
    from .kulami.builtin import Greedy as Greedy
    from .kulami.builtin import MonteCarlo as MonteCarlo
    from .kulami.builtin import Random as Random
    from .kulami.solving import Master as Master
    from .kulami.solving import Perfect as Perfect
    from .naming import make_player

__all__ = ["BotDescription", "Player", "make_player"]

__getattr__ = imported_when_used(
    __name__,
    {
        "kulami.builtin": ("AlphaBeta", "Greedy", "MonteCarlo", "Random"),
        "kulami.solving": ("Master", "Perfect"),
        "description": ("BotDescription",),
        "naming": ("make_player",),
    },
)
