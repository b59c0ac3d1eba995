"""What the verification of a database finds, whatever the game."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Verified"]


@dataclass(frozen=True)
class Verified:
    """What a verification went through.

    Attributes:
        positions: values that were computed again.
        bytes: bytes that were compared with their checksums.
        searched: sampled positions whose margin a forward search found, too.
        problems: what is wrong, in words; empty if nothing is.
    """

    positions: int
    bytes: int
    searched: int
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems
