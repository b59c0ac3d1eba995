"""The options of games: each is declared once, and read and written everywhere in one way."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

from ..errors import KulamiError, quoted

_NUMBER: Final = re.compile(r"-?[0-9]{1,15}", re.ASCII)


class Option(NamedTuple):
    """An option of a game, as forms, parsers and help show it.

    Attributes:
        name: as `Descriptor.make` takes it.
        kind: "text", a whole "number", one of some "choice", or a "switch" that is on or off.
        default: the default value.
        words: the meaning, in a few words.
        least, most: the bounds of a number; None for no bound.
        choices: the values of a choice.
    """

    name: str
    kind: Literal["text", "number", "choice", "switch"]
    default: Any
    words: str
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()

    def write(self, value: Any) -> str:
        """Return a value as text, as `read` takes it.

        Examples:
            >>> Option("dummy", "switch", False, "").write(True)
            'true'
        """
        return str(value).lower() if self.kind == "switch" else str(getattr(value, "value", value))

    def read(self, text: str, called: str = "") -> Any:
        """Return the value that a text says.

        Args:
            text: the value.
            called: the option's name in messages, if that is another.

        Raises:
            KulamiError: if the option cannot have this value.

        Examples:
            >>> Option("marbles", "number", 28, "of each side", least=1, most=64).read("007")
            7
        """
        wanted = ""
        if self.kind == "number":
            if _NUMBER.fullmatch(text) and self.holds(int(text)):
                return int(text)
            wanted = self.range
        elif self.kind == "switch" and text not in ("true", "false"):
            wanted = "true or false"
        elif self.kind == "choice" and text not in self.choices:
            wanted = f"one of {', '.join(self.choices)}"
        if wanted:
            raise KulamiError(f"{called or self.name} is {quoted(text)}: give {wanted}")
        return text == "true" if self.kind == "switch" else text

    def typed(self, value: Any) -> str:
        """Return the option with a value as it is typed on a command line."""
        name = f"--{self.name.replace('_', '-')}"
        if self.kind == "switch":
            return name if value else f"without {name}"
        return f"{name} {value}"

    def type(self, most: int | None = None) -> Any:
        """Return the type of its values in a `msgspec.Struct`; `most` replaces its own."""
        from typing import Annotated

        import msgspec

        bounds = msgspec.Meta(ge=self.least, le=self.most if most is None else most)
        number = Annotated[int, bounds]
        kinds: Mapping[str, Any] = {"text": str, "number": number, "switch": bool}
        return Literal[self.choices] if self.kind == "choice" else kinds[self.kind]

    def holds(self, number: int) -> bool:
        """Whether a number is within the bounds.

        Examples:
            >>> Option("marbles", "number", 28, "of each side", least=1).holds(10**9)
            True
        """
        return not (
            (self.least is not None and number < self.least)
            or (self.most is not None and number > self.most)
        )

    @property
    def range(self) -> str:
        """The bounds of a number, in words.

        Examples:
            >>> Option("marbles", "number", 28, "of each side", least=1).range
            '1 or more'
        """
        if self.least is None:
            return "any whole number" if self.most is None else f"{self.most} or less"
        return f"{self.least} or more" if self.most is None else f"{self.least} to {self.most}"
