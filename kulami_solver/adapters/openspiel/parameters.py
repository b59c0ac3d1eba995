"""Parameters of games in OpenSpiel that are text, and parameters of observations.

A game is written, serialized and pickled as `kulami(layout=AAB/CCB,scoring=level0)`. A text in it
is read as a number if it looks like one, and so on:

    112  1.2  -3    numbers                  true  False     truth values
    a,b             two parameters           x(y)            a game
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ...errors import KulamiError

_NUMBER = re.compile(r"[-+0-9.]*")
_TRUTH = ("true", "True", "false", "False")
_BREAKING = re.compile(r"[,=()\n]|^$")


def checked_text(name: str, text: object, remedy: str) -> str:
    """Return a parameter's text if OpenSpiel reads it back unchanged.

    Args:
        name: of the parameter.
        text: the parameter's value.
        remedy: the advice in the message.

    Raises:
        KulamiError: if it would be read as something else.

    Examples:
        >>> checked_text("layout", "112/112", "call a panel by a letter")
        '112/112'
        >>> checked_text("layout", "112", "call a panel by a letter")
        Traceback (most recent call last):
        ...
        kulami_solver.errors.KulamiError: layout '112' would be read as a number by OpenSpiel: \
call a panel by a letter
    """
    if not isinstance(text, str):
        raise KulamiError("parameter_no_text", name=name, text=text, remedy=remedy)
    if _BREAKING.search(text):
        raise KulamiError("parameter_marks", name=name, text=text, remedy=remedy)
    kind = "a number" if _NUMBER.fullmatch(text) else "a truth value" if text in _TRUTH else ""
    if kind:
        raise KulamiError("parameter_number", name=name, text=text, kind=kind, remedy=remedy)
    return text


def refuse_observation_parameters(params: Mapping[str, object] | None) -> None:
    """Refuse parameters of an observation: there are none.

    Raises:
        KulamiError: if some are given.

    Examples:
        >>> refuse_observation_parameters({"colour": 1})
        Traceback (most recent call last):
        ...
        kulami_solver.errors.KulamiError: observations have no parameters: leave out 'colour'
    """
    if params:
        raise KulamiError("observation_parameters", names=", ".join(map(str, params)))
