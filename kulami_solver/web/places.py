"""All that the page answers, in one table, for the server and for a browser's worker.

    request --parsed--> asked --Replays--> Inquiry --> answer

`Way` says how an answer comes. Nothing here waits, and nothing knows of HTTP.
"""

from __future__ import annotations

import enum
import functools
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..core.version import __version__
from ..game import GAMES, part
from ..registry import installed
from .games import GamePage, Inquiry
from .replays import Replays
from .searches import Limits

_LOG: Final = logging.getLogger(__name__)


def pages() -> list[GamePage]:
    """Return the `GamePage` of each game; the game that the page begins with comes first.

    A game of another package that cannot be loaded is left out, and the error is logged: the others
    can be played.
    """
    found = [page_of(name) for name in GAMES]
    for name in installed().keys() - GAMES.keys():
        try:
            found.append(page_of(name))
        except Exception:
            _LOG.exception("the page is without the game %r, which cannot be loaded", name)
    return sorted(found, key=lambda page: (not page.is_first, page.descriptor.title))


def page_of(name: str) -> GamePage:
    """Return the `GamePage` of a game.

    Examples:
        >>> page_of("malawi").notation
        'mfn'
    """
    own = part(name, "web")
    page: GamePage = GamePage(name) if own is None else own.PAGE
    return page


class Way(enum.Enum):
    """How an answer comes."""

    ASIDE = enum.auto()
    """At once, without a game."""
    REPLAYED = enum.auto()
    """From a game, which is played again, or a text; it takes part of a second."""
    DRAWN = enum.auto()
    """Likewise; it is the work to draw a picture, which takes part of a second, too."""
    FOUND = enum.auto()
    """Likewise; it is the work of a search, which returns the result."""
    STREAMED = enum.auto()
    """Likewise; it is the work of a search, which tells events."""
    VALUED = enum.auto()
    """Likewise; the search takes turns with others, and may begin again at each turn."""


_WAYS: Final[dict[str, tuple[Way, Callable[[GamePage, Inquiry], Any]]]] = {
    "position": (Way.REPLAYED, lambda page, inquiry: page.shown(inquiry)),
    "export": (Way.REPLAYED, lambda page, inquiry: page.exported(inquiry)),
    "picture": (Way.DRAWN, lambda page, inquiry: lambda _task: page.picture(inquiry)),
    "move": (Way.FOUND, lambda page, inquiry: page.choosing(inquiry)),
    "analyse": (Way.VALUED, lambda page, inquiry: page.valuing(inquiry)),
    "grade": (Way.STREAMED, lambda page, inquiry: page.grading(inquiry)),
}


@dataclass(frozen=True)
class Place:
    """An address, with the answer to requests there.

    Attributes:
        path: as in /api/kulami/move.
        kind: the type of a posted request; None where nothing is posted.
        way: how the answer comes.
        answer: makes the answer, or its work, from the request.
    """

    path: str
    kind: type[Any] | None
    way: Way
    answer: Callable[[Any], Any]


class Places:
    """All places of the page's API.

    Args:
        limits: the limits of searches.
        sources: databases and proofs of any game, as sources of values.
        searching: returns how many searches work or wait.
    """

    def __init__(
        self, limits: Limits, sources: Sequence[Any] = (), searching: Callable[[], int] = int
    ) -> None:
        self._limits: Final = limits
        self._sources: Final = sources
        self._searching: Final = searching
        self._replays: Final = Replays()
        self._known: Final = {place.path: place for place in self._places_of_none()}

    @functools.cached_property
    def games(self) -> list[GamePage]:
        """All games, as `pages` returns them."""
        return pages()

    @functools.cached_property
    def all(self) -> tuple[Place, ...]:
        """All places."""
        return tuple(self._all_places())

    def place(self, path: str) -> Place | None:
        """Return the place at an address, None if there is none.

        No game is loaded but the one that the address names: loading takes time in a browser.
        """
        name, _, what = path.removeprefix("/api/").partition("/")
        for game in (name,) if what else GAMES:
            if path in self._known:
                break
            if game in GAMES or game in installed():
                self._known.update((one.path, one) for one in self._places_of(page_of(game)))
        return self._known.get(path)

    def _all_places(self) -> Iterator[Place]:
        yield from self._places_of_none()
        for page in self.games:
            yield from self._places_of(page)

    def _places_of_none(self) -> Iterator[Place]:
        health = {"ok": True, "version": __version__}
        yield Place("/api/health", None, Way.ASIDE, lambda _none: health)
        yield Place("/api/options", None, Way.ASIDE, lambda _none: self._options())

    def _places_of(self, page: GamePage) -> Iterator[Place]:
        for folder in (f"/api/{page.name}", "/api")[: 1 + page.is_first]:
            for what, (way, make) in _WAYS.items():
                answer = functools.partial(self._inquired, page, make)
                yield Place(f"{folder}/{what}", page.kinds[what], way, answer)
            for what, (kind, further) in page.further.items():
                way = Way.ASIDE if kind is None else Way.REPLAYED
                yield Place(f"{folder}/{what}", kind, way, further)

    def _inquired(
        self, page: GamePage, make: Callable[[GamePage, Inquiry], Any], asked: Any
    ) -> Any:
        """Return what `make` makes of a game, which is played again for it.

        Raises:
            KulamiError: if there is no such game.
        """
        game = self._replays.game(asked)
        return make(page, Inquiry(asked, game, self._limits, page.own(self._sources)))

    def _options(self) -> dict[str, Any]:
        limits = self._limits
        games = {one.name: one.options(self._sources) for one in self.games}
        first = next(one.name for one in self.games if one.is_first)
        return {
            "version": __version__,
            "seconds": limits.seconds,
            "threads": limits.threads,
            "memory": limits.memory,
            "searches": self._searching(),
            "games": games,
            **{name: games[first][name] for name in ("bots", "databases")},
        }
