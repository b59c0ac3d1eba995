"""Numbers of things in messages."""

from __future__ import annotations

__all__ = ["so_many"]


def so_many(count: int, thing: str, things: str | None = None) -> str:
    """Return a number of things in words.

    Args:
        count: how many.
        thing: what one of them is called.
        things: what several are called, if it takes more than an "s".

    Examples:
        >>> so_many(1, "bead"), so_many(0, "bead"), so_many(2, "ply", "plies")
        ('1 bead', '0 beads', '2 plies')
    """
    return f"{count} {thing if count == 1 else things or thing + 's'}"
