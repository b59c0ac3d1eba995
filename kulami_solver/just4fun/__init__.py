"""Just 4 Fun, the sibling of Kulami that is played with cards, for two to four players.

>>> from kulami_solver import just4fun
>>> position = just4fun.Position.from_jfn("3x3 5:b1 r2b1 r r1.2,b2.3 4.1 -", line=3, hand=2)
>>> position.turn, [str(move) for move in position.legal_moves]
('red', ['1=1', '2=2', '3=1+2'])
"""

from __future__ import annotations

from ..core import compiled  # noqa: F401  (it says why, if the compiled modules cannot run here)
from ..core.interruption import SolveInterrupted
from .advising import Advice, MoveAdvice, advise
from .board import Board
from .cards import DECK
from .dealing import Turn, deal, deals, random_game
from .expecting import Expectation, expect
from .moves import Move
from .odds import FieldOdds, Odds, hand_odds, odds
from .position import Position
from .replay import Verdict, check_record, record_of, replay
from .rules import Draw
from .solving import Solution, solve
from .unseen import known_to, unseen_cards

__all__ = [
    "DECK",
    "Advice",
    "Board",
    "Draw",
    "Expectation",
    "FieldOdds",
    "Move",
    "MoveAdvice",
    "Odds",
    "Position",
    "Solution",
    "SolveInterrupted",
    "Turn",
    "Verdict",
    "advise",
    "check_record",
    "deal",
    "deals",
    "expect",
    "hand_odds",
    "known_to",
    "odds",
    "random_game",
    "record_of",
    "replay",
    "solve",
    "unseen_cards",
]
