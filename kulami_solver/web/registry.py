"""The games of the page: each with its own part, or with what serves any game."""

from __future__ import annotations

import logging
from typing import Final

from ..game import GAMES, part
from ..registry import installed
from .games import GamePage

_LOG: Final = logging.getLogger(__name__)


def pages() -> list[GamePage]:
    """Return what the page asks of each game, the one that it begins with first.

    A game of another package that fails when it is loaded is left out: the others can be played.
    What is wrong with it is logged.
    """
    found = [_page(name) for name in GAMES]
    for name in installed().keys() - GAMES.keys():
        try:
            found.append(_page(name))
        except Exception:
            _LOG.exception("the page is without the game %r, which cannot be loaded", name)
    return sorted(found, key=lambda page: (not page.is_first, page.descriptor.title))


def _page(name: str) -> GamePage:
    own = part(name, "web")
    page: GamePage = GamePage(name) if own is None else own.PAGE
    return page
