"""A game's dialect of UGI, the Universal Game Interface: its positions as text, and its options.

Both ends of the protocol use it: `engine`, which speaks to a program, and `adapters.ugi`, which is
such a program. A game whose dialect does not follow from its `Descriptor` has its own `DIALECT` in
`bots/GAME/__init__.py`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ..core.game_records import positions_after
from ..errors import PositionError
from ..game import Descriptor, Option, State, descriptor, part

_NUMBER: Final = re.compile(r"-?[0-9]{1,15}", re.ASCII)
_LINE: Final = re.compile(r"option name (\S.*?)(?: type (\S+)(?: (.*))?)?", re.ASCII)
_FACT: Final = re.compile(r"(?<! ) +(?=(?:default|min|max|var) )", re.ASCII)

_TO_COME: Final = 40  # assumed number of plies to come, where it is unknown
_SEATS: Final = 2

_KINDS: Final = {"text": "string", "number": "spin", "choice": "combo", "switch": "check"}


def ugi_name(option: Option) -> str:
    """Return the name of an option in UGI: in small letters, and without underscores."""
    return option.name.replace("_", "")


def ugi_line(option: Option) -> str:
    """Return the line by which an engine announces an option.

    Examples:
        >>> ugi_line(Option("marbles", "number", 28, "of each side", least=1, most=64))
        'option name marbles type spin default 28 min 1 max 64'
    """
    name, kind = ugi_name(option), _KINDS[option.kind]
    said = f"option name {name} type {kind} default {option.write(option.default)}"
    for word, bound in (("min", option.least), ("max", option.most)):
        said += "" if bound is None else f" {word} {bound}"
    return " ".join([said, *(f"var {choice}" for choice in option.choices)])


def option_of(line: str) -> Option | None:
    """Return the option that a line of an engine announces; None if it announces none.

    An option of another type, or without one, takes any text. Its name is spelled as there.

    Examples:
        >>> option = option_of("option name scoring type combo default 0 var 0 var 1")
        >>> option.name, option.default, option.choices
        ('scoring', '0', ('0', '1'))
    """
    found = _LINE.fullmatch(line)
    if found is None:
        return None
    name, type_, rest = found.groups(default="")
    facts = [fact.partition(" ")[::2] for fact in _FACT.split(f" {rest}")]
    said = dict(facts)
    kinds: dict[str, Any] = {own: kind for kind, own in _KINDS.items()} | {"button": "choice"}
    least, most = (said.get(word, "") for word in ("min", "max"))
    return Option(
        name,
        kinds.get(type_, "text"),
        said.get("default"),
        "",
        int(least) if _NUMBER.fullmatch(least) else None,
        int(most) if _NUMBER.fullmatch(most) else None,
        tuple(value for word, value in facts if word == "var"),
    )


def read_value(option: Option, value: str) -> str:
    """Return a value given to an option, in its usual spelling.

    Raises:
        KulamiError: if the option cannot have this value.

    Examples:
        >>> read_value(Option("marbles", "number", 28, "of each side", least=1, most=64), "007")
        '7'
    """
    return option.write(option.read(value, ugi_name(option)))


class Dialect:
    """The dialect of a game for two.

    Attributes:
        game: the game.
        title: the words before the bot's name in an engine's name.
        options: the options of the game that the notation of a position does not say.

    Examples:
        >>> dialect = Dialect(descriptor("malawi"))
        >>> dialect.state("b2b2/../r2r2 r", {}).moves[:2]
        ('a3xa1', 'a3:b3')
        >>> dialect.state(None, {}).game.board
        Board(columns=6, rows=6, beads=2)
    """

    def __init__(self, game: Descriptor) -> None:
        self.game: Final = game
        self.title: Final = game.command
        self.options: Final = tuple(one for one in game.options if one.name not in game.written)

    @property
    def defaults(self) -> dict[str, str]:
        """The options' default values by their names in UGI."""
        return {ugi_name(option): option.write(option.default) for option in self.options}

    def state(self, notation: str | None, options: Mapping[str, str]) -> State:
        """Return the state of a text.

        Args:
            notation: in the game's notation; None for the start of a game.
            options: values of options.

        Raises:
            KulamiError: if the text or the options are not valid, or more than two play.
        """
        said = self.defaults | dict(options)
        values = {one.name: one.read(said[ugi_name(one)]) for one in self.options}
        state = self.made(notation, values)
        if len(state.game.seats) != _SEATS:
            raise PositionError(
                "for_two_players",
                question="UGI",
                position=state.notation(),
                count=len(state.game.seats),
            )
        return state

    def made(self, notation: str | None, options: Mapping[str, Any]) -> State:
        """Return the state of a text, with the values of all options by their names in the game."""
        return self.game.state(notation, **options)

    def after(self, state: State, moves: Sequence[str]) -> State:
        """Return the state after some moves.

        Raises:
            KulamiError: if one of them is not legal.
        """
        return positions_after(state, moves)[-1]

    def text(self, position: Any, told: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
        """Return a position for an engine: its notation, and options by name.

        Args:
            position: the position as the game's bots get it: a text, or it has the notation by the
                name of this, and the options that it knows.
            told: the further arguments of the bots, see `State.for_bots`.
        """
        write = getattr(position, self.game.notation.lower(), None)
        values = {
            ugi_name(one): one.write(told.get(one.name, getattr(position, one.name, one.default)))
            for one in self.options
        }
        return str(position) if write is None else write(), values

    def read_option(self, name: str, value: str) -> str:
        """Return a value of an option as `read_value` does.

        Raises:
            KulamiError: if the option cannot have this value.
        """
        return read_value(next(one for one in self.options if ugi_name(one) == name), value)

    def plies_left(self, position: Any) -> int:
        """Return the number of plies to come: an upper bound, or an estimate."""
        return int(getattr(position, "plies_left", _TO_COME))


def dialect_of(game: str) -> Dialect:
    """Return the dialect of a game.

    Raises:
        KulamiError: if there is no such game.

    Examples:
        >>> dialect_of("kulami").game.notation, dialect_of("malawi").game.notation
        ('KFN', 'MFN')
    """
    own: Dialect | None = getattr(part(game, "bots"), "DIALECT", None)
    return Dialect(descriptor(game)) if own is None else own
