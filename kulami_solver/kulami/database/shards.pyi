"""Shards put together (compiled); `shards.pxd` shows how one lies in memory."""

from collections.abc import Sequence
from typing import Any

class Runs:
    """Runs of which a ply is made."""

    def __init__(self, runs: Sequence[tuple[Any, Any, Any]]) -> None: ...
    def merged(self, low: int, high: int) -> tuple[Any, Any, Any]: ...
