"""The errors of the package, and their sentences.

Every refusal of bad input is a `KulamiError`, which is a `ValueError`. A sentence that is said in
English alone stands where it is raised. One that the page can show has a code, and the values that
belong to it; the sentence is made from them, by a template of `sentences/en.json`:

    raise IllegalMoveError("taken", side="red", field="d7")

    "taken": "{side:word} cannot play {field}: it is taken"

    red cannot play d7: it is taken

The sentence is one line that names the thing, the place and the remedy, so a program can print it
as it is. It is always English; the page makes it from the code in its own languages, by
`sentences/de.json` and its sisters. In a template

    {field}             is the value as it is; a list with commas between
    {text!q}            is the value in quotation marks, as `quoted` shows it; {text!q80} shows more
    {count:,}           is a number with its thousands apart, or a text with a decimal number; on
                        the page both have the marks of the language
    {side:word}         is the template that has this value for its code: "red"
    {names:or}          is a list with "or" before the last of it; likewise {names:and}
    {count|ply|plies}   is "ply" if the count is 1, else "plies"
"""

from __future__ import annotations

import functools
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar

_E = TypeVar("_E", bound="KulamiError")
_T = TypeVar("_T")

_COUNTED = ("move", "played_turn", "listed")
"""The codes of places that the page shows as the number of a move."""

_HOLE = re.compile(
    r"\{(?P<name>\w+)(?P<marks>!q[0-9]*)?"
    r"(?::(?P<form>,|word|and|or)|\|(?P<one>[^|{}]*)\|(?P<several>[^|{}]*))?\}"
)

_SHOWN = 40
"""The number of characters of a text that a message shows."""

_PLAIN = {str, int, float, bool, type(None)}


@functools.cache
def catalogue() -> Mapping[str, str]:
    """Return the templates by their codes."""
    path = os.path.join(os.path.dirname(__file__), "sentences", "en.json")
    with open(path, encoding="utf-8") as file:
        templates: dict[str, str] = json.load(file)
    return templates


catalogue()  # An error may be that no file can be opened.


def sentence(code: str, values: Mapping[str, object]) -> str:
    """Return the sentence of a code; a text that is no code is itself the sentence.

    Examples:
        >>> sentence("taken", {"side": "red", "field": "d7"})
        'red cannot play d7: it is taken'
    """
    if not _known(code, values):
        return code

    def fill(hole: re.Match[str]) -> str:
        name = hole["name"]
        if name not in values:
            return hole[0]
        value = values[name]
        if hole["one"] is not None:
            return hole["one"] if value == 1 else hole["several"]
        return _written(value, hole["marks"], hole["form"])

    return _HOLE.sub(fill, catalogue()[code])


def _known(code: object, values: Mapping[str, object]) -> bool:
    """Whether this is a code; "taken" without values is the sentence of a foreign bot."""
    template = catalogue().get(code) if isinstance(code, str) else None
    return template is not None and (bool(values) or not _HOLE.search(template))


def _written(value: object, marks: str | None, form: str | None) -> str:
    """The text for a value in a sentence."""
    if form in ("and", "or"):
        assert isinstance(value, Sequence)
        *before, last = (_written(one, marks, None) for one in value)
        if not before:
            return last
        return sentence(f"list_{form}", {"before": ", ".join(before), "last": last})
    if form == "word" and isinstance(value, str):
        word = catalogue().get(value, value)
        return value if "{" in word else word  # "move" is a place
    if marks:
        return quoted(value, int(marks[2:] or _SHOWN))
    if isinstance(value, (list, tuple)):
        return ", ".join(_written(one, None, None) for one in value)
    if form == "," and isinstance(value, (int, float)):
        return f"{value:,}"
    return str(value)


def _quotable(value: object, limit: int = _SHOWN) -> str | float | Phrase:
    """The form of a value in a message: a text to be quoted, a number, or a phrase."""
    if isinstance(value, Phrase):
        return value
    if isinstance(value, str):
        if len(value) <= limit:
            return value
        return Phrase("cut_text", text=value[:limit], length=len(value))
    if value is None or isinstance(value, bool):
        return Phrase(str(value).lower())
    if isinstance(value, int):
        # Python refuses to write out numbers of thousands of digits.
        bits = value.bit_length()
        return int(value) if bits <= 64 else Phrase("long_number", bits=bits)
    if isinstance(value, float):
        return float(value)
    kind = type(value).__name__
    return Phrase("an_object" if kind[:1] in "aeiou" else "a_object", kind=kind)


