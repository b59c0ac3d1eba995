"""What a game says in UGI, the Universal Game Interface: its positions as text, and its options.

Both ends of the protocol ask it: `engine`, which speaks to a program, and `adapters.ugi`, which is
one. Each game has its own `DIALECT` in `bots/GAME/dialect.py`.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from ..errors import KulamiError
from ..game import GAMES, State, part

_NUMBER: Final = re.compile(r"[0-9]{1,15}", re.ASCII)


@dataclass(frozen=True)
class Option:
    """An option of an engine.

    Attributes:
        name: in small letters.
        kind: "combo", "spin", "check" or "string".
        default: its value as text.
        choices: of a combo.
        least, most: of a spin.

    Examples:
        >>> marbles = Option("marbles", "spin", "28", least=1, most=64)
        >>> marbles.line, marbles.read("007")
        ('option name marbles type spin default 28 min 1 max 64', '7')
    """

    name: str
    kind: str
    default: str
    choices: tuple[str, ...] = ()
    least: int = 0
    most: int = 0

    @property
    def line(self) -> str:
        """What an engine says of it."""
        said = f"option name {self.name} type {self.kind} default {self.default}"
        if self.kind == "spin":
            said += f" min {self.least} max {self.most}"
        return " ".join([said, *(f"var {choice}" for choice in self.choices)])

    def read(self, value: str) -> str:
        """Return a value that was given, as it is written.

        Raises:
            KulamiError: if it can have no such value.
        """
        if self.kind == "spin":
            if not _NUMBER.fullmatch(value) or not self.least <= int(value) <= self.most:
                raise KulamiError(
                    "option_number", name=self.name, value=value, least=self.least, most=self.most
                )
            return str(int(value))
        if self.kind == "check" and value not in ("true", "false"):
            raise KulamiError("option_yes_or_no", name=self.name, value=value)
        if self.kind == "combo" and value not in self.choices:
            raise KulamiError(
                "option_choice", name=self.name, value=value, choices=", ".join(self.choices)
            )
        return value


class Dialect(ABC):
    """How a game for two is spoken of.

    Attributes:
        title: what an engine calls itself before its bot's name.
        notation: what the game's notation is called.
        options: those that a position depends on, or what it is worth.
    """

    title: ClassVar[str]
    notation: ClassVar[str]
    options: ClassVar[tuple[Option, ...]] = ()

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
        for number, move in enumerate(moves, 1):
            try:
                state = state.play(move)
            except KulamiError as error:
                raise error.at("move", number=number) from None
        return state

    @abstractmethod
    def text(self, position: Any, told: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
        """Return what an engine is told of a position: its notation, and options by name.

        Args:
            position: what the game's bots are given.
            told: what they are given besides, see `State.for_bots`.
        """

    def read_option(self, name: str, value: str) -> str:
        """Return a value of an option as `Option.read` does.

        Raises:
            KulamiError: if it can have no such value.
        """
        return next(option for option in self.options if option.name == name).read(value)

    @abstractmethod
    def first_to_move(self, position: Any) -> bool:
        """Whether it is, or at the end would be, the first player's turn."""

    @abstractmethod
    def plies_left(self, position: Any) -> int:
        """Return how many plies are to come at most, or about."""


def dialect_of(game: str) -> Dialect:
    """Return how a game is spoken of.

    Raises:
        KulamiError: if nothing is said of it in UGI.

    Examples:
        >>> dialect_of("kulami").notation, dialect_of("malawi").notation
        ('KFN', 'MFN')
    """
    own = part(game, "bots")
    if own is None:
        raise KulamiError("no_dialect_of", game=game, games=sorted(GAMES))
    found: Dialect = own.DIALECT
    return found
