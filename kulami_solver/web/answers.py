"""Answers in JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.responses import Response

__all__ = ["json_answer"]


def json_answer(said: Mapping[str, Any], status: int = 200) -> Response:
    """Return an answer that no cache keeps."""
    return Response(
        msgspec.json.encode(said, enc_hook=str),  # texts that know their code
        status,
        media_type="application/json",
        headers={"cache-control": "no-store"},
    )