def quoted(value: object, limit: int = _SHOWN) -> str:
    r"""Return `value` for a one-line message: short, printable, plain ASCII.

    Args:
        value: anything a caller may have passed, however long or strange.
        limit: the number of characters of a text that are shown.

    Examples:
        >>> quoted("a\n" * 1000, limit=4)
        "'a\\na\\n'... (2000 characters)"
        >>> quoted(7), quoted(None), quoted([1])
        ('7', 'None', 'a list')
    """
    shown = _quotable(value, limit)
    return str(shown) if isinstance(shown, Phrase) else ascii(shown)


_NO_BREAK: Final = "\u00a0"  # French has it before a colon
_COLOUR_OR_RARE: Final = re.compile("\x1b\\[[0-9;]*m|[^ -~]")


def harmless(text: str, *, lines: bool = True) -> str:
    r"""Return a text for a terminal or for JSON: what is not printable is written out.

    That would move the cursor, set a title or turn the text around.

    Args:
        text: with words of a bot, say.
        lines: whether it may have several lines, tabs and colours.

    Examples:
        >>> harmless("\x1b[2Jdone\x1b[0m\n") == "\\x1b[2Jdone\x1b[0m\n"
        True
        >>> harmless("row 1\nrow 2", lines=False) == "row 1\\nrow 2"
        True
    """

    def shown(found: re.Match[str]) -> str:
        part = found[0]
        kept = lines and (part in "\n\t" or len(part) > 1)
        if kept or part == _NO_BREAK or part.isprintable():
            return part
        return part.encode("unicode_escape").decode()

    plain = text.replace("\n", "") if lines else text
    return text if plain.isprintable() else _COLOUR_OR_RARE.sub(shown, text)


class Phrase(str):
    """A part of a sentence, or a remark, that knows its code and values; it is its own text.

    Attributes:
        code: of the catalogue; None if the text is no code.
        values: by name.

    Examples:
        >>> lost = Phrase("loses_marbles", count=32)
        >>> lost, lost.code, lost.values
        ('32 marbles of each colour', 'loses_marbles', {'count': 32})
    """

    __slots__ = ("code", "values")

    code: str | None
    values: dict[str, object]

    def __new__(cls, code: str, /, **values: object) -> Phrase:
        self = super().__new__(cls, sentence(code, values))
        self.code = code if _known(code, values) else None
        self.values = _plain(code, values)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _remade_phrase, (self.code or str(self), self.values)

    def told(self) -> dict[str, Any]:
        """Return the phrase for JSON: `sentence`, `code` and `values`."""
        return {"sentence": str(self), **_told(self.code, self.values)}


def checked_kind(value: _T, kind: Any, meant: str, error: type[KulamiError] | None = None) -> _T:
    """Return a value of a kind; refuse any other.

    Args:
        value: of any type.
        kind: the type it should have; a text is no `Iterable` of anything.
        meant: what it should be, the beginning of the sentence.
        error: the kind of error; None for a plain `KulamiError`.

    Examples:
        >>> checked_kind("Ann", str, "a name is a text")
        'Ann'
        >>> checked_kind(7, str, "a name is a text", NotationError)
        Traceback (most recent call last):
        ...
        kulami_solver.errors.NotationError: a name is a text, not 7
    """
    if not isinstance(value, kind) or (kind is Iterable and isinstance(value, str)):
        raise (error or KulamiError)(f"{meant}, not {quoted(value)}")
    return value


def reason(fault: Exception) -> str:
    """Return why the system refuses a file or an address, in the system's words.

    Examples:
        >>> reason(FileNotFoundError(2, "No such file or directory", "games.jsonl"))
        'No such file or directory'
    """
    return (isinstance(fault, OSError) and fault.strerror) or str(fault)


