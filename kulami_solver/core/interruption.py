"""What Ctrl-C leaves of a question: whatever was known by then."""

from __future__ import annotations

from typing import Final, Generic, TypeVar

__all__ = ["Interrupted"]

Found = TypeVar("Found", covariant=True)


class Interrupted(KeyboardInterrupt, Generic[Found]):
    """Ctrl-C ended a search, and nothing it has found is lost.

    Attributes:
        found: what the search would have returned, as far as it was known by then.
    """

    def __init__(self, found: Found) -> None:
        super().__init__("interrupted")
        self.found: Final = found
