"""The registered games, and the modules for them in each room (sub-package) of the package.

Looking a name up imports nothing of a game, because the command line does so at each start.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
from collections.abc import Mapping
from types import ModuleType
from typing import Final

GAMES: Final[dict[str, str]] = {
    "kulami": "kulami_solver.kulami.game",
    "malawi": "kulami_solver.malawi.game",
    "just4fun": "kulami_solver.just4fun.game",
}
"""The games of this package, and the module of each that has its `GAME`."""

_PACKAGE: Final = __name__.partition(".")[0]


def part(game: str, room: str) -> ModuleType | None:
    """Return a room's module for a game, None if there is none.

    It is the module `kulami_solver.ROOM.GAME`; for a game of another package, the module ROOM of
    that package.

    Args:
        game: the game's name.
        room: "bots", "web", "cli" ...

    Examples:
        >>> part("malawi", "bots").__name__
        'kulami_solver.bots.malawi'
        >>> part("chess", "bots") is None
        True
    """
    module = module_of(game)
    if module is None:
        return None
    package = module.rpartition(".")[0]
    name = f"{package}.{room}"
    if package.partition(".")[0] == _PACKAGE:
        name = f"{_PACKAGE}.{room}.{game}"
    if not package or importlib.util.find_spec(name) is None:
        return None
    return importlib.import_module(name)


def module_of(name: str) -> str | None:
    """Return the module that has a game's `GAME`, None if there is no such game."""
    if not isinstance(name, str):
        return None
    return GAMES.get(name) or installed().get(name)


@functools.cache
def installed() -> Mapping[str, str]:
    """Return the games of other packages, and their modules."""
    from importlib.metadata import entry_points

    return {one.name: one.module for one in entry_points(group=f"{_PACKAGE}.games")}
