"""Prefix codes by context (compiled); `codebook.pxd` shows how they lie."""

from typing import Any

def lengths_of(starts: Any, counts: Any) -> Any: ...

class Codebook:
    """The codes of some contexts."""

    contexts: Any
    starts: Any
    symbols: Any
    lengths: Any

    def __init__(self, contexts: Any, starts: Any, symbols: Any, lengths: Any) -> None: ...
    def words(self) -> Any: ...
    def encode(self, words: Any, contexts: Any, symbols: Any) -> Any: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(raw: Any, count: int) -> Codebook: ...
