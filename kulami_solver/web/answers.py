"""Answers as JSON, refusals among them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from ..errors import KulamiError


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

    Examples:
        >>> told(KulamiError("taken", side="red", field="d7"))["values"]
        {'side': 'red', 'field': 'd7'}
    """
    if isinstance(error, MemoryError):
        error = KulamiError("no_memory")
    return error.told() if isinstance(error, KulamiError) else {"error": str(error)}
