"""What each game brings with it for its bots: one folder a game, the same file name in each.

    naming.py    BOTS, its built-in bots and what they are called
    suite.py     case_of, a state with every move's value in the game's own words
    dialect.py   DIALECT, what it says in UGI

A game of `kulami_solver.game` without such a folder can be played, checked and graded all the
same, by bots that are objects, and in words that fit any game.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Final

__all__ = ["GAMES", "part_of"]

GAMES: Final = ("kulami", "malawi")
"""The games that have such a folder."""


def part_of(game: str, part: str) -> ModuleType | None:
    """Return one of a game's modules for bots, None if it brings none.

    Args:
        game: its name.
        part: the module's, one of those above.

    Examples:
        >>> part_of("malawi", "naming").BOTS.shown
        ('random', 'greedy', 'perfect')
        >>> part_of("chess", "naming") is None
        True
    """
    if game not in GAMES:
        return None
    return importlib.import_module(f"{__package__}.{game}.{part}")
