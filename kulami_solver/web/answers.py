"""Answers in JSON, and what is wrong in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.responses import Response

from ..errors import KulamiError


def json_answer(said: Mapping[str, Any], status: int = 200) -> Response:
    """Return an answer that no cache keeps."""
    return Response(
        msgspec.json.encode(said, enc_hook=str),  # texts that know their code
        status,
        media_type="application/json",
        headers={"cache-control": "no-store"},
    )


def told(error: BaseException) -> dict[str, Any]:
    """Return what an error says, with its code and values.

    Examples:
        >>> told(KulamiError("taken", side="red", field="d7"))["values"]
        {'side': 'red', 'field': 'd7'}
    """
    if isinstance(error, MemoryError):
        error = KulamiError("no_memory")
    return error.told() if isinstance(error, KulamiError) else {"error": str(error)}
