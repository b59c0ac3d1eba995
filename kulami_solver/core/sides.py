"""The two sides of any game, red and black: their names, and how they are read."""

from __future__ import annotations

from typing import Final

from ..errors import NotationError

RED: Final = "red"
BLACK: Final = "black"


def parse_turn(value: object, name: str = "turn") -> str:
    """Return "red" or "black" for a colour's name or first letter.

    Args:
        value: "red", "black", "r" or "b".
        name: of the argument, for the message.

    Raises:
        NotationError: for anything else.

    Examples:
        >>> parse_turn("b")
        'black'
        >>> parse_turn("white")
        Traceback (most recent call last):
        ...
        kulami_solver.errors.NotationError: turn 'white' is no colour: use 'red' or 'black'
    """
    if isinstance(value, str):
        if value in (RED, "r"):
            return RED
        if value in (BLACK, "b"):
            return BLACK
    raise NotationError("no_colour", name=name, value=value)


def other_side(side: str) -> str:
    """Return the other one of "red" and "black".

    Examples:
        >>> other_side("red"), other_side("black")
        ('black', 'red')
    """
    return BLACK if side == RED else RED
