"""What can go wrong, and how it is said.

Every refusal of bad input is a `KulamiError`, which is a `ValueError`. Its message is one line
that names the thing, the place and the remedy, so a program can print it as it is.
"""

from __future__ import annotations

__all__ = [
    "BoardError",
    "BudgetError",
    "CapacityError",
    "ClusterError",
    "IllegalMoveError",
    "KulamiError",
    "LayoutError",
    "LayoutWarning",
    "NotationError",
    "PositionError",
    "quoted",
]


class KulamiError(ValueError):
    """Something given to the package cannot be used; the message says what, where and why."""


class LayoutError(KulamiError):
    """The panels do not make a layout."""


class NotationError(KulamiError):
    """A text does not follow its notation, or a notation cannot carry what is asked of it."""


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
    """A cluster is not there, is not fit for the work, or has gone while it was at work."""


class LayoutWarning(UserWarning):
    """A layout that is accepted, but is not what the rulebook puts together."""


def quoted(value: object, limit: int = 40) -> str:
    r"""Return `value` as it may stand in a one-line message: short, printable, plain ASCII.

    Args:
        value: anything a caller may have passed, however long or strange.
        limit: the number of characters of a text that are shown.

    Examples:
        >>> quoted("a\n" * 1000, limit=4)
        "'a\\na\\n'... (2000 characters)"
        >>> quoted(7), quoted(None), quoted([1])
        ('7', 'None', 'a list')
    """
    if isinstance(value, str):
        if len(value) <= limit:
            return ascii(value)
        return f"{value[:limit]!a}... ({len(value)} characters)"
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, int):
        # Python refuses to write out numbers of thousands of digits.
        return str(value) if value.bit_length() <= 64 else f"a number of {value.bit_length()} bits"
    kind = type(value).__name__
    return f"{'an' if kind[:1] in 'aeiou' else 'a'} {kind}"
