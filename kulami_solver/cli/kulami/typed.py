"""Converts typed text to the notations.

    D4          d4           a field
    R, B        r, b         a marble, or the side to move
    ..R.        2r1          squares without a marble, one by one

This is for command lines; files and programs have to keep to the notations.
"""

from __future__ import annotations

import re

_FIELD = re.compile(r"\b[A-P](?=(?:[1-9]|1[0-6])\b)")
_COLOURS = str.maketrans("RB", "rb")
_FREE = re.compile(r"[0-9.]+")
# Digits of a number of squares that are read: such a number is already too large for any board.
_DIGITS = 4


def fields_as_typed(text: str) -> str:
    """Return a list of fields with small letters; other words stay unchanged.

    Examples:
        >>> fields_as_typed("D4, d7 Q9 A17")
        'd4, d7 Q9 A17'
    """
    return _FIELD.sub(lambda field: field[0].lower(), text)


def kfn_as_typed(text: str) -> str:
    """Return a KFN with its marbles, turn and last marbles as KFN writes them.

    Examples:
        >>> kfn_as_typed("AAB/AAC .R./..B R C2,b1")
        'AAB/AAC 1r1/2b r c2,b1'
        >>> kfn_as_typed("AAB/AAC 1r")
        'AAB/AAC 1r'
    """
    parts = text.strip(" \t\r\n").split(" ")
    if len(parts) != 4:
        return text
    layout, marbles, turn, last = parts
    marbles = _FREE.sub(_counted, marbles.translate(_COLOURS))
    return " ".join((layout, marbles, turn.translate(_COLOURS), fields_as_typed(last)))


def _counted(run: re.Match[str]) -> str:
    """A run of points and numbers as one number of empty squares; a number stays as it is."""
    if "." not in run[0]:
        return run[0]
    numbers = (number.lstrip("0")[:_DIGITS] for number in run[0].split("."))
    return str(run[0].count(".") + sum(int(number or 0) for number in numbers))
