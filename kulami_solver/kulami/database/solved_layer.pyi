"""A solved layer, to look values up in (compiled)."""

from collections.abc import Sequence
from typing import Any

class SolvedLayer:
    """The shards of a solved layer, in order, for looking up values."""

    def __init__(self, shards: Sequence[tuple[Any, Any, Any, Any]]) -> None: ...
