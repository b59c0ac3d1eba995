"""Shards (compiled); `shards.pxd` shows how one lies in memory."""

from collections.abc import Sequence
from typing import Any

class Runs:
    """Runs of which a ply is made."""

    def __init__(self, runs: Sequence[tuple[Any, Any, Any]]) -> None: ...
    def merged(self, low: int, high: int) -> tuple[Any, Any, Any]: ...

class SolvedLayer:
    """The shards of a solved layer, in order, for looking up values."""

    def __init__(self, shards: Sequence[tuple[Any, Any, Any, Any]]) -> None: ...
