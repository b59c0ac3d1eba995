"""Shards put together (compiled); `shards.pxd` shows how one lies in memory."""

from collections.abc import Sequence
from typing import Any

def merged(pieces: Sequence[tuple[Any, Any, Any]]) -> tuple[Any, Any, Any]: ...
