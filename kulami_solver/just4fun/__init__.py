"""Just 4 Fun, the sibling of Kulami that is played with cards, for two to four players.

>>> from kulami_solver import just4fun
>>> position = just4fun.Position.from_jfn("3x3 5:b1 r2b1 r r1.2,b2.3 4.1 -", line=3, hand=2)
>>> position.turn, [str(move) for move in position.legal_moves]
('red', ['1=1', '2=2', '3=1+2'])
"""

from __future__ import annotations

from ..core import compiled  # noqa: F401  (it says why, if the compiled modules cannot run here)
from .advising import Advice as Advice
from .advising import MoveAdvice as MoveAdvice
from .advising import advise
from .cards import DECK as DECK
from .cards import Move as Move
from .dealing import Turn as Turn
from .dealing import deal, deals, known_to, random_game
from .notation import Board
from .position import Position
from .replay import record_of as record_of
from .replay import replay
from .solving import Expectation as Expectation
from .solving import Solution as Solution
from .solving import expect, solve

__all__ = [
    "Board",
    "Position",
    "advise",
    "deal",
    "deals",
    "expect",
    "known_to",
    "random_game",
    "replay",
    "solve",
]
