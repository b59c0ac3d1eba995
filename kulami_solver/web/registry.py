"""The games of the page: each with its own part, or with the part that serves any game."""

from __future__ import annotations

import logging
from typing import Final

from ..game import GAMES, part
from ..registry import installed
from .games import GamePage

_LOG: Final = logging.getLogger(__name__)


def pages() -> list[GamePage]:
    """Return the `GamePage` of each game; the game that the page begins with comes first.

    A game of another package that cannot be loaded is left out, and the error is logged: the others
    can be played.
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
