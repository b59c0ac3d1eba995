"""The games of the page: each with its own part, or with what serves any game."""

from __future__ import annotations

from ..game import GAMES, part
from ..registry import installed
from .games import GamePage


def pages() -> list[GamePage]:
    """Return what the page asks of each game, the one that it begins with first."""
    found: list[GamePage] = []
    for name in dict.fromkeys([*GAMES, *installed()]):
        own = part(name, "web")
        found.append(GamePage(name) if own is None else own.PAGE)
    return sorted(found, key=lambda page: (not page.is_first, page.descriptor.title))