class KulamiError(ValueError):
    """Something given to the package cannot be used; the message says what, where and why.

    Args:
        code: of `sentences/en.json`. A text that is no code is the sentence itself; a `Phrase` and
            another error bring their own code and values.
        values: what the sentence names.

    Attributes:
        values: by name, as they were given.
        places: where it happened, the outermost first.

    Examples:
        >>> error = IllegalMoveError("taken", side="red", field="d7").at("move", number=3)
        >>> str(error)
        'move 3: red cannot play d7: it is taken'
        >>> error.code, error.values
        ('taken', {'side': 'red', 'field': 'd7'})
    """

    values: dict[str, object]
    places: tuple[Phrase, ...]

    def __new__(cls: type[_E], *args: object, **_values: object) -> _E:
        # Classes derived by other packages need not call this __init__.
        self = super().__new__(cls, *args)
        self.values, self.places = {}, ()
        return self

    def __init__(self, code: object = "", /, *others: object, **values: object) -> None:
        said = code
        if isinstance(code, KulamiError):
            said, values, self.places = code.args[0], code.values, code.places
        elif isinstance(code, Phrase):
            said, values = code.code or str(code), code.values
        super().__init__(said, *others)
        self.values = _plain(str(said), values)

    @functools.cached_property
    def code(self) -> str | None:
        """The code of its sentence; None if it was given a sentence instead."""
        code = super().__str__()
        return code if _known(code, self.values) else None

    def __str__(self) -> str:
        return self._after(self.places)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def _after(self, places: Sequence[Phrase]) -> str:
        """The sentence, after some of its places."""
        # A foreign bot's words and the names of files may be in it.
        return harmless(": ".join((*places, sentence(super().__str__(), self.values))), lines=False)

    def at(self: _E, code: str, /, **values: object) -> _E:
        """Return the same error with a place before its sentence and its other places."""
        remake, given = self.__reduce__()
        error: _E = remake(*given)
        place = code if isinstance(code, Phrase) else Phrase(code, **values)
        error.places = (place, *self.places)
        return error

    def told(self) -> dict[str, Any]:
        """Return the error for JSON.

        Returns:
            `error`, its sentence; `code` and `values`, if it has a code; `move`, if a place counts
            moves, turns or fields of a list, and `sentence` without it; `places`, if there are
            others.

        Examples:
            >>> IllegalMoveError("taken", side="red", field="d7").at("move", number=3).told()
            {'error': 'move 3: red cannot play d7: it is taken', 'move': 3, \
'sentence': 'red cannot play d7: it is taken', 'code': 'taken', \
'values': {'side': 'red', 'field': 'd7'}}
        """
        moves = [place.values["number"] for place in self.places if place.code in _COUNTED]
        others = [place for place in self.places if place.code not in _COUNTED]
        return {
            "error": str(self),
            **({"move": moves[0], "sentence": self._after(others)} if moves else {}),
            **({"places": [place.told() for place in others]} if others else {}),
            **_told(self.code, self.values),
        }

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return _remade_error, (type(self), self.args, {**self.__dict__})


class LayoutError(KulamiError):
    """The panels do not make a layout."""


class NotationError(KulamiError):
    """A text does not follow its notation, or a notation cannot express something."""


class PositionError(KulamiError):
    """Marbles, figures, stones or cards, turn and last marbles do not make a position."""


class BoardError(KulamiError):
    """There is no board of Malawi or Just 4 Fun like that, or no such square or field on it."""


class IllegalMoveError(KulamiError):
    """The rules do not allow this marble, turn or move, or this draw of cards, now."""


class BudgetError(KulamiError):
    """A search or a build was given a budget it cannot have."""


class CapacityError(KulamiError):
    """An analysis has come upon more positions, or longer games, than its tables can hold."""


class ClusterError(KulamiError):
    """A cluster is missing, unfit for the work, or was lost during the work."""


def _remade_phrase(code: str, values: dict[str, object]) -> Phrase:
    return Phrase(code, **values)


def _remade_error(kind: type[_E], args: tuple[object, ...], state: dict[str, object]) -> _E:
    # Some kinds are made from other arguments than a code and values; `state` has their attributes.
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(state)
    return error


def _plain(code: str, values: Mapping[str, object]) -> dict[str, object]:
    """Return values that can be sent to another process and hold no references to objects."""
    return {
        name: value if type(value) in _PLAIN else _plain_value(code, name, value)
        for name, value in values.items()
    }


def _limit(code: str, name: str) -> int | None:
    """Return how many characters a message shows of a value, if it quotes the value."""
    quoting = re.search(rf"\{{{name}!q([0-9]*)\}}", catalogue().get(code, ""))
    return int(quoting[1] or _SHOWN) if quoting else None


def _plain_value(code: str, name: str, value: object) -> object:
    limit = _limit(code, name)
    if limit is not None:
        return _quotable(value, limit)
    if isinstance(value, (KulamiError, str, int, float)):
        return value
    if isinstance(value, (list, tuple)):
        return [one if type(one) in _PLAIN or type(one) is Phrase else str(one) for one in value]
    return str(value)


def _told(code: str | None, values: Mapping[str, object]) -> dict[str, Any]:
    """Return a code and its values for JSON."""
    if code is None:
        return {}
    told = {}
    for name, value in values.items():
        limit = _limit(code, name)
        told[name] = _told_value(value if limit is None else _quotable(value, limit))
    return {"code": code, "values": told}


def _told_value(value: object) -> Any:
    if isinstance(value, (Phrase, KulamiError)) and value.code:
        return _told(value.code, value.values)
    if isinstance(value, list):
        return [_told_value(one) for one in value]
    if value is None or (isinstance(value, (int, float)) and abs(value) < 2**53):
        return value
    return harmless(str(value), lines=False)
