"""What people type, put as the notations write it.

    D4          d4           a field
    R, B        r, b         a marble, and whose turn it is
    ..R.        2r1          squares without a marble, one by one

Files and programs are read to the letter; this is for what stands on a command line.
"""

from __future__ import annotations

import re

__all__ = ["fields_as_typed", "kfn_as_typed"]

_FIELD = re.compile(r"\b[A-P](?=(?:[1-9]|1[0-6])\b)")
_COLOURS = str.maketrans("RB", "rb")
_FREE = re.compile(r"[0-9.]+")
# Of a number of squares as many digits count: it is too large for any board already.
_DIGITS = 4


def fields_as_typed(text: str) -> str:
    """Return a list of fields with small letters; what is no field stays as it is.

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
    """Squares without a marble as one number, where there are points among them."""
    if "." not in run[0]:
        return run[0]
    numbers = (number.lstrip("0")[:_DIGITS] for number in run[0].split("."))
    return str(run[0].count(".") + sum(int(number or 0) for number in numbers))
