"""Numbers from outside: Python's, NumPy's, and sequences of them."""

from __future__ import annotations

import numbers
import operator
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..errors import KulamiError, quoted

if TYPE_CHECKING:
    from random import Random

    import numpy.typing as npt


def whole(value: object) -> int | None:
    """Return a whole number of any kind as Python's own; None for other values, True and False too.

    Examples:
        >>> import numpy as np
        >>> whole(3), whole(np.uint64(2**63)), whole(3.0), whole(True)
        (3, 9223372036854775808, None, None)
    """
    if type(value) is int:
        return value
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except Exception:  # a foreign __index__ may raise anything
        return None


def wholes(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return values as a tuple, in which whole numbers of any kind are Python's own.

    Examples:
        >>> import numpy as np
        >>> wholes([np.int8(3), 4, None, 2.5])
        (3, 4, None, 2.5)
    """
    found = ((value, whole(value)) for value in values)
    return tuple(value if number is None else number for value, number in found)


def real(value: object) -> float | None:
    """Return a number of any kind as Python's own, a whole one as `whole` does; None for no number.

    Examples:
        >>> import numpy as np
        >>> real(np.float32(0.5)), real(np.int64(3)), real(True), real("1")
        (0.5, 3, None, None)
    """
    number = whole(value)
    if number is not None or isinstance(value, bool) or not isinstance(value, numbers.Real):
        return number
    return float(value)


def checked_index(
    value: object, count: int, called: str, error: type[KulamiError] = KulamiError
) -> int:
    """Return the number of one of `count` things, counted from 0; refuse any other value.

    Examples:
        >>> checked_index(2, 2, "seat")
        Traceback (most recent call last):
        ...
        kulami_solver.errors.KulamiError: seat is 2: give 0 to 1
    """
    number = whole(value)
    if number is None or not 0 <= number < count:
        raise error(f"{called} is {quoted(value)}: give 0 to {count - 1}")
    return number


def checked_seed(seed: object, kind: type[KulamiError] = KulamiError) -> int:
    """Return a seed, a whole number of any type, as Python's own; refuse others by this error."""
    number = whole(seed)
    if number is None or number < 0:
        raise kind(f"seed {quoted(seed)} is not a whole number of 0 or more")
    return number


def seeded(seed: object, kind: type[KulamiError] = KulamiError) -> Random:
    """Return the random generator of a seed, the same for whole numbers of any type.

    Raises:
        KulamiError: if the seed is no whole number of 0 or more; of another kind, if that is given.

    Examples:
        >>> import numpy as np
        >>> seeded(3).random() == seeded(np.uint8(3)).random()
        True
    """
    from random import Random  # most users of this module draw no random numbers

    return Random(checked_seed(seed, kind))


def plain_array(given: npt.ArrayLike) -> npt.NDArray[Any] | None:
    """Return a value as a NumPy array; None if that fails, or if entries are masked."""
    import numpy as np

    if isinstance(given, np.ma.MaskedArray):
        return None
    try:
        return np.asarray(given)
    except Exception:  # rows of several lengths; and a foreign __array__ may raise anything
        return None


def whole_array(given: npt.ArrayLike) -> npt.NDArray[Any] | None:
    """Return whole numbers as an array without loss; None for anything else.

    NumPy turns a list with numbers below and above 2^63 into floats, so such a list is read number
    by number. The array has an integer type, or holds objects if no integer type fits all numbers.

    Examples:
        >>> whole_array([2**63, 1]).tolist()
        [9223372036854775808, 1]
        >>> whole_array([2**63, -1]).tolist(), whole_array([1.0, 2]), whole_array([[1], [2, 3]])
        ([9223372036854775808, -1], None, None)
        >>> whole_array([1, True]), whole_array([True])
        (None, None)
    """
    import numpy as np

    found = plain_array(given)
    if isinstance(given, (list, tuple)) and {bool, np.bool_} & set(map(type, given)):
        return None  # beside numbers, NumPy takes True for 1
    if found is None or found.dtype.kind in "iu":
        return found
    if found.ndim != 1 or (isinstance(given, np.ndarray) and found.dtype.kind != "O"):
        return None
    numbers = []
    for one in given if isinstance(given, (list, tuple)) else found:
        number = whole(one)
        if number is None:
            return None
        numbers.append(number)
    low, high = min(numbers, default=0), max(numbers, default=0)
    if high < 1 << 63 and low >= -1 << 63:
        return np.array(numbers, np.int64)
    return np.array(numbers, np.uint64 if high < 1 << 64 and low >= 0 else object)
