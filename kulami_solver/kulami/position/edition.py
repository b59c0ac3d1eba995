"""The edition of Kulami that is played: how many marbles each side has, and when the game ends.

All that an option of the rules means stands in this module. The rest of the package passes an
`Edition` on and names none of its options:

    Position(layout, **edition)      as arguments of whatever begins or reads a position
    {"root": kfn, **edition}         in the header of a file; `chosen` reads it back
    OPTIONS                          on command lines, in UGI, OpenSpiel and the page's requests
    HEADERS                          in the text of a game
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NoReturn

from ...core.options import Option
from ...core.whole_numbers import whole
from ...errors import KulamiError, NotationError, Phrase, PositionError

MARBLES: Final = 28
"""The marbles of each colour in the box."""

_MOST: Final = 64  # more never fit on the fields that a layout may have

OPTIONS: Final = (
    Option("marbles", "number", MARBLES, "marbles of each colour", least=1, most=_MOST),
    Option("short_end", "switch", False, "over once one player is out of marbles (Spanish)"),
)
"""The options of the rules; `Edition` has an attribute for each."""

NAMES: Final = tuple(option.name for option in OPTIONS)

HEADERS: Final = {
    "".join(word.title() for word in option.name.split("_")): option for option in OPTIONS
}
"""The options by the names of their headers in the text of a game."""

_REFUSED: Final = {"marbles": "record_marbles", "short_end": "record_short_end"}


class Edition:
    """The options of the rules as they are chosen for a game; `**` makes arguments of it.

    Args:
        marbles: the marbles of each colour, 1 to 64.
        short_end: end the game as soon as one player has placed all marbles, as the Spanish
            edition does; otherwise it ends when the player to move has none left.

    Attributes:
        in_all: how many marbles both sides together may place in a game.

    Raises:
        PositionError: if one of them cannot be used.

    Examples:
        >>> spanish = Edition(short_end=True)
        >>> dict(spanish), spanish.in_all
        ({'marbles': 28, 'short_end': True}, 55)
    """

    __slots__ = ("in_all", "marbles", "short_end")

    marbles: int
    short_end: bool
    in_all: int

    def __init__(self, marbles: int = MARBLES, short_end: bool = False) -> None:
        number = whole(marbles)
        if number is None:
            raise PositionError("marbles_no_number", given=marbles)
        if not 1 <= number <= _MOST:
            raise PositionError("marbles_out_of_range", marbles=marbles, most=_MOST)
        if not isinstance(short_end, bool):
            raise PositionError("short_end_no_bool", given=short_end)
        values = {"marbles": number, "short_end": short_end, "in_all": 2 * number - short_end}
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"an Edition does not change: make another one with {name}={value!r}")

    def keys(self) -> tuple[str, ...]:
        """Return the names of all options."""
        return NAMES

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Edition) and dict(self) == dict(other)

    def __hash__(self) -> int:
        return hash((*dict(self).values(),))

    def __reduce__(self) -> tuple[Any, ...]:
        return Edition, (*dict(self).values(),)

    def __repr__(self) -> str:
        return f"Edition({', '.join(f'{name}={value!r}' for name, value in self.unusual.items())})"

    # What is said of it

    @property
    def unusual(self) -> dict[str, Any]:
        """The options that are not as usual, which records say."""
        return {one.name: self[one.name] for one in OPTIONS if self[one.name] != one.default}

    @property
    def headers(self) -> dict[str, str]:
        """The same as headers of the text of a game."""
        listed, said = HEADERS.items(), self.unusual
        return {name: one.write(said[one.name]) for name, one in listed if one.name in said}

    @property
    def lost(self) -> tuple[Phrase, ...]:
        """What a notation does not carry of it."""
        told = {
            "marbles": Phrase("loses_marbles", count=self.marbles),
            "short_end": Phrase("loses_end"),
        }
        return tuple(told[name] for name in self.unusual)

    @property
    def over(self) -> str:
        """The code of the error of a marble that is not there any more."""
        return "over_one_placed" if self.short_end else "over_all_placed"

    @property
    def words(self) -> str:
        """The marbles and the end of a game, in words."""
        end = "as soon as one side has placed all" if self.short_end else "when they run out"
        return f"{self.marbles} of each colour; the game ends {end}"


USUAL: Final = Edition()
"""The usual edition."""


def chosen(said: Any) -> dict[str, Any]:
    """Return the options, not checked, that a record or an object with such attributes has.

    Examples:
        >>> chosen({"marbles": 20, "moves": "a1"})
        {'marbles': 20}
    """
    if isinstance(said, Mapping):
        return {name: said[name] for name in NAMES if name in said}
    values = {name: getattr(said, name) for name in NAMES}
    return {name: value for name, value in values.items() if value is not None}


def chosen_in(headers: Mapping[str, str]) -> dict[str, Any]:
    """Return the options that the headers of the text of a game say.

    Raises:
        NotationError: if one cannot have the value.

    Examples:
        >>> chosen_in({"ShortEnd": "true", "Red": "Ann"})
        {'short_end': True}
    """
    found = {}
    for name, option in HEADERS.items():
        if name in headers:
            try:
                found[option.name] = option.read(headers[name])
            except KulamiError:
                raise NotationError(_REFUSED[option.name], given=headers[name]) from None
    return found


class OfEdition:
    """What is played in an edition, whose options are attributes of its own."""

    __slots__ = ()

    @property
    def edition(self) -> Edition:
        """The edition."""
        raise NotImplementedError

    @property
    def marbles(self) -> int:
        """The marbles of each colour, those on the board included."""
        return self.edition.marbles

    @property
    def short_end(self) -> bool:
        """Whether the game ends as soon as one player has placed all marbles."""
        return self.edition.short_end
