"""Answers in JSON, and the routes that are asked for them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

__all__ = ["Endpoint", "json_answer", "post"]

Endpoint = Callable[[Request], Awaitable[Any]]


def post(path: str, endpoint: Endpoint) -> Route:
    """Return the route of a path that is asked by POST."""
    return Route(path, endpoint, methods=["POST"])


def json_answer(said: Mapping[str, Any], status: int = 200) -> Response:
    """Return an answer that no cache keeps."""
    return Response(
        msgspec.json.encode(said, enc_hook=str),  # texts that know their code
        status,
        media_type="application/json",
        headers={"cache-control": "no-store"},
    )
