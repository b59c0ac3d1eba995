"""What a game says in UGI, the Universal Game Interface: its positions as text, and its options.

Both ends of the protocol ask it: `engine`, which speaks to a program, and `adapters.ugi`, which is
one. Each game has its own `DIALECT` in `bots/GAME/dialect.py`.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from ..core.game_records import positions_after
from ..errors import KulamiError
from ..game import GAMES, Descriptor, Option, State, part

_NUMBER: Final = re.compile(r"[0-9]{1,15}", re.ASCII)


_KINDS: Final = {"text": "string", "number": "spin", "choice": "combo", "switch": "check"}


def ugi_name(option: Option) -> str:
    """Return what an option is called in UGI: in small letters, and without underscores."""
    return option.name.replace("_", "")


def ugi_default(option: Option) -> str:
    """Return what an option is if nothing is said of it."""
    return str(option.default).lower() if option.kind == "switch" else str(option.default)


def ugi_line(option: Option) -> str:
    """Return what an engine says of an option.

    Examples:
        >>> ugi_line(Option("marbles", "number", 28, "of each side", least=1, most=64))
        'option name marbles type spin default 28 min 1 max 64'
    """
    name, kind = ugi_name(option), _KINDS[option.kind]
    said = f"option name {name} type {kind} default {ugi_default(option)}"
    if option.kind == "number":
        said += f" min {option.least} max {option.most}"
    return " ".join([said, *(f"var {choice}" for choice in option.choices)])


def read_value(option: Option, value: str) -> str:
    """Return a value that an option was given, as it is written.

    Raises:
        KulamiError: if it can have no such value.

    Examples:
        >>> read_value(Option("marbles", "number", 28, "of each side", least=1, most=64), "007")
        '7'
    """
    name = ugi_name(option)
    if option.kind == "number":
        least, most = option.least or 0, option.most or 0
        if not _NUMBER.fullmatch(value) or not least <= int(value) <= most:
            raise KulamiError("option_number", name=name, value=value, least=least, most=most)
        return str(int(value))
    if option.kind == "switch" and value not in ("true", "false"):
        raise KulamiError("option_yes_or_no", name=name, value=value)
    if option.kind == "choice" and value not in option.choices:
        choices = ", ".join(option.choices)
        raise KulamiError("option_choice", name=name, value=value, choices=choices)
    return value


def chosen(game: Descriptor, *names: str) -> tuple[Option, ...]:
    """Return some of a game's options."""
    return tuple(option for option in game.options if option.name in names)


class Dialect(ABC):
    """How a game for two is spoken of.

    Attributes:
        game: whose it is.
        title: what an engine calls itself before its bot's name.
        options: those of the game that a position depends on, or what it is worth.
    """

    game: ClassVar[Descriptor]
    title: ClassVar[str]
    options: ClassVar[tuple[Option, ...]] = ()

    @property
    def defaults(self) -> dict[str, str]:
        """The options' names in UGI, and what they are if nothing is said of them."""
        return {ugi_name(option): ugi_default(option) for option in self.options}

    @abstractmethod
    def state(self, notation: str | None, options: Mapping[str, str]) -> State:
        """Return the state of a text.

        Args:
            notation: in the game's notation; None for the start of a game.
            options: the value of each option.

        Raises:
            KulamiError: if there is none.
        """

    def after(self, state: State, moves: Sequence[str]) -> State:
        """Return the state after some moves.

        Raises:
            KulamiError: if one of them is not legal.
        """
        return positions_after(state, moves)[-1]

    @abstractmethod
    def text(self, position: Any, told: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
        """Return what an engine is told of a position: its notation, and options by name.

        Args:
            position: what the game's bots are given.
            told: what they are given besides, see `State.for_bots`.
        """

    def read_option(self, name: str, value: str) -> str:
        """Return a value of an option as `read_value` does.

        Raises:
            KulamiError: if it can have no such value.
        """
        return read_value(next(one for one in self.options if ugi_name(one) == name), value)

    @abstractmethod
    def plies_left(self, position: Any) -> int:
        """Return how many plies are to come at most, or about."""


def dialect_of(game: str) -> Dialect:
    """Return how a game is spoken of.

    Raises:
        KulamiError: if nothing is said of it in UGI.

    Examples:
        >>> dialect_of("kulami").game.notation, dialect_of("malawi").game.notation
        ('KFN', 'MFN')
    """
    own = part(game, "bots")
    if own is None:
        raise KulamiError("no_dialect_of", game=game, games=sorted(GAMES))
    found: Dialect = own.DIALECT
    return found
