"""Numbers of things in messages."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import Phrase


def parts_found(parts: Sequence[str], most: int) -> Phrase:
    """Return the fault in the number of parts of a text.

    Args:
        parts: the text split at each space.
        most: the required number of parts.

    Examples:
        >>> str(parts_found(["a"], 4)), str(parts_found(["a", "", "b", "c"], 4))
        ('has 1 part', 'has several in a row')
    """
    if list(parts) == [""]:
        return Phrase("text_is_empty")
    if "" in parts:
        return Phrase("text_has_gaps")
    if len(parts) > most:
        return Phrase("text_has_more_parts", most=most)
    return Phrase("text_has_parts", count=len(parts))


def so_many(count: int, thing: str) -> str:
    """Return a number of things in words.

    Args:
        count: how many.
        thing: the singular word; the plural adds an "s".

    Examples:
        >>> so_many(1, "bead"), so_many(0, "bead")
        ('1 bead', '0 beads')
    """
    return f"{count} {thing}{'s' * (count != 1)}"
