"""Answers as JSON, refusals among them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from ..errors import KulamiError, reason


class Refused(KulamiError):  # noqa: N818  (the name says what happened to the request)
    """The refusal of a request, with its HTTP status."""

    def __init__(self, status: int, code: object = "", /, **values: object) -> None:
        super().__init__(code, **values)
        self.status: Final = status


def as_json(said: Mapping[str, Any]) -> bytes:
    """Return an answer as JSON; a `Phrase` becomes its text.

    Examples:
        >>> as_json({"ok": True})
        b'{"ok":true}'
    """
    return msgspec.json.encode(said, enc_hook=str)


def told(error: BaseException) -> dict[str, Any]:
    """Return an error's sentence, with its code and values.

    Visitors read the name of a file, but not where the server has it.

    Examples:
        >>> told(KulamiError("taken", side="red", field="d7"))["values"]
        {'side': 'red', 'field': 'd7'}
        >>> told(KulamiError("games_full", path="/home/anna/games.sqlite"))["values"]
        {'path': 'games.sqlite'}
    """
    if isinstance(error, MemoryError):
        error = KulamiError("no_memory")
    if not isinstance(error, KulamiError):
        return {"error": reason(error) if isinstance(error, OSError) else str(error)}
    if "path" in error.values:
        error = KulamiError(error)
        error.values["path"] = os.path.basename(str(error.values["path"]))
    return error.told()
