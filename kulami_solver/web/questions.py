"""All questions to the page, in one table, for the server and for a browser's worker.

    request --parsed--> asked --Replays--> Question --> answer

`Way` says how an answer comes. Nothing here waits, and nothing knows of HTTP.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ..core.version import __version__
from .games import GamePage, Question
from .registry import pages
from .replays import Replays
from .searches import Limits

if TYPE_CHECKING:
    from ..storage.game_file import GameFile


class Way(enum.Enum):
    """How an answer comes."""

    ASIDE = enum.auto()
    """At once, from the request itself or from nothing; no game is replayed."""
    AT_ONCE = enum.auto()
    """At once, from a `Question`."""
    DRAWN = enum.auto()
    """As a picture, from a `Question`; it takes part of a second."""
    FOUND = enum.auto()
    """As the result of work, which is made from a `Question`."""
    STREAMED = enum.auto()
    """As events of work, which is made from a `Question`."""
    KEPT = enum.auto()
    """From the request itself and the file of games, which may have to wait for its disk."""


_WAYS: Final[dict[str, tuple[Way, Callable[[GamePage, Question], Any]]]] = {
    "position": (Way.AT_ONCE, lambda page, question: page.shown(question)),
    "export": (Way.AT_ONCE, lambda page, question: page.exported(question)),
    "picture": (Way.DRAWN, lambda page, question: page.picture(question)),
    "move": (Way.FOUND, lambda page, question: page.choosing(question)),
    "analyse": (Way.STREAMED, lambda page, question: page.valuing(question)),
    "grade": (Way.STREAMED, lambda page, question: page.grading(question)),
}


@dataclass(frozen=True)
class Place:
    """An address, with the answer to requests there.

    Attributes:
        path: as in /api/kulami/move.
        kind: the type of a posted request; None where nothing is posted.
        way: how the answer comes.
        answer: makes the answer from a `Question`; from the request itself if the way is `ASIDE`
            or `KEPT`.
        page: the game that a `Question` is about.
    """

    path: str
    kind: type[Any] | None
    way: Way
    answer: Callable[[Any], Any]
    page: GamePage | None = None


class Questions:
    """All questions that the page answers.

    Args:
        limits: the limits of searches.
        sources: databases and proofs of any game, as sources of values.
        searching: returns how many searches work or wait.
        kept: the file in which games are kept; None to keep none.
    """

    def __init__(
        self,
        limits: Limits,
        sources: Sequence[Any] = (),
        searching: Callable[[], int] = int,
        kept: GameFile | None = None,
    ) -> None:
        self._limits: Final = limits
        self._sources: Final = sources
        self._searching: Final = searching
        self._replays: Final = Replays()
        self.games: Final = pages()
        self._kept: Final = kept
        self.places: Final = tuple(self._all_places())

    def question(self, place: Place, asked: Any) -> Question:
        """Return the question about a game, which is played again for it.

        Raises:
            KulamiError: if there is no such game.
        """
        assert place.page is not None
        game = self._replays.game(asked)
        return Question(asked, game, self._limits, place.page.own(self._sources))

    def _all_places(self) -> Iterator[Place]:
        yield Place("/api/health", None, Way.ASIDE, lambda _none: _health())
        yield Place("/api/options", None, Way.ASIDE, lambda _none: self._options())
        for page in self.games:
            for folder in (f"/api/{page.name}", "/api")[: 1 + page.is_first]:
                for what, (way, answer) in _WAYS.items():
                    made = functools.partial(answer, page)
                    yield Place(f"{folder}/{what}", page.kinds[what], way, made, page)
                for what, (kind, answer_aside) in page.further.items():
                    yield Place(f"{folder}/{what}", kind, Way.ASIDE, answer_aside)
        if self._kept is not None:
            yield from self._kept_places(self._kept)

    def _kept_places(self, kept: GameFile) -> Iterator[Place]:
        from .keeping import Delete, Keep, Keeping, Listing  # needs SQLite; a browser has none

        keeping = Keeping(kept, self.games, self._replays.game)
        yield Place("/api/kept", Listing, Way.KEPT, keeping.listed)
        yield Place("/api/kept/keep", Keep, Way.KEPT, keeping.keep)
        yield Place("/api/kept/delete", Delete, Way.KEPT, keeping.delete)
        for page in self.games:
            found = functools.partial(keeping.holding, page)
            yield Place(f"/api/{page.name}/kept", page.asked, Way.KEPT, found)

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
            **({} if self._kept is None else {"keeps_games": True}),
            "games": games,
            **{name: games[first][name] for name in ("bots", "databases")},
        }


def _health() -> dict[str, Any]:
    return {"ok": True, "version": __version__}
