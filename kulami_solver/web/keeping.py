"""The games that a server keeps in a file: the requests about them, and the answers.

    link of a game --parsed--> asked --Replays--> states --+--> keys of its positions
                                                           +--> record

The page adds data that it wants back with a game, such as its name; these are kept unchanged. If
they have a `line`, with comments and variations, the record has these, too, and the game is also
found by the positions in it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Final
from urllib.parse import parse_qsl

import msgspec

from ..errors import KulamiError
from ..storage.game_file import GameFile, KeptGame
from .games import GamePage
from .messages import misfit
from .replays import MOST_MOVES, Asked, MoveTexts, Replayed, played_on

_LISTED: Final = 100
_LONGEST: Final = 200_000  # characters of the data that the page wants back with a game
_PARTS: Final = 32  # of a link
_POSITIONS: Final = MOST_MOVES + 1  # of a game; the file has room to delete as many on a full disk

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=40, pattern="^[A-Za-z0-9_-]+$")]
Link = Annotated[str, msgspec.Meta(max_length=20_000)]
Time = Annotated[int, msgspec.Meta(ge=0, le=10**15)]
Skipped = Annotated[int, msgspec.Meta(ge=0, le=10**6)]


class Listing(msgspec.Struct, forbid_unknown_fields=True):
    """Asks for games, the newest first, after the newest `skip` games."""

    skip: Skipped = 0


class Keep(msgspec.Struct, forbid_unknown_fields=True):
    """Asks to keep a game, in place of one with the same id that was not changed later.

    If it says when the one that it goes on from was `changed`, no other is replaced.
    """

    id: Name
    hash: Link
    changed: Time
    more: dict[str, Any] = {}
    seen: Time | None = None


class Tried(msgspec.Struct, omit_defaults=True):
    """A line of moves with comments and variations, as in a record."""

    moves: MoveTexts
    comments: dict[str, str] = {}
    variations: dict[str, list[Tried]] = {}


class Delete(msgspec.Struct, forbid_unknown_fields=True):
    """Asks to delete a game."""

    id: Name


class Keeping:
    """The games in a file, for the page.

    Args:
        games: the file.
        pages: the pages of all games; first the game that a link need not name.
        replayed: plays the game of a request again.
    """

    def __init__(
        self, games: GameFile, pages: Sequence[GamePage], replayed: Callable[[Asked], Replayed]
    ) -> None:
        self._games: Final = games
        self._pages: Final = {page.name: page for page in pages}
        self._replayed: Final = replayed

    def listed(self, asked: Listing) -> dict[str, Any]:
        """Return some games without the damaged ones, the number of these, and that of all."""
        found = [entry_of(one) for one in self._games.listed(asked.skip, _LISTED)]
        whole = [one for one in found if one is not None]
        damaged = len(found) - len(whole)
        return {"games": whole, "damaged": damaged, "count": self._games.count()}

    def keep(self, asked: Keep) -> dict[str, Any]:
        """Keep a game; `kept` is False if another version stays: the later one, or any but `seen`.

        Who has said what it has `seen` is told that version, the `game`.

        Raises:
            KulamiError: if the link is of no game, or the file takes no more games.
        """
        more = msgspec.json.encode(asked.more).decode()
        if len(more) > _LONGEST:
            raise KulamiError("too_much_kept", count=len(more), most=_LONGEST)
        page, linked = self._linked(asked.hash)
        line = asked.more.get("line")
        plies = self._plies(page, linked, line)
        record = msgspec.json.encode(self._record(page, linked, line)).decode()
        kept = KeptGame(asked.id, page.name, asked.changed, asked.hash, record, more)
        if self._games.keep(kept, plies, asked.seen):
            return {"kept": True}
        stays = None if asked.seen is None else self._games.get(asked.id)
        return {"kept": False, **({"game": entry_of(stays)} if stays else {})}

    def delete(self, asked: Delete) -> dict[str, bool]:
        """Delete a game; `deleted` is whether there was one."""
        return {"deleted": self._games.delete(asked.id)}

    def holding(self, page: GamePage, asked: Asked) -> dict[str, Any]:
        """Return the games in which a position came up, each with the `ply` of the first time."""
        key = page.descriptor.position_key(self._replayed(asked).states[-1])
        found = self._games.holding(page.name, key, _LISTED)
        told = [(entry_of(one), ply) for one, ply in found]
        return {"games": [{**one, "ply": ply} for one, ply in told if one is not None]}

    def _plies(self, page: GamePage, linked: Asked, line: Any) -> dict[str, int]:
        """Return the ply at which each position came up, by its key.

        The positions of the link come first, then those of the page's line and its variations. A
        variation that cannot be played is left out.

        Raises:
            KulamiError: if the link's game cannot be played.
        """
        key = page.descriptor.position_key
        game = self._replayed(linked)
        plies: dict[str, int] = {}
        for ply, state in enumerate(game.states):
            plies.setdefault(key(state), ply)
        begun = game._replace(states=game.states[:1])
        try:
            left = [(begun, msgspec.convert(line, Tried))]
        except (msgspec.ValidationError, RecursionError):
            left = []
        for before, tried in left:  # grows meanwhile
            if len(plies) >= _POSITIONS:
                break
            try:
                whole = played_on(before, tried.moves, linked)
            except KulamiError:
                continue
            known = len(before.states)
            for ply, state in enumerate(whole.states[known:], known):
                plies.setdefault(key(state), ply)
            for ply in range(known, len(whole.states)):
                others = tried.variations.get(str(ply - known + 1), ())
                left += [(whole._replace(states=whole.states[:ply]), one) for one in others]
        return dict(itertools.islice(plies.items(), _POSITIONS))

    def _record(self, page: GamePage, linked: Asked, line: Any) -> Mapping[str, Any]:
        """Return a game as a record: with the page's variations, if its line is valid."""
        try:
            tried = msgspec.convert(line, Tried)
            whole = self._replayed(msgspec.structs.replace(linked, moves=tried.moves))
            besides = msgspec.to_builtins(tried)
            if len(page.record(whole)["moves"]) == len(besides.pop("moves")):
                return page.record_with(whole, besides)
        except (KulamiError, msgspec.ValidationError, RecursionError):
            pass  # the page gets its line back unchanged; the record has the moves of the link
        return page.record(self._replayed(linked))

    def _linked(self, link: str) -> tuple[GamePage, Asked]:
        """Return the game of a link."""
        if not link.startswith("#"):
            raise KulamiError("link_of_game", link=link)
        try:
            said = dict(parse_qsl(link[1:], strict_parsing=True, max_num_fields=_PARTS))
        except ValueError:
            raise KulamiError("link_of_game", link=link) from None
        name = said.pop("game", next(iter(self._pages)))
        page = self._pages.get(name)
        if page is None:
            raise KulamiError("no_game", name=name, games=[*self._pages]).at(
                "named_place", name="hash"
            )
        said.pop("ply", None)  # how much of it is shown
        try:
            return page, msgspec.convert(said, page.asked, strict=False)
        except msgspec.ValidationError:
            refusal = misfit(said, page.asked, strict=False)
            raise refusal.at("named_place", name="hash") from None


def entry_of(game: KeptGame) -> dict[str, Any] | None:
    """Return a game for the page: the page's own data, with the id and the link.

    Returns:
        None if the game is damaged; SQLite has no checksums.
    """
    key, name, changed, link, _record, more = game
    told = {"id": key, "hash": link, "changed": changed}
    try:
        whole = {**told, "more": msgspec.json.decode(more)}
        msgspec.convert(whole, Keep)
        msgspec.json.encode([whole, name])  # no byte of a text was no UTF-8
    except (TypeError, ValueError, RecursionError):
        return None
    return {**whole["more"], **told, "game": name}
