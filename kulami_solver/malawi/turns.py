"""Turns of Malawi, and their notation.

a4-a2       a move: the figure on a4 goes to a2
a4xa1       a hit: it takes all beads of the figure on a1, and both stay where they are
a4:b4,c4    a redistribution: its beads go to the figures on b4 and c4, one each; what is
            more than that leaves the game
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from ..core.notation import parse_field
from ..errors import NotationError

Kind = Literal["move", "hit", "redistribution"]

_SIGNS: Final[dict[str, Kind]] = {"-": "move", "x": "hit", ":": "redistribution"}
_SIGN_OF: Final = {kind: sign for sign, kind in _SIGNS.items()}
KINDS: Final[tuple[Kind, ...]] = ("move", "hit", "redistribution")
"""The kinds of turns by their numbers in the compiled rules."""


@dataclass(frozen=True)
class Turn:
    """The turn of one figure. `Position` decides whether it is legal.

    Attributes:
        kind: "move", "hit" or "redistribution".
        figure: the name of the square it stands on.
        targets: the squares it goes to, hits, or gives its beads to, row by row.

    Examples:
        >>> from kulami_solver.malawi.turns import Turn
        >>> Turn("redistribution", "a4", ("b4", "c4")) == Turn.parse("a4:c4,b4")
        True
    """

    kind: Kind
    figure: str
    targets: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Turn:
        """Return the turn a text stands for.

        Raises:
            NotationError: if it stands for none.

        Examples:
            >>> Turn.parse("a4xa1")
            Turn.parse('a4xa1')
            >>> Turn.parse("a4")
            Traceback (most recent call last):
            ...
            kulami_solver.errors.NotationError: 'a4' is no turn: write a4-a2 for a move, a4xa1 \
for a hit, a4:b4,c4 for a redistribution
        """
        sign = next((sign for sign in _SIGNS if isinstance(text, str) and sign in text), None)
        if sign is None:
            raise NotationError("no_turn", text=text)
        kind = _SIGNS[sign]
        figure, _, rest = text.partition(sign)
        # No game has more figures a side than this.
        targets = rest.split(",", 17) if kind == "redistribution" else [rest]
        if "" in (figure, *targets):  # as in "xx", which is no hit of nothing
            raise NotationError("no_turn", text=text)
        for name in (figure, *targets):
            try:
                parse_field(name)
            except NotationError as error:
                raise error.at("no_turn_text", text=text) from None
        if len(set(targets)) < len(targets):
            raise NotationError("receiver_twice", text=text)
        return cls(kind, figure, tuple(sorted(targets, key=_reading_order)))

    def __str__(self) -> str:
        return f"{self.figure}{_SIGN_OF[self.kind]}{','.join(self.targets)}"

    def __repr__(self) -> str:
        return f"Turn.parse({str(self)!r})"


def _reading_order(field: str) -> tuple[int, int]:
    column, row = parse_field(field)
    return row, column
