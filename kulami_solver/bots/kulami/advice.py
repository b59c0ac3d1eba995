"""Positions too large to be solved: a sentence that says so, and a bot's advice.

A bot's move is a guess, and is always shown as a guess.
"""

from __future__ import annotations

from typing import Final

from ...errors import Phrase
from ...kulami.estimate.effort import expected_seconds
from ...kulami.position.position import Position
from ...kulami.position.scoring import Scoring
from .builtin import MonteCarlo

# Positions expected to take more seconds are out of reach: with 40 free fields on 8x8 a search
# takes about a minute, which people accept.
_REACH: Final = 60.0

# They take a fifth of a second for the empty 8x8 board.
_PLAYOUTS: Final = 100_000

GUESSER: Final = f"mcts:{_PLAYOUTS}"
"""The bot that guesses."""


def out_of_reach(position: Position, scoring: Scoring = Scoring.LEVEL0) -> Phrase | None:
    """Return a sentence if a position's exact value is out of reach, None if it is not.

    Examples:
        >>> from kulami_solver import Layout
        >>> out_of_reach(Position(Layout.square()).play_all("d4 d7"))
        'exact from about 41 free fields; this has 62'
        >>> out_of_reach(Position(Layout.parse("AAB/CCB"))) is None
        True
    """
    plies = position.plies_left
    if position.is_over or expected_seconds(plies, scoring) <= _REACH:
        return None
    reached = plies
    while expected_seconds(reached, scoring) > _REACH:
        reached -= 1
    free = position.free_count
    return Phrase("exact_later", count=free - plies + reached, free=free)


def guessed_field(position: Position, scoring: Scoring = Scoring.LEVEL0) -> str:
    """Return the field that `GUESSER` would play, always the same; the game must not be over.

    Examples:
        >>> from kulami_solver import Layout
        >>> guessed_field(Position(Layout.parse("AAB/CCB")).play("a1"))
        'c1'
    """
    return MonteCarlo(_PLAYOUTS).choose(position, scoring=scoring)
