"""Margins in words that name the winner."""

from __future__ import annotations

from ..core.sides import other_side


def margin_words(margin: int, side: str) -> str:
    """Return what a margin of the side to move means.

    Examples:
        >>> margin_words(-3, "red")
        'black wins by 3'
    """
    if margin == 0:
        return "draw"
    return f"{side if margin > 0 else other_side(side)} wins by {abs(margin)}"


def range_words(lower: int, upper: int, side: str, *, by: bool = True) -> str:
    """Return what proved bounds of the margin of the side to move mean.

    Args:
        lower, upper: the bounds; equal where the margin is known.
        side: who is to move.
        by: say by how much somebody wins at least and at most.

    Examples:
        >>> for lower, upper in (2, 52), (-9, -3), (0, 7), (-4, 8), (1, 1):
        ...     print(range_words(lower, upper, "red"))
        red wins by 2 to 52
        black wins by 3 to 9
        at least a draw for red, at most a win by 7
        not proved yet: between 'black wins by 4' and 'red wins by 8'
        red wins by 1
        >>> range_words(2, 52, "red", by=False)
        'red wins'
    """
    if lower == upper:
        return margin_words(lower, side)
    if lower < 0 < upper:
        low, high = margin_words(lower, side), margin_words(upper, side)
        return f"not proved yet: between '{low}' and '{high}'"
    ahead = side if upper > 0 else other_side(side)
    least, most = (lower, upper) if upper > 0 else (-upper, -lower)
    if least:
        return f"{ahead} wins" + (f" by {least} to {most}" if by else "")
    return f"at least a draw for {ahead}" + (f", at most a win by {most}" if by else "")
