"""Margins in words that name the winner."""

from __future__ import annotations

from ..core.sides import other_side

__all__ = ["margin_words", "range_words"]


def margin_words(margin: int, side: str) -> str:
    """Return what a margin of the side to move means.

    Examples:
        >>> margin_words(-3, "red")
        'black wins by 3'
    """
    if margin == 0:
        return "draw"
    return f"{side if margin > 0 else other_side(side)} wins by {abs(margin)}"


def range_words(lower: int, upper: int, side: str) -> str:
    """Return what proved bounds of the margin of the side to move mean.

    Examples:
        >>> range_words(2, 52, "red"), range_words(-1, -1, "red")
        ('red wins by 2 to 52', 'black wins by 1')
        >>> range_words(0, 4, "red"), range_words(-4, 0, "red"), range_words(-2, 3, "red")
        ('red wins by 4 at most, or a draw', 'black wins by 4 at most, or a draw', \
'between black wins by 2 and red wins by 3')
    """
    if lower == upper:
        return margin_words(lower, side)
    other = other_side(side)
    if lower > 0:
        return f"{side} wins by {lower} to {upper}"
    if upper < 0:
        return f"{other} wins by {-upper} to {-lower}"
    if lower == 0:
        return f"{side} wins by {upper} at most, or a draw"
    if upper == 0:
        return f"{other} wins by {-lower} at most, or a draw"
    return f"between {other} wins by {-lower} and {side} wins by {upper}"
